/*
 * Values as nunjucks' templates see them: JavaScript's, but only what is listed here can be reached from
 * them. Own properties of plain objects, elements, and methods that only compute.
 */

import { typeError, unsupported } from '../../python/error.ts'
import { spendItems, spendLength } from '../../python/limits.ts'
import { beforeChange } from '../../python/ownership.ts'

export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Value[]
  | Safe
  | Callable
  | JsObject

export interface JsObject {
  [key: string]: Value
}

/** Text that is not to be escaped (again). */
export class Safe {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Something a template can call: a macro, a global function, a method. */
export class Callable {
  readonly run: (args: Value[], named: JsObject | undefined) => Value

  constructor(run: (args: Value[], named: JsObject | undefined) => Value) {
    this.run = run
  }
}

export const textOf = (value: Value): string | undefined =>
  typeof value === 'string' ? value : value instanceof Safe ? value.text : undefined

export const isObject = (value: Value): value is JsObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Safe) &&
  !(value instanceof Callable)

/** JavaScript's String(value). */
export const toText = (value: Value): string => {
  if (typeof value === 'string') return value
  if (value instanceof Safe) return value.text
  if (Array.isArray(value)) return joinItems(value, ',')
  if (typeof value === 'object' && value !== null)
    return value instanceof Callable ? fail('printing a function') : '[object Object]'
  if (typeof value === 'function' || typeof value === 'symbol')
    throw typeError(`a ${typeof value} can't be used in a template`)
  return String(value)
}

const fail = (what: string): never => {
  throw unsupported(what)
}

let depth = 0

/** Array.prototype.join: what isn't there is empty. */
export const joinItems = (items: readonly Value[], separator: string): string => {
  if (depth > 100) return ''
  depth++
  try {
    const parts = items.map((item) => (item === null || item === undefined ? '' : toText(item)))
    let length = 0
    for (const part of parts) length += part.length + separator.length
    spendLength(length)
    return parts.join(separator)
  } finally {
    depth--
  }
}

/** What is printed: nothing for null and undefined. */
export const print = (value: Value): string => (value === null || value === undefined ? '' : toText(value))

/** A value as operators take it: objects become text. */
export const primitive = (value: Value): undefined | null | boolean | number | bigint | string =>
  typeof value === 'object' && value !== null ? toText(value) : (value as string | number)

/** `a == b`. */
export const looselyEqual = (a: Value, b: Value): boolean => {
  const bothObjects = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null
  if (bothObjects) return a === b
  // biome-ignore lint/suspicious/noDoubleEquals: this is JavaScript's loose comparison
  return primitive(a) == primitive(b)
}

const count = (value: Value, fallback: number): number =>
  value === undefined ? fallback : Math.trunc(Number(primitive(value)) || 0)

type Method<T> = (self: T, ...args: Value[]) => Value

const TEXT: Record<string, Method<string>> = {
  charAt: (text, index) => text.charAt(count(index, 0)),
  endsWith: (text, part) => text.endsWith(toText(part)),
  includes: (text, part, from) => text.includes(toText(part), count(from, 0)),
  indexOf: (text, part, from) => text.indexOf(toText(part), count(from, 0)),
  padEnd: (text, width, fill) => pad(text, width, fill, 'padEnd'),
  padStart: (text, width, fill) => pad(text, width, fill, 'padStart'),
  repeat: (text, times) => {
    const number = count(times, 0)
    if (number < 0) throw typeError(`Invalid count value: ${number}`)
    spendLength(text.length * number)
    return text.repeat(number)
  },
  replace: (text, old, by) => text.replace(toText(old), () => toText(by)),
  replaceAll: (text, old, by) => {
    const parts = text.split(toText(old))
    spendLength(text.length + parts.length * toText(by).length)
    return parts.join(toText(by))
  },
  slice: (text, start, end) => text.slice(count(start, 0), end === undefined ? undefined : count(end, 0)),
  split: (text, separator, limit) => {
    if (separator === undefined) return [text]
    const parts = text.split(toText(separator), limit === undefined ? undefined : count(limit, 0))
    spendItems(parts.length)
    return parts
  },
  startsWith: (text, part, from) => text.startsWith(toText(part), count(from, 0)),
  substring: (text, start, end) =>
    text.substring(count(start, 0), end === undefined ? undefined : count(end, 0)),
  toLowerCase: (text) => text.toLowerCase(),
  toString: (text: string) => text,
  toUpperCase: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
}

const pad = (text: string, width: Value, fill: Value, how: 'padEnd' | 'padStart'): string => {
  spendLength(Math.max(0, count(width, 0)))
  return text[how](count(width, 0), fill === undefined ? ' ' : toText(fill))
}

const change =
  (run: Method<Value[]>): Method<Value[]> =>
  (items, ...args) => {
    beforeChange()
    spendItems(items.length >> 8)
    return run(items, ...args)
  }

const LIST: Record<string, Method<Value[]>> = {
  concat: (items, ...more) => {
    const result = items.concat(...more)
    spendItems(result.length)
    return result
  },
  includes: (items, item) => items.includes(item),
  indexOf: (items, item) => items.indexOf(item),
  join: (items, separator) => joinItems(items, separator === undefined ? ',' : toText(separator)),
  pop: change((items) => items.pop()),
  push: change((items, ...more) => items.push(...more)),
  reverse: change((items) => items.reverse()),
  slice: (items, start, end) => items.slice(count(start, 0), end === undefined ? undefined : count(end, 0)),
  toString: (items: Value[]) => toText(items),
}

const NUMBER: Record<string, Method<number>> = {
  toFixed: (number, digits) => number.toFixed(bounded(digits, 0)),
  toPrecision: (number, digits) =>
    digits === undefined ? String(number) : number.toPrecision(bounded(digits, 1)),
  toString: (number: number) => String(number),
}

const bounded = (value: Value, low: number): number => {
  const number = count(value, 0)
  if (number < low || number > 100) throw typeError('the number of digits must be between 0 and 100')
  return number
}

const method = <T>(table: Record<string, Method<T>>, self: T, name: string): Value =>
  Object.hasOwn(table, name) ? new Callable((args) => table[name]!(self, ...args)) : undefined

/** `obj[key]` and `obj.key`. */
export const member = (obj: Value, key: Value): Value => {
  const name = toText(key)
  const text = textOf(obj)
  if (text !== undefined) {
    if (name === 'length') return text.length
    return /^\d+$/.test(name) ? text[Number(name)] : method(TEXT, text, name)
  }
  if (Array.isArray(obj)) {
    if (name === 'length') return obj.length
    return /^\d+$/.test(name) ? obj[Number(name)] : method(LIST, obj, name)
  }
  if (typeof obj === 'number') return method(NUMBER, obj, name)
  return isObject(obj) && Object.hasOwn(obj, name) ? obj[name] : undefined
}

/** `a in b`. */
export const isIn = (key: Value, container: Value): boolean => {
  const text = textOf(container)
  if (text !== undefined) return text.includes(toText(key))
  if (Array.isArray(container)) return container.includes(key)
  if (isObject(container)) return Object.hasOwn(container, toText(key))
  throw typeError(`Cannot use "in" operator to search for "${toText(key)}" in unexpected types.`)
}

/** `a + b`. */
export const plus = (a: Value, b: Value): Value => {
  const [x, y] = [primitive(a), primitive(b)]
  if (typeof x === 'string' || typeof y === 'string') {
    const text = `${String(x)}${String(y)}`
    spendLength(text.length)
    return text
  }
  return Number(x) + Number(y)
}

/** A value as a number. */
export const number = (value: Value): number => Number(primitive(value))
