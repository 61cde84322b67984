/* Numbers as Python reads and prints them. */
import { overflowError, unsupported, valueError } from './error.ts'
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
  // An exponent has a sign and at least two digits: +16, -07.
  return value.toExponential().replace(/(?<=[+-])\d$/, '0$&')
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i

/** A numeral without surrounding white space, its digits (Python accepts any script's) as 0 to 9; empty if it is invalid. */
const numeral = (text: string): string => {
  // Separators that str.strip() removes, but float() and int() reject.
  if ([...text].some((char) => char >= '\x1c' && char <= '\x1f')) return ''
  return strip(text).replace(/(?![0-9])\p{Nd}/gu, digitOf)
}

/** The digit 0 to 9 of a decimal digit of any script: Unicode has each script's in order. */
const digitOf = (char: string): string => {
  const code = char.codePointAt(0)!
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

/** Python's float(text); undefined if it raises ValueError. */
export const readFloat = (text: string): number | undefined => {
  const source = numeral(text)
  if (FLOAT.test(source)) return Number(source.replaceAll('_', ''))
  const special = SPECIAL.exec(source)
  if (!special) return undefined
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Python's int(text); undefined if it raises ValueError. */
export const readInt = (text: string): number | bigint | undefined => {
  const digits = numeral(text)
  if (!/^[+-]?\d+(?:_\d+)*$/.test(digits)) return undefined
  if (digits.length > MAX_DIGITS) throw tooManyDigits()
  return int(BigInt(digits.replace(/[+_]/g, '')))
}

/** int(value) of a float. */
export const truncate = (value: number): number | bigint => {
  if (Number.isNaN(value)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw overflowError('cannot convert float infinity to integer')
  return int(Math.trunc(value))
}

/**
 * C's %.{places}f of |value|, which is finite: rounds half to even. JavaScript's toFixed differs only in exact ties, which
 * it rounds up.
 */
export const toFixed = (value: number, places: number): string => {
  // V8's toFixed allows 100, one of which detects a tie.
  if (places > 99) throw unsupported('a number with more than 99 digits after the point')
  const size = Math.abs(value)
  const zeros = places > 0 ? `.${'0'.repeat(places)}` : ''
  if (size >= 1e21) return `${BigInt(size)}${zeros}`
  // If a tie is possible, one more digit is the exact value.
  const exact = Number.isInteger(size * 2 ** (places + 1)) ? size.toFixed(places + 1) : ''
  return /[02468]\.?5$/.test(exact) ? exact.slice(0, places > 0 ? -1 : -2) : size.toFixed(places)
}

/** round(value, places) of a finite float, to at least 0 places. */
export const roundFloat = (value: number, places: number): number => {
  const size = Number(toFixed(value, places))
  return value < 0 || Object.is(value, -0) ? -size : size
}
