/**
 * A conversation in one form, whichever program wrote it. Each message is recognised by its own keys: OpenAI's chat and
 * Responses items, Anthropic's blocks, OpenTelemetry's and Gemini's parts, inspect_ai, ShareGPT, LangChain, DeepEval
 * (docs/conversations.md lists them).
 */
import { RowFailure } from '../rows/errors.ts'
import { isObject, type Json, type JsonObject } from '../rows/json.ts'
import { type Call, type Draft, type JsonText, type Media, readMessage } from './forms.ts'

export interface ChatMessage {
  /** Its place in the whole list, from 1. */
  n: number
  /** The turn that it is in, from 1: each begins with a user message. 0: before the first. */
  turn: number
  /** `system`, `user`, `assistant`, `tool`, or another program's own. */
  role: string
  text: string
  calls: Call[]
  media: Media[]
  reasoning?: string
  /** Of a tool's result: the tool's name, the call's id, whether it failed, and false if no message calls it. */
  tool?: string
  id?: string
  error?: boolean
  called?: boolean
}

/**
 * The messages of a list, or of an object with a list of `messages`. A list that was selected from what this returned before
 * is returned as it is.
 * @throws RowFailure bad_record with the place of what is no message
 */
export function messagesOf(value: unknown, json: JsonText = JSON): ChatMessage[] {
  const list = isObject(value) ? value.messages : value
  if (!Array.isArray(list))
    throw new RowFailure(
      'bad_record',
      `${kindInWords(value)} is no conversation, which is a list of messages`,
    )
  if (list.length > 0 && list.every(isOwn)) return list as unknown as ChatMessage[]
  const drafts: Draft[] = []
  for (const [place, one] of list.entries()) {
    const read = draftsIn(one as Json, json)
    if (!read)
      throw new RowFailure(
        'bad_record',
        `message ${place + 1} is ${kindInWords(one)}, not a message of a known form`,
      )
    joinReasoning(drafts, read)
  }
  return numbered(drafts)
}

/** What a message of a list holds; undefined if it is none. */
function draftsIn(one: Json, json: JsonText): Draft[] | undefined {
  const read = isObject(one) ? readMessage(one, json) : undefined
  for (const draft of read ?? []) draft.raw = one as JsonObject
  return read
}

/** A conversation with where everything stands in it, and each call's result; undefined if the value is none. */
export interface PlacedConversation {
  list: Json[]
  messages: Draft[]
  results: ReadonlyMap<Call, Draft>
}

export function placedConversation(value: Json | undefined): PlacedConversation | undefined {
  const list = isObject(value) ? value.messages : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const messages: Draft[] = []
  for (const one of list) {
    const read = draftsIn(one, JSON)
    if (!read) return undefined
    for (const draft of read) messages.push(draft)
  }
  const open = new OpenCalls()
  const results = new Map<Call, Draft>()
  for (const draft of messages) {
    for (const call of draft.calls) open.add(call)
    const call = draft.role === 'tool' ? open.take(draft.id, draft.tool) : undefined
    if (call && !results.has(call)) results.set(call, draft)
  }
  return { list, messages, results }
}

/** Whether a value is a list of messages, or an object that has nothing else. */
export function isConversation(value: unknown): boolean {
  const list = isObject(value) && Object.keys(value).length === 1 ? value.messages : value
  if (!Array.isArray(list) || list.length === 0) return false
  if (list.every(isOwn)) return true
  // Texts and numbers, which most lists hold, are no messages.
  if (!list.every(isObject)) return false
  return list.every((one) => readMessage(one as JsonObject, JSON) !== undefined)
}

/**
 * What was made here. A row may have objects that look the same, with numbers and names of their own: by identity alone are
 * messages of jb's form told from those.
 */
const made = new WeakSet<object>()

/** Whether {@link asOwn} has marked a value. */
export const isOwn = (value: unknown): boolean => made.has(Object(value) as object)

/** Marks a value as made here; of a list all that is in it. @returns the value */
export function asOwn<T>(value: T): T {
  if (Array.isArray(value)) for (const one of value) asOwn(one)
  else if (typeof value === 'object' && value !== null) made.add(value)
  return value
}

/** Appends messages; reasoning that stands alone, as an item of its own, is that of the message after it. */
function joinReasoning(drafts: Draft[], more: readonly Draft[]): void {
  for (const draft of more) {
    const before = drafts.at(-1)
    if (before?.thinksAhead && draft.role === before.role) {
      for (const thought of draft.reasoning) before.reasoning.push(thought)
      draft.reasoning = before.reasoning
      drafts.pop()
    }
    drafts.push(draft)
  }
}

function numbered(drafts: readonly Draft[]): ChatMessage[] {
  const open = new OpenCalls()
  let turn = 0
  let k = 0
  return drafts.map((draft, i) => {
    if (draft.role === 'user') turn++
    const media = draft.media.map((part) => (part.kind === 'image' ? { ...part, k: ++k } : part))
    const { role, calls, reasoning } = draft
    const message: ChatMessage = { n: i + 1, turn, role, text: draft.text, calls, media }
    if (reasoning.length > 0) message.reasoning = reasoning.join('\n')
    for (const call of calls) open.add(call)
    if (role === 'tool') {
      const call = open.take(draft.id, draft.tool)
      const tool = draft.tool ?? call?.name
      if (tool !== undefined) message.tool = tool
      if (draft.id !== undefined) message.id = draft.id
      message.error = draft.failed
      if (!call) message.called = false
    }
    return asOwn(message)
  })
}

/** Calls that have no result yet, by id and by name. */
export class OpenCalls<C extends Call = Call> {
  private readonly byId = new Map<string, C[]>()
  private readonly byName = new Map<string, C[]>()
  private readonly answered = new Set<C>()

  add(call: C): void {
    for (const [map, key] of [[this.byId, call.id] as const, [this.byName, call.name] as const]) {
      if (key === undefined || key === null) continue
      const calls = map.get(key)
      if (calls) calls.push(call)
      else map.set(key, [call])
    }
  }

  /** The call that a result is of: the first without one that has this id, or, without an id, this name. */
  take(id: string | undefined, name: string | undefined): C | undefined {
    const calls = id === undefined ? this.byName.get(name ?? '') : this.byId.get(id)
    if (!calls) return undefined
    while (calls.length > 1 && this.answered.has(calls[0]!)) calls.shift()
    const [call] = calls
    if (id === undefined && this.answered.has(call!)) return undefined
    this.answered.add(call!)
    return call
  }
}

/** What a value is, for messages. */
function kindInWords(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value).slice(0, 5)
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ').slice(0, 80)}`
}
