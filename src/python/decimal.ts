/*
 * Floats in decimal with a given number of digits, rounded half to even on the exact binary value, as C
 * and Python do. (toFixed and toPrecision round ties up and stop at 100 digits.)
 */
import { exponentText } from './numbers.ts'

/** A finite float as mantissa * 2^exponent. */
export const parts = (value: number): { mantissa: bigint; exponent: number } => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}

/** numerator / denominator to the nearest integer, ties to even. Both are positive. */
const divideEven = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator
  const twice = (numerator - quotient * denominator) * 2n
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient
  return quotient + 1n
}

/** |value| * 10^places to the nearest integer. */
const scaled = (value: number, places: number): bigint => {
  const { mantissa, exponent } = parts(value)
  let numerator = mantissa
  let denominator = 1n
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (places >= 0) numerator *= 10n ** BigInt(places)
  else denominator *= 10n ** BigInt(-places)
  return divideEven(numerator, denominator)
}

/** C's %.{places}f of |value|; the value is finite. */
export const toFixed = (value: number, places: number): string => {
  const size = Math.abs(value)
  // toFixed is right unless the value lies exactly between two results: then it has at most places+1 binary digits.
  if (places <= 22 && size < 2 ** 52 && !Number.isInteger(size * 2 ** (places + 1)))
    return size.toFixed(places)
  const digits = scaled(value, places)
    .toString()
    .padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** The first `count` significant digits of |value|, and its decimal exponent. */
export const significant = (value: number, count: number): { digits: string; exponent: number } => {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 }
  let exponent = Math.floor(Math.log10(Math.abs(value)))
  // The logarithm may be off by one, and rounding may carry into a new digit.
  for (;;) {
    const digits = scaled(value, count - 1 - exponent).toString()
    if (digits.length === count) return { digits, exponent }
    exponent += digits.length < count ? -1 : 1
  }
}

/** C's %.{places}e of |value|. */
export const toExponential = (value: number, places: number): string => {
  const { digits, exponent } = significant(value, places + 1)
  return `${digits[0]}${places > 0 ? `.${digits.slice(1)}` : ''}e${exponentText(exponent)}`
}

/** C's %.{precision}g of |value|; `alternate` keeps the zeros at the end. */
export const toGeneral = (value: number, precision: number, alternate: boolean): string => {
  const count = Math.max(precision, 1)
  const { digits, exponent } = significant(value, count)
  const tidy = (text: string) => (alternate || !text.includes('.') ? text : text.replace(/\.?0+$/, ''))
  if (exponent < -4 || exponent >= count) {
    const point = digits.length > 1 || alternate ? '.' : ''
    return `${tidy(`${digits[0]}${point}${digits.slice(1)}`)}e${exponentText(exponent)}`
  }
  if (exponent < 0) return tidy(`0.${'0'.repeat(-exponent - 1)}${digits}`)
  const whole = digits.slice(0, exponent + 1)
  const rest = digits.slice(exponent + 1)
  return rest || alternate ? tidy(`${whole}.${rest}`) : whole
}

/** round(value, places) of a finite float. */
export const roundFloat = (value: number, places: number): number => {
  // Beyond these a double has no digits to round, or nothing left.
  if (places > 323) return value
  if (places < -308) return value * 0
  const text = places >= 0 ? toFixed(value, places) : `${scaled(value, places)}e${-places}`
  const result = Number(text)
  return value < 0 || Object.is(value, -0) ? -result : result
}

/** The float nearest to numerator / denominator. */
export const ratio = (numerator: bigint, denominator: bigint): number => {
  const negative = numerator < 0n !== denominator < 0n
  let n = numerator < 0n ? -numerator : numerator
  let d = denominator < 0n ? -denominator : denominator
  if (n === 0n) return negative ? -0 : 0
  // Scaled so that the quotient has 55 bits at least; what is cut off is kept as a sticky last bit.
  const shift = 55 - (bitLength(n) - bitLength(d))
  if (shift > 0) n <<= BigInt(shift)
  else d <<= BigInt(-shift)
  let quotient = n / d
  if (quotient * d !== n) quotient |= 1n
  const size = scale(Number(quotient), quotient, -shift)
  return negative ? -size : size
}

/** quotient * 2^exponent with one rounding, also where the result is subnormal. */
const scale = (rounded: number, quotient: bigint, exponent: number): number => {
  const top = bitLength(quotient) + exponent
  if (top > -1021) return top > 1024 ? Number.POSITIVE_INFINITY : pow2(rounded, exponent)
  const drop = BigInt(-1074 - exponent)
  return Number(divideEven(quotient, 1n << drop)) * Number.MIN_VALUE
}

const pow2 = (value: number, exponent: number): number =>
  exponent < -1000
    ? value * 2 ** -1000 * 2 ** (exponent + 1000)
    : exponent > 900
      ? value * 2 ** 900 * 2 ** (exponent - 900)
      : value * 2 ** exponent

export const bitLength = (value: bigint): number => {
  const hex = (value < 0n ? -value : value).toString(16)
  return hex === '0' ? 0 : hex.length * 4 - Math.clz32(Number.parseInt(hex[0]!, 16)) + 28
}
