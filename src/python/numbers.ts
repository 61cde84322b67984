/* Reading and writing numbers as Python does. */
import { raise, typeError, valueError } from '../templates/error.ts'
import { MAX_DIGITS } from '../templates/limits.ts'
import { isAscii, WHITESPACE } from './unicode.ts'
import { floatOf, int, isInt, typeName, type Value } from './values.ts'

/** An int in decimal. Python refuses to write one of more than 4300 digits. */
export const intText = (value: number | bigint): string => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? '0' : String(value)
  const text = BigInt(value).toString()
  if (text.length - (text.startsWith('-') ? 1 : 0) > MAX_DIGITS) throw tooManyDigits()
  return text
}

const tooManyDigits = () =>
  valueError(`Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`)

/** A float as repr() writes it: the shortest digits that read back the same, `e` from 1e16 and below 1e-4. */
export const floatText = (value: number): string => {
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
export const exponentText = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** Turns decimal digits of any script into 0 to 9. */
const asciiDigits = (text: string): string =>
  isAscii(text) ? text : text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)))

/** Decimal digits stand in runs of ten in Unicode, and each run begins at a zero. */
const digitValue = (digit: string): number => {
  const code = digit.codePointAt(0)!
  // The mathematical digits are five runs in a row that don't begin at a multiple of ten or sixteen.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10
  let zero = code
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return code - zero
}

export const stripSpace = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && WHITESPACE.has(text[start]!)) start++
  while (end > start && WHITESPACE.has(text[end - 1]!)) end--
  return text.slice(start, end)
}

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i

/** float(text); undefined where Python raises ValueError. */
export const parseFloatText = (text: string): number | undefined => {
  const source = asciiDigits(stripSpace(text))
  if (FLOAT.test(source)) return Number(source.replaceAll('_', ''))
  const special = SPECIAL.exec(source)
  if (!special) return undefined
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

const PREFIX: Record<number, RegExp> = { 2: /^0[bB]_?/, 8: /^0[oO]_?/, 16: /^0[xX]_?/ }

/** int(text, base); undefined where Python raises ValueError. */
export const parseIntText = (text: string, base: number): number | bigint | undefined => {
  if (base !== 0 && (base < 2 || base > 36)) throw valueError('int() base must be >= 2 and <= 36, or 0')
  const source = asciiDigits(stripSpace(text))
  const negative = source.startsWith('-')
  let digits = /^[+-]/.test(source) ? source.slice(1) : source
  let radix = base
  if (base === 0) {
    radix = [2, 8, 16].find((each) => PREFIX[each]!.test(digits)) ?? 10
    if (radix === 10 && /^0[\d_]*[1-9]/.test(digits)) return undefined
  }
  const prefix = PREFIX[radix]
  if (prefix?.test(digits)) digits = digits.replace(prefix, '')
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/i.test(digits)) return undefined
  digits = digits.replaceAll('_', '')
  const highest = radix <= 10 ? `[0-${radix - 1}]` : `[0-9a-${String.fromCharCode(86 + radix)}]`
  if (!new RegExp(`^${highest}+$`, 'i').test(digits)) return undefined
  if (digits.length > MAX_DIGITS && (radix & (radix - 1)) !== 0) throw tooManyDigits()
  const value = parseDigits(digits, radix)
  return int(negative ? -value : value)
}

const parseDigits = (digits: string, radix: number): bigint => {
  if (digits.length <= 10) return BigInt(Number.parseInt(digits, radix))
  if (radix === 10) return BigInt(digits)
  const factor = BigInt(radix)
  let value = 0n
  for (const digit of digits) value = value * factor + BigInt(Number.parseInt(digit, radix))
  return value
}

/** The float a number stands for in arithmetic; undefined for what is no number. */
export const toFloat = (value: Value): number | undefined => {
  const asFloat = floatOf(value)
  if (asFloat !== undefined) return asFloat
  if (!isInt(value)) return undefined
  const result = Number(value)
  if (!Number.isFinite(result)) throw raise('OverflowError', 'int too large to convert to float')
  return result
}

/** int(value) of a float: what is before the point. */
export const truncate = (value: number): number | bigint => {
  if (Number.isNaN(value)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw raise('OverflowError', 'cannot convert float infinity to integer')
  return int(Math.trunc(value) || 0)
}

/** A number for the functions of `math` and the float formats; Python's TypeError for anything else. */
export const needFloat = (value: Value): number => {
  const result = toFloat(value)
  if (result === undefined) throw typeError(`must be real number, not ${typeName(value)}`)
  return result
}
