/* The methods of str. */

import { type Arg, given, type Method, named, positional } from './calls.ts'
import { capitalize, isLowered, isUppered, title } from './casing.ts'
import { indexError, keyError, typeError, valueError } from './error.ts'
import { FormatReader, fillFields } from './format.ts'
import { spend, spendItems, spendLength } from './limits.ts'
import { iter, keyText, sliceIndices } from './sequences.ts'
import { rsplitAt, rsplitWords, splitAt, splitLines, splitWords } from './splitting.ts'
import { chars, codePoints, isSpace, sliceChars, strip } from './unicode.ts'
import { indexOf, isInt, needText, Tuple, textOf, typeName, type Value } from './values.ts'

type Text = Method<string>

const optionalText = (value: Arg): string | undefined =>
  (value ?? null) === null ? undefined : needText(value)

/** Removes the characters of a set, or white space, from the start, the end or both. */
export const stripSet = (text: string, set: string | undefined, start = true, end = true): string => {
  spend(text.length >> 6)
  if (set === undefined) return strip(text, start, end)
  spend(text.length)
  const all = chars(text)
  const wanted = new Set(chars(set))
  let from = 0
  let to = all.length
  if (start) while (from < to && wanted.has(all[from]!)) from++
  if (end) while (to > from && wanted.has(all[to - 1]!)) to--
  return all.slice(from, to).join('')
}

const stripper = (start: boolean, end: boolean): Text =>
  positional(0, 1, (text, set) => stripSet(text, optionalText(set), start, end))

const splitter = (
  words: (text: string, limit: number) => string[],
  at: (text: string, separator: string, limit: number) => string[],
): Text =>
  named('?sep maxsplit', (text, sep, maxsplit) => {
    const separator = optionalText(sep)
    const limit = maxsplit === undefined ? -1 : indexOf(maxsplit)
    return separator === undefined ? words(text, limit) : at(text, separator, limit)
  })

const partition = (last: boolean): Text =>
  positional(1, 1, (text, sep) => {
    const separator = needText(sep)
    if (separator === '') throw valueError('empty separator')
    const at = last ? text.lastIndexOf(separator) : text.indexOf(separator)
    if (at < 0) return new Tuple(last ? ['', '', text] : [text, '', ''])
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)])
  })

/** The part of a text between two optional indices, and where it begins; undefined where there is none. */
const part = (text: string, start: Arg, end: Arg): { text: string; offset: number } | undefined => {
  spendLength(text.length)
  if (start === undefined && end === undefined) return { text, offset: 0 }
  const length = codePoints(text)
  if (isInt(start ?? null) && Number(start) > length) return undefined
  const { start: from } = sliceIndices(length, start ?? null, null)
  const { count: to } = sliceIndices(length, null, end ?? null)
  return from > to ? undefined : { text: sliceChars(text, from, to), offset: from }
}

const finder = (last: boolean, mustFind: boolean): Text =>
  positional(1, 3, (text, wanted, start, end) => {
    const sub = needText(wanted)
    const within = part(text, start, end)
    const at = within ? (last ? within.text.lastIndexOf(sub) : within.text.indexOf(sub)) : -1
    if (at < 0 && mustFind) throw valueError('substring not found')
    return at < 0 ? -1 : within!.offset + codePoints(within!.text.slice(0, at))
  })

const count: Text = positional(1, 3, (text, wanted, start, end) => {
  const sub = needText(wanted)
  const within = part(text, start, end)
  if (!within) return 0
  return sub === '' ? codePoints(within.text) + 1 : within.text.split(sub).length - 1
})

const edge = (matches: (text: string, affix: string) => boolean): Text =>
  positional(1, 3, (text, affix, start, end) => {
    const affixes = (affix instanceof Tuple ? affix.items : [affix!]).map(needText)
    const within = part(text, start, end)
    return within !== undefined && affixes.some((each) => matches(within.text, each))
  })

/** text.replace(old, by, limit); below zero: all of them. */
export const replace = (text: string, old: string, by: string, limit: number): string => {
  const times = limit < 0 ? Number.POSITIVE_INFINITY : limit
  spend(text.length >> 6)
  if (old === '') {
    const all = chars(text)
    spendLength(text.length + Math.min(all.length + 1, times) * by.length)
    return all.map((char, i) => (i < times ? by : '') + char).join('') + (all.length < times ? by : '')
  }
  // Where the text can't grow by much it needn't be known how often; a $ in `by` would mean something.
  const small = by.length <= old.length || (text.length < 1 << 16 && by.length < 64)
  if (limit < 0 && small && !by.includes('$')) return text.replaceAll(old, by)
  const parts = text.split(old)
  const found = Math.min(parts.length - 1, times)
  if (found === 0) return text
  spend(parts.length)
  spendLength(text.length + found * (by.length - old.length))
  if (found === parts.length - 1) return parts.join(by)
  return [parts.slice(0, found).join(by), parts.slice(found).join(old)].join(by)
}

