/** Conversations in the calls that a program recorded: each call of a model repeats what was said before it. */
import { createHash } from 'node:crypto'
import { messagesOf } from '../chat/message.ts'
import { valueOfJson } from '../chat/transcript.ts'
import { exactJson, writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject } from '../rows/record.ts'

/** A call of a model, or an agent's run: what was asked and what came back, as lists of messages. */
export interface Said {
  /** Of the span, or whatever recorded it. */
  span: string
  /** Its place in the tree of calls: 0 is the outermost. */
  depth: number
  start: bigint
  input: Json[]
  output: Json[]
}

export interface Thread extends Said {
  messages: Json[]
}

/** How many calls are above each, where `above` gives the one that made it. One that is above itself counts as the outermost. */
export function depthsOf<T>(all: Iterable<T>, above: (one: T) => T | undefined): Map<T, number> {
  const depths = new Map<T, number>()
  for (const one of all) {
    const chain = new Set<T>()
    let at: T | undefined = one
    for (; at !== undefined && !depths.has(at) && !chain.has(at); at = above(at)) chain.add(at)
    let depth = at === undefined ? 0 : (depths.get(at) ?? -1) + 1
    for (const each of [...chain].reverse()) depths.set(each, depth++)
  }
  return depths
}

/**
 * The threads of some calls. A call is in the thread of another whose messages begin with its own, or begin with what it
 * asked and end with what it got, as an agent's run does. The first is that of the outermost call, among several the
 * longest.
 * @throws RowFailure bad_record for what are no messages
 */
export function threadsOf(calls: readonly Said[]): Thread[] {
  const threads: Thread[] = []
  /** The first thread that begins so, and the first that begins so and ends with that message. */
  const beginning = new Map<string, number>()
  const ending = new Map<string, number>()
  const read = calls.map((call) => ({ call, ...digests(call) }))
  for (const { call, keys, all, asked } of read.sort((a, b) => b.keys.length - a.keys.length)) {
    const last = keys.at(-1)!
    const of = Math.min(beginning.get(all) ?? Infinity, ending.get(`${asked} ${last}`) ?? Infinity)
    const thread = threads[of]
    if (thread) {
      thread.depth = Math.min(thread.depth, call.depth)
      continue
    }
    for (const begin of chained(keys)) {
      if (!beginning.has(begin)) beginning.set(begin, threads.length)
      if (!ending.has(`${begin} ${last}`)) ending.set(`${begin} ${last}`, threads.length)
    }
    threads.push({ ...call, messages: [...call.input, ...call.output] })
  }
  return threads.sort(
    (a, b) => a.depth - b.depth || b.messages.length - a.messages.length || (a.start < b.start ? -1 : 1),
  )
}

/** A step of a trace: a call of a model, or a function that made some. */
export interface Step {
  id: string
  parent: string | undefined
  isCall: boolean
  start: bigint
  /** As messages. */
  input: Json[]
  output: Json[]
}

interface Conversation {
  messages: Json[]
  /** Those of sub-agents. */
  others: { span: string; messages: Json[] }[]
  /** The call whose messages these are; else the first call. */
  own: Step | undefined
  outermost: Step | undefined
}

/**
 * The conversation of a trace: the first of {@link threadsOf} its calls. Where calls have no texts, or there are none, what
 * the whole was given and gave.
 * @param whole what the tool says of that; else that of the outermost step
 */
export function conversationOf(
  steps: readonly Step[],
  whole: Partial<Pick<Step, 'input' | 'output'>> = {},
): Conversation {
  const byId = new Map(steps.map((one) => [one.id, one]))
  const depths = depthsOf(steps, ({ parent }) => byId.get(parent ?? ''))
  const calls = steps
    .filter(({ isCall, input, output }) => isCall && input.length + output.length > 0)
    .map((one) => ({ ...one, span: one.id, depth: depths.get(one)! }))
  const [main, ...others] = threadsOf(calls)
  const outermost = steps.find((one) => depths.get(one) === 0)
  const said = (key: 'input' | 'output') =>
    main && main[key].length > 0 ? main[key] : (whole[key] ?? outermost?.[key] ?? [])
  return {
    messages: [...said('input'), ...said('output')],
    others: others.map(({ span, messages }) => ({ span, messages })),
    own: (main && byId.get(main.span)) ?? steps.find(({ isCall }) => isCall),
    outermost,
  }
}

/** A digest of each message, of all messages and of those that were asked. */
function digests({ input, output }: Said): { keys: string[]; all: string; asked: string | undefined } {
  const keysOf = (list: Json[]) =>
    messagesOf(list).map(({ role, text, calls }) => {
      const made = calls.map(({ name, arguments: given }) => [
        name,
        typeof given === 'string' ? (valueOfJson(given) ?? given) : given,
      ])
      return digest(JSON.stringify([role, text, made]))
    })
  const keys = keysOf([...input, ...output])
  const asked = output.length > 0 && input.length > 0 ? keysOf(input) : undefined
  return { keys, all: chained(keys).at(-1)!, asked: asked && chained(asked).at(-1) }
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64')

/** For each place of a list, a digest of all up to it. */
function chained(keys: readonly string[]): string[] {
  let before = ''
  return keys.map((key) => (before = digest(before + key)))
}

/** A value, or the value of a JSON text, read exactly. */
export function parsedText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return exactJson(value)
  } catch {
    return value
  }
}

/** What a model was asked, or said, as messages: a list of them, an object with one or with a list, or a text. */
export function saidIn(value: Json | undefined, role: 'user' | 'assistant'): Json[] {
  const given = parsedText(value)
  if (given === undefined || given === null || given === '') return []
  if (Array.isArray(given)) return isCalls(given) ? [{ role, content: null, tool_calls: given }] : given
  if (!isObject(given)) return [{ role, content: String(given) }]
  if (Array.isArray(given.messages)) return given.messages
  const isMessage = typeof given.role === 'string' || (typeof given.type === 'string' && 'content' in given)
  return [isMessage ? given : { role, content: writtenJson(given) }]
}

/** A list of tool calls, as a model's whole answer. */
const isCalls = (list: readonly Json[]): boolean =>
  list.length > 0 &&
  list.every((one): one is JsonObject => isObject(one) && !('role' in one) && isObject(one.function))
