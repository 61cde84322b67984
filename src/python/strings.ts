/* The methods of str that cut, join, search and pad. */
import { typeError, valueError } from '../templates/error.ts'
import { spend, spendLength } from '../templates/limits.ts'
import { type Arg, type Method, named, positional } from './calls.ts'
import { capitalize, casefold, swapcase, title } from './casing.ts'
import { iterate } from './iterate.ts'
import { rsplitAt, rsplitWords, splitAt, splitLines, splitWords } from './splitting.ts'
import { sliceIndices } from './subscripts.ts'
import { chars, codePoints, hasSurrogates, isSpaceUnit, sliceChars } from './unicode.ts'
import { DONE, indexOf, isInt, Tuple, textOf, typeName, type Value } from './values.ts'

type Text = Method<string>

/** A str argument. */
export const needText = (value: Arg, what = 'argument'): string => {
  const text = value === undefined ? undefined : textOf(value)
  if (text === undefined) throw typeError(`${what} must be str, not ${typeName(value ?? null)}`)
  return text
}

const optionalText = (value: Arg): string | undefined =>
  value === undefined || value === null ? undefined : needText(value)

const count = (value: Arg, fallback: number): number => (value === undefined ? fallback : indexOf(value))

// Stripping and cutting off.

/** Removes characters of a set, or white space, from the start, the end or both. */
export const strip = (text: string, set: string | undefined, start: boolean, end: boolean): string => {
  if (set === undefined) return stripSpace(text, start, end)
  if (hasSurrogates(set) || hasSurrogates(text)) return stripPoints(text, set, start, end)
  let from = 0
  let to = text.length
  if (start) while (from < to && set.includes(text[from]!)) from++
  if (end) while (to > from && set.includes(text[to - 1]!)) to--
  return text.slice(from, to)
}

const stripSpace = (text: string, start: boolean, end: boolean): string => {
  let from = 0
  let to = text.length
  if (start) while (from < to && isSpaceUnit(text.charCodeAt(from))) from++
  if (end) while (to > from && isSpaceUnit(text.charCodeAt(to - 1))) to--
  return to - from === text.length ? text : text.slice(from, to)
}

const stripPoints = (text: string, set: string, start: boolean, end: boolean): string => {
  const all = chars(text)
  const wanted = new Set(chars(set))
  let from = 0
  let to = all.length
  if (start) while (from < to && wanted.has(all[from]!)) from++
  if (end) while (to > from && wanted.has(all[to - 1]!)) to--
  return all.slice(from, to).join('')
}

const stripper = (name: string, start: boolean, end: boolean): Text =>
  positional(name, 0, 1, (text, set) => strip(text, optionalText(set), start, end))

// Splitting.

const splitter = (
  name: string,
  words: (text: string, limit: number) => string[],
  at: (text: string, separator: string, limit: number) => string[],
): Text =>
  named(name, ['sep', 'maxsplit'], 0, (text, sep, maxsplit) => {
    const separator = optionalText(sep)
    const limit = count(maxsplit, -1)
    return separator === undefined ? words(text, limit) : at(text, separator, limit)
  })

const partition =
  (find: (text: string, separator: string) => number, whole: (text: string) => string[]) =>
  (text: string, sep: Arg): Value => {
    const separator = needText(sep)
    if (separator === '') throw valueError('empty separator')
    const at = find(text, separator)
    if (at < 0) return new Tuple(whole(text))
    return new Tuple([text.slice(0, at), sep!, text.slice(at + separator.length)])
  }

// Searching.

/** The part of a text between two optional indices, and where it begins; undefined where start lies behind it. */
const part = (text: string, start: Arg, end: Arg): { text: string; offset: number } | undefined => {
  if (start === undefined && end === undefined) return { text, offset: 0 }
  const length = codePoints(text)
  if (isInt(start ?? null) && Number(start) > length) return undefined
  const { start: from } = sliceIndices(length, start ?? null, null, null)
  const { count: to } = sliceIndices(length, null, end ?? null, null)
  return from > to ? undefined : { text: sliceChars(text, from, to), offset: from }
}

const search = (last: boolean, text: string, wanted: Arg, start: Arg, end: Arg): number => {
  const sub = needText(wanted)
  const within = part(text, start, end)
  if (!within) return -1
  spend(within.text.length >> 6)
  const at = last ? within.text.lastIndexOf(sub) : within.text.indexOf(sub)
  return at < 0 ? -1 : within.offset + codePoints(within.text.slice(0, at))
}

const finder = (name: string, last: boolean): Text =>
  positional(name, 1, 3, (text, sub, start, end) => search(last, text, sub, start, end))

const indexer = (name: string, last: boolean): Text =>
  positional(name, 1, 3, (text, sub, start, end) => {
    const at = search(last, text, sub, start, end)
    if (at < 0) throw valueError('substring not found')
    return at
  })

const countOf = (text: string, wanted: Arg, start: Arg, end: Arg): Value => {
  const sub = needText(wanted)
  const within = part(text, start, end)
  if (!within) return 0
  spend(within.text.length >> 6)
  return sub === '' ? codePoints(within.text) + 1 : within.text.split(sub).length - 1
}

