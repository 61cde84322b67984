/**
 * Finds values in JSON without parsing them. Only the structure is checked, not strings and numbers. JSON's structure is
 * ASCII, so Latin-1 strings will do whatever text they encode.
 */
import { decode, encode, type Latin1 } from './bytes.ts'
import { isObject, type JsonObject } from './record.ts'

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
const COLON = 0x3a
export const COMMA = 0x2c
export const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** A member of an object: offsets of its key's opening quote (`at`) and of its value's begin and end. */
export interface Member {
  /** As Latin-1, its escapes decoded. */
  key: string
  at: number
  start: number
  end: number
}

export const isJsonSpace = (code: number) => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

/** Index after the closing quote of the string whose first character is at `i`; -1 if it never ends. */
export function stringEnd(text: string, i: number): number {
  for (;;) {
    const quote = text.indexOf('"', i)
    if (quote < 0) return -1
    let back = quote - 1
    while (back >= i && text.charCodeAt(back) === BACKSLASH) back--
    if (((quote - back) & 1) === 1) return quote + 1
    i = quote + 1
  }
}

/** The most values that JSON from outside may hold: V8 needs up to 200 bytes for each, however short it is in JSON. */
export const MOST_VALUES = 2_000_000
/** Shorter JSON is not counted. */
const SHORT = 1024 * 1024

/** Whether JSON holds more values than {@link MOST_VALUES}, by its commas and opening brackets. */
export function hasTooManyValues(text: string): boolean {
  if (text.length < SHORT) return false
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      const end = stringEnd(text, i + 1)
      if (end < 0) return false
      i = end - 1
    } else if (code === COMMA || code === OPEN_ARRAY || code === OPEN) count++
    if (count > MOST_VALUES) return true
  }
  return false
}

/** Parses JSON of a server or a file. @throws SyntaxError if it is invalid or holds more than {@link MOST_VALUES} */
export function foreignJson(text: string): unknown {
  if (hasTooManyValues(text)) throw new SyntaxError(`more than ${MOST_VALUES} values`)
  return JSON.parse(text)
}

/** The object that such JSON holds; undefined for anything else. */
export function foreignObject(text: string): JsonObject | undefined {
  try {
    const value = foreignJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `"`, `{`, `[`, a digit, a minus, or the first letter of true, false, null. */
const beginsValue = (byte: number) =>
  byte === QUOTE ||
  byte === OPEN ||
  byte === OPEN_ARRAY ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x74 ||
  byte === 0x66 ||
  byte === 0x6e

/** Index after the value that begins at `i`; -1 if it never ends. */
function valueEnd(text: string, i: number): number {
  let depth = 0
  const { length } = text
  while (i < length) {
    const byte = text.charCodeAt(i)
    if (byte === QUOTE) {
      i = stringEnd(text, i + 1)
      if (i < 0 || depth === 0) return i
      continue
    }
    if (byte === OPEN || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE || byte === CLOSE_ARRAY) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (depth === 0 && (byte === COMMA || isJsonSpace(byte))) return i
    i++
  }
  return depth === 0 ? i : -1
}

/** The members of the object that begins at `start`; undefined if there is no object. */
export function scanObject(text: string, start: number): Member[] | undefined {
  if (text.charCodeAt(start) !== OPEN) return undefined
  const members: Member[] = []
  let i = pastSpace(text, start + 1)
  if (text.charCodeAt(i) === CLOSE) return members
  for (;;) {
    const at = i
    if (text.charCodeAt(i) !== QUOTE) return undefined
    i = stringEnd(text, i + 1)
    if (i < 0) return undefined
    const key = keyText(text, at + 1, i - 1)
    i = pastSpace(text, i)
    if (text.charCodeAt(i) !== COLON) return undefined
    const begin = pastSpace(text, i + 1)
    if (!beginsValue(text.charCodeAt(begin))) return undefined
    const end = valueEnd(text, begin)
    if (end <= begin) return undefined
    members.push({ key, at, start: begin, end })
    i = pastSpace(text, end)
    const next = text.charCodeAt(i)
    if (next === CLOSE) return members
    if (next !== COMMA) return undefined
    i = pastSpace(text, i + 1)
  }
}

/** The ranges of the elements of the array at `start`, in valid JSON; undefined if there is no array. */
export function scanArray(text: string, start: number): Pick<Member, 'start' | 'end'>[] | undefined {
  if (text.charCodeAt(start) !== OPEN_ARRAY) return undefined
  const elements = []
  let i = pastSpace(text, start + 1)
  while (text.charCodeAt(i) !== CLOSE_ARRAY) {
    const end = valueEnd(text, i)
    if (end <= i) return undefined
    elements.push({ start: i, end })
    i = pastSpace(text, end)
    if (text.charCodeAt(i) === COMMA) i = pastSpace(text, i + 1)
  }
  return elements
}

/** keys.lastIndexOf(key): on short lists ten times as fast as the method. */
export function lastIndexOf(keys: readonly string[], key: string): number {
  let i = keys.length - 1
  while (i >= 0 && keys[i] !== key) i--
  return i
}

function pastSpace(text: string, i: number): number {
  while (isJsonSpace(text.charCodeAt(i))) i++
  return i
}

const names = new Map<string, Latin1>()
/** A field's name in the form of {@link Member.key}. */
export function asBytes(name: string): Latin1 {
  let bytes = names.get(name)
  if (bytes === undefined) names.set(name, (bytes = encode(name)))
  return bytes
}

/** The key whose opening quote is at `at`, in the form of {@link Member.key}. */
export const keyAt = (text: string, at: number): string => keyText(text, at + 1, stringEnd(text, at + 1) - 1)

function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start, end)
  if (!raw.includes('\\')) return raw
  try {
    return encode(JSON.parse(`"${decode(raw as Latin1)}"`))
  } catch {
    return raw
  }
}
