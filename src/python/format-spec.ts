/*
 * The format specification of format() and str.format:
 * [[fill]align][sign][z][#][0][width][grouping][.precision][type]
 * (https://docs.python.org/3/library/string.html#format-specification-mini-language).
 */
import { raise, typeError, valueError } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { significant, toExponential, toFixed, toGeneral } from './decimal.ts'
import { floatText, intText, needFloat } from './numbers.ts'
import { str } from './print.ts'
import { codePoints, sliceChars } from './unicode.ts'
import { floatOf, intOf, isInt, textOf, typeName, type Value } from './values.ts'

interface Spec {
  fill: string
  align: string
  sign: string
  noNegativeZero: boolean
  alternate: boolean
  width: number
  grouping: string
  precision: number | undefined
  type: string
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?([,_])?(\.\d*)?(.*)$/su

const parseSpec = (source: string, value: Value, defaultAlign: string): Spec => {
  const [, fill, align, sign, z, alternate, zero, width, grouping, second, point, type] = SPEC.exec(source)!
  if (second) throw valueError("Cannot specify both ',' and '_'.")
  if (point === '.') throw valueError('Format specifier missing precision')
  if ([...type!].length > 1) {
    throw valueError(`Invalid format specifier '${source}' for object of type '${typeName(value)}'`)
  }
  const precision = point?.slice(1)
  const size = Number(width ?? 0)
  if (size > 0) spendLength(size)
  if (Number(precision ?? 0) > 0) spendLength(Number(precision))
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero && defaultAlign === '>' ? '=' : defaultAlign),
    sign: sign ?? '',
    noNegativeZero: z !== undefined,
    alternate: alternate !== undefined,
    width: size,
    grouping: grouping ?? '',
    precision: precision === undefined ? undefined : Number(precision),
    type: type!,
  }
}