const edge = (name: string, matches: (text: string, affix: string) => boolean): Text =>
  positional(name, 1, 3, (text, affix, start, end) => {
    const affixes = affix instanceof Tuple ? affix.items : [affix!]
    const texts = affixes.map((each) => needText(each, `${name} first arg`))
    const within = part(text, start, end)
    return within !== undefined && texts.some((each) => matches(within.text, each))
  })

// Replacing and padding.

export const replace = (text: string, old: string, by: string, limit: number): string => {
  const times = limit < 0 ? Number.POSITIVE_INFINITY : limit
  if (old === '') return interleave(text, by, times)
  spend(text.length >> 6)
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

/** Replacing the empty string: before every character and at the end. */
const interleave = (text: string, by: string, times: number): string => {
  const all = chars(text)
  spendLength(text.length + Math.min(all.length + 1, times) * by.length)
  return all.map((char, i) => (i < times ? by : '') + char).join('') + (all.length < times ? by : '')
}

const fillChar = (value: Arg): string => {
  const fill = value === undefined ? ' ' : needText(value)
  if (codePoints(fill) !== 1) throw typeError('The fill character must be exactly one character long')
  return fill
}

const padder = (name: string, left: (missing: number, width: number) => number): Text =>
  positional(name, 1, 2, (text, width, fill) => {
    const wanted = indexOf(width!)
    const char = fillChar(fill)
    const missing = wanted - codePoints(text)
    if (missing <= 0) return text
    spendLength(wanted)
    const before = left(missing, wanted)
    return char.repeat(before) + text + char.repeat(missing - before)
  })

/** Half on each side; of an odd number the left gets more where the width is odd too. */
export const centre = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1)

const zfill = (text: string, width: Arg): string => {
  const missing = indexOf(width!) - codePoints(text)
  if (missing <= 0) return text
  spendLength(missing)
  const sign = /^[+-]/.test(text) ? text[0]! : ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

const expandTabs = (text: string, size: Arg): string => {
  const width = count(size, 8)
  let column = 0
  let result = ''
  for (const char of text) {
    if (char === '\t') {
      const spaces = width > 0 ? width - (column % width) : 0
      spendLength(result.length + spaces)
      result += ' '.repeat(spaces)
      column += spaces
    } else {
      result += char
      column = char === '\n' || char === '\r' ? 0 : column + 1
    }
  }
  return result
}

export const joinText = (separator: string, value: Value): string => {
  const parts: string[] = []
  const next = iterate(value)
  let length = 0
  for (let item = next(); item !== DONE; item = next()) {
    const text = textOf(item)
    if (text === undefined) {
      throw typeError(`sequence item ${parts.length}: expected str instance, ${typeName(item)} found`)
    }
    parts.push(text)
    length += text.length + separator.length
    spendLength(length)
  }
  return parts.join(separator)
}

/** Texts whose Markup stays Markup are handled in markup.ts; here all are plain. */
export const TEXT_METHODS: Record<string, Text> = {
  capitalize: positional('capitalize', 0, 0, capitalize),
  casefold: positional('casefold', 0, 0, casefold),
  center: padder('center', centre),
  count: positional('count', 1, 3, countOf),
  endswith: edge('endswith', (text, affix) => text.endsWith(affix)),
  expandtabs: named('expandtabs', ['tabsize'], 0, expandTabs),
  find: finder('find', false),
  index: indexer('index', false),
  join: positional('join', 1, 1, (text, items) => joinText(text, items!)),
  ljust: padder('ljust', () => 0),
  lower: positional('lower', 0, 0, (text) => text.toLowerCase()),
  lstrip: stripper('lstrip', true, false),
  partition: positional(
    'partition',
    1,
    1,
    partition(
      (text, sep) => text.indexOf(sep),
      (text) => [text, '', ''],
    ),
  ),
  removeprefix: positional('removeprefix', 1, 1, (text, prefix) =>
    text.startsWith(needText(prefix)) ? text.slice(needText(prefix).length) : text,
  ),
  removesuffix: positional('removesuffix', 1, 1, (text, suffix) =>
    text.endsWith(needText(suffix)) ? text.slice(0, text.length - needText(suffix).length) : text,
  ),
  replace: positional('replace', 2, 3, (text, old, by, limit) =>
    replace(text, needText(old), needText(by), count(limit, -1)),
  ),
  rfind: finder('rfind', true),
  rindex: indexer('rindex', true),
  rjust: padder('rjust', (missing) => missing),
  rpartition: positional(
    'rpartition',
    1,
    1,
    partition(
      (text, sep) => text.lastIndexOf(sep),
      (text) => ['', '', text],
    ),
  ),
  rsplit: splitter('rsplit', rsplitWords, rsplitAt),
  rstrip: stripper('rstrip', false, true),
  split: splitter('split', splitWords, splitAt),
  splitlines: named('splitlines', ['keepends'], 0, (text, keep) =>
    splitLines(text, keep !== undefined && indexOf(keep) !== 0),
  ),
  startswith: edge('startswith', (text, affix) => text.startsWith(affix)),
  strip: stripper('strip', true, true),
  swapcase: positional('swapcase', 0, 0, swapcase),
  title: positional('title', 0, 0, title),
  upper: positional('upper', 0, 0, (text) => text.toUpperCase()),
  zfill: positional('zfill', 1, 1, zfill),
}
