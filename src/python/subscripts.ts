/* `obj[key]` and `obj[start:stop:step]`. */
import { typeError, valueError } from '../templates/error.ts'
import { spendItems } from '../templates/limits.ts'
import { dictGet, isDict } from './dicts.ts'
import { repr } from './print.ts'
import { undefinedError } from './undefined.ts'
import { chars, codePoints, hasSurrogates, sliceChars } from './unicode.ts'
import { Float, indexError, isInt, keyError, Markup, Obj, Tuple, typeName, type Value } from './values.ts'

/** Python's `obj[key]`: KeyError, IndexError or TypeError where there is no such item. */
export const getItem = (obj: Value, key: Value): Value => {
  if (Array.isArray(obj)) return obj[position(obj.length, key, 'list')] ?? null
  if (typeof obj === 'string') return charAt(obj, key)
  if (isDict(obj)) {
    const value = dictGet(obj, key)
    if (value === undefined) throw keyError(repr(key))
    return value
  }
  if (obj instanceof Tuple) return obj.items[position(obj.items.length, key, 'tuple')]!
  if (obj instanceof Markup) return new Markup(charAt(obj.text, key))
  if (obj instanceof Obj && !(obj instanceof Float)) return obj.item(key)
  throw typeError(`'${typeName(obj)}' object is not subscriptable`)
}

/** The position an index means in a sequence; negative ones count from the end. */
export const position = (length: number, key: Value, type: string): number => {
  if (!isInt(key)) {
    const what =
      type === 'str' ? 'string indices must be integers' : `${type} indices must be integers or slices`
    throw typeError(`${what}, not '${typeName(key)}'`)
  }
  const index = Number(key)
  const at = index < 0 ? index + length : index
  if (at < 0 || at >= length) throw indexError(`${type === 'str' ? 'string' : type} index out of range`)
  return at
}

const charAt = (text: string, key: Value): string => {
  const at = position(codePoints(text), key, 'str')
  return hasSurrogates(text) ? sliceChars(text, at, at + 1) : text[at]!
}

/** A bound of a slice: an int, or null for none. */
const bound = (value: Value): number | null => {
  if (value === null) return null
  if (isInt(value)) return Number(value)
  throw typeError('slice indices must be integers or None or have an __index__ method')
}

export interface Indices {
  start: number
  stop: number
  step: number
  count: number
}

/** slice(start, stop, step).indices(length), and how many there are. */
export const sliceIndices = (length: number, from: Value, to: Value, by: Value): Indices => {
  const step = bound(by) ?? 1
  if (step === 0) throw valueError('slice step cannot be zero')
  const low = step < 0 ? -1 : 0
  const high = step < 0 ? length - 1 : length
  const clamp = (index: number | null, fallback: number): number => {
    if (index === null) return fallback
    return Math.min(Math.max(index < 0 ? index + length : index, low), high)
  }
  const start = clamp(bound(from), step < 0 ? high : low)
  const stop = clamp(bound(to), step < 0 ? low : high)
  return { start, stop, step, count: Math.max(0, Math.ceil((stop - start) / step)) }
}

/** Python's `obj[from:to:by]`; null stands for what is left out. */
export const getSlice = (obj: Value, from: Value, to: Value, by: Value): Value => {
  if (typeof obj === 'string') return sliceText(obj, from, to, by)
  if (obj instanceof Markup) return new Markup(sliceText(obj.text, from, to, by))
  if (Array.isArray(obj)) return sliceList(obj, from, to, by)
  if (obj instanceof Tuple) return new Tuple(sliceList(obj.items, from, to, by))
  if (obj instanceof Obj && obj.slice) return obj.slice(from, to, by)
  const error = undefinedError(obj)
  if (error) throw error
  throw typeError(isDict(obj) ? "unhashable type: 'slice'" : `'${typeName(obj)}' object is not subscriptable`)
}

const sliceList = (items: readonly Value[], from: Value, to: Value, by: Value): Value[] => {
  const { start, step, count } = sliceIndices(items.length, from, to, by)
  spendItems(count)
  if (step === 1) return items.slice(start, start + count)
  return Array.from({ length: count }, (_, i) => items[start + i * step]!)
}

const sliceText = (text: string, from: Value, to: Value, by: Value): string => {
  const { start, step, count } = sliceIndices(codePoints(text), from, to, by)
  if (step === 1) return sliceChars(text, start, start + count)
  spendItems(count)
  const all = chars(text)
  let result = ''
  for (let i = 0; i < count; i++) result += all[start + i * step]
  return result
}
