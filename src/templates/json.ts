/*
 * JSON text as a context. Numbers keep their form: 1.0 stays a float, a whole number of twenty digits
 * stays exact, 1e400 is an infinity as in Python; keys keep their order, also those that are numbers.
 */

import { Dict } from '../python/dicts.ts'
import { float, int, type PlainDict, type Value } from '../python/values.ts'
import { raise, TemplateError } from './error.ts'

/**
 * What JSON.parse can't keep: floats without a fraction, exponents, whole numbers of 16 digits and more,
 * -0, and keys that look like array indices (objects put those first). Texts that only look like such
 * numbers cost time, nothing else.
 */
const NEEDS_CARE = /[:[,]\s*-?\d+(?:\.0*(?!\d)|(?:\.\d+)?[eE]|\d{15})|[:[,]\s*(?:-0|NaN|-?Infinity)|"\d+"\s*:/

/** The same for a value by itself. */
const BARE_NEEDS_CARE = new RegExp(NEEDS_CARE.source.replaceAll('[:[,]', '(?:^|[:[,])'))

/** Levels that are looked through for what needs care. */
const MAX_LOOK = 200

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

/** The value of a JSON text, with numbers in their form. `changeable`: nobody else has it. */
export const parseValue = (text: string, changeable: boolean): Value =>
  changeable || BARE_NEEDS_CARE.test(text) ? parseJson(text) : (parsePlain(text) as Value)

/** The object that a JSON text holds. */
export const parseContext = (text: string, changeable: boolean): PlainDict | Dict => {
  if (!changeable && !NEEDS_CARE.test(text)) {
    const value = parsePlain(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as PlainDict
    throw notAnObject()
  }
  const value = parseJson(text)
  if (value instanceof Dict) return value
  throw notAnObject()
}

const notAnObject = () => new TemplateError('type', 'the context is not a JSON object')

const parsePlain = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

const invalid = (reason: string) => raise('JSONDecodeError', `the context is not valid JSON: ${reason}`)

/** Reads JSON text into the values of templates; objects become dicts. */
export const parseJson = (text: string): Value => {
  const reader = new Reader(text)
  return reader.document()
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
const MAX_NESTING = 900

const WORDS: Record<string, Value> = {
  true: true,
  false: false,
  null: null,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  document(): Value {
    const value = this.value()
    this.space()
    if (this.at < this.text.length) throw this.fail()
    return value
  }

  private fail(): Error {
    return invalid(`unexpected character at position ${this.at}`)
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.at++
    }
  }

  /** The next character behind white space. */
  private peek(): string {
    this.space()
    return this.text[this.at] ?? ''
  }

  private skip(char: string): boolean {
    if (this.peek() !== char) return false
    this.at++
    return true
  }

  private value(): Value {
    const char = this.peek()
    if (char === '"') return this.string()
    if (char === '{' || char === '[') {
      if (++this.depth > MAX_NESTING) throw invalid('nested too deeply')
      const value = char === '{' ? this.object() : this.array()
      this.depth--
      return value
    }
    NUMBER.lastIndex = this.at
    const number = NUMBER.exec(this.text)
    if (number) return this.number(number)
    for (const word in WORDS) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return WORDS[word]!
    }
    throw this.fail()
  }

  private number([source, fraction, exponent]: RegExpExecArray): Value {
    this.at += source.length
    if (fraction !== undefined || exponent !== undefined) return float(Number(source))
    return source.length < 16 ? Number(source) + 0 : int(BigInt(source))
  }

  private string(): string {
    const start = this.at
    for (let end = this.text.indexOf('"', start + 1); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let slashes = 0
      while (this.text[end - 1 - slashes] === '\\') slashes++
      if (slashes % 2 === 1) continue
      this.at = end + 1
      // Everything but plain text is left to the one that knows it best.
      return parsePlain(this.text.slice(start, end + 1)) as string
    }
    throw this.fail()
  }

  private array(): Value {
    this.at++
    const items: Value[] = []
    if (this.skip(']')) return items
    do items.push(this.value())
    while (this.skip(','))
    if (!this.skip(']')) throw this.fail()
    return items
  }

  private object(): Value {
    this.at++
    const dict = new Map<Value, Value>()
    if (this.skip('}')) return new Dict(dict)
    do {
      if (this.peek() !== '"') throw this.fail()
      const key = this.string()
      if (!this.skip(':')) throw this.fail()
      dict.set(key, this.value())
    } while (this.skip(','))
    if (!this.skip('}')) throw this.fail()
    return new Dict(dict)
  }
}

/** A copy of a caller's data that templates may change; the same object twice stays one object. */
export const copyContext = (value: PlainDict | Dict): Dict => copyValue(value, new Map()) as Dict

const copyValue = (value: Value, copies: Map<unknown, Value>): Value => {
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const list: Value[] = []
    copies.set(value, list)
    for (const item of value) list.push(copyValue(item, copies))
    return list
  }
  const dict = new Dict()
  copies.set(value, dict)
  for (const [key, each] of Object.entries(value as PlainDict)) {
    if (each !== undefined) dict.map.set(key, copyValue(each, copies))
  }
  return dict
}

/** The plain object that a JSON text holds, with JavaScript's numbers. */
export const parsePlainObject = (text: string): object => {
  const value = parsePlain(text)
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  throw notAnObject()
}
