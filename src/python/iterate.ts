/* iter(), list() and len(). */
import { typeError, valueError } from '../templates/error.ts'
import { spend, spendItems } from '../templates/limits.ts'
import { dictKeys, dictSize, isDict, keysOf } from './dicts.ts'
import { chars, codePoints } from './unicode.ts'
import { DONE, Float, Markup, type Next, Obj, Tuple, typeName, type Value } from './values.ts'

/** Python's iter(value). A list that grows under way is gone through to its new end. */
export const iterate = (value: Value): Next => {
  if (Array.isArray(value)) {
    let i = 0
    return () => (i < value.length ? (value[i++] ?? null) : DONE)
  }
  if (typeof value === 'string') return iterate(chars(value))
  if (value instanceof Markup) return iterate(chars(value.text))
  if (value instanceof Obj && !(value instanceof Float)) return value.iterate()
  if (isDict(value)) return keysOf(value)
  throw typeError(`'${typeName(value)}' object is not iterable`)
}

/** Whether iter(value) works. */
export const isIterable = (value: Value): boolean => {
  if (value instanceof Obj && isDict(value)) return true
  try {
    iterate(value)
    return true
  } catch (error) {
    if ((error as { exception?: string }).exception === 'TypeError') return false
    throw error
  }
}

/** The items of anything iterable, to be read only: a list is given as it is. */
export const itemsOf = (value: Value): readonly Value[] => {
  if (Array.isArray(value)) return value
  if (value instanceof Tuple) return value.items
  return listOf(value)
}

/** Python's list(value): a new list. */
export const listOf = (value: Value): Value[] => {
  if (Array.isArray(value)) {
    spendItems(value.length)
    return value.slice()
  }
  if (typeof value === 'string') {
    spendItems(value.length)
    return chars(value)
  }
  if (isDict(value)) return dictKeys(value)
  const result: Value[] = []
  const next = iterate(value)
  for (let item = next(); item !== DONE; item = next()) {
    spend(1)
    result.push(item)
    if ((result.length & 0xfff) === 0) spendItems(result.length >> 12)
  }
  return result
}

/** Python's len(value). */
export const lengthOf = (value: Value): number => {
  if (typeof value === 'string') return codePoints(value)
  if (value instanceof Markup) return codePoints(value.text)
  if (Array.isArray(value)) return value.length
  const size = isDict(value) ? dictSize(value) : value instanceof Obj ? value.size() : undefined
  if (size === undefined) throw typeError(`object of type '${typeName(value)}' has no len()`)
  return size
}

/** Exactly `count` items, for unpacking into names. */
export const unpack = (value: Value, count: number): readonly Value[] => {
  if (
    !(
      Array.isArray(value) ||
      value instanceof Tuple ||
      typeof value === 'string' ||
      value instanceof Obj ||
      isDict(value)
    )
  ) {
    throw typeError(`cannot unpack non-iterable ${typeName(value)} object`)
  }
  const items: Value[] = []
  const next = iterate(value)
  for (let item = next(); item !== DONE; item = next()) {
    if (items.push(item) > count) throw valueError(`too many values to unpack (expected ${count})`)
  }
  if (items.length < count) {
    throw valueError(`not enough values to unpack (expected ${count}, got ${items.length})`)
  }
  return items
}
