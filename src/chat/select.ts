/** Parts of a conversation: turns, roles, calls, the final answer. */
import type { Json } from '../rows/record.ts'
import { type Call, type JsonText, roleNamed } from './forms.ts'
import { type ChatMessage, OpenCalls } from './message.ts'
import { valueOfJson } from './transcript.ts'

/** The messages of each turn, in a list of its own; what stands before the first turn is left out. */
export function eachTurn(messages: readonly ChatMessage[]): ChatMessage[][] {
  const turns = new Map<number, ChatMessage[]>()
  for (const message of messages) {
    if (message.turn < 1) continue
    const turn = turns.get(message.turn)
    if (turn) turn.push(message)
    else turns.set(message.turn, [message])
  }
  return [...turns.values()]
}

/** The messages of turn `a` to turn `b`, from 1; negative numbers count from the last turn back. */
export function turnsFrom(messages: readonly ChatMessage[], a: number, b = a): ChatMessage[] {
  const last = messages.reduce((most, { turn }) => Math.max(most, turn), 0)
  const [from, to] = [a, b].map((turn) => (turn < 0 ? last + 1 + turn : turn))
  return messages.filter(({ turn }) => turn >= from! && turn <= to!)
}

export const ofRoles = (messages: readonly ChatMessage[], roles: readonly string[]): ChatMessage[] =>
  messages.filter(({ role }) => roles.some((one) => roleNamed(one) === role))

interface AnsweredCall {
  /** The message that calls. */
  n: number
  id: string | null
  name: string
  /** Their value, if they are JSON. */
  arguments: Json
  /** The result's text; null if there is none. */
  result: string | null
  error: boolean
}

/** The calls of all messages, each with its result. */
export function callsIn(messages: readonly ChatMessage[], json: JsonText = JSON): AnsweredCall[] {
  const open = new OpenCalls<Call & { answered: AnsweredCall }>()
  const all: AnsweredCall[] = []
  for (const message of messages) {
    for (const call of message.calls) {
      const { name, id = null, arguments: given } = call
      const value = typeof given === 'string' ? (valueOfJson(given, json) ?? given) : given
      const answered = { n: message.n, id, name, arguments: value as Json, result: null, error: false }
      all.push(answered)
      open.add({ ...call, answered })
    }
    if (message.role !== 'tool') continue
    const call = open.take(message.id, message.tool)
    if (call) Object.assign(call.answered, { result: message.text, error: message.error === true })
  }
  return all
}

/** The text of the model's last message that has text; empty if there is none. */
export const finalText = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ role, text }) => role === 'assistant' && text.trim() !== '')?.text ?? ''
