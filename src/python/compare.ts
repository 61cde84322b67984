/* Equality, order and membership. */
import { typeError } from '../templates/error.ts'
import { spend } from '../templates/limits.ts'
import { type AnyDict, dictEntries, dictGet, dictHas, dictSize, isDict } from './dicts.ts'
import { iterate } from './iterate.ts'
import { Undefined, undefinedError } from './undefined.ts'
import { compareText } from './unicode.ts'
import { DONE, Float, Obj, Tuple, textOf, typeName, type Value } from './values.ts'

/** A number as JavaScript compares it: numbers and bigints exactly with one another. */
const numberOf = (value: Value): number | bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return value instanceof Float ? value.value : undefined
}

/** Python's `a == b`. */
export const equal = (a: Value, b: Value): boolean => {
  if (typeof a === 'string' && typeof b === 'string') return a === b
  if (a instanceof Undefined) return a.equals(b)
  if (b instanceof Undefined) return b.equals(a)
  const x = numberOf(a)
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be equal
  if (x !== undefined) return x == numberOf(b)
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
    return a === b || (textOf(a) !== undefined && textOf(a) === textOf(b))
  }
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b)
  if (a instanceof Tuple) return b instanceof Tuple && sameItems(a.items, b.items)
  if (isDict(a)) return isDict(b) && sameDicts(a, b)
  const text = textOf(a)
  if (text !== undefined) return text === textOf(b)
  return a instanceof Obj && a.equals(b)
}

/** How containers compare what they hold: the same object is equal to itself, whatever it says. */
export const same = (a: Value, b: Value): boolean => a === b || equal(a, b)

const sameItems = (a: readonly Value[], b: readonly Value[]): boolean => {
  if (a.length !== b.length) return false
  spend(a.length)
  return a.every((item, i) => same(item, b[i]!))
}

const sameDicts = (a: AnyDict, b: AnyDict): boolean => {
  if (dictSize(a) !== dictSize(b)) return false
  spend(dictSize(a))
  return dictEntries(a).every(([key, value]) => {
    const other = dictGet(b, key)
    return other !== undefined && same(value, other)
  })
}

export type Order = '<' | '<=' | '>' | '>='

/** Python's `a < b` and its like; TypeError where the types have no order. */
export const ordered = (a: Value, op: Order, b: Value): boolean => {
  const x = numberOf(a)
  const y = x === undefined ? undefined : numberOf(b)
  if (x !== undefined && y !== undefined) return holds(x, op, y)
  const s = textOf(a)
  const t = s === undefined ? undefined : textOf(b)
  if (s !== undefined && t !== undefined) return holds(compareText(s, t), op, 0)
  if (Array.isArray(a) && Array.isArray(b)) return orderedItems(a, op, b)
  if (a instanceof Tuple && b instanceof Tuple) return orderedItems(a.items, op, b.items)
  throw (
    undefinedError(a, b) ??
    typeError(`'${op}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
  )
}

const holds = (x: number | bigint, op: Order, y: number | bigint): boolean => {
  switch (op) {
    case '<':
      return x < y
    case '<=':
      return x <= y
    case '>':
      return x > y
    case '>=':
      return x >= y
  }
}

const orderedItems = (a: readonly Value[], op: Order, b: readonly Value[]): boolean => {
  const length = Math.min(a.length, b.length)
  spend(length)
  for (let i = 0; i < length; i++) {
    if (!same(a[i]!, b[i]!)) return ordered(a[i]!, op, b[i]!)
  }
  return holds(a.length, op, b.length)
}

/** Python's `item in container`. */
export const contains = (container: Value, item: Value): boolean => {
  const text = textOf(container)
  if (text !== undefined) {
    const part = textOf(item)
    if (part === undefined) {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
    }
    spend(text.length >> 6)
    return text.includes(part)
  }
  if (isDict(container)) return dictHas(container, item)
  if (!Array.isArray(container) && (!(container instanceof Obj) || container instanceof Float)) {
    throw typeError(`argument of type '${typeName(container)}' is not iterable`)
  }
  if (container instanceof Obj && container.has) return container.has(item)
  const next = iterate(container)
  for (let value = next(); value !== DONE; value = next()) {
    spend(1)
    if (same(value, item)) return true
  }
  return false
}

/**
 * A stable sort by keys in Python's order. `reverse` keeps equal items in their order, as Python does.
 */
export const sortBy = (items: readonly Value[], keyOf: (item: Value) => Value, reverse: boolean): Value[] => {
  spend(items.length * Math.ceil(Math.log2(items.length + 1)))
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  if (reverse) keyed.reverse()
  keyed.sort((a, b) => (ordered(a.key, '<', b.key) ? -1 : ordered(b.key, '<', a.key) ? 1 : 0))
  if (reverse) keyed.reverse()
  return keyed.map(({ item }) => item)
}
