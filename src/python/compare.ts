/* Equality, order and membership. */
import { type AnyDict, Dict, dictEntries, dictGet, dictSize, isDict } from './dict.ts'
import { typeError } from './error.ts'
import { spend, spendLength } from './limits.ts'
import { iter } from './sequences.ts'
import { byCodePoint } from './unicode.ts'
import { Float, Markup, misused, Obj, Tuple, textOf, typeName, type Value } from './values.ts'

/** A number as JavaScript compares it: numbers and bigints exactly with one another. */
const numberOf = (value: Value): number | bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Float ? value.value : undefined
}

/** A value whose own class says what it is equal to. */
const isOther = (value: Value): value is Obj =>
  value instanceof Obj &&
  !(value instanceof Float || value instanceof Tuple || value instanceof Markup || value instanceof Dict)

/** Python's `a == b`. */
export const equal = (a: Value, b: Value): boolean => {
  if (typeof a === 'string' && typeof b === 'string') return a === b
  if (isOther(a)) return isOther(b) && b.misuse() ? b.equals(a) : a.equals(b)
  if (isOther(b)) return b.equals(a)
  const x = numberOf(a)
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be equal
  if (x !== undefined) return x == numberOf(b)
  const text = textOf(a)
  if (text !== undefined) return text === textOf(b)
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b)
  if (a instanceof Tuple) return b instanceof Tuple && sameItems(a.items, b.items)
  return isDict(a) ? isDict(b) && sameDicts(a, b) : a === b
}

/** How containers compare what they hold: the same object is equal to itself, whatever it says. */
export const same = (a: Value, b: Value): boolean => a === b || equal(a, b)

const sameItems = (a: readonly Value[], b: readonly Value[]): boolean => {
  spend(a.length)
  return a.length === b.length && a.every((item, i) => same(item, b[i]!))
}

const sameDicts = (a: AnyDict, b: AnyDict): boolean => {
  spend(dictSize(a))
  if (dictSize(a) !== dictSize(b)) return false
  return dictEntries(a).every(([key, value]) => {
    const other = dictGet(b, key)
    return other !== undefined && same(value, other)
  })
}

export type Order = '<' | '<=' | '>' | '>='

/** Below, at or above zero for two values in Python's order; undefined where their types have none. */
const compare = (a: Value, b: Value): number | undefined => {
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  const x = numberOf(a)
  const y = x === undefined ? undefined : numberOf(b)
  if (x !== undefined && y !== undefined)
    // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be equal
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : Number.NaN
  const s = textOf(a)
  const t = s === undefined ? undefined : textOf(b)
  if (s !== undefined && t !== undefined) return byCodePoint(s, t)
  if (Array.isArray(a) && Array.isArray(b)) return compareItems(a, b)
  return a instanceof Tuple && b instanceof Tuple ? compareItems(a.items, b.items) : undefined
}

const compareItems = (a: readonly Value[], b: readonly Value[]): number | undefined => {
  const length = Math.min(a.length, b.length)
  spend(length)
  for (let i = 0; i < length; i++) if (!same(a[i]!, b[i]!)) return compare(a[i]!, b[i]!)
  return a.length - b.length
}

/** Python's `a < b` and its like. @throws TypeError where the types have no order */
export const ordered = (a: Value, op: Order, b: Value): boolean => {
  const order = orderOf(a, op, b)
  if (op === '<') return order < 0
  if (op === '<=') return order <= 0
  return op === '>' ? order > 0 : order >= 0
}

const orderOf = (a: Value, op: Order, b: Value): number => {
  const order = compare(a, b)
  if (order !== undefined) return order
  const types = `'${typeName(a)}' and '${typeName(b)}'`
  throw misused(typeError(`'${op}' not supported between instances of ${types}`), a, b)
}

/** Python's `item in container`. @throws TypeError */
export const contains = (container: Value, item: Value): boolean => {
  const text = textOf(container)
  if (text !== undefined) {
    const part = textOf(item)
    if (part === undefined)
      throw misused(typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`), item)
    spendLength(text.length)
    return text.includes(part)
  }
  if (isDict(container)) return dictGet(container, item) !== undefined
  const next = iter(container)
  for (let value = next(); value !== undefined; value = next()) {
    spend(1)
    if (same(value, item)) return true
  }
  return false
}

/** A stable sort by keys in Python's order. `reverse` keeps equal items in their order, as Python does. */
export const sortBy = (items: readonly Value[], keyOf: (item: Value) => Value, reverse: boolean): Value[] => {
  spend(items.length * Math.ceil(Math.log2(items.length + 1)))
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  if (reverse) keyed.reverse()
  keyed.sort(({ key: a }, { key: b }) => orderOf(a, '<', b) || 0)
  if (reverse) keyed.reverse()
  return keyed.map(({ item }) => item)
}
