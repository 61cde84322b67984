/**
 * Text that stands as bytes: strings with one character a byte, and JSON in them that is neither decoded nor
 * made again where that can be helped.
 */

/** Where rows go: implemented by the runner's writer. */
export interface Sink {
  /** Bytes, a character for each. */
  bytes(text: string): void
  /** Text, to be encoded. */
  text(text: string): void
}

/** JSON text in pieces, a character a byte, that are written as they stand without being put together. */
export class Spliced {
  private readonly pieces: string[]
  constructor(pieces: string[]) {
    this.pieces = pieces
  }
  get raw(): string {
    return this.pieces.join('')
  }
  write(out: Sink): void {
    for (const piece of this.pieces) out.bytes(piece)
  }
}

const NOT_ASCII = /[\x80-\xff]/

/** Text of bytes that stand in a string one by one. */
export const decode = (line: string): string =>
  NOT_ASCII.test(line) ? Buffer.from(line, 'latin1').toString('utf8') : line

/** The other way: text as a string with a character for each byte of its UTF-8. */
export const encode = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it says
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')

/** The text on its own: a slice keeps all that it was cut from. */
export const owned = (line: string): string => Buffer.from(line, 'latin1').toString('latin1')

/** A JSON string of ASCII without escapes. */
const PLAIN_STRING = /^"[\x20-\x21\x23-\x5b\x5d-\x7e]*"$/
const QUOTE = 0x22
const OPEN = 0x7b

/** Small objects of `jb` come again and again: a trial's number and order, a verdict. */
const shared = new Map<string, unknown>()
const SHARED = { entries: 256, length: 96 }

/** A value's text parsed: a string without escapes is what stands between its quotes. */
export function parsePlain(line: string): unknown {
  return line.charCodeAt(0) === QUOTE && PLAIN_STRING.test(line)
    ? line.slice(1, -1)
    : JSON.parse(decode(line))
}

/** JSON text parsed; small objects are given again and not to be changed. */
export function parseShared(line: string): unknown {
  if (line.length > SHARED.length || line.charCodeAt(0) !== OPEN) return parsePlain(line)
  let value = shared.get(line)
  if (value === undefined) {
    value = JSON.parse(decode(line))
    if (shared.size >= SHARED.entries) shared.clear()
    shared.set(line, value)
  }
  return value
}

/** Writes a value's JSON behind what belongs before it, which is ASCII. */
export function writeValue(out: Sink, before: string, value: unknown): void {
  if (value instanceof Spliced) {
    out.bytes(before)
    value.write(out)
  } else if (value !== null && typeof value === 'object' && Object.isFrozen(value))
    out.bytes(before + frozenJson(value))
  else out.text(before + JSON.stringify(value))
}

/** JSON of frozen values, a character a byte: they cannot change, and come again and again. */
const frozenTexts = new WeakMap<object, string>()

function frozenJson(value: object): string {
  let text = frozenTexts.get(value)
  if (text === undefined) frozenTexts.set(value, (text = encode(JSON.stringify(value))))
  return text
}
