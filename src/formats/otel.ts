/**
 * Traces of OpenTelemetry as OTLP JSON, one object or one a line: the conventions for generative AI in both generations
 * (messages in attributes, since 1.37; in log records, before), OpenInference (Phoenix) and Traceloop. A row is a trace.
 */
import { VERSION } from '../options/version.ts'
import { writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Context, misfit } from '../rows/stage.ts'
import { identityOf } from '../scoring/run_identity.ts'
import { inPlaceOf, recordedRow, rowsMade } from './_bad_rows.ts'
import { reasonOf } from './_checks.ts'
import { eitherRows } from './_either.ts'
import type { Format, FormatOptions } from './_format.ts'
import { addDocument, type Happening, type OtelSpan, type Trace } from './_otlp.ts'
import { depthsOf, parsedText, saidIn, type Thread, threadsOf } from './_threads.ts'

export const format: Format = {
  about: {
    read: 'OpenTelemetry: OTLP JSON, traces and logs files together → a row a trace, with its messages',
    write:
      'OpenTelemetry: a log record (OTLP JSON) a result, gen_ai.evaluation.result, for the trace it is of',
  },
  fields: ['id', 'span'],
  async *write(rows, _options, context) {
    for await (const batch of rows) yield batch.map((row) => evaluationOf(row, context)).join('')
  },
  readOptions: [
    {
      name: 'per',
      type: 'string',
      choices: ['trace', 'conversation'],
      default: 'trace',
      about: 'what a row is; a conversation is the traces with the same gen_ai.conversation.id or session.id',
    },
  ],
  async *read(sources, options, context) {
    const traces = new Map<string, Trace>()
    for await (const batch of eitherRows(sources, options, context)) {
      const bad = batch.flatMap((row) => addRow(row, traces, options, context))
      if (bad.length > 0) yield bad
    }
    if (context.stop.aborted) return
    const file = sources[0]!.name
    let others = 0
    for (const [id, group] of groupsOf(traces, options.per === 'conversation'))
      if (group.some(({ spans }) => [...spans.values()].some(isOfModels)))
        yield rowsMade(Row.make({ id }, file, 0), (place) => traceRow(id, group, place))
      else others += group.length
    if (others > 0) context.note(`${others} traces have no span of a model, an agent or a tool: left out`)
  },
}

/**
 * A result as an event (semantic conventions for generative AI, gen_ai.evaluation.result). The conventions have no agreed
 * attributes for the evaluator: `gen_ai.evaluation.evaluator.…` is as proposed, and what nobody has given a form is under `jb.`.
 */
function evaluationOf(row: Row, { note }: Context): string {
  const [traceId, spanId] = [row.field('id'), row.field('span')]
  const isOfTrace = /^[0-9a-f]{32}$/.test(String(traceId))
  if (!isOfTrace)
    note('the field "id" is no trace’s id, as jb-read otel gives: its evaluation is of no trace', {
      ...{ file: row.file, line: row.line, kind: 'no trace' },
    })
  const { score, range, option, decision, winner } = row.get('result') ?? {}
  const { judge, judge_digest, name = judge, model } = identityOf(row)
  const label = option ?? decision ?? winner
  const reason = reasonOf(row)
  const error = row.get('error')
  const attributes: JsonObject[] = [
    { key: 'gen_ai.evaluation.name', value: { stringValue: name ?? 'judge' } },
  ]
  const add = (key: string, value: JsonObject) => attributes.push({ key, value })
  if (typeof score === 'number') add('gen_ai.evaluation.score.value', { doubleValue: score })
  if (label !== undefined) add('gen_ai.evaluation.score.label', { stringValue: String(label) })
  if (reason !== '') add('gen_ai.evaluation.explanation', { stringValue: reason })
  if (error) add('error.type', { stringValue: error.code })
  if (judge !== undefined) add('gen_ai.evaluation.evaluator.id', { stringValue: judge })
  if (judge_digest !== undefined) add('gen_ai.evaluation.evaluator.version', { stringValue: judge_digest })
  if (model !== undefined) {
    if (!model.startsWith('baseline:')) add('gen_ai.evaluation.evaluator.type', { stringValue: 'llm_judge' })
    add('jb.judge.model', { stringValue: model })
  }
  if (Array.isArray(range))
    add('jb.score.range', { arrayValue: { values: range.map((end) => ({ doubleValue: end })) } })
  const record = {
    ...(isOfTrace && { traceId, ...(/^[0-9a-f]{16}$/.test(String(spanId)) && { spanId }) }),
    eventName: 'gen_ai.evaluation.result',
    attributes,
  }
  const scopeLogs = [{ scope: { name: 'jb', version: VERSION }, logRecords: [record] }]
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'jb' } }] }
  return `${JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] })}\n`
}

