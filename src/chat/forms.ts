/**
 * The forms in which programs write a message. What a key means hardly depends on the program, so one reader of parts
 * knows the keys of all.
 */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { imageIn } from './image.ts'

export interface Call {
  id?: string
  name: string
  /** As it came: a text, mostly of JSON, or a value. */
  arguments: Json
}

export interface Media {
  /** `image`, or the type of a part that is not shown. */
  kind: string
  /** An image's data URL, address, path or name. */
  source?: string
  /** An image's number in the whole list, from 1. */
  k?: number
}

/** How values that are not text are read and written: JSON, or with numbers that keep their form. */
export interface JsonText {
  parse(text: string): unknown
  stringify(value: unknown): string
}

const ROLES: Record<string, string> = {
  developer: 'system',
  model: 'assistant',
  ai: 'assistant',
  gpt: 'assistant',
  human: 'user',
  function: 'tool',
}
export const roleNamed = (role: string): string => (Object.hasOwn(ROLES, role) ? ROLES[role]! : role)

/** A message that is being read. */
export class Draft {
  readonly role: string
  readonly texts: string[] = []
  readonly calls: Call[] = []
  readonly media: Media[] = []
  reasoning: string[] = []
  /** Results of tools that stand in it: messages of their own. */
  readonly results: Draft[] = []
  tool: string | undefined
  id: string | undefined
  failed = false
  /** It is an item of reasoning, which belongs to the message after it. */
  thinksAhead = false

  constructor(role: string) {
    this.role = roleNamed(role)
  }

  get text(): string {
    return this.texts.length === 1 ? this.texts[0]! : this.texts.join('\n')
  }

  get isEmpty(): boolean {
    return this.texts.every((text) => text === '') && this.calls.length + this.media.length === 0
  }
}

const textIn = (...values: readonly (Json | undefined)[]): string | undefined =>
  values.find((value) => typeof value === 'string') as string | undefined

const idIn = (...values: readonly (Json | undefined)[]): string | undefined => {
  const found = values.find((value) => typeof value === 'string' || typeof value === 'number')
  return found === undefined || found === '' ? undefined : String(found)
}

/** The messages that an object holds: with the results in it those of tools. Undefined if it is of no known form. */
export function readMessage(message: JsonObject, json: JsonText): Draft[] | undefined {
  const { role, type, from } = message
  if (typeof role === 'string') return readRole(role, message, json)
  if (typeof from === 'string' && 'value' in message) return readRole(from, { content: message.value! }, json)
  if (typeof type !== 'string') return undefined
  if (LANGCHAIN.has(type)) {
    const own = isObject(message.data) ? message.data : message
    return readRole(type, own, json)
  }
  return readItem(type, message, json)
}

const LANGCHAIN = new Set(['human', 'ai', 'tool', 'system', 'function'])

/** Keys of which a message has at least one. */
const CONTENTS = ['content', 'parts', 'tool_calls', 'function_call', 'tools_called', 'refusal', 'error']

function readRole(role: string, message: JsonObject, json: JsonText): Draft[] | undefined {
  if (!CONTENTS.some((key) => key in message)) return undefined
  const draft = new Draft(role)
  const content = message.parts ?? message.content
  if (draft.role === 'tool') readResult(draft, message, content, json)
  else if (!addContent(draft, content, json)) return undefined
  const thought = textIn(message.reasoning_content, message.reasoning)
  if (thought) draft.reasoning.push(thought)
  const refusal = textIn(message.refusal)
  if (refusal && draft.isEmpty) draft.texts.push(refusal)
  for (const call of listIn(message.tool_calls)) addCall(draft, call)
  if (isObject(message.function_call)) addCall(draft, message.function_call)
  for (const call of listIn(message.tools_called)) {
    const of = addCall(draft, call)
    if (call.output !== undefined && call.output !== null) addResult(draft, of, call.output, json)
  }
  return withResults(draft)
}

const listIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** A user's results stand before what the user says, a model's after its call. */
function withResults(draft: Draft): Draft[] {
  const { results } = draft
  if (results.length === 0) return [draft]
  if (draft.isEmpty && draft.reasoning.length === 0) return results
  return draft.role === 'user' ? [...results, draft] : [draft, ...results]
}

/** @returns false for content of another type */
function addContent(draft: Draft, content: Json | undefined, json: JsonText): boolean {
  if (content === undefined || content === null) return true
  if (typeof content === 'string') {
    draft.texts.push(content)
    return true
  }
  const parts = Array.isArray(content) ? content : [content]
  if (!parts.every((part) => isObject(part) || typeof part === 'string')) return false
  for (const part of parts)
    if (typeof part === 'string') draft.texts.push(part)
    else addPart(draft, part as JsonObject, json)
  return true
}

const TEXTS = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text'])
const CALLS = new Set(['tool_use', 'server_tool_use', 'tool_call'])

function addPart(draft: Draft, part: JsonObject, json: JsonText): void {
  const type = typeof part.type === 'string' ? part.type : ''
  const image = imageIn(part)
  if (image !== undefined) draft.media.push({ kind: 'image', ...(image !== '' && { source: image }) })
  else if (TEXTS.has(type)) draft.texts.push(textIn(part.text, part.content) ?? '')
  else if (type === 'refusal') draft.texts.push(textIn(part.refusal, part.text) ?? '')
  else if (type === 'thinking' || type === 'reasoning') addReasoning(draft, part)
  else if (type === 'redacted_thinking') return
  else if (type === '') addGemini(draft, part, json)
  else if (!addToolPart(draft, type, part, json)) draft.media.push({ kind: type })
}

