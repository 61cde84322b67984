/** Spans and log records in OTLP JSON (opentelemetry-proto, trace.proto and logs.proto; proto3's JSON with ids in hex). */
import { exactJson, memberJson, writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject } from '../rows/record.ts'

export interface OtelSpan {
  id: string
  parent: string | undefined
  /** Nanoseconds since 1970. */
  start: bigint
  /** Its status is an error: the description of it, which may be empty. */
  failed: string | undefined
  attributes: JsonObject
  /** What happened in it: its events, and log records that name it. */
  events: Happening[]
}

export interface Happening {
  name: string
  time: bigint
  attributes: JsonObject
  body: Json
}

export interface Trace {
  id: string
  /** By id, in the order of the input. */
  spans: Map<string, OtelSpan>
}

/** The lists that a document holds, flattened. */
const listIn = (value: Json | undefined, ...path: string[]): Json[] => {
  const [key, ...more] = path
  if (key === undefined) return Array.isArray(value) ? value : []
  if (Array.isArray(value)) return value.flatMap((one) => listIn(one, ...path))
  return isObject(value) && value[key] !== undefined ? listIn(value[key], ...more) : []
}

/**
 * Adds what a document holds to its traces.
 * @param bad is called with what is neither, and why
 * @returns false if the document is no OTLP JSON
 */
export function addDocument(
  document: JsonObject,
  traces: Map<string, Trace>,
  bad: (text: string, why: string) => void,
): boolean {
  const spans = listIn(document, 'resourceSpans', 'scopeSpans', 'spans')
  const records = listIn(document, 'resourceLogs', 'scopeLogs', 'logRecords')
  const each = (list: Json[], what: string, add: (one: JsonObject) => string | undefined) => {
    for (const [i, one] of list.entries()) {
      const why = isObject(one) ? add(one) : 'is no object'
      if (why !== undefined) bad(writtenJson(one), `${what} ${i + 1} ${why}`)
    }
  }
  each(spans, 'span', (span) => addSpan(span, traces))
  each(records, 'log record', (record) => addRecord(record, traces))
  return 'resourceSpans' in document || 'resourceLogs' in document
}

/** @returns why it is none */
function addSpan(given: JsonObject, traces: Map<string, Trace>): string | undefined {
  const span = spanOf(given, traces)
  if (!span) return 'has no traceId and spanId in hex'
  const parent = given.parentSpanId
  span.parent = typeof parent === 'string' && parent !== '' ? parent.toLowerCase() : undefined
  span.start = nanos(given.startTimeUnixNano)
  span.failed = failureIn(given.status)
  Object.assign(span.attributes, attributesOf(given.attributes))
  for (const event of listIn(given.events))
    if (isObject(event)) span.events.push(happening(event, event.name, event.timeUnixNano))
  return undefined
}

/** The description in a status that is an error, whose code is a number or its name. */
const failureIn = (status: Json | undefined): string | undefined =>
  isObject(status) && (status.code === 2 || status.code === 'STATUS_CODE_ERROR')
    ? String(status.message ?? '')
    : undefined

function addRecord(given: JsonObject, traces: Map<string, Trace>): string | undefined {
  // A record of another program's log has no span.
  if (given.spanId === undefined || given.spanId === '') return undefined
  const span = spanOf(given, traces)
  if (!span) return 'has a traceId or spanId that is not hex'
  const time = given.timeUnixNano ?? given.observedTimeUnixNano
  span.events.push(happening(given, given.eventName, time))
  return undefined
}

/** The span that an object names, which its trace then has; undefined if it names none. */
export function spanOf({ traceId, spanId }: JsonObject, traces: Map<string, Trace>): OtelSpan | undefined {
  if (![traceId, spanId].every((id) => typeof id === 'string' && /^[0-9a-f]+$/i.test(id))) return undefined
  const [id, own] = [String(traceId).toLowerCase(), String(spanId).toLowerCase()]
  let trace = traces.get(id)
  if (!trace) traces.set(id, (trace = { id, spans: new Map() }))
  let span = trace.spans.get(own)
  if (!span)
    trace.spans.set(
      own,
      (span = { id: own, parent: undefined, start: 0n, failed: undefined, attributes: {}, events: [] }),
    )
  return span
}

function happening(given: JsonObject, name: Json | undefined, time: Json | undefined): Happening {
  const attributes = attributesOf(given.attributes)
  return {
    name: String(name ?? attributes['event.name'] ?? ''),
    time: nanos(time),
    attributes,
    body: exactJson(jsonOf(given.body)),
  }
}

const nanos = (time: Json | undefined): bigint => (/^\d+$/.test(String(time)) ? BigInt(String(time)) : 0n)

const attributesOf = (list: Json | undefined) => exactJson(attributesJson(list)) as JsonObject

function attributesJson(list: Json | undefined): string {
  const members = listIn(list)
    .filter(isObject)
    .map(({ key, value }) => `${JSON.stringify(String(key))}:${jsonOf(value)}`)
  return `{${members.join()}}`
}

/** JSON text of an AnyValue. */
function jsonOf(value: Json | undefined): string {
  if (!isObject(value)) return 'null'
  const { intValue, arrayValue, kvlistValue } = value
  if (intValue !== undefined) {
    const digits = String(intValue)
    if (Number.isSafeInteger(Number(digits))) return String(Number(digits))
    return /^-?[1-9]\d*$/.test(digits) ? digits : JSON.stringify(digits)
  }
  if (isObject(arrayValue)) return `[${listIn(arrayValue.values).map(jsonOf).join()}]`
  if (isObject(kvlistValue)) return attributesJson(kvlistValue.values)
  const key = SCALARS.find((one) => (value[one] ?? null) !== null)
  return key === undefined ? 'null' : memberJson(value, key)
}

const SCALARS = ['stringValue', 'boolValue', 'doubleValue', 'bytesValue']
