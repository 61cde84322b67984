/*
 * JSON as Python's json module reads and writes it. Numbers that are read keep their form: 1.0 stays a float, a whole
 * number of twenty digits stays exact, 1e400 is an infinity; keys keep their order, also those that are numbers.
 */
import { sortBy } from './arithmetic.ts'
import { type AnyDict, Dict, dictGet, dictKeys, isDict } from './dict.ts'
import { TemplateError, typeError, valueError } from './error.ts'
import { spendLength } from './limits.ts'
import { floatRepr, intText } from './numbers.ts'
import { str } from './print.ts'
import { float, floatOf, int, isInt, type PlainDict, Tuple, textOf, typeName, type Value } from './values.ts'

export interface JsonStyle {
  /** `", "` and `": "`, as json.dumps writes by default; else no spaces. */
  spaces?: boolean
  sortKeys?: boolean
  /** Do not escape characters beyond ASCII. */
  unicode?: boolean
  /** Also escape HTML's special characters, unless `unicode`. */
  html?: boolean
  /** Indentation of each level. */
  indent?: string | undefined
}

const unitEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Nothing to escape in any style. */
const PLAIN = /^[ !#-%(-;=?-[\]-~]*$/

const quoted = (text: string, { unicode, html }: JsonStyle): string => {
  if (PLAIN.test(text)) return `"${text}"`
  const json = JSON.stringify(text)
  return unicode ? json : json.replace(html ? /[\x7f-\uffff<>&']/g : /[\x7f-\uffff]/g, unitEscape)
}

/** A number, true, false or null; undefined for anything else. */
const scalar = (value: Value): string | undefined => {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (isInt(value)) return intText(value)
  const number = floatOf(value)
  if (number === undefined || Number.isFinite(number))
    return number === undefined ? undefined : floatRepr(number)
  return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity'
}

const MAX_NESTING = 500

/** json.dumps. @throws TypeError for a value that JSON does not have */
export const dumps = (value: Value, style: JsonStyle): string => {
  const open: Value[] = []
  const enclose = (marks: string, of: Value, parts: () => string[]): string => {
    if (open.includes(of)) throw valueError('Circular reference detected')
    if (open.length >= MAX_NESTING) throw new TemplateError('RecursionError', 'nested too deeply for JSON')
    open.push(of)
    const inner = parts()
    open.pop()
    if (inner.length === 0) return marks
    const line = style.indent === undefined ? '' : `\n${style.indent.repeat(open.length)}`
    const comma = style.indent === undefined && style.spaces ? ', ' : ','
    const text = inner.map((part) => (line ? line + style.indent + part : part)).join(comma)
    spendLength(text.length)
    return marks[0] + text + line + marks[1]
  }
  const pairs = (dict: AnyDict): string[] => {
    const keys = style.sortKeys ? sortBy(dictKeys(dict), (key) => key, false) : dictKeys(dict)
    return keys.map((key) => {
      const text = textOf(key) ?? scalar(key)
      if (text === undefined) throw typeError(`a key of JSON can't be a ${typeName(key)}`)
      return quoted(text, style) + (style.spaces ? ': ' : ':') + write(dictGet(dict, key)!)
    })
  }
  const write = (one: Value): string => {
    const text = textOf(one)
    if (text !== undefined) return quoted(text, style)
    const written = scalar(one)
    if (written !== undefined) return written
    if (isDict(one)) return enclose('{}', one, () => pairs(one))
    const items = Array.isArray(one) ? one : one instanceof Tuple ? one.items : undefined
    if (!items) throw typeError(`Object of type ${typeName(one)} is not JSON serializable`)
    return enclose('[]', one, () => items.map(write))
  }
  return write(value)
}

/** A value with Python's types of numbers: a number is a float, a bigint an int. */
export type Exact =
  | null
  | boolean
  | bigint
  | number
  | string
  | Exact[]
  | Map<Exact, Exact>
  | { [key: string]: Exact }

const fromExact = (exact: Exact): Value => {
  if (typeof exact === 'number') return float(exact)
  if (typeof exact !== 'object' || exact === null) return exact
  if (Array.isArray(exact)) return exact.map(fromExact)
  if (exact instanceof Map) {
    const dict = new Dict()
    for (const [key, each] of exact) dict.set(fromExact(key), fromExact(each))
    return dict
  }
  return Object.fromEntries(Object.entries(exact).map(([key, each]) => [key, fromExact(each)]))
}

/** json.dumps(value). */
export const pythonJson = (value: Exact, style: JsonStyle = {}): string => dumps(fromExact(value), style)

/** `str(value)`: `True`, `None`, `0.3`, `[1, 2]`. */
export const pythonStr = (value: Exact): string => str(fromExact(value))

// Reading.

/**
 * What JSON.parse changes: floats without a fraction, exponents, integers of 16 digits and more, -0, and keys that look
 * like array indices (objects put those first). False matches, in strings, only cost time.
 */
const NEEDS_CARE = /(?:^|[:[,])\s*(?:-?\d+(?:\.0*(?!\d)|(?:\.\d+)?[eE]|\d{15})|-0|NaN|-?Infinity)|"\d+"\s*:/

/** How a template uses a value. */
export interface ValueUse {
  /** It may change the value, which must be a copy. */
  readonly changes: boolean
  /** It needs Python's numbers and order of keys, not JavaScript's. */
  readonly exact: boolean
}

/** The value of a JSON text. @throws JSONDecodeError */
export const readValue = (text: string, { changes, exact }: ValueUse): Value =>
  exact && (changes || NEEDS_CARE.test(text)) ? readExactly(text) : (readPlain(text) as Value)

/** The object that a JSON text holds. @throws JSONDecodeError, TypeError */
export const readObject = (text: string, use: ValueUse): AnyDict => {
  const value = readValue(text, use)
  if (isDict(value)) return value
  throw typeError('the context is not a JSON object')
}

const invalid = (reason: string) =>
  new TemplateError('JSONDecodeError', `the context is not valid JSON: ${reason}`)

const readPlain = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

/** A string or a number; the first group is a valid number. */
const TOKEN =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|NaN|-?Infinity)(?![\w.])/g

/** Parses a text after each number was replaced by a marked string; strings that look like one are marked, too. */
const readExactly = (text: string): Value => {
  const marked = text.replace(TOKEN, (token, number?: string) => {
    if (number !== undefined) return `"#${number}"`
    return '#\\0123456789'.includes(token[1]!) ? `"##${token.slice(1)}` : token
  })
  return copyData(readPlain(marked) as Value, unmark)
}

const unmark = (text: string): Value => {
  if (!text.startsWith('#')) return text
  if (text.startsWith('##')) return text.slice(2)
  const source = text.slice(1)
  if (/[.eEN]|Inf/.test(source)) return float(Number(source))
  return source.length < 16 ? Number(source) + 0 : int(BigInt(source))
}

/** Levels of a copy. */
const MAX_LEVELS = 900

/** A copy that templates may change, with the same shared objects. @param unmarked converts strings */
export const copyData = (data: Value | undefined, unmarked = (text: string): Value => text): Value => {
  const copies = new Map<unknown, Value>()
  const copy = (value: Value | undefined, depth: number): Value => {
    if (typeof value === 'string') return unmarked(value)
    if (typeof value !== 'object' || value === null) return value ?? null
    const known = copies.get(value)
    if (known !== undefined) return known
    if (depth > MAX_LEVELS) throw invalid('nested too deeply')
    if (Array.isArray(value)) {
      const list: Value[] = []
      copies.set(value, list)
      for (const item of value) list.push(copy(item, depth + 1))
      return list
    }
    const dict = new Dict()
    copies.set(value, dict)
    for (const [key, each] of Object.entries(value as PlainDict))
      if (each !== undefined) dict.map.set(unmarked(key), copy(each, depth + 1))
    return dict
  }
  return copy(data, 0)
}

/** Puts NaN, Infinity and -Infinity, which Python's JSON allows, into quotes: `float` reads strings, too. */
export const withoutNaN = (text: string): string => new NaNQuoter().take(text, true)

/** The same for a text that comes in pieces. No regular expression: V8's fail on a string of 8 MB. */
export class NaNQuoter {
  private inString = false
  private isEscaped = false
  /** The end of the piece before, which may be the beginning of a word. */
  private rest = ''

  /** @param isLast whether no piece follows @returns the text, but for the beginning of a word at its end */
  take(piece: string, isLast: boolean): string {
    const text = this.rest + piece
    const out: string[] = []
    let from = 0
    let at = 0
    while (at < text.length) {
      if (this.inString) at = this.stringEnd(text, at)
      else if (text.charCodeAt(at) === QUOTE) {
        this.inString = true
        at++
      } else if (isWord(text.charCodeAt(at))) {
        const begin = at
        while (at < text.length && isWord(text.charCodeAt(at))) at++
        if (at === text.length && !isLast) {
          at = begin
          break
        }
        const word = text.slice(begin, at)
        if (/^(?:NaN|-?Infinity)$/.test(word)) {
          out.push(text.slice(from, begin), `"${word}"`)
          from = at
        }
      } else at++
    }
    this.rest = text.slice(at)
    return out.length === 0 ? text.slice(0, at) : out.join('') + text.slice(from, at)
  }

  /** Where the string is over, or the text. */
  private stringEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.isEscaped) this.isEscaped = false
      else if (code === BACKSLASH) this.isEscaped = true
      else if (code === QUOTE) {
        this.inString = false
        return at + 1
      }
    }
    return text.length
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A letter, or the sign before one. */
const isWord = (code: number) => ((code | 0x20) >= 0x61 ? (code | 0x20) <= 0x7a : code === 0x2d)
