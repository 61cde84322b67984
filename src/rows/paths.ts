/** Finding things in the user's part of a row by dotted path. */
import type { Json, JsonObject } from './record.ts'
import { scanArray, scanObject } from './scan.ts'

/** The value at a dotted path (`choices.0.turns`); undefined where there is none. A key with dots in it wins. */
export function valueAt(item: Json | undefined, path: string): Json | undefined {
  if (item === null || typeof item !== 'object') return undefined
  if (Object.hasOwn(item, path)) return (item as JsonObject)[path]
  const dot = path.indexOf('.')
  if (dot < 0) return Array.isArray(item) ? elementAt(item, path) : undefined
  const head = path.slice(0, dot)
  const inner = Array.isArray(item)
    ? elementAt(item, head)
    : Object.hasOwn(item, head)
      ? (item as JsonObject)[head]
      : undefined
  return valueAt(inner, path.slice(dot + 1))
}

/** The same in JSON text: where the value stands, unparsed. Text and path a character a byte. */
export function textAt(text: string | undefined, path: string): string | undefined {
  if (text === undefined) return undefined
  const whole = textOf(text, path)
  const dot = path.indexOf('.')
  if (whole !== undefined || dot < 0) return whole
  return textAt(textOf(text, path.slice(0, dot)), path.slice(dot + 1))
}

/** JSON text of one member of an object, of a key that stands twice the last, or of one element of an array. */
function textOf(text: string, key: string): string | undefined {
  const place =
    scanObject(text, 0)?.findLast((member) => member.key === key) ??
    (isIndex(key) ? scanArray(text, 0)?.at(Number(key)) : undefined)
  return place && text.slice(place.start, place.end)
}

/** A negative index counts from the end, as in jq. */
const elementAt = (list: Json[], index: string): Json | undefined =>
  isIndex(index) ? list.at(Number(index)) : undefined

const isIndex = (word: string) => /^-?\d+$/.test(word)
