/*
 * Values of nunjucks' templates: JavaScript's, of which templates can use own properties of plain objects, elements, and
 * the methods listed here, which only compute.
 */
import { typeError, unsupported } from '../../python/error.ts'
import { beforeChange, spend, spendItems, spendLength } from '../../python/limits.ts'
import { Func, Obj } from '../../python/values.ts'
import { SafeString } from './package.ts'

type Primitive = undefined | null | boolean | number | bigint | string
export type JsValue = Primitive | JsValue[] | SafeString | Obj | JsObject

export interface JsObject {
  [key: string]: JsValue
}

/** A function for templates. */
const callable = (run: (args: JsValue[]) => JsValue): Func => new Func(run as Func['call'])

export const isSafe = (value: JsValue): value is SafeString => value instanceof SafeString

export const jsText = (value: JsValue): string | undefined =>
  typeof value === 'string' ? value : isSafe(value) ? value.val : undefined

export const isJsObject = (value: JsValue): value is JsObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isSafe(value) &&
  !(value instanceof Obj)

/** JavaScript's String(value). */
export const toText = (value: JsValue): string => {
  if (Array.isArray(value)) return joinItems(value, ',')
  if (value instanceof Obj) throw unsupported('printing a function')
  if (typeof value === 'function' || typeof value === 'symbol')
    throw typeError(`a ${typeof value} can't be used in a template`)
  return isJsObject(value) ? '[object Object]' : (jsText(value) ?? String(value))
}

let depth = 0

/** Array.prototype.join: missing items are empty. */
export const joinItems = (items: readonly JsValue[], separator: string): string => {
  if (depth > 100) return ''
  depth++
  try {
    spend(items.length)
    const text = items.map(printText).join(separator)
    spendLength(text.length)
    return text
  } finally {
    depth--
  }
}

/** The printed text: empty for null and undefined. */
export const printText = (value: JsValue): string =>
  value === null || value === undefined ? '' : toText(value)

/** An operand: objects become text. */
export const primitive = (value: JsValue): Primitive =>
  typeof value === 'object' && value !== null ? toText(value) : (value as Primitive)

export const number = (value: JsValue): number => Number(primitive(value))

/** `a == b`. */
export const looselyEqual = (a: JsValue, b: JsValue): boolean => {
  const bothObjects = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null
  if (bothObjects) return a === b
  // biome-ignore lint/suspicious/noDoubleEquals: this is JavaScript's loose comparison
  return primitive(a) == primitive(b)
}

/** `a + b`. */
export const plus = (a: JsValue, b: JsValue): number | string => {
  const [x, y] = [primitive(a), primitive(b)]
  if (typeof x !== 'string' && typeof y !== 'string') return Number(x) + Number(y)
  const text = `${String(x)}${String(y)}`
  spendLength(text.length)
  return text
}

/** `a in b`. */
export const isIn = (key: JsValue, container: JsValue): boolean => {
  const text = jsText(container)
  if (text !== undefined) return text.includes(toText(key))
  if (Array.isArray(container)) return container.includes(key)
  if (isJsObject(container)) return Object.hasOwn(container, toText(key))
  throw typeError(`Cannot use "in" operator to search for "${toText(key)}" in unexpected types.`)
}

/** JavaScript's methods that templates can call, by type. */
const METHODS: Record<string, string> = {
  string:
    'charAt endsWith includes indexOf lastIndexOf slice split startsWith substring toLowerCase toString ' +
    'toUpperCase trim trimEnd trimStart',
  number: 'toFixed toString',
}

/** Calls a function with primitive values. @throws TypeError for errors of JavaScript */
export const compute = (run: (...args: Primitive[]) => unknown, args: readonly JsValue[]): JsValue => {
  try {
    return run(...args.map(primitive)) as JsValue
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw typeError(error.message)
    throw error
  }
}

const LIST_METHODS: Record<string, (items: JsValue[], ...args: JsValue[]) => JsValue> = {
  concat: (items, ...more) => items.concat(...more),
  includes: (items, item) => items.includes(item),
  indexOf: (items, item) => items.indexOf(item),
  join: (items, separator) => joinItems(items, separator === undefined ? ',' : toText(separator)),
  push: (items, ...more) => {
    beforeChange()
    spendItems(items.length >> 8)
    return items.push(...more)
  },
  slice: (items, start, end) => items.slice(number(start ?? 0), end === undefined ? undefined : number(end)),
}

const replace = (text: string, old: JsValue, by: JsValue): string =>
  text.replace(toText(old), () => toText(by))

const replaceAll = (text: string, old: JsValue, by: JsValue): string => {
  const parts = text.split(toText(old))
  spendLength(text.length + parts.length * toText(by).length)
  return parts.join(toText(by))
}

const methodOf = (obj: string | number | JsValue[], name: string): JsValue => {
  if (Array.isArray(obj)) {
    const run = Object.hasOwn(LIST_METHODS, name) ? LIST_METHODS[name] : undefined
    return run && callable((args) => run(obj, ...args))
  }
  if (typeof obj === 'string' && (name === 'replace' || name === 'replaceAll'))
    return callable(([old, by]) => (name === 'replace' ? replace : replaceAll)(obj, old, by))
  if (!METHODS[typeof obj]!.split(' ').includes(name)) return undefined
  return callable((args) => {
    spendLength(typeof obj === 'string' ? obj.length : 0)
    return compute(
      (...given) => (obj as never as Record<string, (...args: Primitive[]) => JsValue>)[name]!(...given),
      args,
    )
  })
}

/** `obj[key]` and `obj.key`. */
export const member = (obj: JsValue, key: JsValue): JsValue => {
  const name = toText(key)
  const items = Array.isArray(obj) ? obj : jsText(obj)
  if (items !== undefined) {
    if (name === 'length') return items.length
    return /^\d+$/.test(name) ? items[Number(name)] : methodOf(items, name)
  }
  if (typeof obj === 'number') return methodOf(obj, name)
  return isJsObject(obj) && Object.hasOwn(obj, name) ? (obj as JsObject)[name] : undefined
}