/** Python's format(value, spec). */
export const format = (value: Value, spec: string): string => {
  if (spec === '') return str(value)
  const text = textOf(value)
  if (text !== undefined) return formatText(text, parseSpec(spec, value, '<'))
  if (isInt(value)) return formatInt(value, parseSpec(spec, value, '>'))
  const number = floatOf(value)
  if (number !== undefined) return formatFloat(number, parseSpec(spec, value, '>'))
  throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`)
}

const unknownType = (type: string, name: string) =>
  valueError(`Unknown format code '${type}' for object of type '${name}'`)

const formatText = (text: string, spec: Spec): string => {
  if (spec.type !== '' && spec.type !== 's') throw unknownType(spec.type, 'str')
  if (spec.sign) throw valueError('Sign not allowed in string format specifier')
  if (spec.noNegativeZero)
    throw valueError('Negative zero coercion (z) not allowed in string format specifier')
  if (spec.alternate) throw valueError('Alternate form (#) not allowed in string format specifier')
  if (spec.align === '=') throw valueError("'=' alignment not allowed in string format specifier")
  if (spec.grouping) throw valueError(`Cannot specify '${spec.grouping}' with 's'.`)
  const cut =
    spec.precision === undefined ? text : sliceChars(text, 0, Math.min(spec.precision, codePoints(text)))
  return pad('', cut, spec)
}

/** Fills up to the width; with `=` the filling stands between sign and digits. */
const pad = (sign: string, digits: string, spec: Spec): string => {
  const missing = spec.width - codePoints(sign) - codePoints(digits)
  if (missing <= 0) return sign + digits
  const fill = (count: number) => spec.fill.repeat(count)
  switch (spec.align) {
    case '<':
      return sign + digits + fill(missing)
    case '=':
      return sign + fill(missing) + digits
    case '^':
      return fill(missing >> 1) + sign + digits + fill(missing - (missing >> 1))
    default:
      return fill(missing) + sign + digits
  }
}

/** Puts separators into whole digits, with zeros in front where zero padding asks for a width. */
const group = (digits: string, spec: Spec, size: number, others: number): string => {
  let wanted = spec.fill === '0' && spec.align === '=' ? spec.width - others : 0
  if (!spec.grouping) return digits.padStart(wanted, '0')
  let rest = digits
  let result = ''
  for (;;) {
    const length = Math.min(size, Math.max(rest.length, wanted, 1))
    const part = rest.slice(-length).padStart(length, '0')
    result = result === '' ? part : part + spec.grouping + result
    rest = rest.slice(0, -length)
    wanted -= length
    if (rest === '' && wanted <= 0) return result
    wanted -= 1
  }
}

const RADIX: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 }
const FLOAT_TYPES = 'eEfFgG%'

const formatInt = (value: number | bigint | boolean, spec: Spec): string => {
  const { type } = spec
  if (type !== '' && FLOAT_TYPES.includes(type)) return formatFloat(needFloat(value), spec)
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier')
  if (spec.noNegativeZero)
    throw valueError('Negative zero coercion (z) not allowed in format specifier with integer')
  const number = intOf(value)
  if (type === 'c') return formatChar(number, spec)
  if (type !== '' && !'dnboxX'.includes(type)) throw unknownType(type, typeName(value))
  checkGrouping(spec)
  const radix = RADIX[type]
  const size = number < 0 ? -number : number
  const digits = radix === undefined ? intText(size) : size.toString(radix)
  const prefix = spec.alternate && radix !== undefined ? `0${type}` : ''
  const sign = (number < 0 ? '-' : spec.sign === '-' ? '' : spec.sign) + prefix
  const grouped = group(
    type === 'X' ? digits.toUpperCase() : digits,
    spec,
    radix === undefined ? 3 : 4,
    sign.length,
  )
  return pad(sign, grouped, spec)
}

const checkGrouping = ({ grouping, type }: Spec): void => {
  if (
    grouping &&
    (type === 'n' || type === 'c' || (grouping === ',' && 'boxX'.includes(type) && type !== ''))
  ) {
    throw valueError(`Cannot specify '${grouping}' with '${type}'.`)
  }
}

const formatChar = (code: number | bigint, spec: Spec): string => {
  if (spec.sign) throw valueError("Sign not allowed with integer format specifier 'c'")
  if (spec.alternate) throw valueError("Alternate form (#) not allowed with integer format specifier 'c'")
  checkGrouping(spec)
  if (code < 0 || code > 0x10ffff) throw raise('OverflowError', '%c arg not in range(0x110000)')
  return pad('', String.fromCodePoint(Number(code)), spec)
}

const formatFloat = (value: number, spec: Spec): string => {
  const { type } = spec
  if (type !== '' && !`${FLOAT_TYPES}n`.includes(type)) throw unknownType(type, 'float')
  checkGrouping(spec)
  const number = type === '%' ? value * 100 : value
  const digits = floatDigits(Math.abs(number), spec)
  const zero = spec.noNegativeZero && !/[1-9]/.test(digits.split(/e/i)[0]!)
  const negative = (number < 0 || Object.is(number, -0)) && !zero
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign
  const tail = type === '%' ? '%' : ''
  const [, whole, rest] = /^(\d*)(.*)$/s.exec(digits)!
  const grouped = group(whole!, spec, 3, sign.length + rest!.length + tail.length)
  return pad(sign, (Number.isFinite(number) ? grouped : whole) + rest! + tail, spec)
}

/** The digits of a float that isn't negative. */
const floatDigits = (value: number, { type, precision, alternate }: Spec): string => {
  const upper = type === 'E' || type === 'F' || type === 'G'
  if (!Number.isFinite(value)) return upper ? floatText(value).toUpperCase() : floatText(value)
  switch (type.toLowerCase()) {
    case 'f':
    case '%':
      return withPoint(toFixed(value, precision ?? 6), alternate)
    case 'e': {
      const text = withPoint(toExponential(value, precision ?? 6), alternate)
      return upper ? text.toUpperCase() : text
    }
    case '':
      return precision === undefined ? shortest(value, alternate) : general(value, precision, alternate)
    default: {
      const text = toGeneral(value, precision ?? 6, alternate)
      return upper ? text.toUpperCase() : text
    }
  }
}

const withPoint = (text: string, wanted: boolean): string =>
  wanted && !text.includes('.') ? text.replace(/^\d+/, '$&.') : text

const shortest = (value: number, alternate: boolean): string => withPoint(floatText(value), alternate)

/** Without a type, a precision means like `g`, but with a digit behind the point. */
const general = (value: number, precision: number, alternate: boolean): string => {
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
