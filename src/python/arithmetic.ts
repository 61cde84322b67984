/* Arithmetic: + - * / // % ** and the signs. Ints are exact: results beyond 2**53 are refused. */

import { type AnyDict, Dict, dictEntries, dictGet, dictSize, isDict } from './dict.ts'
import { overflowError, typeError, unsupported, zeroDivisionError } from './error.ts'
import { formatPercent } from './format.ts'
import { spend, spendItems, spendLength } from './limits.ts'
import { markupOf } from './print.ts'
import { iter } from './sequences.ts'
import { byCodePoint } from './unicode.ts'
import {
  Float,
  float,
  floatOf,
  intOf,
  isInt,
  Markup,
  Obj,
  Tuple,
  textOf,
  toFloat,
  typeName,
  type Value,
} from './values.ts'

/** The remainder with the sign of the divisor. */
const rest = (x: number, y: number): number => {
  const mod = x % y
  return mod !== 0 && mod < 0 !== y < 0 ? mod + y : mod
}

/** CPython's rules for floats: a remainder of 0 has the divisor's sign, a quotient of 0 that of `x / y`. */
const floatRest = (x: number, y: number): number => {
  const mod = rest(x, y)
  return mod === 0 ? 0 * Math.sign(y) : mod
}

const floatFloor = (x: number, y: number): number => {
  const mod = x % y
  const quotient = (x - mod) / y - Number(mod !== 0 && y < 0 !== mod < 0)
  return quotient === 0 ? 0 * Math.sign(x / y) : Math.ceil(quotient - 0.5)
}

type Compute = (x: number, y: number) => number
const PLUS: Compute = (x, y) => x + y
const MINUS: Compute = (x, y) => x - y
const TIMES: Compute = (x, y) => x * y
const FLOOR_DIVIDE_INTS: Compute = (x, y) => (x - rest(x, y)) / y

/** Computes on two numbers, with another function on two ints; `sign` is for messages. */
const compute = (sign: string, a: Value, b: Value, onFloats: Compute, onInts = onFloats): Value => {
  if (!isInt(a) || !isInt(b)) {
    if (typeof a === 'number' && typeof b === 'number') return float(onFloats(a, b))
    return computeFloats(sign, a, b, onFloats)
  }
  const result = onInts(Number(a), Number(b))
  const exact = Number.isSafeInteger(result) && typeof a !== 'bigint' && typeof b !== 'bigint'
  if (!exact) throw unsupported('arithmetic with ints beyond 2**53')
  // -0 becomes 0.
  return result + 0
}

const computeFloats = (sign: string, a: Value, b: Value, run: Compute): Value => {
  const [x, y] = [toFloat(a), toFloat(b)]
  if (x !== undefined && y !== undefined) return float(run(x, y))
  const types = `'${typeName(a)}' and '${typeName(b)}'`
  throw typeError(`unsupported operand type(s) for ${sign}: ${types}`)
}

export const add = (a: Value, b: Value): Value => {
  if (typeof a === 'string' && typeof b === 'string') {
    spendLength(a.length + b.length)
    return a + b
  }
  if (Array.isArray(a) && Array.isArray(b)) return joinItems(a, b)
  if (a instanceof Tuple && b instanceof Tuple) return new Tuple(joinItems(a.items, b.items))
  if (textOf(a) !== undefined && textOf(b) !== undefined)
    return new Markup(markupOf(a).text + markupOf(b).text)
  return compute('+', a, b, PLUS)
}

const joinItems = (a: readonly Value[], b: readonly Value[]): Value[] => {
  spendItems(a.length + b.length)
  return [...a, ...b]
}

export const subtract = (a: Value, b: Value): Value => compute('-', a, b, MINUS)

export const multiply = (a: Value, b: Value): Value => {
  if (typeof a === 'number' && typeof b === 'number') return compute('*', a, b, TIMES)
  return (isInt(a) ? repeat(b, a) : isInt(b) ? repeat(a, b) : undefined) ?? compute('*', a, b, TIMES)
}

/** A sequence times an int; undefined for other values. */
const repeat = (value: Value, times: number | bigint | boolean): Value | undefined => {
  const text = textOf(value)
  const items = value instanceof Tuple ? value.items : value
  if (text === undefined && !Array.isArray(items)) return undefined
  if (Math.abs(Number(times)) > 2 ** 63) throw overflowError("cannot fit 'int' into an index-sized integer")
  const count = Math.max(0, Number(times))
  if (text !== undefined) {
    spendLength(text.length * count)
    const result = text === '' ? '' : text.repeat(count)
    return value instanceof Markup ? new Markup(result) : result
  }
  const list = items as readonly Value[]
  spendItems(list.length * count)
  const repeated = Array.from({ length: list.length * count }, (_, i) => list[i % list.length]!)
  return value instanceof Tuple ? new Tuple(repeated) : repeated
}

