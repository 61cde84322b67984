/*
 * JSON text as values. Numbers keep their form: 1.0 stays a float, a whole number of twenty digits stays
 * exact, 1e400 is an infinity as in Python; keys keep their order, also those that are numbers.
 */
import { type AnyDict, Dict, isDict } from './dict.ts'
import { TemplateError, typeError } from './error.ts'
import { float, int, type PlainDict, type Value } from './values.ts'

/**
 * What JSON.parse can't keep: floats without a fraction, exponents, whole numbers of 16 digits and more,
 * -0, and keys that look like array indices (objects put those first). Texts that only look like such
 * numbers cost time, nothing else.
 */
const NEEDS_CARE = /(?:^|[:[,])\s*(?:-?\d+(?:\.0*(?!\d)|(?:\.\d+)?[eE]|\d{15})|-0|NaN|-?Infinity)|"\d+"\s*:/

/** Levels that are looked through for what needs care, and that a copy may have. */
const MAX_LOOK = 200
const MAX_NESTING = 900

/**
 * Whether a value as JSON.parse gave it may have lost what its text says: an integer may have been 1.0 or
 * have had more digits, keys that are numbers stand in another order.
 */
export const mayHaveLost = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) || !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_LOOK) return true
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (mayHaveLost(value[i], depth + 1)) return true
    return false
  }
  for (const key in value) {
    const code = key.charCodeAt(0)
    if (code >= 0x30 && code <= 0x39) return true
    if (mayHaveLost((value as PlainDict)[key], depth + 1)) return true
  }
  return false
}

/** What a template does with a value. */
export interface Use {
  /** It may change it: so the value must not be shared. */
  readonly changes: boolean
  /** It sees Python's numbers and order of keys, not JavaScript's. */
  readonly exact: boolean
}

/** The value of a JSON text. @throws JSONDecodeError */
export const readValue = (text: string, { changes, exact }: Use): Value =>
  exact && (changes || NEEDS_CARE.test(text)) ? readExactly(text) : (readPlain(text) as Value)

/** The object that a JSON text holds. @throws JSONDecodeError, TypeError */
export const readObject = (text: string, use: Use): AnyDict => {
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

/** A string, or a number: in the first group one that JSON knows. */
const TOKEN =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|NaN|-?Infinity)(?![\w.])/g

/** Reads a text with its numbers, and strings that could pass for one, put into marked strings. */
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

/** A copy that templates may change; the same object twice stays one object. `unmarked` says what a string stands for. */
export const copyData = (data: Value | undefined, unmarked = (text: string): Value => text): Value => {
  const copies = new Map<unknown, Value>()
  const copy = (value: Value | undefined, depth: number): Value => {
    if (typeof value === 'string') return unmarked(value)
    if (typeof value !== 'object' || value === null) return value ?? null
    const known = copies.get(value)
    if (known !== undefined) return known
    if (depth > MAX_NESTING) throw invalid('nested too deeply')
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
