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
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  return `${digits}e${exponentText(Number(exponent))}`
}

/** An exponent with its sign and at least two digits: `+16`, `-07`. */
export const exponentText = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i

/** Decimal digits of any script as 0 to 9: they stand in runs of ten, each of which begins at a zero. */
const asciiDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0)!
    const code = zero
    while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
    return String(code - zero)
  })

/** Python's float(text); undefined where it raises ValueError. */
export const readFloat = (text: string): number | undefined => {
  const source = asciiDigits(strip(text))
  if (FLOAT.test(source)) return Number(source.replaceAll('_', ''))
  const special = SPECIAL.exec(source)
  if (!special) return undefined
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

const PREFIXES: Record<number, string> = { 2: '0b', 8: '0o', 16: '0x' }

/** Python's int(text, base); undefined where it raises ValueError. Bases 2, 8, 10 and 16. */
export const readInt = (text: string, base = 10): number | bigint | undefined => {
  if (base !== 10 && !PREFIXES[base]) throw unsupported(`int with base ${base}`)
  const [, sign, rest] = /^([+-]?)(.*)$/s.exec(asciiDigits(strip(text)))!
  const prefix = PREFIXES[base]
  const digits = prefix && rest!.toLowerCase().startsWith(prefix) ? rest!.slice(2).replace(/^_/, '') : rest!
  const allowed = base === 16 ? '[0-9a-f]' : `[0-${base - 1}]`
  if (!new RegExp(`^${allowed}+(?:_${allowed}+)*$`, 'i').test(digits)) return undefined
  const bare = digits.replaceAll('_', '')
  if (bare.length > MAX_DIGITS) throw tooManyDigits()
  const value = BigInt((prefix ?? '') + bare)
  return int(sign === '-' ? -value : value)
}

/** int(value) of a float: what is before the point. */
export const truncate = (value: number): number | bigint => {
  if (Number.isNaN(value)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw overflowError('cannot convert float infinity to integer')
  return int(Math.trunc(value))
}
