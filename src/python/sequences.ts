/* Sequences: iter(), list(), len(), unpacking, `obj[key]` and `obj[start:stop:step]`. */
import { type AnyDict, dictGet, dictKeys, dictSize, isDict } from './dict.ts'
import { indexError, keyError, typeError, unless, unsupported, valueError } from './error.ts'
import { spend, spendItems, spendLength } from './limits.ts'
import { chars, codePoints, sliceChars } from './unicode.ts'
import { Float, isInt, Markup, type Next, Obj, Tuple, textOf, typeName, type Value } from './values.ts'

/** Python's iter(value). A list that grows during the iteration is iterated to its new end. @throws TypeError */
export const iter = (value: Value): Next => {
  if (Array.isArray(value)) return nextOf(value)
  const text = textOf(value)
  if (text !== undefined) {
    spend(text.length >> 4)
    return nextOf(chars(text))
  }
  if (value instanceof Obj) {
    if (value.iterate) return value.iterate()
  } else if (isDict(value)) return nextOf(dictKeys(value))
  throw typeError(`'${typeName(value)}' object is not iterable`)
}

/** Iterates over a list; holes and undefined in a caller's list are None. */
export const nextOf = (items: readonly Value[]): Next => {
  let i = 0
  return () => (i < items.length ? (items[i++] ?? null) : undefined)
}

export const isIterable = (value: Value): boolean => unless('TypeError', () => iter(value)) !== undefined

/** The items of an iterable, read-only: a list is returned itself. */
export const itemsOf = (value: Value): readonly Value[] => {
  if (Array.isArray(value)) return value
  return value instanceof Tuple ? value.items : listOf(value)
}

/** Python's list(value): a new list. */
export const listOf = (value: Value): Value[] => {
  const result: Value[] = []
  const next = iter(value)
  for (let item = next(); item !== undefined; item = next()) {
    spend(1)
    result.push(item)
    if ((result.length & 0xfff) === 0) spendItems(result.length >> 12)
  }
  return result
}

