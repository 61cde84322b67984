/* `format % values`: printf-style formatting (https://docs.python.org/3/library/stdtypes.html#old-string-formatting). */
import { toFixed } from './decimal.ts'
import { isDict } from './dict.ts'
import { typeError, valueError } from './error.ts'
import { charOf, cut, floatDigits, intDigits, pad, type Spec, signOf } from './format_spec.ts'
import { spendLength } from './limits.ts'
import { truncate } from './numbers.ts'
import { ascii, repr, str } from './print.ts'
import { getItem } from './sequences.ts'
import { codePoints } from './unicode.ts'
import {
  floatOf,
  intOf,
  isInt,
  misused,
  Obj,
  Tuple,
  textOf,
  toFloat,
  typeName,
  type Value,
} from './values.ts'

const FIELD = /%(?:\((.*?)\))?([-+ #0]*)(\*|\d{1,9})?(?:\.(\*|\d{0,9}))?[hlL]?(.)|%/gsu

/** Python's `format % args`. */
export const formatPercent = (format: string, args: Value): string => {
  const fixed = formatFixed(format, args)
  if (fixed !== undefined) return fixed
  const values = args instanceof Tuple ? args.items : [args]
  const isMapping =
    Array.isArray(args) || isDict(args) || (args instanceof Obj && !(args instanceof Tuple) && !!args.iterate)
  let next = 0
  const argument = (): Value => {
    const value = values[next++]
    if (value === undefined) throw typeError('not enough arguments for format string')
    return value
  }
  const star = (text: string | undefined): number | undefined => {
    if (text !== '*') return text === undefined ? undefined : Number(text)
    const value = argument()
    if (!isInt(value)) throw typeError('* wants int')
    return Number(value)
  }
  let length = format.length
  const text = format.replace(
    FIELD,
    (whole, key, flags: string, width, precision, type: string | undefined) => {
      if (type === undefined) throw valueError('incomplete format')
      if (whole === '%%') return '%'
      if (key !== undefined && !isMapping) throw typeError('format requires a mapping')
      const spec = specOf(flags, star(width), star(precision), type)
      spendLength(spec.width + (spec.precision ?? 0))
      const field = convert(key === undefined ? argument() : getItem(args, key), spec)
      length += field.length
      spendLength(length)
      return field
    },
  )
  if (next < values.length && !isMapping) throw typeError('not all arguments converted')
  return text
}

const specOf = (flags: string, width = 0, precision: number | undefined, type: string): Spec => {
  const left = flags.includes('-') || width < 0
  const zeros = flags.includes('0') && !left && !'sracs'.includes(type)
  return {
    fill: zeros ? '0' : ' ',
    align: left ? '<' : zeros ? '=' : '>',
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
    alternate: flags.includes('#'),
    width: Math.abs(width),
    precision: precision === undefined ? undefined : Math.max(0, precision),
    type,
  }
}

const convert = (value: Value, spec: Spec): string => {
  const { type, precision } = spec
  if (type === 's') return pad('', cut(str(value), precision), spec)
  if (type === 'r') return pad('', cut(repr(value), precision), spec)
  if (type === 'a') return pad('', cut(ascii(value), precision), spec)
  if (type === 'c') return pad('', character(value), spec)
  if ('diuoxX'.includes(type)) {
    const number = whole(type, value)
    const prefix = spec.alternate && 'oxX'.includes(type) ? `0${type}` : ''
    return pad(signOf(number < 0, spec) + prefix, intDigits(number, type).padStart(precision ?? 0, '0'), spec)
  }
  if (!'eEfFgG'.includes(type)) throw valueError(`unsupported format character '${type}'`)
  const number = toFloat(value)
  if (number === undefined) throw misused(typeError(`must be real number, not ${typeName(value)}`), value)
  const digits = floatDigits(Math.abs(number), { ...spec, precision: precision ?? 6 })
  return pad(signOf(number < 0 || Object.is(number, -0), spec), digits, spec)
}

const character = (value: Value): string => {
  const text = textOf(value)
  if (text !== undefined && codePoints(text) === 1) return text
  if (!isInt(value)) throw typeError('%c requires int or char')
  return charOf(intOf(value))
}

const whole = (type: string, value: Value): number | bigint => {
  if (isInt(value)) return intOf(value)
  const number = floatOf(value)
  const wanted = 'diu'.includes(type) ? 'a real number' : 'an integer'
  if (number !== undefined && 'diu'.includes(type)) return truncate(number)
  throw misused(typeError(`%${type} format: ${wanted} is required, not ${typeName(value)}`), value)
}

/** `'%.2f' % number`, which prompts ask for most; undefined for any other format. */
const formatFixed = (format: string, args: Value): string | undefined => {
  const value = args instanceof Tuple && args.items.length === 1 ? args.items[0] : args
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const places = /^%\.(\d)f$/.exec(format)
  if (!places) return undefined
  const text = toFixed(value, Number(places[1]))
  return value < 0 || Object.is(value, -0) ? `-${text}` : text
}
