/* str() and repr(): what a template prints. */
import { raise } from '../templates/error.ts'
import { spendLength } from '../templates/limits.ts'
import { type AnyDict, Dict, dictEntries } from './dicts.ts'
import { floatText, intText } from './numbers.ts'
import { chars, isPrintable } from './unicode.ts'
import { Float, Markup, Obj, Tuple, typeName, type Value } from './values.ts'

/** Python's str(value). */
export const str = (value: Value): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? intText(value) : floatText(value)
  if (value instanceof Obj && !isContainer(value))
    return value instanceof Float ? floatText(value.value) : value.str()
  return repr(value)
}

/** Python's repr(value): lists and dicts as Python writes them, strings in quotes. */
export const repr = (value: Value): string => {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isInteger(value) ? intText(value) : floatText(value)
    case 'bigint':
      return intText(value)
    case 'boolean':
      return value ? 'True' : 'False'
    case 'object':
      if (value === null) return 'None'
      if (value instanceof Obj && !isContainer(value)) return reprObject(value)
      return reprContainer(value)
    case 'undefined':
      return 'None'
    default:
      return typeName(value)
  }
}

const isContainer = (value: Obj): value is Tuple | Dict => value instanceof Dict || value instanceof Tuple

const reprObject = (value: Obj): string => {
  if (value instanceof Float) return floatText(value.value)
  return value instanceof Markup ? `Markup(${quote(value.text)})` : value.repr()
}

/** The containers being written: one inside itself is written as dots. */
const open: Value[] = []
const MAX_NESTING = 300

const reprContainer = (value: Value[] | Tuple | AnyDict): string => {
  if (open.includes(value)) return Array.isArray(value) ? '[...]' : value instanceof Tuple ? '(...)' : '{...}'
  if (open.length >= MAX_NESTING) throw tooDeep()
  open.push(value)
  try {
    const text = Array.isArray(value)
      ? `[${value.map(repr).join(', ')}]`
      : value instanceof Tuple
        ? `(${value.items.map(repr).join(', ')}${value.items.length === 1 ? ',' : ''})`
        : `{${dictEntries(value).map(reprEntry).join(', ')}}`
    spendLength(text.length)
    return text
  } finally {
    open.pop()
  }
}

const tooDeep = () => raise('RecursionError', 'maximum recursion depth exceeded')

const reprEntry = ([key, value]: [Value, Value]): string => `${repr(key)}: ${repr(value)}`

const PLAIN = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A str in quotes: double ones only where it holds single ones and no double. */
export const quote = (text: string): string => {
  if (PLAIN.test(text)) return `'${text}'`
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  let result = ''
  for (const char of chars(text)) {
    result += char === mark ? `\\${char}` : (ESCAPES[char] ?? (isPrintable(char) ? char : escapeChar(char)))
  }
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
    .map((char) => (char.codePointAt(0)! < 0x80 ? char : escapeChar(char)))
    .join('')