/** A call or a result. @returns false for a part of another type */
function addToolPart(draft: Draft, type: string, part: JsonObject, json: JsonText): boolean {
  if (CALLS.has(type)) {
    const call = addCall(draft, part)
    const said = part.result ?? part.error ?? ''
    if (said !== '') addResult(draft, call, said, json).failed = (part.error ?? '') !== ''
  } else if (type === 'tool_call_response') {
    addResult(draft, part, part.response ?? part.result ?? null, json)
  } else if (type.endsWith('tool_result')) {
    const result = addResult(draft, { id: part.tool_use_id! }, part.content ?? null, json)
    result.failed = part.is_error === true
  } else return false
  return true
}

function addReasoning(draft: Draft, { thinking, reasoning, content, summary, text }: JsonObject): void {
  const parts = [...listIn(summary), ...listIn(content)].map((part) => textIn(part.text) ?? '')
  const said = textIn(thinking, reasoning, content, text) ?? parts.filter(Boolean).join('\n')
  if (said !== '') draft.reasoning.push(said)
}

/** A part of Gemini's, which has no type: a key says what it is. */
function addGemini(draft: Draft, part: JsonObject, json: JsonText): void {
  const call = part.functionCall ?? part.function_call
  const response = part.functionResponse ?? part.function_response
  if (isObject(call)) addCall(draft, call)
  else if (isObject(response)) addResult(draft, response, response.response ?? null, json)
  else if (typeof part.text === 'string')
    (part.thought === true ? draft.reasoning : draft.texts).push(part.text)
  else draft.media.push({ kind: Object.keys(part)[0] ?? 'part' })
}

/** A call in any form: `function` holds it, or is its name. */
function addCall(draft: Draft, one: JsonObject): Call {
  const inner = isObject(one.function) ? one.function : isObject(one.custom) ? one.custom : one
  const id = idIn(one.id, one.call_id)
  const call: Call = {
    ...(id !== undefined && { id }),
    name: textIn(inner.name, one.function) ?? '',
    arguments: inner.arguments ?? inner.input ?? inner.args ?? inner.input_parameters ?? null,
  }
  draft.calls.push(call)
  return call
}

/** Adds the result of a call. @param of its id, and its name if it has one */
function addResult(draft: Draft, of: { id?: Json; name?: Json }, said: Json, json: JsonText): Draft {
  const result = new Draft('tool')
  result.id = idIn(of.id)
  result.tool = textIn(of.name)
  addSaid(result, said, json)
  draft.results.push(result)
  return result
}

/** What a tool returned: text, parts, or any value as JSON. */
function addSaid(result: Draft, said: Json, json: JsonText): void {
  if (typeof said === 'string') result.texts.push(said)
  else if (Array.isArray(said) && said.length > 0 && said.every(isShown))
    for (const part of said) addPart(result, part as JsonObject, json)
  else if (said !== null) result.texts.push(json.stringify(said))
}

const isShown = (part: Json) =>
  isObject(part) && ((typeof part.type === 'string' && TEXTS.has(part.type)) || imageIn(part) !== undefined)

/** A message of a tool: its content is the result, unless parts in it are. */
function readResult(draft: Draft, message: JsonObject, content: Json | undefined, json: JsonText): void {
  draft.id = idIn(message.tool_call_id)
  draft.tool = textIn(message.name, message.function)
  const { error } = message
  const said = isObject(error) ? textIn(error.message) : textIn(error)
  draft.failed = message.status === 'error' || message.is_error === true || said !== undefined
  if (
    Array.isArray(content) &&
    content.some((part) => isObject(part) && /result$|response$/i.test(kindOf(part)))
  )
    addContent(draft, content, json)
  else addSaid(draft, content ?? null, json)
  if (said !== undefined && draft.text !== said) {
    if (draft.text === '') draft.texts.length = 0
    draft.texts.push(said)
  }
}

const kindOf = (part: JsonObject): string =>
  typeof part.type === 'string' ? part.type : (Object.keys(part)[0] ?? '')

/** Items of the Responses API that are neither messages nor calls. */
const OTHER_ITEMS = /^(?:mcp_list_tools|mcp_approval_re(?:quest|sponse)|item_reference|compaction)$/

/** An item of the Responses API: a call, a result or reasoning. A call of a built-in tool holds its own result. */
function readItem(type: string, item: JsonObject, json: JsonText): Draft[] | undefined {
  const draft = new Draft('assistant')
  if (type === 'reasoning') {
    addReasoning(draft, item)
    draft.thinksAhead = true
  } else if (type.endsWith('_call_output')) {
    addResult(draft, { id: item.call_id ?? item.id! }, outputOf(item.output ?? null), json)
  } else if (type === 'function_call' || type === 'custom_tool_call') {
    const id = idIn(item.call_id, item.id)
    addCall(draft, { ...item, ...(id !== undefined && { id }) })
  } else if (type.endsWith('_call')) {
    const {
      id,
      call_id,
      name,
      status,
      output,
      outputs,
      results,
      result,
      error,
      arguments: given,
      ...rest
    } = item
    const { type: _, ...asked } = rest
    const call = addCall(draft, {
      id: call_id ?? id ?? null,
      name: textIn(name) ?? type.slice(0, -'_call'.length),
      arguments: given ?? asked.action ?? asked,
    })
    const said = [output, outputs, results, result, error].find((one) => (one ?? '') !== '')
    if (said !== undefined) addResult(draft, call, outputOf(said), json).failed = (error ?? '') !== ''
  } else if (OTHER_ITEMS.test(type)) draft.media.push({ kind: type })
  else return undefined
  return withResults(draft)
}

/** A screenshot is a part by itself; an error is its message. */
const outputOf = (output: Json): Json =>
  isObject(output) && imageIn(output) !== undefined
    ? [output]
    : isObject(output) && typeof output.message === 'string'
      ? output.message
      : output
