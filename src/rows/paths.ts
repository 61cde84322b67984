/** Finding things in the user's part of a row by dotted path. */
import type { Latin1 } from './bytes.ts'
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

/** The same in JSON text: where the value stands, unparsed. */
export function textAt(text: Latin1 | undefined, path: Latin1): Latin1 | undefined {
  if (text === undefined) return undefined
  const whole = textOf(text, path)
  const dot = path.indexOf('.')
  if (whole !== undefined || dot < 0) return whole
  return textAt(textOf(text, path.slice(0, dot)), path.slice(dot + 1) as Latin1)
}

/** JSON text of one member of an object, of a key that stands twice the last, or of one element of an array. */
function textOf(text: Latin1, key: string): Latin1 | undefined {
  const place =
    scanObject(text, 0)?.findLast((member) => member.key === key) ??
    (isIndex(key) ? scanArray(text, 0)?.at(Number(key)) : undefined)
  return place && (text.slice(place.start, place.end) as Latin1)
}

/** A negative index counts from the end, as in jq. */
const elementAt = (list: Json[], index: string): Json | undefined =>
  isIndex(index) ? list.at(Number(index)) : undefined

const isIndex = (word: string) => /^-?\d+$/.test(word)
