/* Arithmetic: + - * / // % ** and the signs. */
import { limitError, raise, typeError } from '../templates/error.ts'
import { MAX_BITS, spend, spendItems, spendLength } from '../templates/limits.ts'
import { bitLength, ratio } from './decimal.ts'
import { markupAdd, markupFormat } from './markup.ts'
import { toFloat } from './numbers.ts'
import { formatPercent } from './percent.ts'
import { powReal, powWhole } from './power.ts'
import { undefinedError } from './undefined.ts'
import { Float, float, int, intOf, isInt, Markup, Tuple, typeName, type Value } from './values.ts'

const unsupported = (op: string, a: Value, b: Value): Error =>
  undefinedError(a, b) ??
  typeError(`unsupported operand type(s) for ${op}: '${typeName(a)}' and '${typeName(b)}'`)

const zeroDivision = (reason: string) => raise('ZeroDivisionError', reason)

/** Computes on ints: exactly, by way of bigints where numbers would lose digits. */
const onInts = (
  a: number | bigint | boolean,
  b: number | bigint | boolean,
  small: (x: number, y: number) => number,
  big: (x: bigint, y: bigint) => bigint,
): Value => {
  const x = intOf(a)
  const y = intOf(b)
  if (typeof x === 'number' && typeof y === 'number') {
    const result = small(x, y)
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : result
  }
  return int(big(BigInt(x), BigInt(y)))
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
  if (a instanceof Markup || b instanceof Markup) {
    const joined = markupAdd(a, b)
    if (joined) return joined
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    spendItems(a.length + b.length)
    return [...a, ...b]
  }
  if (a instanceof Tuple && b instanceof Tuple) {
    spendItems(a.items.length + b.items.length)
    return new Tuple([...a.items, ...b.items])
  }
  return onFloats('+', a, b, (x, y) => x + y)
}

const onFloats = (op: string, a: Value, b: Value, compute: (x: number, y: number) => number): Value => {
  if (isNumber(a) && isNumber(b)) return float(compute(toFloat(a)!, toFloat(b)!))
  throw unsupported(op, a, b)
}

const isNumber = (value: Value): boolean =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  value instanceof Float

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
  if (isInt(a)) return isInt(b) ? multiplyInts(a, b) : (repeat(b, a) ?? onFloats('*', a, b, (x, y) => x * y))
  if (isInt(b)) return repeat(a, b) ?? onFloats('*', a, b, (x, y) => x * y)
  return onFloats('*', a, b, (x, y) => x * y)
}

const multiplyInts = (a: number | bigint | boolean, b: number | bigint | boolean): Value =>
  onInts(
    a,
    b,
    (x, y) => x * y,
    (x, y) => {
      checkBits(bitLength(x) + bitLength(y))
      return x * y
    },
  )

const checkBits = (bits: number): void => {
  if (bits > MAX_BITS) throw limitError(`an integer of ${bits} bits is too large`)
  spend(bits >> 8)
}

/** A sequence times an int; undefined where it is no sequence. */
const repeat = (value: Value, times: number | bigint | boolean): Value | undefined => {
  if (typeof value === 'string') return repeatText(value, countOf(times))
  if (value instanceof Markup) return new Markup(repeatText(value.text, countOf(times)))
  if (Array.isArray(value)) return repeatItems(value, countOf(times))
  return value instanceof Tuple ? new Tuple(repeatItems(value.items, countOf(times))) : undefined
}

const countOf = (times: number | bigint | boolean): number => {
  if (typeof times === 'bigint' && BigInt.asIntN(64, times) !== times)
    throw raise('OverflowError', "cannot fit 'int' into an index-sized integer")
  return Math.max(0, Number(times))
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

/** True division: always a float, the nearest one. */
export const divide = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b)) {
    const x = intOf(a)
    const y = intOf(b)
    // biome-ignore lint/suspicious/noDoubleEquals: zero may be a bigint
    if (y == 0) throw zeroDivision('division by zero')
    if (typeof x === 'number' && typeof y === 'number') return float(x / y)
    const result = ratio(BigInt(x), BigInt(y))
    if (!Number.isFinite(result))
      throw raise('OverflowError', 'integer division result too large for a float')
    return float(result)
  }
  return onFloats('/', a, b, (x, y) => {
    if (y === 0) throw zeroDivision('float division by zero')
    return x / y
  })
}

