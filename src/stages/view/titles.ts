/** What the list of items shows of each. */
import { isConversation, messagesOf } from '../../chat/message.ts'
import type { Json, JsonObject } from '../../rows/record.ts'
import { cutText } from './page/cut_text.ts'

/** The most characters of a title in the list. */
const TITLE = 160

/** The beginning of what the user says first, or of the first text in `value`, or else in the item, on one line. */
export function itemTitle(value: Json | undefined, item: JsonObject): string {
  const text = firstSaid(value) ?? firstText(value) ?? Object.values(item).map(firstText).find(Boolean) ?? ''
  const line = cutText(text, TITLE * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const title = line.length > TITLE ? `${cutText(line, TITLE - 1)}…` : line
  // A copy: a slice would keep the whole string in memory.
  return JSON.parse(JSON.stringify(title)) as string
}

const firstSaid = (value: Json | undefined): string | undefined =>
  isConversation(value)
    ? messagesOf(value).find(({ role, text }) => role === 'user' && text !== '')?.text
    : undefined

function firstText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(firstText).find(Boolean)
  if (value !== null && typeof value === 'object') return firstText(value.content)
  return undefined
}

/** In characters: of a conversation those of its messages, without images and calls. */
export function answerLength(value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  if (isConversation(value)) return messagesOf(value).reduce((sum, { text }) => sum + text.length, 0)
  return (typeof value === 'string' ? value : JSON.stringify(value)).length
}