/** Pads to a width; `left` says how much of what is missing stands before the text. */
const padder = (left: (missing: number, width: number) => number): Text =>
  positional(1, 2, (text, width, fill) => {
    const char = fill === undefined ? ' ' : needText(fill)
    if (codePoints(char) !== 1) throw typeError('The fill character must be exactly one character long')
    const missing = indexOf(width!) - codePoints(text)
    if (missing <= 0) return text
    spendLength(missing * char.length)
    const before = left(missing, indexOf(width!))
    return char.repeat(before) + text + char.repeat(missing - before)
  })

/** Half on each side; of an odd number the left gets more where the width is odd too. */
const centre = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1)

const zfill: Text = positional(1, 1, (text, width) => {
  const missing = indexOf(width!) - codePoints(text)
  if (missing <= 0) return text
  spendLength(missing)
  const sign = /^[+-]/.test(text) ? text[0]! : ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
})

/** separator.join(items). @throws TypeError for an item that is no str */
const join: Text = positional(1, 1, (separator, items) => {
  const parts: string[] = []
  let length = 0
  const next = iter(items!)
  for (let item = next(); item !== undefined; item = next()) {
    const text = textOf(item)
    if (text === undefined)
      throw typeError(`sequence item ${parts.length}: expected str instance, ${typeName(item)} found`)
    parts.push(text)
    length += text.length + separator.length
    spendLength(length)
  }
  return parts.join(separator)
})

const formatted: Text = (text, args, kwargs) =>
  fillFields(new FormatReader().parse(text), (first) => {
    if (typeof first === 'string') {
      const value = kwargs?.get(first)
      if (value === undefined) throw keyError(keyText(first))
      return value
    }
    if (args[first] === undefined) throw indexError(`there is no argument number ${keyText(first)}`)
    return args[first]!
  })

const affix = (start: boolean): Text =>
  positional(1, 1, (text, given) => {
    const part = needText(given)
    if (start) return text.startsWith(part) ? text.slice(part.length) : text
    return text.endsWith(part) ? text.slice(0, text.length - part.length) : text
  })

const every = (holds: (char: string) => boolean): Text =>
  positional(0, 0, (text) => {
    spendItems(text.length)
    return text !== '' && chars(text).every(holds)
  })

const change = (run: (text: string) => Value): Text =>
  positional(0, 0, (text) => {
    spend(text.length >> 4)
    return run(text)
  })

/** Superscripts, circled digits and the like: digits that aren't decimal. */
const DIGITS =
  /^[\p{Nd}\xb2\xb3\xb9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490]$/u

export const TEXT_METHODS: Record<string, Text> = {
  capitalize: change(capitalize),
  casefold: change((text) => text.replaceAll('ß', 'ss').replaceAll('ς', 'σ').toLowerCase()),
  center: padder(centre),
  count,
  endswith: edge((text, affix) => text.endsWith(affix)),
  find: finder(false, false),
  format: formatted,
  index: finder(false, true),
  isalnum: every((char) => /^[\p{L}\p{N}]$/u.test(char)),
  isalpha: every((char) => /^\p{L}$/u.test(char)),
  isdigit: every((char) => DIGITS.test(char)),
  islower: change(isLowered),
  isspace: every((char) => isSpace(char.charCodeAt(0)) && char.length === 1),
  isupper: change(isUppered),
  join,
  ljust: padder(() => 0),
  lower: change((text) => text.toLowerCase()),
  lstrip: stripper(true, false),
  partition: partition(false),
  removeprefix: affix(true),
  removesuffix: affix(false),
  replace: positional(2, 3, (text, old, by, limit) =>
    replace(text, needText(old), needText(by), limit === undefined ? -1 : indexOf(limit)),
  ),
  rfind: finder(true, false),
  rindex: finder(true, true),
  rjust: padder((missing) => missing),
  rpartition: partition(true),
  rsplit: splitter(rsplitWords, rsplitAt),
  rstrip: stripper(false, true),
  split: splitter(splitWords, splitAt),
  splitlines: named('?keepends', (text, keep) => splitLines(text, indexOf(given(keep, 0)) !== 0)),
  startswith: edge((text, affix) => text.startsWith(affix)),
  strip: stripper(true, true),
  title: change(title),
  upper: change((text) => text.toUpperCase()),
  zfill,
}