/** Adds a document to the traces. @returns what is bad in it, as rows */
function addRow(row: Row, traces: Map<string, Trace>, options: FormatOptions, context: Context): Row[] {
  if (row.get('error')) return [row]
  const { file, line } = row
  const bad: Row[] = []
  const refuse = (text: string, message: string) =>
    bad.push(...inPlaceOf({ text: text, message, file, line }, options, context))
  try {
    if (!addDocument(row.exact().item, traces, refuse))
      refuse(row.itemText(), 'neither "resourceSpans" nor "resourceLogs": this is no OTLP JSON')
  } catch (error) {
    const wrong = misfit(error)
    if (wrong === undefined) throw error
    refuse(row.itemText(), wrong)
  }
  return bad
}

const startOf = ({ spans }: Trace): bigint =>
  [...spans.values()].reduce((first, { start }) => (start < first ? start : first), 2n ** 64n)

/** Traces in the order of their beginnings, alone or with those of the same conversation. */
function groupsOf(traces: ReadonlyMap<string, Trace>, joined: boolean): Map<string, Trace[]> {
  const groups = new Map<string, Trace[]>()
  const begun = [...traces.values()].map((trace) => ({ trace, start: startOf(trace) }))
  begun.sort((a, b) =>
    a.start === b.start ? (a.trace.id < b.trace.id ? -1 : 1) : a.start < b.start ? -1 : 1,
  )
  for (const { trace } of begun) {
    const id = (joined ? conversationOf(trace) : null) ?? trace.id
    const group = groups.get(id)
    if (group) group.push(trace)
    else groups.set(id, [trace])
  }
  return groups
}

const isOfModels = ({ attributes, events }: OtelSpan): boolean =>
  [...Object.keys(attributes), ...events.map(({ name }) => name)].some((key) =>
    /^(?:gen_ai|llm|openinference)\./.test(key),
  )

/** The first of some attributes that a span of the trace has. */
function found(spans: Iterable<OtelSpan>, ...keys: string[]): Json {
  for (const { attributes } of spans)
    for (const key of keys) if ((attributes[key] ?? null) !== null) return attributes[key]!
  return null
}

function conversationOf({ spans }: Trace): string | null {
  const id = found(spans.values(), 'gen_ai.conversation.id', 'session.id')
  return id === null ? null : String(id)
}

/** The row of a trace, or of those of a conversation. @param more fields of it @throws RowFailure */
export function traceRow(id: string, group: readonly Trace[], place: Row, more: JsonObject = {}): Row {
  const parts = group.map(threadsIn)
  const spans = group.flatMap((trace) => [...trace.spans.values()])
  const root = outermost(spans)
  // A later trace of a conversation mostly repeats what was said so far.
  const mains = threadsOf(parts.flatMap(([main]) => main ?? [])).sort(byStart)
  const said = mains.length > 0 ? mains.flatMap((thread) => thread.messages) : wholeOf(root)
  const messages = said.length > 0 ? said : spans.sort(byStart).flatMap(toolMessages)
  const counted = new Set(mains.map(({ span }) => span))
  const own = spans.filter(({ id }) => counted.has(id))
  const error = errorOf([root, ...own])
  if (messages.length === 0 && error === null)
    throw new RowFailure(
      'missing_field',
      'its spans have no messages: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true where the trace is made, and give the logs file too if they stand there',
    )
  const tools = parsedText(found([...own, ...spans], 'gen_ai.tool.definitions'))
  const contexts = spans.flatMap(contextsOf)
  return recordedRow(
    {
      id,
      span: root.id,
      conversation: conversationOf(group[0]!),
      agent: found([root, ...spans], 'gen_ai.agent.name'),
      model: found([...own, ...spans], 'gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name'),
      ...(tools !== null && { tools }),
      spans: spans.length,
      messages,
      others: parts.flatMap(([, ...others]) => others.map(({ span, messages }) => ({ span, messages }))),
      ...(contexts.length > 0 && { contexts }),
      ...more,
    },
    error,
    place,
  )
}

