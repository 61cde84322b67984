/* Arithmetic: + - * / // % ** and the signs. Ints are exact, but for powers and quotients beyond a float. */
import { overflowError, typeError, unsupported, zeroDivisionError } from './error.ts'
import { spendItems, spendLength } from './limits.ts'
import { markupOf } from './markup.ts'
import { formatPercent } from './percent.ts'
import {
  float,
  floatOf,
  int,
  intOf,
  isInt,
  Markup,
  misused,
  Tuple,
  textOf,
  toFloat,
  typeName,
  type Value,
} from './values.ts'

type Whole = number | bigint | boolean

/** Computes on ints: exactly, by way of bigints where numbers would lose digits. */
const onInts = (
  a: Whole,
  b: Whole,
  small: (x: number, y: number) => number,
  big: (x: bigint, y: bigint) => bigint,
): Value => {
  const x = typeof a === 'number' ? a : intOf(a)
  const y = typeof b === 'number' ? b : intOf(b)
  if (typeof x === 'number' && typeof y === 'number') {
    const result = small(x, y)
    // Adding 0 makes 0 of -0, which is no int.
    if (Number.isSafeInteger(result)) return result + 0
  }
  return int(big(BigInt(x), BigInt(y)))
}

/** A number or more: what has more digits than this is no number that a prompt prints. */
const MAX_BITS = 1 << 15
const MAX_INT = 1n << BigInt(MAX_BITS)

const onFloats = (op: string, a: Value, b: Value, compute: (x: number, y: number) => number): Value => {
  const [x, y] = [toFloat(a), toFloat(b)]
  if (x !== undefined && y !== undefined) {
    const exact = floatOf(a) === undefined ? x : floatOf(b) === undefined ? y : 0
    if (!Number.isFinite(exact)) throw overflowError('int too large to convert to float')
    return float(compute(x, y))
  }
  throw misused(
    typeError(`unsupported operand type(s) for ${op}: '${typeName(a)}' and '${typeName(b)}'`),
    a,
    b,
  )
}

export const add = (a: Value, b: Value): Value => {
  if (typeof a === 'string' && typeof b === 'string') {
    spendLength(a.length + b.length)
    return a + b
  }
  if (isInt(a) && isInt(b))
    return onInts(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    )
  if (Array.isArray(a) && Array.isArray(b)) {
    spendItems(a.length + b.length)
    return [...a, ...b]
  }
  if (a instanceof Tuple && b instanceof Tuple) {
    spendItems(a.items.length + b.items.length)
    return new Tuple([...a.items, ...b.items])
  }
  if (isText(a) && isText(b)) return new Markup(markupOf(a).text + markupOf(b).text)
  return onFloats('+', a, b, (x, y) => x + y)
}

const isText = (value: Value): boolean => typeof value === 'string' || value instanceof Markup

export const subtract = (a: Value, b: Value): Value =>
  isInt(a) && isInt(b)
    ? onInts(
        a,
        b,
        (x, y) => x - y,
        (x, y) => x - y,
      )
    : onFloats('-', a, b, (x, y) => x - y)

export const multiply = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b))
    return onInts(
      a,
      b,
      (x, y) => x * y,
      (x, y) => {
        if (x > MAX_INT || y > MAX_INT) throw unsupported('arithmetic with so many digits')
        return x * y
      },
    )
  if (isInt(a)) return repeat(b, a) ?? onFloats('*', a, b, (x, y) => x * y)
  return (isInt(b) ? repeat(a, b) : undefined) ?? onFloats('*', a, b, (x, y) => x * y)
}

/** A sequence times an int; undefined where it is no sequence. */
const repeat = (value: Value, times: Whole): Value | undefined => {
  const text = textOf(value)
  const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined
  if (text === undefined && !items) return undefined
  if (Math.abs(Number(times)) > 2 ** 63) throw overflowError("cannot fit 'int' into an index-sized integer")
  const count = Math.max(0, Number(times))
  if (items) return value instanceof Tuple ? new Tuple(repeatItems(items, count)) : repeatItems(items, count)
  const result = repeatText(text!, count)
  return value instanceof Markup ? new Markup(result) : result
}

