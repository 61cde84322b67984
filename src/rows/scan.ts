/**
 * Finds values in JSON without parsing it, over the bytes that were read.
 *
 * It checks structure, not what it skips: where it gives up, JSON.parse of the line decides. `end` is always the end of the
 * line: the byte there must not be one of the line's (a line end, or nothing).
 */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
const COLON = 0x3a
export const OPEN = 0x7b
export const CLOSE = 0x7d
const LIST = 0x5b
const LIST_END = 0x5d

/** Bytes of a string that is read byte by byte. */
const SHORT = 48

/** White space within a line. */
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0d

export function pastSpace(bytes: Uint8Array, at: number): number {
  while (isSpace(bytes[at])) at++
  return at
}

/** Index after the last byte before `end` that is no white space. */
export function beforeSpace(bytes: Uint8Array, end: number): number {
  while (isSpace(bytes[end - 1])) end--
  return end
}

/** Index after the closing quote of the string whose first byte is at `at`; -1 if the line ends before. */
export function stringEnd(bytes: Uint8Array, at: number, end: number): number {
  // Most strings are short: the end of these is found before a search has begun.
  const near = Math.min(at + SHORT, end)
  for (let i = at; i < near && bytes[i] !== BACKSLASH; i++) if (bytes[i] === QUOTE) return i + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0 || quote >= end) return -1
    let back = quote
    while (back > at && bytes[back - 1] === BACKSLASH) back--
    if (((quote - back) & 1) === 0) return quote + 1
    at = quote + 1
  }
}

/** Index after the value that begins at `at`; -1 if the line ends before, or there is no value. */
export function valueEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!
  if (first === QUOTE) return stringEnd(bytes, at + 1, end)
  if (first === OPEN || first === LIST) return nestedEnd(bytes, at, end)
  const begin = at
  while (isInNumber(bytes[at]!)) at++
  return at > begin ? at : wordEnd(bytes, at)
}

/** `+-.0123456789Ee`, and a slash. */
const isInNumber = (byte: number) => (byte >= 0x2d && byte <= 0x39) || byte === 0x2b || (byte | 0x20) === 0x65

const WORDS = ['true', 'false', 'null']

function wordEnd(bytes: Uint8Array, at: number): number {
  for (const word of WORDS) {
    let i = 0
    while (i < word.length && bytes[at + i] === word.charCodeAt(i)) i++
    if (i === word.length) return at + i
  }
  return -1
}

function nestedEnd(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0
  while (at < end) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end)
      if (at < 0) return -1
      continue
    }
    at++
    if (byte === OPEN || byte === LIST) depth++
    else if ((byte === CLOSE || byte === LIST_END) && --depth === 0) return at
  }
  return -1
}

/** The key whose first byte is at `at`, its escapes decoded, as UTF-8. @throws SyntaxError if an escape is invalid */
export function unescaped(bytes: Uint8Array, at: number, to: number): Uint8Array {
  const raw = bytes.subarray(at, to)
  if (!raw.includes(BACKSLASH)) return raw
  return Buffer.from(JSON.parse(`"${Buffer.from(raw).toString()}"`) as string)
}

/**
 * Index of the first key of the object at `at`. Where there is none: ~ of the index after the object, ~0 for neither.
 */
export function firstKey(bytes: Uint8Array, at: number): number {
  at = pastSpace(bytes, at + 1)
  if (bytes[at] === QUOTE) return at
  return bytes[at] === CLOSE ? ~(at + 1) : ~0
}

/** The same of the key after the value that ends at `at`. */
export function nextKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== COMMA) {
    at = pastSpace(bytes, at)
    if (bytes[at] === CLOSE) return ~(at + 1)
    if (bytes[at] !== COMMA) return ~0
  }
  at = pastSpace(bytes, at + 1)
  return bytes[at] === QUOTE ? at : ~0
}

/** Index of the value whose key ends before `at`; -1 if there is no colon. */
export function pastColon(bytes: Uint8Array, at: number): number {
  if (at < 0) return -1
  if (bytes[at] !== COLON) {
    at = pastSpace(bytes, at)
    if (bytes[at] !== COLON) return -1
  }
  return pastSpace(bytes, at + 1)
}

/** A member of an object: its key as Latin-1 of its UTF-8, where that begins, and where the value begins and ends. */
export interface Member {
  name: string
  at: number
  from: number
  to: number
}

/**
 * Appends the members of the object at `at` to `found`.
 * @returns the index after the object; -1 as scan
 */
export function membersIn(bytes: Buffer, at: number, end: number, found: Member[]): number {
  for (let next = firstKey(bytes, at); ; next = nextKey(bytes, at)) {
    if (next < 0) return ~next || -1
    const keyEnd = stringEnd(bytes, next + 1, end)
    const from = pastColon(bytes, keyEnd)
    at = from < 0 ? -1 : valueEnd(bytes, from, end)
    if (at < 0) return -1
    found.push({ name: keyIn(bytes, next + 1, keyEnd - 1), at: next, from, to: at })
  }
}

/** The last member with a name: of duplicate keys it counts, as in JSON.parse. */
export function memberNamed(members: readonly Member[], name: string): Member | undefined {
  for (let i = members.length - 1; i >= 0; i--) if (members[i]!.name === name) return members[i]
  return undefined
}

/** The key in [at, to) as Latin-1 of its UTF-8, its escapes decoded where they are valid. */
function keyIn(bytes: Buffer, at: number, to: number): string {
  const raw = bytes.latin1Slice(at, to)
  if (!raw.includes('\\')) return raw
  try {
    return Buffer.from(unescaped(bytes, at, to)).toString('latin1')
  } catch {
    return raw
  }
}

/** The places of the elements of the array at `at`: begin and end of each; undefined if there is no array. */
export function elements(bytes: Uint8Array, at: number, end: number): number[] | undefined {
  if (bytes[at] !== LIST) return undefined
  const places: number[] = []
  for (at = pastSpace(bytes, at + 1); at < end && bytes[at] !== LIST_END; ) {
    const after = valueEnd(bytes, at, end)
    if (after < 0) return undefined
    places.push(at, after)
    at = pastSpace(bytes, after)
    if (bytes[at] === COMMA) at = pastSpace(bytes, at + 1)
  }
  return places
}