/** OpenInference: what a span as a whole was given and gave, where no span of the trace has messages. */
const wholeOf = ({ attributes }: OtelSpan): Json[] => [
  ...saidIn(attributes['input.value'], 'user'),
  ...saidIn(attributes['output.value'], 'assistant'),
]

/** What failed, by its attribute or its status: the whole, or the call whose messages count. */
function errorOf(spans: readonly OtelSpan[]): Json {
  for (const { attributes, failed } of spans) {
    const type = attributes['error.type'] ?? null
    if (type !== null || failed !== undefined)
      return { type, message: failed || (type === null ? 'its status is an error' : '') }
  }
  return null
}

/** The first of the spans without a parent, else of all. */
function outermost(spans: readonly OtelSpan[]): OtelSpan {
  const ids = new Set(spans.map(({ id }) => id))
  const roots = spans.filter(({ parent }) => parent === undefined || !ids.has(parent))
  return [...(roots.length > 0 ? roots : spans)].sort(byStart)[0]!
}

const byStart = (a: { start: bigint }, b: { start: bigint }): number =>
  a.start === b.start ? 0 : a.start < b.start ? -1 : 1

/** A trace's own conversation, then those of its sub-agents. @throws RowFailure */
function threadsIn({ spans }: Trace): Thread[] {
  const depths = depthsOf(spans.values(), ({ parent }) => spans.get(parent ?? ''))
  const calls = [...spans.values()].flatMap((span) => {
    const said = saidBy(span)
    return said ? [{ span: span.id, depth: depths.get(span)!, start: span.start, ...said }] : []
  })
  return threadsOf(calls)
}

/** The texts of documents that a retriever found. */
function contextsOf({ attributes }: OtelSpan): Json[] {
  const listed = parsedText(attributes['gen_ai.retrieval.documents'])
  const texts = listAt(attributes, 'retrieval.documents').map((one) => at(one, 'document', 'content') ?? null)
  return [...(Array.isArray(listed) ? listed : []), ...texts].map((one) =>
    isObject(one) ? (one.content ?? one.text ?? writtenJson(one)) : one,
  )
}

/** A tool that was run, as its call and its result. */
function toolMessages({ attributes }: OtelSpan): Json[] {
  const name = attributes['gen_ai.tool.name']
  if (attributes['gen_ai.operation.name'] !== 'execute_tool' || typeof name !== 'string') return []
  const id = attributes['gen_ai.tool.call.id'] ?? null
  const given = attributes['gen_ai.tool.call.arguments'] ?? null
  const result = attributes['gen_ai.tool.call.result'] ?? null
  return [
    { role: 'assistant', content: null, tool_calls: [{ id, name, arguments: given }] },
    { role: 'tool', tool_call_id: id, name, content: result },
  ]
}

interface Asked {
  input: Json[]
  output: Json[]
}

/** What a span asked and got, by the first of the conventions that it follows. */
function saidBy({ attributes, events }: OtelSpan): Asked | undefined {
  const details = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details')
  return (
    inAttributes(attributes) ??
    flattened(attributes, 'llm.input_messages', 'llm.output_messages', openInference) ??
    flattened(attributes, 'gen_ai.prompt', 'gen_ai.completion', traceloop) ??
    (details && inAttributes(details.attributes)) ??
    inEvents(events)
  )
}

const asked = (input: Json[], output: Json[]): Asked | undefined =>
  input.length + output.length > 0 ? { input, output } : undefined

function inAttributes(attributes: JsonObject): Asked | undefined {
  const system = parsedText(attributes['gen_ai.system_instructions']) ?? null
  const told = Array.isArray(system)
    ? [{ role: 'system', parts: system }]
    : saidIn(system, 'user').map((one) => ({ ...(one as JsonObject), role: 'system' }))
  const input = saidIn(attributes['gen_ai.input.messages'], 'user')
  const output = saidIn(attributes['gen_ai.output.messages'], 'assistant').slice(0, 1)
  return input.length + output.length === 0 ? undefined : { input: [...told, ...input], output }
}

