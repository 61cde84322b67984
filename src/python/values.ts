/*
 * Python's values in JavaScript.
 *
 * None is null, str a string, bool a boolean, list an array. An int is a whole number, or a bigint where a
 * number would lose digits. A float is a number with a fraction, an infinity or NaN; a float without a
 * fraction is a `Float`, so that 1.0 differs from 1. A dict is a `Dict`, or a read-only plain object from
 * JSON.parse. Everything else is an `Obj`.
 */
import { type TemplateError, typeError, unsupported } from './error.ts'

export type Value = null | boolean | number | bigint | string | Value[] | Obj | PlainDict

export interface PlainDict {
  readonly [key: string]: Value
}

export type Kwargs = Map<string, Value>

/** Returns the next item each time it is called; undefined after the last one. */
export type Next = () => Value | undefined

/** A value that is neither JSON nor a JavaScript primitive. Templates can use only these methods. */
export abstract class Obj {
  /** The name of the Python type. */
  abstract readonly type: string
  /** Set if it can be called. */
  call?(args: Value[], kwargs: Kwargs | undefined): Value
  /** Set if it can be iterated over. */
  iterate?(): Next
  /** len(obj), if the type has one. */
  size?(): number

  attr(_name: string): Value | undefined {
    return undefined
  }

  /** `obj[key]`. @throws what Python raises */
  item(_key: Value): Value {
    throw typeError(`'${this.type}' object is not subscriptable`)
  }

  truthy(): boolean {
    return this.size?.() !== 0
  }

  equals(other: Value): boolean {
    return this === other
  }

  str(): string {
    throw unsupported(`printing a ${this.type}`)
  }

  repr(): string {
    return this.str()
  }

  /** The error of an undefined value, for any operation on it. */
  misuse(): TemplateError | undefined {
    return undefined
  }
}

/** @throws the error of an undefined value */
export const needDefined = (value: Value): void => {
  const error = value instanceof Obj ? value.misuse() : undefined
  if (error) throw error
}

/** A float without a fraction: 1.0, 1e16, -0.0. */
export class Float extends Obj {
  readonly type = 'float'
  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }

  override truthy(): boolean {
    return this.value !== 0
  }
}

export class Tuple extends Obj {
  readonly type = 'tuple'
  readonly items: readonly Value[]
  /** Names of the items, in the pairs of `groupby`. */
  readonly names: readonly string[] | undefined

  constructor(items: readonly Value[], names?: readonly string[]) {
    super()
    this.items = items
    this.names = names
  }

  override size(): number {
    return this.items.length
  }

  override iterate(): Next {
    let i = 0
    return () => this.items[i++]
  }

  override attr(name: string): Value | undefined {
    return this.items[this.names?.indexOf(name) ?? -1]
  }
}

/** Escaped HTML: the result of the filters escape, safe and tojson, which escape does not change. */
export class Markup extends Obj {
  readonly type = 'Markup'
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override truthy(): boolean {
    return this.text !== ''
  }

  override str(): string {
    return this.text
  }
}

/** A function, or a bound method. */
export class Func extends Obj {
  readonly type = 'function'
  override readonly call: (args: Value[], kwargs: Kwargs | undefined) => Value

  constructor(run: (args: Value[], kwargs: Kwargs | undefined) => Value) {
    super()
    this.call = run
  }

  /** Python's methods of one object are equal, though each is another object. */
  override equals(other: Value): boolean {
    if (other instanceof Func) throw unsupported('comparing functions')
    return false
  }
}

/** A generator: can be iterated over once, and computes its values on demand. */
export class Generator extends Obj {
  readonly type = 'generator (put |list or |join after it)'
  private next: Next | undefined
  private readonly start: () => Next

  /** @param start called when the first item is read */
  constructor(start: () => Next) {
    super()
    this.start = start
  }

  override iterate(): Next {
    return () => (this.next ??= this.start())()
  }
}

/** A float from a JavaScript number. */
export const float = (value: number): Value => (Number.isInteger(value) ? new Float(value) : value)

/** An int from a whole JavaScript number or a bigint. */
export const int = (value: number | bigint): number | bigint => {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number + 0
  return typeof value === 'bigint' ? value : BigInt(value)
}

/** The text of a str or Markup. */
export const textOf = (value: Value | undefined): string | undefined =>
  typeof value === 'string' ? value : value instanceof Markup ? value.text : undefined

/** Whether a value is an int; bool counts, as in Python. */
export const isInt = (value: Value): value is number | bigint | boolean =>
  typeof value === 'number'
    ? Number.isInteger(value)
    : typeof value === 'bigint' || typeof value === 'boolean'

/** The JavaScript number of a float. */
export const floatOf = (value: Value): number | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? undefined : value
  return value instanceof Float ? value.value : undefined
}

/** An int as a number if it is safe, else as a bigint. */
export const intOf = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'boolean' ? Number(value) : int(value)

/** The JavaScript number of an int or float. */
export const toFloat = (value: Value): number | undefined =>
  floatOf(value) ?? (isInt(value) ? Number(value) : undefined)

/** An int used as a position or a count. @throws TypeError */
export const indexOf = (value: Value): number => {
  if (isInt(value)) return Number(value)
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** @throws TypeError for a value that is not a text */
export const needText = (value: Value): string => {
  const text = textOf(value)
  if (text === undefined) throw typeError(`a str is needed, not ${typeName(value)}`)
  return text
}

const TYPES: Record<string, string> = { string: 'str', boolean: 'bool', bigint: 'int', undefined: 'NoneType' }

/** Python's name of a value's type, for messages. @throws the error of an undefined value */
export const typeName = (value: Value): string => {
  needDefined(value)
  if (value === null) return 'NoneType'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (typeof value === 'object')
    return Array.isArray(value) ? 'list' : value instanceof Obj ? value.type : 'dict'
  const type = TYPES[typeof value]
  if (type === undefined) throw typeError(`a JavaScript ${typeof value} can't be used in a template`)
  return type
}

/** Python's truth of a value. */
export const truthy = (value: Value): boolean => {
  if (typeof value !== 'object') {
    if (typeof value === 'function' || typeof value === 'symbol') typeName(value)
    return Boolean(value) || Number.isNaN(value)
  }
  if (value === null) return false
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Obj) return value.truthy()
  for (const key in value) if (Object.hasOwn(value, key)) return true
  return false
}
