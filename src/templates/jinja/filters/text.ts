/* Filters on text. */
import { add } from '../../../python/arithmetic.ts'
import { type Arg, given } from '../../../python/calls.ts'
import { capitalize } from '../../../python/casing.ts'
import { Dict } from '../../../python/dict.ts'
import { PythonError, valueError } from '../../../python/error.ts'
import { spendLength } from '../../../python/limits.ts'
import { formatPercent } from '../../../python/percent.ts'
import { getSlice, lengthOf } from '../../../python/sequences.ts'
import { splitLines } from '../../../python/splitting.ts'
import { replace, stripSet, TEXT_METHODS } from '../../../python/strings.ts'
import { isSpace, SPACE } from '../../../python/unicode.ts'
import {
  indexOf,
  Markup,
  misused,
  needText,
  Tuple,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../python/values.ts'
import { type Filter, filter, onText, textFrom } from './filter.ts'
import { wrapLine } from './wordwrap.ts'

/** A capital at the start of each word; words begin after white space and ( { [ < -. */
const titled = (text: string): string => {
  spendLength(text.length)
  const lower = text.toLowerCase()
  // Where lower case changes the length, each word is changed by itself.
  if (lower.length !== text.length) {
    const words = text.split(new RegExp(`([-${SPACE}({[<]+)`)).filter((word) => word !== '')
    return words.map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()).join('')
  }
  let result = ''
  let done = 0
  let begins = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (begins && code > 0x40) {
      const first = String.fromCodePoint(text.codePointAt(i)!)
      result += lower.slice(done, i) + first.toUpperCase()
      done = i + first.length
    }
    begins = isSpace(code) || (code < 0x7c && BREAKS.has(code))
  }
  return result + lower.slice(done)
}
/** The codes of ( - < [ {. */
const BREAKS = new Set([0x28, 0x2d, 0x3c, 0x5b, 0x7b])

const indented = (value: Value, width: Arg, first: Arg, blank: Arg): Value => {
  const size = given(width, 4)
  const indent = textOf(size) ?? ' '.repeat(Math.min(1 << 20, Math.max(0, indexOf(size))))
  // Jinja2 adds a newline, which is an error for what is no text.
  const lines = splitLines(needText(add(value, '\n')), false)
  spendLength(textOf(value)!.length + lines.length * indent.length)
  const everyLine = truthy(blank ?? false)
  const text = lines.map((line, i) => (i > 0 && (everyLine || line !== '') ? indent + line : line)).join('\n')
  const whole = truthy(first ?? false) ? indent + text : text
  return value instanceof Markup ? new Markup(whole) : whole
}

const truncated = (value: Value, length: Arg, killwords: Arg, end: Arg, leeway: Arg): Value => {
  const tail = given(end, '...')
  const limit = indexOf(given(length, 255))
  const slack = leeway === undefined || leeway === null ? 5 : indexOf(leeway)
  const tailLength = lengthOf(tail)
  if (limit < tailLength || slack < 0)
    throw new PythonError('AssertionError', `a length of ${limit} leaves no room for the end`)
  if (typeof value === 'string' && value.length <= limit + slack) return value
  if (lengthOf(value) <= limit + slack) return value
  const head = getSlice(value, null, limit - tailLength, null)
  if (truthy(killwords ?? false)) return add(head, tail)
  const text = needText(head)
  const space = text.lastIndexOf(' ')
  const cut = space < 0 ? text : text.slice(0, space)
  return add(head instanceof Markup ? new Markup(cut) : cut, tail)
}

const wrapped = (value: Value, width: Arg, breakLong: Arg, wrapstring: Arg, hyphens: Arg): Value => {
  const text = textOf(value)
  if (text === undefined) throw misused(valueError(`a ${typeName(value)} has no lines to wrap`), value)
  const between = (wrapstring ?? null) === null ? '\n' : needText(wrapstring)
  const options = {
    width: indexOf(given(width, 79)),
    breakLong: truthy(given(breakLong, true)),
    hyphens: truthy(given(hyphens, true)),
  }
  const lines = splitLines(text, false).map((line) => wrapLine(line, options).join(between))
  spendLength(text.length * (1 + between.length / Math.max(1, options.width)))
  return lines.join(between)
}

const formatted: Filter = (_context, [value, ...args], kwargs) => {
  if (args.length > 0 && kwargs?.size)
    throw valueError("can't handle positional and keyword arguments at the same time")
  return formatPercent(textFrom(value), kwargs?.size ? new Dict(new Map(kwargs)) : new Tuple(args))
}

const centred = (text: string, width: number): string =>
  TEXT_METHODS.center!(text, [width], undefined) as string

export const TEXT_FILTERS: Record<string, Filter> = {
  capitalize: filter('s', (_, value) => onText(value, capitalize)),
  center: filter('value ? width', (_, value, width) =>
    onText(value, (text) => centred(text, indexOf(given(width, 80)))),
  ),
  format: formatted,
  indent: filter('s ? width first blank', (_, value, width, first, blank) =>
    indented(value!, width, first, blank),
  ),
  lower: filter('s', (_, value) => onText(value, (text) => text.toLowerCase())),
  replace: filter('s old new ? count', (_, value, old, by, count) =>
    replace(textFrom(value), textFrom(old), textFrom(by), (count ?? null) === null ? -1 : indexOf(count!)),
  ),
  string: filter('s', (_, value) => (value instanceof Markup ? value : textFrom(value))),
  title: filter('s', (_, value) => titled(textFrom(value))),
  trim: filter('value ? chars', (_, value, chars) =>
    onText(value, (text) => stripSet(text, (chars ?? null) === null ? undefined : needText(chars))),
  ),
  truncate: filter('s ? length killwords end leeway', (_, value, length, killwords, end, leeway) =>
    truncated(value!, length, killwords, end, leeway),
  ),
  upper: filter('s', (_, value) => onText(value, (text) => text.toUpperCase())),
  wordcount: filter('s', (_, value) => {
    const text = textFrom(value)
    spendLength(text.length)
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  }),
  wordwrap: filter(
    's ? width break_long_words wrapstring break_on_hyphens',
    (_, value, width, long, wrapstring, hyphens) => wrapped(value!, width, long, wrapstring, hyphens),
  ),
}
