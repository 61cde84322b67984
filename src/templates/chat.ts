/* Filters on conversations, for Jinja2 and nunjucks templates: transcript, turns, roles, tool_calls, final, fence. */
import { fenced } from '../chat/fence.ts'
import type { JsonText } from '../chat/forms.ts'
import { asOwn, isConversation, isOwn, messagesOf } from '../chat/message.ts'
import { callsIn, eachTurn, finalText, ofRoles, turnsFrom } from '../chat/select.ts'
import { transcript } from '../chat/transcript.ts'
import { type AnyDict, dictEntries, isDict } from '../python/dict.ts'
import { typeError, valueError } from '../python/error.ts'
import { dumps, readValue } from '../python/json.ts'
import { spendItems, spendLength } from '../python/limits.ts'
import { itemsOf } from '../python/sequences.ts'
import { Float, Obj, textOf, typeName, type Value } from '../python/values.ts'

/** JSON whose numbers keep their form: 1.0, and whole numbers of twenty digits. */
export const EXACT: JsonText = {
  parse: (text) => readValue(text, { changes: false, exact: true }),
  stringify: (value) => dumps(value as Value, { unicode: true }),
}

/** A template's value as JSON; numbers keep their form. */
export function plainValue(value: Value): unknown {
  const text = textOf(value)
  if (text !== undefined) return text
  if (typeof value !== 'object' || value === null || value instanceof Float) return value
  if (Array.isArray(value)) return value.map(plainValue)
  if (isDict(value)) {
    const copy = Object.fromEntries(
      dictEntries(value as AnyDict).map(([key, one]) => [String(key), plainValue(one)]),
    )
    return isOwn(value) ? asOwn(copy) : copy
  }
  if (value instanceof Obj && value.iterate) return itemsOf(value).map(plainValue)
  throw typeError(`a ${typeName(value)} is no conversation`)
}

const messagesIn = (value: Value) => {
  const messages = messagesOf(plainValue(value), EXACT)
  spendItems(messages.length)
  return messages
}

const whole = (value: Value, name: string, least = -Infinity): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value
  throw valueError(`${name} is a whole number${least === 0 ? ' from 0 on' : ''}`)
}

const name = (value: Value): string => {
  const text = textOf(value)
  if (text !== undefined && /^[A-Za-z][\w-]*$/.test(text)) return text
  throw valueError('a fence has a name of letters, digits, _ and -')
}

/** A filter: its parameters after the value, with their defaults, as `method` reads them, and what it makes. */
type ChatFilter = [signature: string, run: (value: Value, ...args: Value[]) => unknown]

export const CHAT_FILTERS: Record<string, ChatFilter> = {
  transcript: [
    'limit=2000 reasoning=false system=true',
    (value, limit, reasoning, system) => {
      const options = {
        limit: whole(limit!, 'limit', 0),
        reasoning: reasoning === true,
        system: system !== false,
      }
      const text = transcript(messagesIn(value), options, EXACT)
      spendLength(text.length)
      return text
    },
  ],
  turns: [
    'a=none b=none',
    (value, a, b) => {
      const messages = messagesIn(value)
      if (a === null) return eachTurn(messages)
      const from = whole(a!, 'a turn')
      return turnsFrom(messages, from, b === null ? from : whole(b!, 'a turn'))
    },
  ],
  tool_calls: ['', (value) => callsIn(messagesIn(value), EXACT)],
  final: ['', (value) => finalText(messagesIn(value))],
}

/** The filter `roles`. */
export const roles = (value: Value, wanted: readonly Value[]): unknown =>
  ofRoles(
    messagesIn(value),
    wanted.flatMap((role) => textOf(role) ?? []),
  )

/** The filter `fence`. @param text of the value, as the language prints it */
export function fence(text: string, called: Value): string {
  spendLength(text.length)
  return fenced(text, name(called))
}

/** The transcript of a value that is a conversation; undefined for any other value. */
export function readably(value: Value): string | undefined {
  if (typeof value !== 'object' || value === null || (value instanceof Obj && !isDict(value)))
    return undefined
  // Most lists hold texts.
  if (Array.isArray(value) && !(value.length > 0 && isDict(value[0]!))) return undefined
  const plain = plainValue(value)
  return isConversation(plain) ? transcript(messagesOf(plain, EXACT), {}, EXACT) : undefined
}
