/*
 * format(), str.format and `%` (https://docs.python.org/3/library/string.html#format-specification-mini-language).
 * Not supported: bases other than ten, exponents (e, g), `_`, `#`, `c`, `n` and `z`.
 */

import { isDict } from './dict.ts'
import { syntaxError, typeError, unsupported, valueError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText, toFixed, truncate } from './numbers.ts'
import { repr, str } from './print.ts'
import { getItem } from './sequences.ts'
import { codePoints, sliceChars } from './unicode.ts'
import { floatOf, intOf, isInt, Obj, Tuple, textOf, toFloat, typeName, type Value } from './values.ts'

interface Spec {
  fill: string
  /** < > ^ or =, which fills between the sign and the digits; empty for the type's own. */
  align: string
  /** The sign of a number that isn't negative; `-` for none. */
  sign: string
  width: number
  grouping: string
  precision: number | undefined
  type: string
}

/** [[fill]align][sign][0][width][,][.precision][type] */
const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(0)?(\d{1,9})?(,)?(?:\.(\d{1,9}))?([dfFs%]?)$/su

const parseSpec = (source: string): Spec | undefined => {
  const parts = SPEC.exec(source)
  if (!parts) return undefined
  const [, fill, align, sign, zero, width, grouping, precision, type] = parts
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero ? '0' : ''),
    sign: sign ?? '-',
    width: Number(width ?? 0),
    grouping: grouping ?? '',
    precision: precision === undefined ? undefined : Number(precision),
    type: type!,
  }
}

/** Python's format(value, spec). */
const formatSpec = (value: Value, source: string): string => {
  if (source === '') return str(value)
  const spec = parseSpec(source)
  const text = spec && formatted(value, spec)
  if (text === undefined) throw unsupported(`the format specifier '${source}' for type ${typeName(value)}`)
  return text
}

/** The formatted value; undefined if the specification is not valid for its type. */
const formatted = (value: Value, spec: Spec): string | undefined => {
  spendLength(spec.width + (spec.precision ?? 0))
  const text = textOf(value)
  return text === undefined ? formattedNumber(value, spec) : formattedText(text, spec)
}

const formattedText = (text: string, spec: Spec): string | undefined => {
  const { align, type, sign, grouping } = spec
  if (sign !== '-' || align === '=' || grouping || (type !== '' && type !== 's')) return undefined
  return pad('', cut(text, spec.precision), align === '' || align === '0' ? { ...spec, align: '<' } : spec)
}

const formattedNumber = (value: Value, given: Spec): string | undefined => {
  const { type, precision } = given
  const spec = { ...given, align: { '': '>', '0': '=' }[given.align] ?? given.align }
  if (isInt(value) && (type === '' || type === 'd'))
    return precision === undefined ? formatInt(intOf(value), spec) : undefined
  const number = toFloat(value)
  if (number === undefined || type === 'd' || type === 's') return undefined
  return type === '' && precision !== undefined ? undefined : formatFloat(number, spec)
}

const formatInt = (number: number | bigint, spec: Spec): string =>
  assemble(number < 0, intText(number < 0 ? -number : number), '', spec)

const formatFloat = (value: number, spec: Spec): string => {
  const number = spec.type === '%' ? value * 100 : value
  const [, whole, rest] = /^(\d*)(.*)$/s.exec(floatDigits(Math.abs(number), spec))!
  const negative = number < 0 || Object.is(number, -0)
  return assemble(negative, whole!, spec.type === '%' ? `${rest}%` : rest!, spec)
}

/** The digits of a float that isn't negative. */
const floatDigits = (value: number, { type, precision }: Spec): string => {
  const exact = type === '' || !Number.isFinite(value)
  const text = exact ? floatRepr(value) : toFixed(value, precision ?? 6)
  return type === 'F' ? text.toUpperCase() : text
}

/** Joins a number's sign, digits in groups and rest, and pads it to the width. */
const assemble = (negative: boolean, whole: string, rest: string, spec: Spec): string => {
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign
  if (spec.grouping && spec.fill === '0' && spec.align === '=')
    throw unsupported('zeros in front of digits in groups')
  const grouped = spec.grouping ? whole.replace(/\B(?=(?:\d{3})+$)/g, ',') : whole
  return pad(sign, grouped + rest, spec)
}

/** At most `length` characters. */
const cut = (text: string, length: number | undefined): string =>
  length === undefined ? text : sliceChars(text, 0, Math.min(length, codePoints(text)))

/** Pads to the width; with `=` between sign and digits. */
const pad = (sign: string, digits: string, { width, fill, align }: Spec): string => {
  const missing = width - codePoints(sign) - codePoints(digits)
  if (missing <= 0) return sign + digits
  spendLength(missing)
  if (align === '<') return sign + digits + fill.repeat(missing)
  if (align === '=') return sign + fill.repeat(missing) + digits
  const before = align === '^' ? missing >> 1 : missing
  return fill.repeat(before) + sign + digits + fill.repeat(missing - before)
}

// `format % values`: printf-style formatting
// (https://docs.python.org/3/library/stdtypes.html#old-string-formatting), without `*`, `#`, exponents and other bases than ten.

const FIELD = /%(?:\(([^()]*)\))?([-+ 0]*)(\d{1,9})?(?:\.(\d{0,9}))?[hlL]?(.)|%/gsu

