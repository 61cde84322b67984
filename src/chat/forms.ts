/**
 * The forms in which programs write a message. What a key means hardly depends on the program, so one reader of parts
 * knows the keys of all.
 */
import { isObject, type Json, type JsonObject } from '../rows/json.ts'
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

/** Where a value stands: under a key of an object, or at a place of a list. */
export interface Origin {
  of: JsonObject | Json[]
  key: string | number
}

/** Of a call: what goes with it if it is taken out, and where its arguments stand. */
interface CallOrigin {
  holder: JsonObject
  arguments: Origin | undefined
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
  /** Where the texts stand; undefined for one that was made of a value. */
  readonly origins: (Origin | undefined)[] = []
  readonly calls: Call[] = []
  readonly callOrigins = new Map<Call, CallOrigin>()
  /** A result's whole value, and what holds it where that is a part of a message. */
  said: Origin | undefined
  holder: JsonObject | undefined
  /** The message that it stands in. */
  raw: JsonObject | undefined
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

  say(text: string, origin?: Origin): void {
    this.texts.push(text)
    this.origins.push(origin)
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

/** The first of the keys whose value is there, and not null. */
const keyIn = (object: JsonObject, ...keys: string[]): string | undefined =>
  keys.find((key) => (object[key] ?? null) !== null)

const idIn = (...values: readonly (Json | undefined)[]): string | undefined => {
  const found = values.find((value) => typeof value === 'string' || typeof value === 'number')
  return found === undefined || found === '' ? undefined : String(found)
}

/** The messages that an object holds: with the results in it those of tools. Undefined if it is of no known form. */
export function readMessage(message: JsonObject, json: JsonText): Draft[] | undefined {
  const { role, type, from } = message
  if (typeof role === 'string') return readRole(role, message, json)
  if (typeof from === 'string' && 'value' in message)
    return readRole(from, { content: message.value! }, json, { of: message, key: 'value' })
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

/** @param at where its content stands, if not in the message itself */
function readRole(role: string, message: JsonObject, json: JsonText, at?: Origin): Draft[] | undefined {
  if (!CONTENTS.some((key) => key in message)) return undefined
  const draft = new Draft(role)
  const content = message.parts ?? message.content
  const origin = at ?? { of: message, key: keyIn(message, 'parts') ?? 'content' }
  if (draft.role === 'tool') readResult(draft, message, content, json, origin)
  else if (!addContent(draft, content, json, origin)) return undefined
  const thought = textIn(message.reasoning_content, message.reasoning)
  if (thought) draft.reasoning.push(thought)
  const refusal = textIn(message.refusal)
  if (refusal && draft.isEmpty) draft.say(refusal, { of: message, key: 'refusal' })
  for (const call of listIn(message.tool_calls)) addCall(draft, call)
  if (isObject(message.function_call)) addCall(draft, message.function_call)
  for (const call of listIn(message.tools_called)) {
    const of = addCall(draft, call)
    if (call.output !== undefined && call.output !== null)
      addResult(draft, of, call.output, json, { of: call, key: 'output' }, call)
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
function addContent(draft: Draft, content: Json | undefined, json: JsonText, origin: Origin): boolean {
  if (content === undefined || content === null) return true
  if (typeof content === 'string') {
    draft.say(content, origin)
    return true
  }
  const parts = Array.isArray(content) ? content : [content]
  if (!parts.every((part) => isObject(part) || typeof part === 'string')) return false
  for (const [key, part] of parts.entries())
    if (typeof part === 'string') draft.say(part, { of: parts, key })
    else addPart(draft, part as JsonObject, json)
  return true
}

const TEXTS = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text'])
const CALLS = new Set(['tool_use', 'server_tool_use', 'tool_call'])

function addPart(draft: Draft, part: JsonObject, json: JsonText): void {
  const type = typeof part.type === 'string' ? part.type : ''
  const image = imageIn(part)
  if (image !== undefined) draft.media.push({ kind: 'image', ...(image !== '' && { source: image }) })
  else if (TEXTS.has(type)) sayFirst(draft, part, 'text', 'content')
  else if (type === 'refusal') sayFirst(draft, part, 'refusal', 'text')
  else if (type === 'thinking' || type === 'reasoning') addReasoning(draft, part)
  else if (type === 'redacted_thinking') return
  else if (type === '') addGemini(draft, part, json)
  else if (!addToolPart(draft, type, part, json)) draft.media.push({ kind: type })
}

/** Adds the first of these values that is a text. */
function sayFirst(draft: Draft, part: JsonObject, ...keys: string[]): void {
  const key = keys.find((key) => typeof part[key] === 'string')
  if (key === undefined) draft.say('')
  else draft.say(part[key] as string, { of: part, key })
}

/** A call or a result. @returns false for a part of another type */
function addToolPart(draft: Draft, type: string, part: JsonObject, json: JsonText): boolean {
  if (CALLS.has(type)) {
    const call = addCall(draft, part)
    const said = part.result ?? part.error ?? ''
    const origin = { of: part, key: keyIn(part, 'result') ?? 'error' }
    if (said !== '') addResult(draft, call, said, json, origin, part).failed = (part.error ?? '') !== ''
  } else if (type === 'tool_call_response') {
    const origin = { of: part, key: keyIn(part, 'response') ?? 'result' }
    addResult(draft, part, part.response ?? part.result ?? null, json, origin, part)
  } else if (type.endsWith('tool_result')) {
    const origin = { of: part, key: 'content' }
    const result = addResult(draft, { id: part.tool_use_id! }, part.content ?? null, json, origin, part)
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
  if (isObject(call)) addCall(draft, call, part)
  else if (isObject(response))
    addResult(draft, response, response.response ?? null, json, { of: response, key: 'response' }, part)
  else if (typeof part.text !== 'string') draft.media.push({ kind: Object.keys(part)[0] ?? 'part' })
  else if (part.thought === true) draft.reasoning.push(part.text)
  else draft.say(part.text, { of: part, key: 'text' })
}

/** A call in any form: `function` holds it, or is its name. */
function addCall(draft: Draft, one: JsonObject, holder = one): Call {
  const inner = isObject(one.function) ? one.function : isObject(one.custom) ? one.custom : one
  const id = idIn(one.id, one.call_id)
  const call: Call = {
    ...(id !== undefined && { id }),
    name: textIn(inner.name, one.function) ?? '',
    arguments: inner.arguments ?? inner.input ?? inner.args ?? inner.input_parameters ?? null,
  }
  draft.calls.push(call)
  const key = keyIn(inner, 'arguments', 'input', 'args', 'input_parameters')
  draft.callOrigins.set(call, { holder, arguments: key === undefined ? undefined : { of: inner, key } })
  return call
}

/**
 * Adds the result of a call.
 * @param of its id, and its name if it has one
 * @param holder the part of a message that it is, with what goes if it is taken out
 */
function addResult(
  draft: Draft,
  of: { id?: Json; name?: Json },
  said: Json,
  json: JsonText,
  origin?: Origin,
  holder?: JsonObject,
): Draft {
  const result = new Draft('tool')
  result.holder = holder
  result.id = idIn(of.id)
  result.tool = textIn(of.name)
  addSaid(result, said, json, origin)
  draft.results.push(result)
  return result
}

/** What a tool returned: text, parts, or any value as JSON. */
function addSaid(result: Draft, said: Json, json: JsonText, origin: Origin | undefined): void {
  result.said = origin
  if (typeof said === 'string') result.say(said, origin)
  else if (Array.isArray(said) && said.length > 0 && said.every(isShown))
    for (const part of said) addPart(result, part as JsonObject, json)
  else if (said !== null) result.say(json.stringify(said))
}

const isShown = (part: Json) =>
  isObject(part) && ((typeof part.type === 'string' && TEXTS.has(part.type)) || imageIn(part) !== undefined)

/** A message of a tool: its content is the result, unless parts in it are. */
function readResult(
  draft: Draft,
  message: JsonObject,
  content: Json | undefined,
  json: JsonText,
  origin: Origin,
): void {
  draft.id = idIn(message.tool_call_id)
  draft.tool = textIn(message.name, message.function)
  const { error } = message
  const said = isObject(error) ? textIn(error.message) : textIn(error)
  draft.failed = message.status === 'error' || message.is_error === true || said !== undefined
  if (
    Array.isArray(content) &&
    content.some((part) => isObject(part) && /result$|response$/i.test(kindOf(part)))
  )
    addContent(draft, content, json, origin)
  else addSaid(draft, content ?? null, json, origin)
  if (said !== undefined && draft.text !== said) {
    if (draft.text === '') draft.texts.length = draft.origins.length = 0
    draft.say(said, isObject(error) ? { of: error, key: 'message' } : { of: message, key: 'error' })
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
    const said = outputOf(item.output ?? null)
    addResult(draft, { id: item.call_id ?? item.id! }, said, json, { of: item, key: 'output' })
  } else if (type === 'function_call' || type === 'custom_tool_call') {
    const id = idIn(item.call_id, item.id)
    placeCall(draft, addCall(draft, { ...item, ...(id !== undefined && { id }) }), item)
  } else if (type.endsWith('_call')) {
    const {
      id,
      call_id,
      name,
      status: _status,
      output: _output,
      outputs: _outputs,
      results: _results,
      result: _result,
      error: _error,
      arguments: given,
      ...rest
    } = item
    const { type: _, ...asked } = rest
    const call = addCall(draft, {
      id: call_id ?? id ?? null,
      name: textIn(name) ?? type.slice(0, -'_call'.length),
      arguments: given ?? asked.action ?? asked,
    })
    placeCall(draft, call, item)
    const key = ['output', 'outputs', 'results', 'result', 'error'].find((one) => (item[one] ?? '') !== '')
    if (key !== undefined)
      addResult(draft, call, outputOf(item[key]!), json, { of: item, key }, item).failed =
        (item.error ?? '') !== ''
  } else if (OTHER_ITEMS.test(type)) draft.media.push({ kind: type })
  else return undefined
  return withResults(draft)
}

/** An item that is itself a call. */
function placeCall(draft: Draft, call: Call, item: JsonObject): void {
  const key = keyIn(item, 'arguments', 'input', 'action')
  draft.callOrigins.set(call, { holder: item, arguments: key === undefined ? undefined : { of: item, key } })
}

/** A screenshot is a part by itself; an error is its message. */
const outputOf = (output: Json): Json =>
  isObject(output) && imageIn(output) !== undefined
    ? [output]
    : isObject(output) && typeof output.message === 'string'
      ? output.message
      : output
