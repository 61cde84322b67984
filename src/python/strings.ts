/* str and its methods. */
import { type Arg, type Method, method, refused } from './calls.ts'
import { indexError, keyError, typeError, unsupported, valueError } from './error.ts'
import { fillFields, parseFormat } from './format.ts'
import { spend, spendItems, spendLength } from './limits.ts'
import { iter, keyText } from './sequences.ts'
import { chars, codePoints, isSpace, SPACE, strip } from './unicode.ts'
import { indexOf, needText, Tuple, textOf, truthy, typeName, type Value } from './values.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python takes some for line ends
const LINE = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/g
const WORD = new RegExp(`[^${SPACE}]+`, 'g')

/** text.splitlines(keepEnds). */
export const splitLines = (text: string, keepEnds = false): string[] => {
  const lines: string[] = []
  let start = 0
  for (const { 0: end, index } of text.matchAll(LINE)) {
    lines.push(text.slice(start, keepEnds ? index + end.length : index))
    start = index + end.length
  }
  if (start < text.length) lines.push(text.slice(start))
  spend(lines.length)
  return lines
}

/** text.split(None, limit): at runs of white space, none at the ends. */
const splitWords = (text: string, limit: number): string[] => {
  const words: string[] = limit < 0 ? (text.match(WORD) ?? []) : []
  for (const { 0: word, index } of limit < 0 ? [] : text.matchAll(WORD)) {
    words.push(words.length < limit ? word : text.slice(index))
    if (words.length > limit) break
  }
  spend(words.length + (text.length >> 6))
  return words
}

/** text.split(separator, limit). */
const splitAt = (text: string, separator: string, limit: number): string[] => {
  if (separator === '') throw valueError('empty separator')
  const all = text.split(separator)
  spend(all.length + (text.length >> 6))
  if (limit < 0 || all.length <= limit + 1) return all
  return [...all.slice(0, limit), all.slice(limit).join(separator)]
}

const backwards = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => text[text.length - 1 - i]).join('')

/** The same from the end: the first part is the rest. */
const splitBack = (text: string, separator: string | undefined, limit: number): string[] => {
  const parts =
    separator === undefined
      ? splitWords(backwards(text), limit)
      : splitAt(backwards(text), backwards(separator), limit)
  return parts.map(backwards).reverse()
}

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

/** text.replace(old, by, limit); below zero: all of them. */
export const replace = (text: string, old: string, by: string, limit: number): string => {
  const times = limit < 0 ? Number.POSITIVE_INFINITY : limit
  spend(text.length >> 6)
  // A text that cannot grow much needs no count of matches; replaceAll interprets `$` in `by`.
  const small = by.length <= old.length || (text.length < 1 << 16 && by.length < 64)
  if (old !== '' && limit < 0 && small && !by.includes('$')) return text.replaceAll(old, by)
  // The empty text occurs before each character and at the end.
  const parts = old === '' ? ['', ...chars(text), ''] : text.split(old)
  const found = Math.min(parts.length - 1, times)
  spend(parts.length)
  spendLength(text.length + found * by.length)
  return [parts.slice(0, found + 1).join(by), ...parts.slice(found + 1)].join(old)
}

const isCased = (char: string): boolean => /^\p{Cased}$/u.test(char)

/** Title case of one character: ß becomes Ss, ﬁ Fi. */
const titleChar = (char: string): string => {
  const [first = '', ...rest] = char.toUpperCase()
  return first + rest.join('').toLowerCase()
}

export const capitalize = (text: string): string => {
  const [first = ''] = text
  return titleChar(first) + text.slice(first.length).toLowerCase()
}

/** str.title(): a capital after everything that has no case. */
const title = (text: string): string => {
  let inWord = false
  let result = ''
  for (const char of text.toLowerCase()) {
    result += inWord ? char : titleChar(char)
    inWord = isCased(char)
  }
  return result
}

/** str.islower() and str.isupper(). */
export const isLowered = (text: string): boolean =>
  /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
export const isUppered = (text: string): boolean =>
  /[\p{Uppercase}\p{Lt}]/u.test(text) && !/\p{Lowercase}/u.test(text)

// The methods.

type Text = Method<string>

const optionalText = (value: Value): string | undefined => (value === null ? undefined : needText(value))

const stripper = (start: boolean, end: boolean): Text =>
  method('chars=none /', (self, set) => stripSet(self, optionalText(set), start, end))

const splitter = (split: (self: string, separator: string | undefined, limit: number) => string[]): Text =>
  method('sep=none maxsplit=-1', (self, sep, limit) => split(self, optionalText(sep), indexOf(limit)))

const partition = (last: boolean): Text =>
  method('sep /', (self, sep) => {
    const separator = needText(sep)
    if (separator === '') throw valueError('empty separator')
    const at = last ? self.lastIndexOf(separator) : self.indexOf(separator)
    if (at < 0) return new Tuple(last ? ['', '', self] : [self, '', ''])
    return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)])
  })

