/**
 * Spans of Phoenix with the annotations of spans and traces, as its API answers (`/v1/projects/NAME/spans`, `/span_annotations`,
 * `/trace_annotations`), as its client's lists and as the rows of its client's data frames. A row is a trace.
 */
import { getOrInsert } from '../rows/maps.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Annotation, annotation } from './_annotations.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import { recordRows } from './_either.ts'
import type { Format } from './_format.ts'
import { spanOf, type Trace } from './_otlp.ts'
import { parsedText } from './_threads.ts'
import { traceRow } from './otel.ts'

export const format: Format = {
  about: 'Phoenix: spans, and files of their annotations (JSON, JSONL, CSV) together → a row a trace',
  async *read(sources, options, context) {
    const traces = new Map<string, Trace>()
    /** By the id of a span, or of a trace. */
    const annotations = new Map<string, Annotation[]>()
    for await (const batch of recordRows(sources, options, context, 'data')) {
      const bad = batch.flatMap((row) => rowsMade(row, (one) => add(one, traces, annotations)))
      if (bad.length > 0) yield bad
    }
    if (context.stop.aborted) return
    const file = sources[0]!.name
    const taken = (id: string): Annotation[] => {
      const list = annotations.get(id) ?? []
      annotations.delete(id)
      return list
    }
    for (const trace of traces.values()) {
      const own = [...trace.spans.keys(), trace.id].flatMap(taken)
      yield rowsMade(Row.make({ id: trace.id }, file, 0), (place) =>
        traceRow(trace.id, [trace], place, { annotations: own }),
      )
    }
    const others = [...annotations.values()].flat().length
    const said = `${others} annotations are of spans that are in no file`
    if (others > 0 && traces.size === 0)
      throw new Fatal(EXIT.data, `${file}: ${said}: give the file of the spans too`)
    if (others > 0) context.note(said)
  },
}

/** Adds a span, or an annotation. @returns the row, if it is neither */
function add(row: Row, traces: Map<string, Trace>, annotations: Map<string, Annotation[]>): Row[] {
  const item = nested(row.item)
  const { context } = item
  if (typeof item.annotator_kind === 'string') {
    const of = item.span_id ?? item.trace_id
    if (typeof of !== 'string')
      return [lacking(row, 'phoenix', 'an annotation without "span_id" and "trace_id"')]
    getOrInsert(annotations, of.toLowerCase(), () => []).push(annotationOf(item))
    return []
  }
  const span =
    isObject(context) &&
    spanOf({ traceId: context.trace_id ?? null, spanId: context.span_id ?? null }, traces)
  if (!span)
    return [lacking(row, 'phoenix', 'no "context" with a trace_id and a span_id: this is no span of Phoenix')]
  span.parent = typeof item.parent_id === 'string' && item.parent_id !== '' ? item.parent_id : undefined
  span.start = BigInt(timeOf(item.start_time)) * 1_000_000n
  span.failed = item.status_code === 'ERROR' ? String(item.status_message ?? '') : undefined
  span.attributes['openinference.span.kind'] = item.span_kind ?? null
  addFlat(span.attributes, '', item.attributes)
  return []
}

/** Milliseconds since 1970: of a text, or as pandas writes times. */
const timeOf = (time: Json | undefined): number =>
  Math.round(typeof time === 'number' ? time : Date.parse(String(time)) || 0)

/** A row of a data frame has `context.span_id`, `attributes.…` and `result.score` as columns. */
function nested(item: JsonObject): JsonObject {
  const made: JsonObject = {}
  for (const [key, value] of Object.entries(item)) {
    const [, group, rest] = /^(context|attributes|result)\.(.+)$/s.exec(key) ?? []
    if (group === undefined) made[key] = value
    else (made[group] ??= {}) && ((made[group] as JsonObject)[rest!] = value)
  }
  return made
}

/** Attributes as OpenInference has them: messages and documents one by one, with the places in lists as parts of their keys. */
function addFlat(attributes: JsonObject, path: string, value: Json | undefined): void {
  const given = parsedText(value)
  const isTree = Array.isArray(given) || isObject(given)
  if (!isTree || (path !== '' && !/^(?:llm\.(?:in|out)put_messages|retrieval\.documents)(?:\.|$)/.test(path)))
    attributes[path] = value ?? null
  else
    for (const [key, one] of Object.entries(given))
      if ((one ?? null) !== null) addFlat(attributes, path === '' ? key : `${path}.${key}`, one)
}

/** An annotation. Its value is the score, which has one meaning in all; without one the label. */
function annotationOf(item: JsonObject): Annotation {
  const { name, annotation_name, annotator_kind, span_id, user_id, identifier } = item
  const { score, label, explanation } = isObject(item.result) ? item.result : {}
  return annotation(
    name ?? annotation_name,
    isGiven(score) ? score : label,
    annotator_kind,
    identifier || user_id,
    {
      label,
      note: explanation,
      span: span_id,
    },
  )
}

const isGiven = (value: Json | undefined): boolean => (value ?? '') !== ''