const repeatText = (text: string, count: number): string => {
  if (text === '' || count === 0) return ''
  spendLength(text.length * count)
  return text.repeat(count)
}

const repeatItems = (items: readonly Value[], count: number): Value[] => {
  if (items.length === 0) return []
  spendItems(items.length * count)
  return Array.from({ length: items.length * count }, (_, i) => items[i % items.length]!)
}

/** True division: always a float. */
export const divide = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b) && b) {
    const [x, y] = [intOf(a), intOf(b)]
    if (typeof x === 'bigint' || typeof y === 'bigint') throw unsupported('dividing ints beyond 2**53')
    return float(x / y)
  }
  return onFloats('/', a, b, (x, y) => x / nonzero(y))
}

const nonzero = <T extends number | bigint>(divisor: T): T => {
  // biome-ignore lint/suspicious/noDoubleEquals: zero may be a bigint
  if (divisor == 0) throw zeroDivisionError('division by zero')
  return divisor
}

export const floorDivide = (a: Value, b: Value): Value => {
  if (!isInt(a) || !isInt(b)) return onFloats('//', a, b, (x, y) => floatDivmod(x, nonzero(y))[0])
  nonzero(intOf(b))
  return onInts(
    a,
    b,
    (x, y) => (x - floorRest(x, y)) / y,
    (x, y) => (x - bigRest(x, y)) / y,
  )
}

/** The remainder with the sign of the divisor. */
const floorRest = (x: number, y: number): number => {
  const rest = x % y
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest
}

const bigRest = (x: bigint, y: bigint): bigint => {
  const rest = x % y
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest
}

/** Quotient and remainder of floats by CPython's rule: the remainder has the sign of the divisor. */
const floatDivmod = (x: number, y: number): [number, number] => {
  let mod = x % y
  let quotient = (x - mod) / y
  if (mod !== 0) {
    if (y < 0 !== mod < 0) {
      mod += y
      quotient -= 1
    }
  } else mod = y < 0 ? -0 : 0
  if (quotient === 0) return [x / y < 0 || Object.is(x / y, -0) ? -0 : 0, mod]
  const floor = Math.floor(quotient)
  return [quotient - floor > 0.5 ? floor + 1 : floor, mod]
}

/** Remainder, or `%` formatting where the left side is a str. */
export const modulo = (a: Value, b: Value): Value => {
  if (typeof a === 'string') return formatPercent(a, b)
  if (a instanceof Markup) throw unsupported('% on escaped text')
  if (!isInt(a) || !isInt(b)) return onFloats('%', a, b, (x, y) => floatDivmod(x, nonzero(y))[1])
  nonzero(intOf(b))
  return onInts(a, b, floorRest, bigRest)
}

export const power = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b) && Number(b) >= 0) {
    const result = Number(a) ** Number(b)
    if (Number.isSafeInteger(result)) return result
    throw unsupported('an int power beyond 2**53')
  }
  return onFloats('** or pow()', a, b, (x, y) => {
    if (x === 0 && y < 0) throw zeroDivisionError('0.0 cannot be raised to a negative power')
    // C's pow gives 1 for 1 ** anything, JavaScript NaN.
    if (x === 1) return 1
    if (x === 0 || !Number.isFinite(x) || !Number.isFinite(y)) return x ** y
    const result = exactPower(x, y)
    if (!Number.isFinite(result)) throw overflowError('Numerical result out of range')
    return result
  })
}

/** A power without a rounding error: in its last digit C and JavaScript may differ. */
const exactPower = (x: number, y: number): number => {
  let odd = x
  let exponent = 0
  for (; !Number.isInteger(odd); exponent--) odd *= 2
  for (; odd % 2 === 0; exponent++) odd /= 2
  const factors = Math.abs(odd) === 1 ? y % 2 : y
  let result = 1
  for (let i = 0; i < Math.abs(factors) && Number.isSafeInteger(result); i++) result *= odd
  if (!Number.isInteger(y) || !Number.isSafeInteger(result) || (y < 0 && Math.abs(odd) !== 1))
    throw unsupported('a power of floats that has to be rounded')
  return result * 2 ** (exponent * y)
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
  if (number === undefined)
    throw misused(typeError(`bad operand type for ${op}: '${typeName(value)}'`), value)
  return number
}