/** Attributes `PREFIX.0.role`, `PREFIX.0.contents.1.…` as messages. */
function flattened(
  attributes: JsonObject,
  input: string,
  output: string,
  message: (tree: Tree) => JsonObject,
): Asked | undefined {
  return asked(listAt(attributes, input).map(message), listAt(attributes, output).map(message))
}

/** Attributes by the parts of their keys. */
type Tree = Map<string, Tree | Json>

const isTree = (value: Tree | Json | undefined): value is Tree => value instanceof Map

function listAt(attributes: JsonObject, prefix: string): Tree[] {
  const root: Tree = new Map()
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue
    const path = key.slice(prefix.length + 1).split('.')
    let at = root
    for (const part of path.slice(0, -1)) {
      const inner = at.get(part)
      const next: Tree = isTree(inner) ? inner : new Map()
      at.set(part, next)
      at = next
    }
    at.set(path.at(-1)!, value)
  }
  return listOf(root)
}

/** The trees under whole numbers, in their order. */
const listOf = (tree: Tree | Json | undefined): Tree[] =>
  isTree(tree)
    ? [...tree]
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([, value]) => value)
        .filter(isTree)
    : []

function at(tree: Tree | undefined, ...path: string[]): Json | undefined {
  let value: Tree | Json | undefined = tree
  for (const key of path) value = isTree(value) ? value.get(key) : undefined
  return isTree(value) ? undefined : value
}

const callIn = (call: Tree, ...path: string[]): JsonObject => ({
  id: at(call, 'id') ?? null,
  name: at(call, ...path, 'name') ?? '',
  arguments: at(call, ...path, 'arguments') ?? null,
})

function openInference(tree: Tree): JsonObject {
  const message = tree.get('message')
  const own = isTree(message) ? message : new Map()
  const parts = listOf(own.get('contents')).map((part): JsonObject => {
    const url = at(part, 'message_content', 'image', 'image', 'url')
    return url === undefined
      ? {
          type: at(part, 'message_content', 'type') ?? 'text',
          text: at(part, 'message_content', 'text') ?? '',
        }
      : { type: 'image_url', image_url: { url } }
  })
  const calls = listOf(own.get('tool_calls')).flatMap((one) => {
    const call = one.get('tool_call')
    return isTree(call) ? [callIn(call, 'function')] : []
  })
  return messageOf(own, parts.length > 0 ? parts : (at(own, 'content') ?? null), calls)
}

function traceloop(tree: Tree): JsonObject {
  const content = parsedText(at(tree, 'content'))
  const isParts =
    Array.isArray(content) && content.every((part) => isObject(part) && typeof part.type === 'string')
  const calls = listOf(tree.get('tool_calls')).map((call) => callIn(call))
  return messageOf(tree, isParts ? content : (at(tree, 'content') ?? null), calls)
}

function messageOf(tree: Tree, content: Json, calls: JsonObject[]): JsonObject {
  const id = at(tree, 'tool_call_id')
  return {
    role: at(tree, 'role') ?? 'assistant',
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(id !== undefined && { tool_call_id: id }),
  }
}

/** Log records of the conventions up to 1.36; undefined if they were made without the texts. */
function inEvents(events: readonly Happening[]): Asked | undefined {
  const input: Json[] = []
  const output: Json[] = []
  const sorted = [...events].sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? -1 : 1))
  for (const { name, body } of sorted) {
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name) ?? []
    const own = isObject(body) ? body : {}
    const said =
      name === 'gen_ai.choice' && isObject(own.message) && (own.index ?? 0) === 0 ? own.message : own
    if (!(role || said !== own)) continue
    // The text was not recorded, nor are arguments then.
    if (!('content' in said || 'tool_calls' in said)) return undefined
    if (role) input.push({ ...said, role, ...(role === 'tool' && { tool_call_id: own.id ?? null }) })
    else if (said !== own) output.push({ ...said, role: 'assistant' })
  }
  return asked(input, output)
}
