/*
 * Python's values as JavaScript holds them.
 *
 * None is null, str a string, bool a boolean, list an array. An int is a whole number, or a bigint
 * where a number would lose digits. A float is a number with a fraction, an infinity or NaN; a float
 * without a fraction is a `Float`, so that 1.0 stays apart from 1. A dict is a `Dict`, or a plain object
 * as JSON.parse makes it, which is only read. Everything else is an `Obj`.
 */
import { raise, typeError } from '../templates/error.ts'

export type Value = null | boolean | number | bigint | string | Value[] | Obj | PlainDict

export interface PlainDict {
  readonly [key: string]: Value
}

export type Kwargs = Map<string, Value>

/** The end of an iteration. */
export const DONE: unique symbol = Symbol('done')

/** A step of an iteration: the next value or DONE. */
export type Next = () => Value | typeof DONE

/** Printed where Python prints an address: the same bytes on every run. */
export const ADDRESS = '0x7f0000000000'

/** A value that is neither JSON nor a JavaScript primitive. */
export abstract class Obj {
  /** The name of the Python type, with its module unless that is `builtins`. */
  abstract readonly type: string

  /** The attribute of that name, or undefined. Only what is listed can be reached. */
  attr(_name: string): Value | undefined {
    return undefined
  }

  /** `obj[key]`; throws what Python throws. */
  item(_key: Value): Value {
    throw typeError(`'${this.type}' object is not subscriptable`)
  }

  call(_args: Value[], _kwargs: Kwargs | undefined): Value {
    throw typeError(`'${this.type}' object is not callable`)
  }

  get callable(): boolean {
    return false
  }

  iterate(): Next {
    throw typeError(`'${this.type}' object is not iterable`)
  }

  /** `len(obj)`, or undefined where Python's type has none. */
  size(): number | undefined {
    return undefined
  }

  /** The object as HTML, where it says so itself (`__html__`). */
  html?(): string

  /** `obj[from:to:by]`, where the type can be sliced. */
  slice?(from: Value, to: Value, by: Value): Value

  /** `item in obj`, where there is a shorter way than going through it. */
  has?(item: Value): boolean

  truthy(): boolean {
    return this.size() !== 0
  }

  equals(other: Value): boolean {
    return this === other
  }

  repr(): string {
    return `<${this.type} object at ${ADDRESS}>`
  }

  str(): string {
    return this.repr()
  }
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

/** A float from a JavaScript number. */
export const float = (value: number): Value => (Number.isInteger(value) ? new Float(value) : value)

/** An int from a JavaScript number that may have lost nothing, or from a bigint. */
export const int = (value: number | bigint): number | bigint => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : BigInt(value)
  return value >= MIN_SAFE && value <= MAX_SAFE ? Number(value) : value
}
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER)

export class Tuple extends Obj {
  readonly type = 'tuple'
  readonly items: readonly Value[]
  /** Names of the items, for the pairs that `groupby` gives. */
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
    return () => (i < this.items.length ? this.items[i++]! : DONE)
  }
}

/** A str that needs no more HTML escaping (markupsafe's Markup). */
export class Markup extends Obj {
  readonly type = 'markupsafe.Markup'
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

/** What a built-in function or method of Python looks like from a template. */
export class Builtin extends Obj {
  readonly type = 'builtin_function_or_method'
  readonly label: string
  private readonly run: (args: Value[], kwargs: Kwargs | undefined) => Value
  private readonly self: unknown

  /** `label` is what stands between `<` and `>` when it is printed; `self` is what a method belongs to. */
  constructor(label: string, run: (args: Value[], kwargs: Kwargs | undefined) => Value, self?: unknown) {
    super()
    this.label = label
    this.run = run
    this.self = self
  }

  /** The same method of the same object. */
  override equals(other: Value): boolean {
    if (this === other) return true
    return (
      other instanceof Builtin &&
      this.self !== undefined &&
      other.self === this.self &&
      other.label === this.label
    )
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    return this.run(args, kwargs)
  }

  override repr(): string {
    return `<${this.label}>`
  }
}

/** A generator or iterator: goes through its values once. */
export class Iterator extends Obj {
  readonly type: string
  private readonly label: string
  private readonly next: Next

  constructor(type: string, next: Next, label = `${type} object`) {
    super()
    this.type = type
    this.next = next
    this.label = label
  }

  override iterate(): Next {
    return this.next
  }

  override repr(): string {
    return `<${this.label} at ${ADDRESS}>`
  }
}

/** The text of a str or Markup, else undefined. */
export const textOf = (value: Value): string | undefined =>
  typeof value === 'string' ? value : value instanceof Markup ? value.text : undefined

/** Whether a value is an int; bool counts, as in Python. */
export const isInt = (value: Value): value is number | bigint | boolean =>
  typeof value === 'number'
    ? Number.isInteger(value)
    : typeof value === 'bigint' || typeof value === 'boolean'

/** The JavaScript number of a float, else undefined. */
export const floatOf = (value: Value): number | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? undefined : value
  return value instanceof Float ? value.value : undefined
}

/** An int as a number where it is safe, else as a bigint. Bools become 0 and 1. */
export const intOf = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'boolean' ? (value ? 1 : 0) : int(value)

/** An int used as a position or a count; Python's error where it is none. */
export const indexOf = (value: Value, what = 'integer'): number => {
  if (isInt(value)) return Number(value)
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an ${what}`)
}

/** Python's name of a value's type. */
export const typeName = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float'
    case 'object':
      if (value === null) return 'NoneType'
      if (Array.isArray(value)) return 'list'
      return value instanceof Obj ? value.type : 'dict'
    case 'undefined':
      return 'NoneType'
    default:
      throw typeError(`a ${typeof value} can't be used in a template`)
  }
}

/** Python's truth of a value. */
export const truthy = (value: Value): boolean => {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value !== ''
    case 'object':
      if (value === null) return false
      if (Array.isArray(value)) return value.length > 0
      if (value instanceof Obj) return value.truthy()
      for (const key in value) if (Object.hasOwn(value, key)) return true
      return false
    case 'number':
      return value !== 0
    case 'bigint':
      return value !== 0n
    case 'undefined':
      return false
    default:
      throw typeError(`a ${typeof value} can't be used in a template`)
  }
}

export const keyError = (key: string): Error => raise('KeyError', key)
export const indexError = (reason: string): Error => raise('IndexError', reason)
