/* Filters on text. */

import { type Arg, given } from '../../../python/calls.ts'
import { capitalize } from '../../../python/casing.ts'
import { Dict } from '../../../python/dicts.ts'
import { lengthOf } from '../../../python/iterate.ts'
import { markupFormat, markupMethod, toMarkup } from '../../../python/markup.ts'
import { add } from '../../../python/operators.ts'
import { formatPercent } from '../../../python/percent.ts'
import { str } from '../../../python/print.ts'
import { splitLines } from '../../../python/splitting.ts'
import { centre, needText, replace, strip } from '../../../python/strings.ts'
import { getSlice } from '../../../python/subscripts.ts'
import { codePoints, isAscii, isSpaceUnit } from '../../../python/unicode.ts'
import { indexOf, Markup, Tuple, textOf, truthy, typeName, type Value } from '../../../python/values.ts'
import { raise, typeError } from '../../error.ts'
import { spendLength } from '../../limits.ts'
import { type Filter, filter, onText, plainText, softText } from './filter.ts'
import { wrapLines } from './wordwrap.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python takes some for white space
const TITLE_BREAK = /([-\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000({[<]+)/

const titled = (text: string): string => (isAscii(text) ? titledAscii(text) : titledWords(text))

/** The same where a character more or less can't come of it. */
const titledAscii = (text: string): string => {
  const lower = text.toLowerCase()
  let result = ''
  let done = 0
  let begins = true
  for (let i = 0; i < lower.length; i++) {
    const code = lower.charCodeAt(i)
    if (begins && code >= 0x61 && code <= 0x7a) {
      result += lower.slice(done, i) + String.fromCharCode(code - 0x20)
      done = i + 1
    }
    begins = (code < 0x7b && isSpaceUnit(code)) || TITLE_BREAKS.includes(lower[i]!)
  }
  return result + lower.slice(done)
}

const TITLE_BREAKS = '-({[<'

const titledWords = (text: string): string =>
  text
    .split(TITLE_BREAK)
    .filter((word) => word !== '')
    .map((word) => {
      const [first] = word
      return first!.toUpperCase() + word.slice(first!.length).toLowerCase()
    })
    .join('')

const centred = (text: string, width: number): string => {
  const missing = width - codePoints(text)
  if (missing <= 0) return text
  spendLength(width)
  const left = centre(missing, width)
  return ' '.repeat(left) + text + ' '.repeat(missing - left)
}

const replaced = (autoescape: boolean, value: Arg, old: Arg, by: Arg, limit: Arg): Value => {
  const count = limit === undefined || limit === null ? -1 : indexOf(limit)
  if (!autoescape) return replace(str(value ?? null), str(old ?? null), str(by ?? null), count)
  const isHtml = (each: Arg) => each instanceof Markup
  const text = isHtml(old) || (isHtml(by) && !isHtml(value)) ? toMarkup(value!) : softText(value)
  if (typeof text === 'string') return replace(text, plainText(old), plainText(by), count)
  return markupMethod('replace')!(text, [softText(old), softText(by), count], undefined)
}

const indented = (value: Value, width: Arg, first: Arg, blank: Arg): Value => {
  const asText = textOf(given(width, 4))
  const indent = asText ?? ' '.repeat(Math.max(0, indexOf(given(width, 4))))
  const text = textOf(add(value, '\n'))
  if (text === undefined) throw typeError(`can only concatenate str to '${typeName(value)}'`)
  const html = value instanceof Markup
  const unit = html && !(width instanceof Markup) ? new Markup(indent).text : indent
  const lines = splitLines(text, false)
  spendLength(text.length + lines.length * unit.length)
  const result = truthy(blank ?? false)
    ? lines.join(`\n${unit}`)
    : lines.map((line, i) => (i > 0 && line !== '' ? unit + line : line)).join('\n')
  const whole = truthy(first ?? false) ? unit + result : result
  return html ? new Markup(whole) : whole
}

const truncated = (value: Value, length: Arg, killwords: Arg, end: Arg, leeway: Arg): Value => {
  const tail = given(end, '...')
  const limit = indexOf(given(length, 255))
  const slack = leeway === undefined || leeway === null ? 5 : indexOf(leeway)
  const tailLength = lengthOf(tail)
  if (limit < tailLength) throw raise('AssertionError', `expected length >= ${tailLength}, got ${limit}`)
  if (slack < 0) throw raise('AssertionError', `expected leeway >= 0, got ${slack}`)
  if (typeof value === 'string' && value.length <= limit + slack) return value
  if (lengthOf(value) <= limit + slack) return value
  const head = getSlice(value, null, limit - tailLength, null)
  if (truthy(killwords ?? false)) return add(head, tail)
  const text = textOf(head)
  if (text === undefined)
    throw raise('AttributeError', `'${typeName(head)}' object has no attribute 'rsplit'`)
  const space = text.lastIndexOf(' ')
  const cut = space < 0 ? text : text.slice(0, space)
  return add(head instanceof Markup ? new Markup(cut) : cut, tail)
}

const wrapped = (value: Value, width: Arg, breakLong: Arg, wrapstring: Arg, breakOnHyphens: Arg): Value => {
  const text = textOf(value)
  if (text === undefined)
    throw raise('AttributeError', `'${typeName(value)}' object has no attribute 'splitlines'`)
  const between = wrapstring === undefined || wrapstring === null ? '\n' : needText(wrapstring)
  const lines = splitLines(text, false)
  if (lines.length === 0) return ''
  const options = {
    width: indexOf(given(width, 79)),
    breakLong: () => truthy(given(breakLong, true)),
    breakOnHyphens: given(breakOnHyphens, true) === true,
    handleHyphens: () => truthy(given(breakOnHyphens, true)),
  }
  return lines.map((line) => wrapLines(line, options).join(between)).join(between)
}

const formatted: Filter = (_context, [value, ...args], kwargs) => {
  if (args.length > 0 && kwargs?.size) {
    throw raise('FilterArgumentError', "can't handle positional and keyword arguments at the same time")
  }
  const values = kwargs?.size ? new Dict(new Map(kwargs)) : new Tuple(args)
  const text = softText(value)
  return typeof text === 'string' ? formatPercent(text, values) : markupFormat(text, values)
}

export const TEXT_FILTERS: Record<string, Filter> = {
  capitalize: filter('capitalize', 's', 1, (_, value) => onText(value, capitalize)),
  center: filter('center', 'value width', 1, (_, value, width) =>
    onText(value, (text) => centred(text, indexOf(given(width, 80)))),
  ),
  format: formatted,
  indent: filter('indent', 's width first blank', 1, (_, value, width, first, blank) =>
    indented(value!, width, first, blank),
  ),
  lower: filter('lower', 's', 1, (_, value) => onText(value, (text) => text.toLowerCase())),
  replace: filter('replace', 's old new count', 3, ({ autoescape }, value, old, by, count) =>
    replaced(autoescape, value, old, by, count),
  ),
  string: filter('string', 's', 1, (_, value) => softText(value)),
  title: filter('title', 's', 1, (_, value) => titled(plainText(value))),
  trim: filter('trim', 'value chars', 1, (_, value, chars) => {
    const set = chars === undefined || chars === null ? undefined : needText(chars)
    return onText(value, (text) => strip(text, set, true, true))
  }),
  truncate: filter(
    'truncate',
    's length killwords end leeway',
    1,
    (_, value, length, killwords, end, leeway) => truncated(value!, length, killwords, end, leeway),
  ),
  upper: filter('upper', 's', 1, (_, value) => onText(value, (text) => text.toUpperCase())),
  wordcount: filter(
    'wordcount',
    's',
    1,
    (_, value) => plainText(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  ),
  wordwrap: filter(
    'wordwrap',
    's width break_long_words wrapstring break_on_hyphens',
    1,
    (_, value, width, long, wrapstring, hyphens) => wrapped(value!, width, long, wrapstring, hyphens),
  ),
}
