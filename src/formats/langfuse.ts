/**
 * Observations of Langfuse: an export as JSON, JSONL or CSV (its worker's observation-stream.ts), or a trace that was
 * downloaded. A row is a trace.
 */
import { peek } from '../files/files.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import type { Format, FormatOptions } from './_format.ts'
import { depthOf, parsedText, type Said, saidIn, threadsOf } from './_threads.ts'
import { format as csv } from './csv.ts'

interface Observed {
  place: Row
  observations: JsonObject[]
}

export const format: Format = {
  about: 'Langfuse: exported observations (JSON, JSONL, CSV) or a downloaded trace → a row a trace',
  async *read(sources, options, context) {
    const traces = new Map<string, Observed>()
    for (const source of sources)
      for await (const batch of rowsIn(source, options, context)) {
        const bad = batch.flatMap((row) => rowsMade(row, (one) => taken(one, row, traces)))
        if (bad.length > 0) yield bad
      }
    if (context.stop.aborted) return
    for (const [id, { place, observations }] of traces)
      yield rowsMade(place, () => rowOf(id, observations, place))
  },
}

async function* rowsIn(source: Source, options: FormatOptions, context: Context): Rows {
  const { start, again } = await peek(source)
  if (/^(?:\xef\xbb\xbf)?\s*[[{]/.test(start.toString('latin1', 0, 1024)))
    yield* eitherRows([again], options, context)
  else yield* csv.read!([again], options, context)
}

/** Adds an observation, or those of a trace. @returns the row, if it is neither */
function taken({ item }: Row, row: Row, traces: Map<string, Observed>): Row[] {
  const { observations, id } = item
  const list = Array.isArray(observations)
    ? observations.filter(isObject).map((one) => ({
        traceId: id!,
        sessionId: item.sessionId ?? null,
        traceName: item.name ?? null,
        ...one,
      }))
    : [item]
  if (!list.every(({ traceId, type }) => typeof traceId === 'string' && typeof type === 'string'))
    return [lacking(row, 'langfuse', 'no "traceId" and "type": this is no observation of Langfuse')]
  for (const one of list) {
    const trace = traces.get(String(one.traceId)) ?? {
      place: Row.make({ id: one.traceId }, row.file, row.line),
      observations: [],
    }
    trace.observations.push(one)
    traces.set(String(one.traceId), trace)
  }
  return []
}

/** @throws RowFailure */
function rowOf(id: string, observations: readonly JsonObject[], { file, line }: Row): Row {
  const byId = new Map(observations.map((one) => [one.id, one]))
  const calls = observations
    .filter(({ type }) => type === 'GENERATION')
    .map(
      (one): Said => ({
        span: String(one.id),
        depth: depthOf(one, ({ parentObservationId }) => byId.get(parentObservationId!)),
        start: BigInt(Date.parse(String(one.startTime)) || 0),
        input: saidIn(one.input, 'user'),
        output: saidIn(one.output, 'assistant'),
      }),
    )
    .filter(({ input, output }) => input.length + output.length > 0)
  const [main, ...others] = threadsOf(calls)
  if (!main) throw new RowFailure('missing_field', 'no observation of type GENERATION has an input or output')
  const own = byId.get(main.span)!
  const scores = observations.flatMap((one) => {
    const given = parsedText(one.scores)
    return isObject(given) ? Object.entries(given) : []
  })
  const first = (key: string): Json => observations.find((one) => one[key])?.[key] ?? null
  return Row.make(
    {
      id,
      conversation: first('sessionId'),
      name: first('traceName'),
      model: own.model ?? own.providedModelName ?? null,
      messages: main.messages,
      others: others.map(({ span, messages }) => ({ span, messages })),
      scores: Object.fromEntries(scores),
    },
    file,
    line,
  )
}
