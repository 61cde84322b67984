/** Values in the user's part of a row by dotted path. */
import type { Latin1 } from './bytes.ts'
import { scanArray, scanObject } from './text_scan.ts'
import { isIndex } from './value_at.ts'

/** The JSON text of the value at a dotted path, with valueAt's meaning, without parsing it. */
export function textAt(text: Latin1 | undefined, path: Latin1): Latin1 | undefined {
  if (text === undefined) return undefined
  const whole = textOf(text, path)
  const dot = path.indexOf('.')
  if (whole !== undefined || dot < 0) return whole
  return textAt(textOf(text, path.slice(0, dot)), path.slice(dot + 1) as Latin1)
}

/** JSON text of a member of an object (of duplicate keys the last) or of an element of an array. */
function textOf(text: Latin1, key: string): Latin1 | undefined {
  const place =
    scanObject(text, 0)?.findLast((member) => member.key === key) ??
    (isIndex(key) ? scanArray(text, 0)?.at(Number(key)) : undefined)
  return place && (text.slice(place.start, place.end) as Latin1)
}
