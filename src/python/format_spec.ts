/*
 * The format specification of format() and str.format:
 * [[fill]align][sign][z][#][0][width][grouping][.precision][type]
 * (https://docs.python.org/3/library/string.html#format-specification-mini-language).
 */
import { significant, toExponential, toFixed, toGeneral } from './decimal.ts'
import { overflowError, typeError, valueError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText } from './numbers.ts'
import { str } from './print.ts'
import { codePoints, sliceChars } from './unicode.ts'
import { floatOf, intOf, isInt, textOf, typeName, type Value } from './values.ts'

export interface Spec {
  fill: string
  align: string
  sign: string
  noNegativeZero?: boolean
  alternate: boolean
  width: number
  grouping?: string
  precision: number | undefined
  type: string
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(\.\d*)?(.?)$/su

const parseSpec = (source: string, defaultAlign: string): Spec => {
  const parts = SPEC.exec(source)
  if (!parts || parts[9] === '.') throw valueError(`invalid format specifier '${source}'`)
  const [, fill, align, sign, z, alternate, zero, width, grouping, point, type] = parts
  const precision = point === undefined ? undefined : Number(point.slice(1))
  spendLength(Number(width ?? 0) + (precision ?? 0))
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero && defaultAlign === '>' ? '=' : defaultAlign),
    sign: sign ?? '',
    noNegativeZero: z !== undefined,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping: grouping ?? '',
    precision,
    type: type!,
  }
}

/** Python's format(value, spec). */
export const format = (value: Value, spec: string): string => {
  if (spec === '') return str(value)
  const text = textOf(value)
  if (text !== undefined) return formatText(text, parseSpec(spec, '<'))
  if (isInt(value)) return formatInt(value, parseSpec(spec, '>'))
  const number = floatOf(value)
  if (number !== undefined) return formatFloat(number, parseSpec(spec, '>'))
  throw typeError(`a ${typeName(value)} takes no format specifier`)
}

const formatText = (text: string, spec: Spec): string => {
  const refused = spec.sign || spec.noNegativeZero || spec.alternate || spec.align === '=' || spec.grouping
  if (refused || (spec.type !== '' && spec.type !== 's'))
    throw valueError('a str takes no such format specifier')
  return pad('', cut(text, spec.precision), spec)
}

/** At most `length` characters. */
export const cut = (text: string, length: number | undefined): string =>
  length === undefined ? text : sliceChars(text, 0, Math.min(length, codePoints(text)))

/** Fills up to the width; with `=` the filling stands between sign and digits. */
export const pad = (sign: string, digits: string, { width, fill, align }: Spec): string => {
  const missing = width - codePoints(sign) - codePoints(digits)
  if (missing <= 0) return sign + digits
  spendLength(missing)
  if (align === '<') return sign + digits + fill.repeat(missing)
  if (align === '=') return sign + fill.repeat(missing) + digits
  const before = align === '^' ? missing >> 1 : missing
  return fill.repeat(before) + sign + digits + fill.repeat(missing - before)
}

/** Puts separators into whole digits, with zeros in front where zero padding asks for a width. */
const group = (digits: string, spec: Spec, size: number, others: number): string => {
  let wanted = spec.fill === '0' && spec.align === '=' ? spec.width - others : 0
  if (!spec.grouping) return digits.padStart(wanted, '0')
  const parts: string[] = []
  let rest = digits
  do {
    const length = Math.min(size, Math.max(rest.length, wanted, 1))
    parts.push(rest.slice(-length).padStart(length, '0'))
    rest = rest.slice(0, -length)
    wanted -= length + 1
  } while (rest !== '' || wanted >= 0)
  return parts.reverse().join(spec.grouping)
}

const RADIX: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 }