/** A method that searches the whole text. */
const searcher = (search: (self: string, wanted: Value) => Value): Text =>
  method('sub start=? end=? /', (self, wanted, start: Arg) => {
    if (start !== undefined) throw unsupported('looking for a text in a part of another')
    spendLength(self.length)
    return search(self, wanted)
  })

const finder = (last: boolean, needed = false): Text =>
  searcher((self, wanted) => {
    const sub = needText(wanted)
    const at = last ? self.lastIndexOf(sub) : self.indexOf(sub)
    if (at < 0 && needed) throw valueError('substring not found')
    return at < 0 ? -1 : codePoints(self.slice(0, at))
  })

const edge = (matches: (self: string, affix: string) => boolean): Text =>
  searcher((self, affix) => {
    const affixes = (affix instanceof Tuple ? affix.items : [affix]).map(needText)
    return affixes.some((each) => matches(self, each))
  })

/** Pads to a width. @param left how much of the padding is before the text */
const padder = (left: (missing: number, width: number) => number): Text =>
  method("width fillchar=' ' /", (self, size, fill) => {
    const [char, width] = [needText(fill), indexOf(size)]
    if (codePoints(char) !== 1) throw typeError('The fill character must be exactly one character long')
    const missing = width - codePoints(self)
    if (missing <= 0) return self
    spendLength(missing * char.length)
    const before = left(missing, width)
    return char.repeat(before) + self + char.repeat(missing - before)
  })

const zfill: Text = method('width /', (self, width) => {
  const missing = indexOf(width) - codePoints(self)
  if (missing <= 0) return self
  spendLength(missing)
  const sign = /^[+-]?/.exec(self)![0]
  return sign + '0'.repeat(missing) + self.slice(sign.length)
})

/** separator.join(items). @throws TypeError for an item that is not a str */
const join: Text = method('items /', (separator, items) => {
  const parts: string[] = []
  let length = 0
  const next = iter(items)
  for (let item = next(); item !== undefined; item = next()) {
    const part = textOf(item)
    if (part === undefined)
      throw typeError(`sequence item ${parts.length}: expected str instance, ${typeName(item)} found`)
    parts.push(part)
    length += part.length + separator.length
    spendLength(length)
  }
  return parts.join(separator)
})

const formatted: Text = (self, args, kwargs) =>
  fillFields(parseFormat(self), (first) => {
    const value: Arg = typeof first === 'string' ? kwargs?.get(first) : args[first]
    if (value !== undefined) return value
    throw typeof first === 'string'
      ? keyError(keyText(first))
      : indexError(`there is no argument number ${first}`)
  })

const every = (holds: (char: string) => boolean): Text =>
  method('/', (self) => {
    spendItems(self.length)
    return self !== '' && chars(self).every(holds)
  })

const change = (run: (self: string) => Value): Text =>
  method('/', (self) => {
    spend(self.length >> 4)
    return run(self)
  })

/** Decimal digits, superscripts, circled digits and the like. */
const DIGITS =
  /^[\p{Nd}\xb2\xb3\xb9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490]$/u

export const TEXT_METHODS: Record<string, Text> = {
  ...refused(
    'str',
    'encode expandtabs format_map isascii isdecimal isidentifier isnumeric isprintable istitle',
  ),
  ...refused('str', 'maketrans swapcase translate'),
  capitalize: change(capitalize),
  casefold: change((self) => self.replaceAll('ß', 'ss').replaceAll('ς', 'σ').toLowerCase()),
  // Half on each side; of an odd number the left gets more where the width is odd too.
  center: padder((missing, width) => (missing >> 1) + (missing & width & 1)),
  count: searcher((self, wanted) => {
    const sub = needText(wanted)
    return sub === '' ? codePoints(self) + 1 : self.split(sub).length - 1
  }),
  endswith: edge((self, affix) => self.endsWith(affix)),
  find: finder(false),
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
  lower: change((self) => self.toLowerCase()),
  lstrip: stripper(true, false),
  partition: partition(false),
  removeprefix: method('prefix /', (self, prefix) =>
    self.startsWith(needText(prefix)) ? self.slice(needText(prefix).length) : self,
  ),
  removesuffix: method('suffix /', (self, suffix) =>
    self.endsWith(needText(suffix)) ? self.slice(0, self.length - needText(suffix).length) : self,
  ),
  replace: method('old new count=-1 /', (self, old, by, limit) =>
    replace(self, needText(old), needText(by), indexOf(limit)),
  ),
  rfind: finder(true),
  rindex: finder(true, true),
  rjust: padder((missing) => missing),
  rpartition: partition(true),
  rsplit: splitter(splitBack),
  rstrip: stripper(false, true),
  split: splitter((self, separator, limit) =>
    separator === undefined ? splitWords(self, limit) : splitAt(self, separator, limit),
  ),
  splitlines: method('keepends=false', (self, keep) => splitLines(self, truthy(keep))),
  startswith: edge((self, affix) => self.startsWith(affix)),
  strip: stripper(true, true),
  title: change(title),
  upper: change((self) => self.toUpperCase()),
  zfill,
}
