/*
 * JSON text as values. Numbers keep their form: 1.0 stays a float, a whole number of twenty digits stays
 * exact, 1e400 is an infinity as in Python; keys keep their order, also those that are numbers.
 */
import { Dict } from './dict.ts'
import { PythonError, typeError } from './error.ts'
import { float, int, type PlainDict, type Value } from './values.ts'

/**
 * What JSON.parse can't keep: floats without a fraction, exponents, whole numbers of 16 digits and more,
 * -0, and keys that look like array indices (objects put those first). Texts that only look like such
 * numbers cost time, nothing else.
 */
const NEEDS_CARE = /(?:^|[:[,])\s*(?:-?\d+(?:\.0*(?!\d)|(?:\.\d+)?[eE]|\d{15})|-0|NaN|-?Infinity)|"\d+"\s*:/

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

/** The value of a JSON text. `changeable`: nobody else has it. @throws JSONDecodeError */
export const readValue = (text: string, changeable: boolean): Value =>
  changeable || NEEDS_CARE.test(text) ? new Reader(text).document() : (readPlain(text) as Value)

/** The object that a JSON text holds. @throws JSONDecodeError, TypeError */
export const readObject = (text: string, changeable: boolean): PlainDict | Dict =>
  checkObject(readValue(text, changeable))

/** The object that a JSON text holds, with JavaScript's numbers. */
export const readPlainObject = (text: string): PlainDict => checkObject(readPlain(text)) as PlainDict

const checkObject = (value: unknown): PlainDict | Dict => {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as PlainDict
  throw typeError('the context is not a JSON object')
}

const invalid = (reason: string) =>
  new PythonError('JSONDecodeError', `the context is not valid JSON: ${reason}`)

const readPlain = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

const TOKEN =
  /(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]))|([[\]{},:])|(true|false|null|NaN|-?Infinity)/y
const BLANK = /[ \t\n\r]*/y
const WORDS = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])
const MAX_NESTING = 900

class Reader {
  private readonly text: string
  private at = 0
  private depth = 0
  /** The token last read: a mark or what it stands for. */
  private mark = ''
  private scalar: Value = null

  constructor(text: string) {
    this.text = text
  }

  document(): Value {
    this.next()
    const value = this.value()
    if (this.text.slice(this.at).trim() !== '') throw this.fail()
    return value
  }

  private fail(): PythonError {
    return invalid(`unexpected text at position ${this.at}`)
  }

  private next(): void {
    BLANK.lastIndex = this.at
    BLANK.test(this.text)
    this.at = BLANK.lastIndex
    if (this.text[this.at] === '"') {
      this.mark = '"'
      this.scalar = this.string()
      return
    }
    TOKEN.lastIndex = this.at
    const token = TOKEN.exec(this.text)
    if (!token) throw this.fail()
    this.at = TOKEN.lastIndex
    const [, number, mark, word] = token
    this.mark = mark ?? 'scalar'
    if (number !== undefined) this.scalar = numberOf(number)
    else if (word !== undefined) this.scalar = WORDS.get(word)!
  }

  private string(): string {
    const start = this.at
    for (let end = this.text.indexOf('"', start + 1); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let slashes = 0
      while (this.text[end - 1 - slashes] === '\\') slashes++
      if (slashes % 2 === 1) continue
      this.at = end + 1
      return readPlain(this.text.slice(start, end + 1)) as string
    }
    throw this.fail()
  }

  /** The value that begins with the token last read. */
  private value(): Value {
    if (this.mark === '"' || this.mark === 'scalar') return this.scalar
    if (this.mark !== '[' && this.mark !== '{') throw this.fail()
    if (++this.depth > MAX_NESTING) throw invalid('nested too deeply')
    const value = this.mark === '[' ? this.array() : this.object()
    this.depth--
    return value
  }

  private expect(mark: string): void {
    if (this.mark !== mark) throw this.fail()
  }

  private array(): Value {
    const items: Value[] = []
    for (this.next(); this.mark !== ']' || items.length > 0; this.next()) {
      items.push(this.value())
      this.next()
      if (this.mark === ']') break
      this.expect(',')
    }
    return items
  }

  private object(): Value {
    const map = new Map<Value, Value>()
    for (this.next(); this.mark !== '}' || map.size > 0; this.next()) {
      const key = this.scalar
      this.expect('"')
      this.next()
      this.expect(':')
      this.next()
      map.set(key, this.value())
      this.next()
      if (this.mark === '}') break
      this.expect(',')
    }
    return new Dict(map)
  }
}

const numberOf = (source: string): Value => {
  if (/[.eE]/.test(source)) return float(Number(source))
  return source.length < 16 ? Number(source) + 0 : int(BigInt(source))
}

/** A copy of a caller's data that templates may change; the same object twice stays one object. */
export const copyValue = (value: Value | undefined, copies = new Map<unknown, Value>()): Value => {
  if (typeof value !== 'object' || value === null) return value ?? null
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
  for (const [key, each] of Object.entries(value as PlainDict))
    if (each !== undefined) dict.map.set(key, copyValue(each, copies))
  return dict
}
