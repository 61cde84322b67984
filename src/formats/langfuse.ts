/**
 * Observations of Langfuse: an export as JSON, JSONL or CSV (its worker's observation-stream.ts), or a trace that was
 * downloaded. A row is a trace.
 */
import { peek } from '../files/files.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { lacking, recordedRow, rowsMade } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import type { Format, FormatOptions } from './_format.ts'
import { depthsOf, parsedText, type Said, saidIn, threadsOf } from './_threads.ts'
import { format as csv } from './csv.ts'

interface Observed {
  place: Row
  observations: JsonObject[]
  /** What a downloaded trace says of itself. */
  input?: Json
  output?: Json
}

export const format: Format = {
  about: 'Langfuse: exported observations (JSON, JSONL, CSV) or a downloaded trace → a row a trace',
  async *read(sources, options, context) {
    const traces = new Map<string, Observed>()
    for (const source of sources)
      for await (const batch of rowsIn(source, options, context)) {
        const bad = batch.flatMap((row) => rowsMade(row, (one) => addObservations(one, row, traces)))
        if (bad.length > 0) yield bad
      }
    if (context.stop.aborted) return
    for (const [id, trace] of traces) yield rowsMade(trace.place, () => rowOf(id, trace))
  },
}

async function* rowsIn(source: Source, options: FormatOptions, context: Context): Rows {
  const { start, again } = await peek(source)
  if (/^(?:\xef\xbb\xbf)?\s*[[{]/.test(start.toString('latin1', 0, 1024)))
    yield* eitherRows([again], options, context)
  else yield* csv.read!([again], options, context)
}

/** Adds an observation, or those of a trace. @returns the row, if it is neither */
function addObservations({ item }: Row, row: Row, traces: Map<string, Observed>): Row[] {
  const { observations, id } = item
  const isTrace = Array.isArray(observations) && typeof id === 'string'
  const list = isTrace
    ? observations.filter(isObject).map((one) => ({
        traceId: id,
        sessionId: item.sessionId ?? null,
        traceName: item.name ?? null,
        ...one,
      }))
    : [item]
  if (!list.every(({ traceId, type }) => typeof traceId === 'string' && typeof type === 'string'))
    return [lacking(row, 'langfuse', 'no "traceId" and "type": this is no observation of Langfuse')]
  const traceOf = (key: string): Observed =>
    getOrInsert(traces, key, () => ({ place: Row.make({ id: key }, row.file, row.line), observations: [] }))
  for (const one of list) traceOf(String(one.traceId)).observations.push(one)
  if (isTrace) Object.assign(traceOf(id), { input: item.input, output: item.output })
  return []
}

/** @throws RowFailure */
function rowOf(id: string, { observations, input, output, place }: Observed): Row {
  const byId = new Map(observations.map((one) => [one.id, one]))
  const depths = depthsOf(observations, ({ parentObservationId }) => byId.get(parentObservationId!))
  const said = (one: JsonObject): Said => ({
    span: String(one.id),
    depth: depths.get(one)!,
    start: BigInt(Date.parse(String(one.startTime)) || 0),
    input: saidIn(one.input, 'user'),
    output: saidIn(one.output, 'assistant'),
  })
  const calls = observations
    .filter(({ type }) => type === 'GENERATION')
    .map(said)
    .filter(({ input, output }) => input.length + output.length > 0)
  const [main, ...others] = threadsOf(calls)
  const outermost = observations.find((one) => depths.get(one) === 0)
  // Functions without a model's call, or without its texts: the whole says what came in and went out.
  const asked = [main?.input ?? [], saidIn(input ?? outermost?.input, 'user')].find((list) => list.length > 0)
  const got = [main?.output ?? [], saidIn(output ?? outermost?.output, 'assistant')].find(
    (list) => list.length > 0,
  )
  const own = (main && byId.get(main.span)) ?? observations.find(({ type }) => type === 'GENERATION')
  const failed = [outermost, own].find((one) => one?.level === 'ERROR')
  const error = failed && (failed.statusMessage || 'level ERROR')
  if (!(asked || got || error))
    throw new RowFailure(
      'missing_field',
      'neither an observation of type GENERATION nor the trace has an input or output',
    )
  const scores = observations.flatMap((one) => {
    const given = parsedText(one.scores)
    return isObject(given) ? Object.entries(given) : []
  })
  const first = (key: string): Json => observations.find((one) => one[key])?.[key] ?? null
  return recordedRow(
    {
      id,
      conversation: first('sessionId'),
      name: first('traceName'),
      model: own?.model ?? own?.providedModelName ?? null,
      messages: [...(asked ?? []), ...(got ?? [])],
      others: others.map(({ span, messages }) => ({ span, messages })),
      scores: Object.fromEntries(scores),
    },
    error,
    place,
  )
}
