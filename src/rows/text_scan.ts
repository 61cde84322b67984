/**
 * Finds values in valid JSON without parsing them. JSON's structure is ASCII, so Latin-1 strings will do whatever text
 * they encode.
 */
import { decode, encode, type Latin1 } from './bytes.ts'
import { isObject, type JsonObject } from './record.ts'

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
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

/** Index after the value that begins at `i`. */
function valueEnd(text: string, i: number): number {
  const first = text.charCodeAt(i)
  if (first === QUOTE) return stringEnd(text, i + 1)
  if (first === OPEN || first === OPEN_ARRAY) return nestedEnd(text, i)
  while (!endsWord(text.charCodeAt(i))) i++
  return i
}

/** Whether a character, or the text's end, ends a number, true, false or null. */
const endsWord = (code: number) =>
  code === COMMA || code === CLOSE || code === CLOSE_ARRAY || isJsonSpace(code) || Number.isNaN(code)

/** Index after the object or array that begins at `i`. */
function nestedEnd(text: string, i: number): number {
  let depth = 0
  do {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = stringEnd(text, i + 1)
      continue
    }
    if (code === OPEN || code === OPEN_ARRAY) depth++
    else if (code === CLOSE || code === CLOSE_ARRAY) depth--
    i++
  } while (depth > 0)
  return i
}

/** Index of the member or element after the one that ends at `end`, or of the closing bracket. */
function nextAfter(text: string, end: number): number {
  const i = pastSpace(text, end)
  return text.charCodeAt(i) === COMMA ? pastSpace(text, i + 1) : i
}

/** The members of the object that begins at `start`; undefined if there is no object. */
export function scanObject(text: string, start: number): Member[] | undefined {
  if (text.charCodeAt(start) !== OPEN) return undefined
  const members: Member[] = []
  let at = pastSpace(text, start + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at + 1)
    const colon = pastSpace(text, keyEnd)
    const begin = pastSpace(text, colon + 1)
    const end = valueEnd(text, begin)
    members.push({ key: keyText(text, at + 1, keyEnd - 1), at, start: begin, end })
    at = nextAfter(text, end)
  }
  return members
}

/** The ranges of the elements of the array at `start`; undefined if there is no array. */
export function scanArray(text: string, start: number): Pick<Member, 'start' | 'end'>[] | undefined {
  if (text.charCodeAt(start) !== OPEN_ARRAY) return undefined
  const elements = []
  let at = pastSpace(text, start + 1)
  while (text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = valueEnd(text, at)
    elements.push({ start: at, end })
    at = nextAfter(text, end)
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
