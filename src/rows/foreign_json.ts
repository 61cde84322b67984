/** JSON of servers and files, as text. */
import { extentOf, MOST_VALUES } from './json_text.ts'
import { isObject, type JsonObject } from './record.ts'

/** Whether JSON would take gigabytes once it is parsed. */
export const isTooMuch = (text: string): boolean =>
  text.length >= MOST_VALUES && extentOf(text).values > MOST_VALUES

/** Parses JSON of a server or a file. @throws SyntaxError if it is invalid or holds more than {@link MOST_VALUES} */
export function foreignJson(text: string): unknown {
  if (isTooMuch(text)) throw new SyntaxError(`more than ${MOST_VALUES} values`)
  return JSON.parse(text)
}

/** The object that such JSON holds; undefined for anything else. */
export function foreignObject(text: string): JsonObject | undefined {
  try {
    const value = foreignJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