/** Python's `format % args`. */
export const formatPercent = (format: string, args: Value): string => {
  const values = args instanceof Tuple ? args.items : [args]
  // A fast path for `'%.2f' % number`, the most frequent one in prompts.
  const places = typeof values[0] === 'number' && values.length === 1 && /^%\.(\d)f$/.exec(format)
  const [first] = values as number[]
  if (places && first! >= 0 && first! < 1e15) return toFixed(first!, Number(places[1]))
  const isMapping =
    Array.isArray(args) || isDict(args) || (args instanceof Obj && !(args instanceof Tuple) && !!args.iterate)
  let next = 0
  const argument = (key: string | undefined): Value => {
    if (key !== undefined && !isMapping) throw typeError('format requires a mapping')
    const value = key === undefined ? values[next++] : getItem(args, key)
    if (value === undefined) throw typeError('not enough arguments for format string')
    return value
  }
  let length = format.length
  const text = format.replace(FIELD, (whole, key, flags: string, width, precision, type) => {
    if (type === undefined) throw valueError('incomplete format')
    if (whole === '%%') return '%'
    const spec = specOf(
      flags,
      Number(width ?? 0),
      precision === undefined ? undefined : Number(precision),
      type,
    )
    spendLength(spec.width + (spec.precision ?? 0))
    const field = convert(argument(key), spec)
    length += field.length
    spendLength(length)
    return field
  })
  if (next < values.length && !isMapping) throw typeError('not all arguments converted')
  return text
}

const specOf = (flags: string, width: number, precision: number | undefined, type: string): Spec => {
  const left = flags.includes('-')
  const zeros = flags.includes('0') && !left && !'sr'.includes(type)
  return {
    fill: zeros ? '0' : ' ',
    align: left ? '<' : zeros ? '=' : '>',
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
    width,
    grouping: '',
    precision,
    type: 'iu'.includes(type) ? 'd' : type,
  }
}

const convert = (value: Value, spec: Spec): string => {
  const { type, precision } = spec
  if (type === 's' || type === 'r')
    return pad('', cut(type === 's' ? str(value) : repr(value), precision), spec)
  if (type === 'd' && precision !== undefined) throw unsupported('a precision of %d')
  if (type === 'd') return formatInt(whole(value), spec)
  if (!'fF'.includes(type)) throw unsupported(`%${type} in a format`)
  const number = toFloat(value)
  if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`)
  return formatFloat(number, spec)
}

const whole = (value: Value): number | bigint => {
  if (isInt(value)) return intOf(value)
  const number = floatOf(value)
  if (number !== undefined) return truncate(number)
  throw typeError(`%d format: a real number is required, not ${typeName(value)}`)
}

// str.format: literal text with {fields}. A field is name[[index]]...[!conversion][:spec]
// (https://docs.python.org/3/library/string.html#format-string-syntax). Attributes, !a and fields within a spec are
// refused.

/** A field of a format string. */
export interface Field {
  /** The first part of the name: a position or a key. */
  first: number | string
  /** Its offset in the text. */
  at: number
  /** The indices after it. */
  path: (string | number)[]
  conversion: string
  spec: string
}

export type FormatPart = string | Field

/** Finds the value of a field's first part. @param at the field's offset in the text */
type Lookup = (first: number | string, at: number) => Value

/** The text with its fields filled in. */
export const fillFields = (parts: readonly FormatPart[], lookup: Lookup): string => {
  let result = ''
  for (const part of parts) {
    result += typeof part === 'string' ? part : formatSpec(fieldValue(part, lookup), part.spec)
    spendLength(result.length)
  }
  return result
}

const CONVERSIONS: Record<string, (value: Value) => Value> = {
  '': (value) => value,
  r: repr,
  s: str,
}

const fieldValue = (field: Field, lookup: Lookup): Value => {
  const value = field.path.reduce(getItem, lookup(field.first, field.at))
  return CONVERSIONS[field.conversion]!(value)
}

/** Text, an escaped brace, a field (its name, conversion and spec), or a single brace. */
const PART =
  /([^{}]+)|(\{\{|\}\})|\{((?:[^{}[\]!:]|\[[^{}[\]]*\])*)(?:!([rs]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gsu
const NAME = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/su

/** Parses a format string. @param progress gets the offset reached @throws TemplateSyntaxError */
export const parseFormat = (source: string, progress = { at: 0 }): FormatPart[] => {
  let automatic = 0
  let manual = false
  const position = (name: string): number | string => {
    if (name !== '' && !/^\d+$/.test(name)) return name
    if (name === '' ? manual : automatic > 0) throw syntaxError('fields with and without numbers are mixed')
    if (name === '') return automatic++
    manual = true
    return Number(name)
  }
  const parts: FormatPart[] = []
  const write = (literal: string): void => {
    if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop()}${literal}`)
    else parts.push(literal)
  }
  for (const { 0: whole, 1: literal, 2: escaped, 3: name, 4: conversion, 5: spec, index } of source.matchAll(
    PART,
  )) {
    progress.at = index
    const names = name === undefined ? undefined : NAME.exec(name)
    if (literal !== undefined || escaped) write(literal ?? whole[0]!)
    else if (!names) throw syntaxError(`Single '${whole[0]}' or invalid field in format string`)
    else if (spec?.includes('{')) throw unsupported('a field within a format specifier')
    else {
      const path = Array.from(names[2]!.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g), ([, attribute, key]) => {
        // JSON values have no attributes.
        if (key === undefined) throw unsupported(`an attribute (.${attribute}) in a format string`)
        return /^\d+$/.test(key) ? Number(key) : key
      })
      const first = position(names[1]!)
      parts.push({ first, at: index, path, conversion: conversion ?? '', spec: spec ?? '' })
    }
  }
  return parts
}