/** Python's len(value). @throws TypeError */
export const lengthOf = (value: Value): number => {
  const text = textOf(value)
  if (text !== undefined) {
    spend(text.length >> 6)
    return codePoints(text)
  }
  if (Array.isArray(value)) return value.length
  const size = isDict(value) ? dictSize(value) : value instanceof Obj ? value.size?.() : undefined
  if (size === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`)
  return size
}

/** Unpacks exactly `count` items. @throws ValueError */
export const unpackInto = (value: Value, count: number): readonly Value[] => {
  const items: Value[] = []
  const next = iter(value)
  for (let item = next(); item !== undefined; item = next()) {
    if (items.push(item) > count) throw valueError(`too many values to unpack (expected ${count})`)
  }
  if (items.length < count)
    throw valueError(`not enough values to unpack (expected ${count}, got ${items.length})`)
  return items
}

/** Python's `obj[key]`. @throws KeyError, IndexError or TypeError if there is no such item */
export const getItem = (obj: Value, key: Value): Value => {
  if (Array.isArray(obj)) return obj[position(obj.length, key)] ?? null
  const text = textOf(obj)
  if (text !== undefined) {
    const at = position(codePoints(text), key)
    const char = sliceChars(text, at, at + 1)
    return typeof obj === 'string' ? char : new Markup(char)
  }
  if (isDict(obj)) {
    const value = dictGet(obj, key)
    if (value === undefined) throw keyError(keyText(key))
    return value
  }
  if (obj instanceof Tuple) return obj.items[position(obj.items.length, key)]!
  if (obj instanceof Obj && !(obj instanceof Float)) return obj.item(key)
  throw typeError(`'${typeName(obj)}' object is not subscriptable`)
}

/** A key in a message. */
export const keyText = (key: Value): string =>
  typeof key === 'string' ? `'${key}'` : isInt(key) ? String(key) : typeName(key)

/** The position of an index; negative ones count from the end. @throws IndexError */
const position = (length: number, key: Value): number => {
  if (!isInt(key)) throw typeError(`indices must be integers or slices, not ${typeName(key)}`)
  const index = Number(key)
  const at = index < 0 ? index + length : index
  if (at < 0 || at >= length) throw indexError(`index ${index} is out of range`)
  return at
}

/** A bound of a slice: an int, or null for none. */
const bound = (value: Value): number | null => {
  if (value === null) return null
  if (isInt(value)) return Number(value)
  throw typeError(`slice indices must be integers or None, not ${typeName(value)}`)
}

/** slice(start, stop, step).indices(length), and their number. */
const sliceIndices = (length: number, from: Value, to: Value, by: Value = null) => {
  const step = bound(by) ?? 1
  if (step === 0) throw valueError('slice step cannot be zero')
  const low = step < 0 ? -1 : 0
  const high = step < 0 ? length - 1 : length
  const clamp = (index: number | null, fallback: number): number =>
    index === null ? fallback : Math.min(Math.max(index < 0 ? index + length : index, low), high)
  const start = clamp(bound(from), step < 0 ? high : low)
  const stop = clamp(bound(to), step < 0 ? low : high)
  return { start, step, count: Math.max(0, Math.ceil((stop - start) / step)) }
}

/** Python's `obj[from:to:by]`; null for an omitted bound. */
export const getSlice = (obj: Value, from: Value, to: Value, by: Value): Value => {
  if (typeof obj === 'string') return sliceText(obj, from, to, by)
  if (obj instanceof Markup) return new Markup(sliceText(obj.text, from, to, by))
  if (Array.isArray(obj)) return sliceList(obj, from, to, by)
  if (obj instanceof Tuple) return new Tuple(sliceList(obj.items, from, to, by))
  if (obj instanceof Range) throw unsupported('slicing a range (put |list before it)')
  throw typeError(`'${typeName(obj)}' object can't be sliced`)
}

const sliceList = (items: readonly Value[], from: Value, to: Value, by: Value): Value[] => {
  const { start, step, count } = sliceIndices(items.length, from, to, by)
  spendItems(count)
  if (step === 1) return items.slice(start, start + count)
  return Array.from({ length: count }, (_, i) => items[start + i * step]!)
}

const sliceText = (text: string, from: Value, to: Value, by: Value): string => {
  spendLength(text.length)
  const { start, step, count } = sliceIndices(codePoints(text), from, to, by)
  if (step === 1) return sliceChars(text, start, start + count)
  spendItems(count)
  const all = chars(text)
  return Array.from({ length: count }, (_, i) => all[start + i * step]).join('')
}

/** range(...): a sequence whose items are computed. */
export class Range extends Obj {
  readonly type = 'range'
  private readonly start: number
  private readonly stop: number
  private readonly step: number

  constructor(start: number, stop: number, step: number) {
    super()
    if (step === 0) throw valueError('range() arg 3 must not be zero')
    this.start = start
    this.stop = stop
    this.step = step
  }

  override size(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step))
  }

  override iterate(): Next {
    const count = this.size()
    let i = 0
    return () => (i < count ? this.start + this.step * i++ : undefined)
  }

  override item(key: Value): Value {
    return this.start + this.step * position(this.size(), key)
  }

  override equals(other: Value): boolean {
    return other instanceof Range && this.str() === other.str()
  }

  override str(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? '' : `, ${this.step}`})`
  }
}

/** A view of a dict: the result of keys(), values() and items(). */
export class View extends Obj {
  readonly type: string
  private readonly what: 'keys' | 'values' | 'items'
  private readonly dict: AnyDict

  constructor(what: View['what'], dict: AnyDict) {
    super()
    this.type = `dict_${what}`
    this.what = what
    this.dict = dict
  }

  override size(): number {
    return dictSize(this.dict)
  }

  override equals(other: Value): boolean {
    if (other instanceof View && this.what !== 'values') throw unsupported('comparing dict views')
    return this === other
  }

  override iterate(): Next {
    const { dict, what } = this
    const next = iter(dict)
    return () => {
      const key = next()
      if (key === undefined || what === 'keys') return key
      const value = dictGet(dict, key) ?? null
      return what === 'values' ? value : new Tuple([key, value])
    }
  }
}
