/* str() and repr(): what a template prints. */
import { type AnyDict, Dict, dictEntries } from './dict.ts'
import { PythonError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText } from './numbers.ts'
import { listOf, View } from './sequences.ts'
import { chars, isPrintable } from './unicode.ts'
import { Float, Markup, Obj, Tuple, type Value } from './values.ts'

/** Python's str(value). */
export const str = (value: Value): string => {
  if (typeof value === 'string') return value
  const prints =
    value instanceof Obj && !(value instanceof Float || value instanceof View || isContainer(value))
  return prints ? value.str() : repr(value)
}

/** Python's repr(value): lists and dicts as Python writes them, strings in quotes. */
export const repr = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isInteger(value) ? intText(value) : floatRepr(value)
    case 'bigint':
      return intText(value)
    case 'boolean':
      return value ? 'True' : 'False'
    default:
      if (value === null || value === undefined) return 'None'
      if (value instanceof Float) return floatRepr(value.value)
      if (value instanceof Markup) return `Markup(${quote(value.text)})`
      if (value instanceof View) return `${value.type}(${repr(listOf(value))})`
      if (value instanceof Obj && !isContainer(value)) return value.repr()
      return reprContainer(value)
  }
}

const isContainer = (value: Obj): value is Tuple | Dict => value instanceof Dict || value instanceof Tuple

/** The containers being written: one inside itself is written as dots. */
const open: Value[] = []
const MAX_NESTING = 300

const reprContainer = (value: Value[] | Tuple | AnyDict): string => {
  const [before, after] = Array.isArray(value) ? '[]' : value instanceof Tuple ? '()' : '{}'
  if (open.includes(value)) return `${before}...${after}`
  if (open.length >= MAX_NESTING)
    throw new PythonError('RecursionError', `a value nested more than ${MAX_NESTING} deep can't be printed`)
  open.push(value)
  try {
    const parts =
      Array.isArray(value) || value instanceof Tuple
        ? (Array.isArray(value) ? value : value.items).map(repr)
        : dictEntries(value).map(([key, each]) => `${repr(key)}: ${repr(each)}`)
    const text = `${before}${parts.join(', ')}${value instanceof Tuple && parts.length === 1 ? ',' : ''}${after}`
    spendLength(text.length)
    return text
  } finally {
    open.pop()
  }
}

const PLAIN = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A str in quotes: double ones only where it holds single ones and no double. */
export const quote = (text: string): string => {
  if (PLAIN.test(text)) return `'${text}'`
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  let result = ''
  for (const char of chars(text))
    result += char === mark ? `\\${char}` : (ESCAPES[char] ?? (isPrintable(char) ? char : escapeChar(char)))
  return mark + result + mark
}

/** A character by number: \x1f, \u200b, \U000e0001. */
export const escapeChar = (char: string): string => {
  const code = char.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** ascii(value): repr() without other characters than ASCII. */
export const ascii = (value: Value): string =>
  chars(repr(value))
    .map((char) => (char < '\x80' ? char : escapeChar(char)))
    .join('')
