/*
 * Floats in decimal with a given number of digits, rounded half to even on the exact binary value, as C
 * and Python do. (toFixed and toPrecision round ties up and stop at 100 digits.)
 */
import { exponentText } from './numbers.ts'

/** |value| * 10^places to the nearest integer, ties to even; exact. */
const scaled = (value: number, places: number): bigint => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(value))
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n)
  const fraction = bits & 0xfffffffffffffn
  const exponent = Math.max(biased, 1) - 1075
  let numerator = biased === 0 ? fraction : fraction | 0x10000000000000n
  let denominator = 1n
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (places >= 0) numerator *= 10n ** BigInt(places)
  else denominator *= 10n ** BigInt(-places)
  const quotient = numerator / denominator
  const twice = (numerator - quotient * denominator) * 2n
  return twice < denominator || (twice === denominator && quotient % 2n === 0n) ? quotient : quotient + 1n
}

/** C's %.{places}f of |value|; the value is finite. */
export const toFixed = (value: number, places: number): string => {
  const size = Math.abs(value)
  // toFixed is right unless the value lies exactly between two results: it then has at most places+1 binary digits.
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
  const rest = digits.slice(exponent + 1)
  return rest || alternate ? tidy(`${digits.slice(0, exponent + 1)}.${rest}`) : digits.slice(0, exponent + 1)
}

/** round(value, places) of a finite float. */
export const roundFloat = (value: number, places: number): number => {
  // Beyond these a double has no digits to round, or nothing left.
  if (places > 323) return value
  if (places < -308) return value * 0
  const text = places >= 0 ? toFixed(value, places) : `${scaled(value, places)}e${-places}`
  return value < 0 || Object.is(value, -0) ? -Number(text) : Number(text)
}
