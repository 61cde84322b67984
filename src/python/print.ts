/* str(), repr() and escape(). */
import { type AnyDict, Dict, dictEntries } from './dict.ts'
import { TemplateError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText } from './numbers.ts'
import { listOf, View } from './sequences.ts'
import { chars, isPrintable } from './unicode.ts'
import { Float, floatOf, isInt, Markup, Obj, Tuple, type Value } from './values.ts'

/** Python's str(value). */
export const str = (value: Value): string => {
  if (typeof value === 'string') return value
  return value instanceof Obj && !printsAsRepr(value) ? value.str() : repr(value)
}

const printsAsRepr = (value: Obj): boolean =>
  value instanceof Float || value instanceof View || value instanceof Dict || value instanceof Tuple

/** Python's repr(value): lists and dicts as Python writes them, strings in quotes. */
export const repr = (value: Value): string => {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (isInt(value)) return intText(value as number | bigint)
  if (value === null || value === undefined) return 'None'
  const number = floatOf(value)
  if (number !== undefined) return floatRepr(number)
  if (value instanceof Markup) return `Markup(${quote(value.text)})`
  if (value instanceof View) return `${value.type}(${repr(listOf(value))})`
  return value instanceof Obj && !printsAsRepr(value)
    ? value.repr()
    : reprContainer(value as Value[] | Tuple | AnyDict)
}

/** The containers being printed: one inside itself is printed as dots. */
const open: Value[] = []
const MAX_NESTING = 300

const reprContainer = (value: Value[] | Tuple | AnyDict): string => {
  const items = value instanceof Tuple ? value.items : Array.isArray(value) ? value : undefined
  const [before, after] = items === value ? '[]' : items ? '()' : '{}'
  if (open.includes(value)) return `${before}...${after}`
  if (open.length >= MAX_NESTING)
    throw new TemplateError('RecursionError', `a value nested more than ${MAX_NESTING} deep can't be printed`)
  open.push(value)
  try {
    const pairs = () => dictEntries(value as AnyDict).map(([key, each]) => `${repr(key)}: ${repr(each)}`)
    const parts = items ? items.map(repr) : pairs()
    const text = `${before}${parts.join(', ')}${before === '(' && parts.length === 1 ? ',' : ''}${after}`
    spendLength(text.length)
    return text
  } finally {
    open.pop()
  }
}

const PLAIN = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A str in quotes: double ones if it contains single quotes and no double ones. */
const quote = (text: string): string => {
  if (PLAIN.test(text)) return `'${text}'`
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  let result = ''
  for (const char of chars(text))
    result += char === mark ? `\\${char}` : (ESCAPES[char] ?? (isPrintable(char) ? char : escapeChar(char)))
  return mark + result + mark
}

/** A character as an escape: \x1f, \u200b, \U000e0001. */
export const escapeChar = (char: string): string => {
  const code = char.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}

/** Text as HTML, as MarkupSafe escapes it. */
export const escapeText = (text: string): string => {
  spendLength(text.length)
  const escaped = text.replace(/[&<>'"]/g, (char) => ENTITIES[char]!)
  spendLength(escaped.length)
  return escaped
}

/** Escaped text; Markup as it is. */
export const markupOf = (value: Value): Markup =>
  value instanceof Markup ? value : new Markup(escapeText(str(value)))