const formatInt = (value: number | bigint | boolean, spec: Spec): string => {
  const { type } = spec
  if (type !== '' && 'eEfFgG%'.includes(type)) return formatFloat(Number(value), spec)
  const number = intOf(value)
  const strange = type !== '' && !'dnbcoxX'.includes(type)
  const radix = RADIX[type]
  const grouped = spec.grouping && ('nc'.includes(type || '-') || (radix && spec.grouping === ','))
  if (spec.precision !== undefined || spec.noNegativeZero || strange || grouped)
    throw valueError('an int takes no such format specifier')
  if (type === 'c') {
    if (spec.sign || spec.alternate) throw valueError("no sign or # goes with 'c'")
    return pad('', charOf(number), spec)
  }
  const prefix = spec.alternate && radix !== undefined ? `0${type}` : ''
  const sign = signOf(number < 0, spec) + prefix
  const digits = group(intDigits(number, type), spec, radix === undefined ? 3 : 4, sign.length)
  return pad(sign, digits, spec)
}

/** The digits of |number| in the base that the type stands for. */
export const intDigits = (number: number | bigint, type: string): string => {
  const radix = RADIX[type]
  const size = number < 0 ? -number : number
  const digits = radix === undefined ? intText(size) : size.toString(radix)
  return type === 'X' ? digits.toUpperCase() : digits
}

export const signOf = (negative: boolean, { sign }: Spec): string =>
  negative ? '-' : sign === '-' ? '' : sign

/** A character by its code. @throws OverflowError */
export const charOf = (code: number | bigint): string => {
  if (code < 0 || code > 0x10ffff) throw overflowError('%c arg not in range(0x110000)')
  return String.fromCodePoint(Number(code))
}

const formatFloat = (value: number, spec: Spec): string => {
  const { type } = spec
  if ((type !== '' && !'eEfFgG%n'.includes(type)) || (type === 'n' && spec.grouping))
    throw valueError('a float takes no such format specifier')
  const number = type === '%' ? value * 100 : value
  const digits = floatDigits(Math.abs(number), spec)
  const zero = spec.noNegativeZero && !/[1-9]/.test(digits.split(/e/i)[0]!)
  const sign = signOf((number < 0 || Object.is(number, -0)) && !zero, spec)
  const tail = type === '%' ? '%' : ''
  const [, whole, rest] = /^(\d*)(.*)$/s.exec(digits)!
  const grouped = group(whole!, spec, 3, sign.length + rest!.length + tail.length)
  return pad(sign, (Number.isFinite(number) ? grouped : whole) + rest! + tail, spec)
}

/** The digits of a float that isn't negative, as its type and precision ask for. */
export const floatDigits = (value: number, { type, precision, alternate }: Spec): string => {
  const small = type.toLowerCase()
  const text = Number.isFinite(value) ? finiteDigits(value, small, precision, alternate) : floatRepr(value)
  return small === type ? text : text.toUpperCase()
}

const finiteDigits = (
  value: number,
  type: string,
  precision: number | undefined,
  alternate: boolean,
): string => {
  if (type === 'f' || type === '%') return withPoint(toFixed(value, precision ?? 6), alternate)
  if (type === 'e') return withPoint(toExponential(value, precision ?? 6), alternate)
  if (type !== '') return toGeneral(value, precision ?? 6, alternate)
  if (precision === undefined) return withPoint(floatRepr(value), alternate)
  // Without a type, a precision means like `g`, but with a digit after the point.
  const count = Math.max(precision, 1)
  const { exponent } = significant(value, count)
  if (exponent + 1 < count || exponent < -4) {
    const text = toGeneral(value, count, alternate)
    return text.includes('.') || text.includes('e') ? text : `${text}.0`
  }
  const [digits, power] = toExponential(value, count - 1).split('e') as [string, string]
  if (alternate) return `${withPoint(digits, true)}e${power}`
  return `${digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits}e${power}`
}

const withPoint = (text: string, wanted: boolean): string =>
  wanted && !text.includes('.') ? text.replace(/^\d+/, '$&.') : text
