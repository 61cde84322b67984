/**
 * Observations, traces and scores of Langfuse: exports of its tables (its worker's getDatabaseReadStream.ts) and to blob storage as
 * JSON, JSONL or CSV, answers of its API in versions 2 and 3, a trace that was downloaded. A row is a trace.
 */
import { getOrInsert } from '../rows/maps.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Annotation, annotation } from './_annotations.ts'
import { lacking, recordedRow, rowsMade } from './_bad_rows.ts'
import { recordRows } from './_either.ts'
import type { Format } from './_format.ts'
import { conversationOf, parsedText, type Step, saidIn } from './_threads.ts'

interface Observed {
  place: Row
  /** What the trace says of itself. */
  trace: JsonObject
  observations: JsonObject[]
  annotations: Annotation[]
}

/** Traces by id, and what is of none. */
interface Read {
  traces: Map<string, Observed>
  /** Scores of sessions and experiments. */
  others: number
}

export const format: Format = {
  about:
    'Langfuse: exported observations, traces and scores (JSON, JSONL, CSV), a downloaded trace → a row a trace',
  async *read(sources, options, context) {
    const read: Read = { traces: new Map(), others: 0 }
    for await (const batch of recordRows(sources, options, context, 'data')) {
      const bad = batch.flatMap((row) => rowsMade(row, (one) => add(one, row, read)))
      if (bad.length > 0) yield bad
    }
    if (context.stop.aborted) return
    if (read.others > 0) context.note(`${read.others} scores are of sessions or experiments: left out`)
    for (const [id, trace] of read.traces) yield rowsMade(trace.place, () => rowOf(id, trace))
  },
}

/** Adds what a record holds to its trace. @returns the row, if it is none of Langfuse's */
function add({ item: given }: Row, row: Row, read: Read): Row[] {
  const item = camelKeys(given)
  const traceOf = (id: Json | undefined): Observed =>
    getOrInsert(read.traces, String(id), () => ({
      ...{ place: Row.make({ id: String(id) }, row.file, row.line), trace: {} },
      ...{ observations: [], annotations: [] },
    }))
  const addScore = (score: JsonObject): Row[] => {
    const {
      kind,
      id,
      traceId = kind === 'trace' ? id : score.traceId,
    } = isObject(score.subject) ? score.subject : {}
    if (traceId) traceOf(traceId).annotations.push(annotationOf(score))
    else if (kind || score.sessionId || score.datasetRunId) read.others++
    else
      return [
        lacking(row, 'langfuse', 'a score of no trace: ask the API for fields=subject,annotation,details'),
      ]
    return []
  }
  if (isScore(item)) return addScore(item)
  if (typeof item.traceId === 'string' && typeof item.type === 'string') {
    traceOf(item.traceId).observations.push(item)
    return []
  }
  if (typeof item.id !== 'string' || !(Array.isArray(item.observations) || 'timestamp' in item))
    return [lacking(row, 'langfuse', 'no "traceId" and "type": this is no observation of Langfuse')]
  const { observations, scores, ...trace } = item
  const listed = (list: Json | undefined) => (Array.isArray(list) ? list.filter(isObject) : [])
  const { id } = trace
  const own = traceOf(id)
  Object.assign(own.trace, trace)
  own.observations.push(
    ...listed(observations).map((one) => ({ traceId: id, ...camelKeys(one) }) as JsonObject),
  )
  return listed(scores).flatMap((one) => addScore({ traceId: id!, ...one }))
}

const isScore = ({ name, source, dataType }: JsonObject): boolean =>
  [name, source, dataType].every((one) => typeof one === 'string')

/** A record of blob storage, whose keys have underscores, in the words of the others. */
const camelKeys = (item: JsonObject): JsonObject =>
  'project_id' in item || 'trace_id' in item
    ? Object.fromEntries(
        Object.entries(item).map(([key, value]) => [
          key.replace(/_([a-z])/g, (_, one) => one.toUpperCase()),
          value,
        ]),
      )
    : item

/** A score. Version 3 of the API has one typed value; before, a text stands in `stringValue`, and of BOOLEAN 1 or 0 in `value`. */
function annotationOf(score: JsonObject): Annotation {
  const { name, dataType, value, stringValue, source, comment } = score
  const isNumber = dataType === 'NUMERIC'
  const isTrue = dataType === 'BOOLEAN' ? /^(?:true|1(?:\.0*)?)$/i.test(String(value)) : undefined
  const subject = isObject(score.subject) ? score.subject : {}
  const span = score.observationId ?? (subject.kind === 'observation' ? subject.id : undefined)
  const by = score.authorUserName || score.authorUserId
  return annotation(name, isTrue ?? (isNumber ? value : stringValue || value), source, by, {
    note: comment,
    span,
  })
}

/** A row, failed if the trace has no messages. */
function rowOf(id: string, { trace, observations, annotations, place }: Observed): Row {
  const steps = observations.map(
    (one): Step => ({
      id: String(one.id),
      parent: typeof one.parentObservationId === 'string' ? one.parentObservationId : undefined,
      isCall: one.type === 'GENERATION',
      start: BigInt(Date.parse(String(one.startTime)) || 0),
      input: saidIn(one.input, 'user'),
      output: saidIn(one.output, 'assistant'),
    }),
  )
  const recorded = (step: Step | undefined) => observations[steps.indexOf(step!)]
  const whole = (value: Json | undefined, role: 'user' | 'assistant') =>
    (value ?? null) === null ? undefined : saidIn(value, role)
  const { messages, others, ...found } = conversationOf(steps, {
    input: whole(trace.input, 'user'),
    output: whole(trace.output, 'assistant'),
  })
  const [own, outermost] = [found.own, found.outermost].map(recorded)
  const failed = [outermost, own].find((one) => one?.level === 'ERROR')
  const error = failed && (failed.statusMessage || 'level ERROR')
  const scores = observations.flatMap((one) => {
    const given = parsedText(one.scores)
    return isObject(given) ? Object.entries(given) : []
  })
  const first = (key: string): Json | undefined => observations.find((one) => one[key])?.[key]
  const row = recordedRow(
    {
      id,
      conversation: first('sessionId') ?? (trace.sessionId || null),
      name: first('traceName') ?? (trace.name || null),
      model: own?.model ?? own?.providedModelName ?? null,
      messages,
      others,
      scores: Object.fromEntries(scores),
      annotations,
    },
    error,
    place,
  )
  if (messages.length > 0 || error) return row
  const lack = 'neither an observation of type GENERATION nor the trace has an input or output'
  return row.fail('read', new RowFailure('missing_field', lack))
}
