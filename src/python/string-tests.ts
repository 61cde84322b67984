/* The methods of str that ask about its characters, and those that translate or format. */
import { TemplateError, typeError, valueError } from '../templates/error.ts'
import { encode } from './bytes.ts'
import { type Arg, type Method, positional } from './calls.ts'
import { isLowered, isTitled, isUppered } from './casing.ts'
import { Dict, dictEntries, dictGet, isDict } from './dicts.ts'
import { formatFields, lookupIn } from './format.ts'
import { needText } from './strings.ts'
import { getItem } from './subscripts.ts'
import {
  chars,
  codePoints,
  isAlnum,
  isAlpha,
  isDecimal,
  isDigit,
  isIdentifier,
  isNumeric,
  isPrintable,
  WHITESPACE,
} from './unicode.ts'
import { isInt, textOf, type Value } from './values.ts'

type Text = Method<string>

const every = (name: string, holds: (char: string) => boolean): Text =>
  positional(name, 0, 0, (text) => text !== '' && chars(text).every(holds))

/** str.translate: a dict from code points to code points, texts or None. */
const translate = (text: string, table: Arg): Value => {
  const map = table ?? null
  const each = (char: string): string => {
    const code = char.codePointAt(0)!
    const to = isDict(map) ? dictGet(map, code) : itemAt(map, code)
    if (to === undefined) return char
    if (to === null) return ''
    return isInt(to) ? String.fromCodePoint(Number(to)) : needText(to, 'character mapping')
  }
  return chars(text).map(each).join('')
}

/** What a table that is no dict says; nothing behind its end. */
const itemAt = (table: Value, code: number): Value | undefined => {
  try {
    return getItem(table, code)
  } catch (error) {
    if (error instanceof TemplateError && error.exception === 'IndexError') return undefined
    throw error
  }
}

/** str.maketrans: a table for translate. */
const makeTable = (_self: string, from: Arg, to: Arg, drop: Arg): Value => {
  if (to === undefined) return tableOf(from ?? null)
  const source = chars(needText(from))
  const target = chars(needText(to))
  if (source.length !== target.length) {
    throw valueError('the first two maketrans arguments must have equal length')
  }
  const table = new Dict()
  source.forEach((char, i) => {
    table.set(char.codePointAt(0)!, target[i]!.codePointAt(0)!)
  })
  if (drop !== undefined) for (const char of needText(drop)) table.set(char.codePointAt(0)!, null)
  return table
}

const tableOf = (from: Value): Value => {
  if (!isDict(from)) throw typeError('if you give only one argument to maketrans it must be a dict')
  return Dict.of(
    dictEntries(from).map(([key, value]) => {
      const text = textOf(key)
      if (text !== undefined && codePoints(text) !== 1) {
        throw valueError('string keys in translate table must be of length 1')
      }
      if (text === undefined && !isInt(key)) {
        throw typeError('keys in translate table must be strings or integers')
      }
      return [text === undefined ? key : text.codePointAt(0)!, value] as const
    }),
  )
}

export const TEXT_TESTS: Record<string, Text> = {
  encode,
  format: (text, args, kwargs) => formatFields(text, lookupIn(args, kwargs)),
  format_map: positional('format_map', 1, 1, (text, map) => formatFields(text, lookupIn([], map!))),
  isalnum: every('isalnum', isAlnum),
  isalpha: every('isalpha', isAlpha),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for ASCII
  isascii: positional('isascii', 0, 0, (text) => /^[\x00-\x7f]*$/.test(text)),
  isdecimal: every('isdecimal', isDecimal),
  isdigit: every('isdigit', isDigit),
  isidentifier: positional('isidentifier', 0, 0, isIdentifier),
  islower: positional('islower', 0, 0, isLowered),
  isnumeric: every('isnumeric', isNumeric),
  isprintable: positional('isprintable', 0, 0, (text) => chars(text).every(isPrintable)),
  isspace: every('isspace', (char) => WHITESPACE.has(char)),
  istitle: positional('istitle', 0, 0, isTitled),
  isupper: positional('isupper', 0, 0, isUppered),
  maketrans: positional('maketrans', 1, 3, makeTable),
  translate: positional('translate', 1, 1, translate),
}