/** True division: always a float. */
export const divide = (a: Value, b: Value): Value => {
  needNonzero(b)
  if (typeof a === 'bigint' || typeof b === 'bigint') throw unsupported('dividing ints beyond 2**53')
  return computeFloats('/', a, b, (x, y) => x / y)
}

const needNonzero = (divisor: Value): void => {
  if (toFloat(divisor) === 0) throw zeroDivisionError('division by zero')
}

export const floorDivide = (a: Value, b: Value): Value => {
  needNonzero(b)
  return compute('//', a, b, floatFloor, FLOOR_DIVIDE_INTS)
}

/** Remainder, or `%` formatting where the left side is a str. */
export const modulo = (a: Value, b: Value): Value => {
  if (typeof a === 'string') return formatPercent(a, b)
  if (a instanceof Markup) throw unsupported('% on escaped text')
  needNonzero(b)
  return compute('%', a, b, floatRest, rest)
}

/**
 * A power of whole numbers, if it is exact (with a negative exponent, if its reciprocal is). Others are refused: C and
 * JavaScript may differ in the last digit.
 */
export const power = (a: Value, b: Value): Value =>
  isInt(b) && Number(b) >= 0
    ? compute('** or pow()', a, b, wholePower, (x, y) => x ** y)
    : computeFloats('** or pow()', a, b, wholePower)

const wholePower = (x: number, y: number): number => {
  if (x === 0 && y < 0) throw zeroDivisionError('0.0 cannot be raised to a negative power')
  const size = x ** Math.abs(y)
  if (!Number.isInteger(x) || !Number.isInteger(y) || !Number.isSafeInteger(size))
    throw unsupported('a power of a fraction, or beyond 2**53')
  return y < 0 ? 1 / size : size
}

export const negate = (value: Value): Value =>
  isInt(value) ? subtract(0, value) : float(-needFloat('-', value))

export const positive = (value: Value): Value => (isInt(value) ? intOf(value) : float(needFloat('+', value)))

export const absolute = (value: Value): Value => {
  if (!isInt(value)) return float(Math.abs(needFloat('abs()', value)))
  return intOf(value) < 0 ? negate(value) : intOf(value)
}

const needFloat = (op: string, value: Value): number => {
  const number = floatOf(value)
  if (number !== undefined) return number
  throw typeError(`bad operand type for ${op}: '${typeName(value)}'`)
}

// Equality, order and membership.

/** The JavaScript number of an int or float: numbers and bigints are compared exactly. */
const numberOf = (value: Value): number | bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Float ? value.value : undefined
}

/** A value whose class has an `equals` of its own. */
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

/** Equality of items in containers: an object is always equal to itself. */
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

/** Negative, zero or positive, as Python orders two values; undefined if their types have no order. */
const compare = (a: Value, b: Value): number | undefined => {
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  const x = numberOf(a)
  const y = x === undefined ? undefined : numberOf(b)
  if (x !== undefined && y !== undefined) return compareNumbers(x, y)
  const s = textOf(a)
  const t = s === undefined ? undefined : textOf(b)
  if (s !== undefined && t !== undefined) return byCodePoint(s, t)
  if (Array.isArray(a) && Array.isArray(b)) return compareItems(a, b)
  return a instanceof Tuple && b instanceof Tuple ? compareItems(a.items, b.items) : undefined
}

const compareNumbers = (x: number | bigint, y: number | bigint): number => {
  if (x < y) return -1
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be equal
  return x > y ? 1 : x == y ? 0 : Number.NaN
}

const compareItems = (a: readonly Value[], b: readonly Value[]): number | undefined => {
  const length = Math.min(a.length, b.length)
  spend(length)
  for (let i = 0; i < length; i++) if (!same(a[i]!, b[i]!)) return compare(a[i]!, b[i]!)
  return a.length - b.length
}

/** Python's `a < b` and its like. @throws TypeError if the types have no order */
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
  if (/dict_.*dict_/.test(types)) throw unsupported('comparing dict views')
  throw typeError(`'${op}' not supported between instances of ${types}`)
}

/** Python's `item in container`. @throws TypeError */
export const contains = (container: Value, item: Value): boolean => {
  const text = textOf(container)
  if (text !== undefined) {
    const part = textOf(item)
    if (part === undefined)
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`)
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
