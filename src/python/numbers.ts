/* Numbers as Python reads and prints them. */
import { overflowError, valueError } from './error.ts'
import { MAX_DIGITS } from './limits.ts'
import { strip } from './unicode.ts'
import { int } from './values.ts'

/** An int in decimal. @throws ValueError for more than 4300 digits, as Python does */
export const intText = (value: number | bigint): string => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? '0' : String(value)
  const text = BigInt(value).toString()
  if (text.length - (text.startsWith('-') ? 1 : 0) > MAX_DIGITS) throw tooManyDigits()
  return text
}

const tooManyDigits = () =>
  valueError(`Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`)

/**
 * `repr` of a float: the shortest digits that read back the same, `1.0` for a whole number, an exponent of
 * two digits at least below 1e-4 and from 1e16 on, `inf`, `nan`, `-0.0`.
 */
export const floatRepr = (value: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  const size = Math.abs(value)
  if ((size >= 1e-4 && size < 1e16) || size === 0) {
    if (Number.isInteger(value)) return `${Object.is(value, -0) ? '-0' : value}.0`
    return String(value)
  }
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  return `${digits}e${exponentText(Number(exponent))}`
}

/** An exponent with its sign and at least two digits: `+16`, `-07`. */
const exponentText = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i

/** A numeral without the white space around it, in the digits 0 to 9: Python reads those of all scripts. Empty for what is none. */
const numeral = (text: string): string => {
  // The separators that str.strip() takes away, float() and int() don't.
  if ([...text].some((char) => char >= '\x1c' && char <= '\x1f')) return ''
  return strip(text).replace(/(?![0-9])\p{Nd}/gu, digitOf)
}

/** Digits stand in their order, from 0 to 9. */
const digitOf = (char: string): string => {
  const code = char.codePointAt(0)!
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

/** Python's float(text); undefined where it raises ValueError. */
export const readFloat = (text: string): number | undefined => {
  const source = numeral(text)
  if (FLOAT.test(source)) return Number(source.replaceAll('_', ''))
  const special = SPECIAL.exec(source)
  if (!special) return undefined
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Python's int(text); undefined where it raises ValueError. */
export const readInt = (text: string): number | bigint | undefined => {
  const digits = numeral(text)
  if (!/^[+-]?\d+(?:_\d+)*$/.test(digits)) return undefined
  if (digits.length > MAX_DIGITS) throw tooManyDigits()
  return int(BigInt(digits.replace(/[+_]/g, '')))
}

/** int(value) of a float: what is before the point. */
export const truncate = (value: number): number | bigint => {
  if (Number.isNaN(value)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw overflowError('cannot convert float infinity to integer')
  return int(Math.trunc(value))
}

// Floats in decimal with a given number of digits, rounded half to even on the exact binary value, as C
// and Python do. (toFixed and toPrecision round ties up and stop at 100 digits.)

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
const significant = (value: number, count: number): { digits: string; exponent: number } => {
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

/** C's %.{precision}g of |value|; `digit` keeps a digit after the point, as repr() does. */
export const toGeneral = (value: number, precision: number, digit = false): string => {
  const count = Math.max(precision, 1)
  const { digits, exponent } = significant(value, count)
  const withPoint = (at: number) => `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/\.?0*$/, '')
  if (exponent < -4 || exponent >= (digit ? count - 1 : count))
    return `${withPoint(1)}e${exponentText(exponent)}`
  const text =
    exponent < 0 ? `0.${'0'.repeat(-exponent - 1)}${digits.replace(/0+$/, '')}` : withPoint(exponent + 1)
  return digit && !text.includes('.') ? `${text}.0` : text
}

/** round(value, places) of a finite float. */
export const roundFloat = (value: number, places: number): number => {
  // Beyond these a double has no digits to round, or nothing left.
  if (places > 323) return value
  if (places < -308) return value * 0
  const text = places >= 0 ? toFixed(value, places) : `${scaled(value, places)}e${-places}`
  return value < 0 || Object.is(value, -0) ? -Number(text) : Number(text)
}
