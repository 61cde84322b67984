/** What the list of items shows of each. */
import type { Json, JsonObject } from '../../rows/record.ts'
import { cutText } from './page/cut_text.ts'

/** The most characters of a title in the list. */
const TITLE = 160

/** The beginning of the first text in `value`, or else in the item, on one line. */
export function itemTitle(value: Json | undefined, item: JsonObject): string {
  const text = firstText(value) ?? Object.values(item).map(firstText).find(Boolean) ?? ''
  const line = cutText(text, TITLE * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const title = line.length > TITLE ? `${cutText(line, TITLE - 1)}…` : line
  // A copy: a slice would keep the whole string in memory.
  return JSON.parse(JSON.stringify(title)) as string
}

function firstText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(firstText).find(Boolean)
  if (value !== null && typeof value === 'object') return firstText(value.content)
  return undefined
}

export const answerLength = (value: Json | undefined): number | undefined =>
  value === undefined || value === null
    ? undefined
    : (typeof value === 'string' ? value : JSON.stringify(value)).length