export const floorDivide = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b)) {
    // biome-ignore lint/suspicious/noDoubleEquals: zero may be a bigint
    if (intOf(b) == 0) throw zeroDivision('integer division or modulo by zero')
    return onInts(a, b, smallFloor, bigFloor)
  }
  return onFloats('//', a, b, (x, y) => {
    if (y === 0) throw zeroDivision('float floor division by zero')
    return floatDivmod(x, y)[0]
  })
}

/** Exact also where x / y itself would be rounded up to the next whole number. */
const smallFloor = (x: number, y: number): number => {
  const rest = x % y
  const quotient = (x - rest) / y
  return rest !== 0 && rest < 0 !== y < 0 ? quotient - 1 : quotient
}

const smallModulo = (x: number, y: number): number => {
  const rest = x % y
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest
}

const bigFloor = (x: bigint, y: bigint): bigint => {
  const quotient = x / y
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient
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
  if (a instanceof Markup) return markupFormat(a, b)
  if (isInt(a) && isInt(b)) {
    // biome-ignore lint/suspicious/noDoubleEquals: zero may be a bigint
    if (intOf(b) == 0) throw zeroDivision('integer division or modulo by zero')
    return onInts(a, b, smallModulo, (x, y) => x - bigFloor(x, y) * y)
  }
  return onFloats('%', a, b, (x, y) => {
    if (y === 0) throw zeroDivision('float modulo')
    return floatDivmod(x, y)[1]
  })
}

export const power = (a: Value, b: Value): Value => {
  if (isInt(a) && isInt(b)) {
    const exponent = intOf(b)
    if (exponent >= 0) return powInts(BigInt(intOf(a)), BigInt(exponent))
  }
  return onFloats('** or pow()', a, b, powFloats)
}

const powInts = (base: bigint, exponent: bigint): Value => {
  const bits = bitLength(base)
  if (bits > 1) checkBits(bits * Number(exponent))
  else if (exponent > 2n) return int(base ** (2n + (exponent % 2n)))
  return int(base ** exponent)
}

const powFloats = (x: number, y: number): number => {
  if (x === 0 && y < 0) throw zeroDivision('0.0 cannot be raised to a negative power')
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw typeError('complex numbers are not supported')
  }
  // C's pow gives 1 for 1 ** anything and -1 ** infinity, JavaScript NaN.
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1
  const whole = Number.isInteger(y) ? powWhole(x, y) : undefined
  const result = whole ?? (x > 0 && Number.isFinite(x) && Number.isFinite(y) ? powReal(x, y) : x ** y)
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
    throw raise('OverflowError', "(34, 'Numerical result out of range')")
  }
  return result
}

export const negate = (value: Value): Value => {
  if (isInt(value))
    return onInts(
      value,
      0,
      (x) => -x,
      (x) => -x,
    )
  if (isNumber(value)) return float(-toFloat(value)!)
  throw undefinedError(value) ?? typeError(`bad operand type for unary -: '${typeName(value)}'`)
}

export const positive = (value: Value): Value => {
  if (isInt(value)) return intOf(value)
  if (isNumber(value)) return value
  throw undefinedError(value) ?? typeError(`bad operand type for unary +: '${typeName(value)}'`)
}

/** abs(value). */
export const absolute = (value: Value): Value => {
  if (isInt(value)) return ordinal(value)
  if (isNumber(value)) return float(Math.abs(toFloat(value)!))
  throw typeError(`bad operand type for abs(): '${typeName(value)}'`)
}

const ordinal = (value: number | bigint | boolean): Value => {
  const number = intOf(value)
  return number < 0 ? negate(number) : number
}
