/**
 * Text that stands as bytes: strings with one character a byte, and JSON in them that is neither decoded nor
 * made again where that can be helped.
 */

declare const bytes: unique symbol
/**
 * Bytes as a string: a character for each. Made of text by `encode`, of bytes by `latin1Slice`, and turned into text by
 * `decode` alone, so that the compiler tells the two apart.
 */
export type Latin1 = string & { readonly [bytes]: true }

/** Text, which bytes do not pass for: they would be encoded twice. */
export type NotBytes<T extends string> = T extends Latin1 ? never : T

/** Text that is ASCII, and so its own bytes. */
export const ascii = (text: string) => text as Latin1

/** Where rows go: implemented by the runner's writer. */
export interface Sink {
  /** Bytes, a character for each. */
  bytes(text: Latin1): void
  /** Text, to be encoded. */
  text<T extends string>(text: NotBytes<T>): void
  /** Bytes as they stand, where it has a faster way for them. */
  copy?(bytes: Uint8Array, from: number, to: number): void
}

/** JSON text in pieces that are written as they stand without being put together. */
export class Spliced {
  private readonly pieces: Latin1[]
  constructor(pieces: Latin1[]) {
    this.pieces = pieces
  }
  get raw(): Latin1 {
    return this.pieces.join('') as Latin1
  }
  get bytes(): number {
    let bytes = 0
    for (const { length } of this.pieces) bytes += length
    return bytes
  }
  write(out: Sink): void {
    for (const piece of this.pieces) out.bytes(piece)
  }
}

const NOT_ASCII = /[\x80-\xff]/

/** Text of bytes that stand in a string one by one. */
export const decode = (line: Latin1): string =>
  NOT_ASCII.test(line) ? Buffer.from(line, 'latin1').toString('utf8') : line

/** The other way: text as a string with a character for each byte of its UTF-8. */
export const encode = <T extends string>(text: NotBytes<T>): Latin1 =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it says
  (/^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')) as string as Latin1

/** The text on its own: a slice keeps all that it was cut from. */
export const owned = (line: Latin1): Latin1 => Buffer.from(line, 'latin1').toString('latin1') as Latin1

/** A string this short is never a slice. */
const NO_SLICE = 12

/**
 * Text of a row that outlives the row, an item's id or a value of a field: on its own, as a slice would keep all that
 * was read with it. What was decoded is on its own already.
 */
export const ownedText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it says
  text.length > NO_SLICE && /^[\x00-\x7f]*$/.test(text) ? owned(ascii(text)) : text

/** A JSON string of ASCII without escapes. */
const PLAIN_STRING = /^"[\x20-\x21\x23-\x5b\x5d-\x7e]*"$/
const QUOTE = 0x22
const OPEN = 0x7b
const LIST = 0x5b

/** Small objects and lists of `jb` are repeated in many rows: a trial's number and order, a verdict, a result. By key of `jb`. */
const shared = new Map<string, { values: Map<string, unknown>; hits: number }>()
const SHARED = { entries: 256, length: 512 }

/** A value's text parsed: a string without escapes is what stands between its quotes. */
export function parsePlain(line: Latin1): unknown {
  return line.charCodeAt(0) === QUOTE && PLAIN_STRING.test(line)
    ? line.slice(1, -1)
    : JSON.parse(decode(line))
}

/**
 * JSON text of a key of `jb` parsed and checked; small objects and lists are given again and not to be changed.
 * @param check throws where the key cannot hold the value
 */
export function parseShared(
  key: string,
  line: Latin1,
  check: (key: string, value: unknown) => void,
): unknown {
  const first = line.charCodeAt(0)
  const small = line.length <= SHARED.length && (first === OPEN || first === LIST)
  const known = small ? (shared.get(key) ?? newShared(key)) : undefined
  const again = known && known.hits >= 0 ? known.values.get(line) : undefined
  if (again !== undefined) {
    known!.hits++
    return again
  }
  const value = parsePlain(line)
  check(key, value)
  if (known && known.hits >= 0) {
    known.values.set(owned(line), value)
    if (known.values.size >= SHARED.entries) {
      // Where most are new, none is kept from now on.
      known.hits = known.hits < SHARED.entries ? -1 : 0
      known.values.clear()
    }
  }
  return value
}

function newShared(key: string) {
  if (shared.size >= SHARED.entries) shared.clear()
  const made = { values: new Map<string, unknown>(), hits: 0 }
  shared.set(key, made)
  return made
}

/** A value as it is written: text that is still to be encoded, or bytes. @throws RangeError where it is nested too deeply */
export function written(value: unknown): string | Spliced {
  if (value instanceof Spliced) return value
  if (value === null || typeof value !== 'object' || !Object.isFrozen(value)) return JSON.stringify(value)
  let bytes = frozenBytes.get(value)
  if (bytes === undefined) frozenBytes.set(value, (bytes = new Spliced([encode(JSON.stringify(value))])))
  return bytes
}

/** JSON of frozen values: they cannot change, and come again and again. */
const frozenBytes = new WeakMap<object, Spliced>()

/** Writes a value after what belongs before it, which is ASCII. */
export function writeValue(out: Sink, before: Latin1, value: string | Spliced): void {
  if (typeof value === 'string') out.text(before + value)
  else {
    out.bytes(before)
    value.write(out)
  }
}
