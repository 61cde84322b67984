/**
 * Latin-1 strings: bytes as strings with one character a byte. JSON in them is decoded or serialised only when needed.
 */

declare const bytes: unique symbol
/**
 * Bytes as a string with one character a byte: made by `encode` (from text) or `latin1Slice` (from a Buffer). `decode`
 * gives the text. The brand lets the compiler tell bytes from text.
 */
export type Latin1 = string & { readonly [bytes]: true }

/** Text; rejects {@link Latin1}, which would be encoded twice. */
export type NotBytes<T extends string> = T extends Latin1 ? never : T

/** ASCII text as bytes: both are the same string. */
export const ascii = (text: string) => text as Latin1

/** Where rows are written: implemented by Output (writer.ts). */
export interface Sink {
  bytes(text: Latin1): void
  /** Text, which is encoded as UTF-8. */
  text<T extends string>(text: NotBytes<T>): void
  /** Copies part of a buffer; optional, faster than making a string of it. */
  copy?(bytes: Uint8Array, from: number, to: number): void
}

/** What is used of a Buffer: the package's types name none of Node's. */
interface LineBytes extends Uint8Array {
  latin1Slice(from: number, to: number): Latin1
}

/** A part of a line. Its bytes can be read as long as the line's. */
export class LinePart {
  private readonly line: { readonly bytes: LineBytes }
  private readonly from: number
  private readonly to: number
  constructor(line: { readonly bytes: LineBytes }, from: number, to: number) {
    this.line = line
    this.from = from
    this.to = to
  }
  get length(): number {
    return this.to - this.from
  }
  toString(): Latin1 {
    return this.line.bytes.latin1Slice(this.from, this.to)
  }
  write(out: Sink): void {
    copyTo(out, this.line.bytes, this.from, this.to)
  }
}

/** Writes part of a buffer. */
export const copyTo = (out: Sink, bytes: LineBytes, from: number, to: number): void =>
  out.copy ? out.copy(bytes, from, to) : out.bytes(bytes.latin1Slice(from, to))

/** JSON text in pieces, written one by one without being joined. */
export class Spliced {
  private readonly pieces: (Latin1 | LinePart)[]
  constructor(pieces: (Latin1 | LinePart)[]) {
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
    for (const piece of this.pieces)
      if (typeof piece === 'string') out.bytes(piece)
      else piece.write(out)
  }
}

/** Whether each character is one byte of UTF-8: counting the bytes takes a tenth of the time of a pattern. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** The text that these bytes of UTF-8 are. */
export const decode = (line: Latin1): string =>
  isAscii(line) ? line : Buffer.from(line, 'latin1').toString('utf8')

/** The bytes of a text's UTF-8. */
export const encode = <T extends string>(text: NotBytes<T>): Latin1 =>
  (isAscii(text) ? text : Buffer.from(text).toString('latin1')) as string as Latin1

/** A copy: a slice of a string keeps the whole string in memory. */
export const owned = (line: Latin1): Latin1 => Buffer.from(line, 'latin1').toString('latin1') as Latin1

/** V8 copies substrings up to this length. */
const NO_SLICE = 12

/**
 * Copies a text that outlives its row (an item's id, a field's value): a slice would keep the whole batch in memory. A
 * text that is not ASCII was decoded, and so is a copy already.
 */
export const ownedText = (text: string): string =>
  text.length > NO_SLICE && isAscii(text) ? owned(ascii(text)) : text

/** Copies of texts, one of each, numbered in the order of their first appearance. */
export class OwnedTexts {
  readonly texts: string[] = []
  private readonly numbers = new Map<string, number>()

  number(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const own = ownedText(text)
    this.numbers.set(own, this.texts.length)
    return this.texts.push(own) - 1
  }

  own(text: string): string {
    return this.texts[this.number(text)]!
  }
}

/** Index after the closing quote of the JSON string in a text whose first character is at `at`; -1 if it never ends. */
export function textEnd(text: string, at: number): number {
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return -1
    let back = quote
    while (back > at && text[back - 1] === '\\') back--
    if (((quote - back) & 1) === 0) return quote + 1
    at = quote + 1
  }
}

/** Serialises a value: text that is still to be encoded, or bytes. @throws RangeError if it is nested too deeply */
export function written(value: unknown): string | Spliced {
  if (value instanceof Spliced) return value
  if (value === null || typeof value !== 'object' || !Object.isFrozen(value)) return JSON.stringify(value)
  let bytes = frozenBytes.get(value)
  if (bytes === undefined) frozenBytes.set(value, (bytes = new Spliced([encode(JSON.stringify(value))])))
  return bytes
}

/** Cached JSON of frozen values, which many rows share. */
const frozenBytes = new WeakMap<object, Spliced>()

/** Writes an ASCII prefix and a value. */
export function writeValue(out: Sink, before: Latin1, value: string | Spliced): void {
  if (typeof value === 'string') out.text(before + value)
  else {
    out.bytes(before)
    value.write(out)
  }
}
