/** Digests by value: the same for a text however its JSON is written (escapes, order of keys, 1.0 for 1). */
import { crc32 } from 'node:zlib'

const QUOTE = 0x22
const BACKSLASH = 0x5c

const PRIME = 16777619
const FIRST = 2166136261

/** FNV-1a over bytes. */
function walk(digest: number, bytes: Uint8Array): number {
  for (const byte of bytes) digest = Math.imul(digest ^ byte, PRIME)
  return digest
}

/** Mixes a digest with a number of 32 bits. */
export function mixed(digest: number, number: number): number {
  const product = Math.imul(digest ^ number, 2654435761)
  return product ^ (product >>> 15)
}

/** The digest of a text. */
export function textDigest(text: string): number {
  const bytes = Buffer.from(text)
  return mixed(walk(FIRST, bytes), 0)
}

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

/** Mixes a digest with a number of 64 bits. */
export function mixedNumber(digest: number, number: number): number {
  double[0] = number
  return mixed(mixed(digest, halves[0]!), halves[1]!)
}

/** The bytes that a letter after a backslash stands for; 0: itself. */
const ESCAPED = new Uint8Array(128)
for (const [letter, byte] of Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 }))
  ESCAPED[letter.charCodeAt(0)] = byte

/** The digest of the string at these places, which are those of its quotes. */
export function digestOfString(bytes: Uint8Array, from: number, to: number): number {
  let digest = FIRST
  for (let i = from + 1; i < to - 1; i++) {
    let byte = bytes[i]!
    if (byte === BACKSLASH) {
      const letter = bytes[++i]!
      // \u stands for as many bytes as its character takes.
      if (letter === 0x75) return textDigest(JSON.parse((bytes as Buffer).utf8Slice(from, to)) as string)
      byte = ESCAPED[letter]! || letter
    }
    digest = Math.imul(digest ^ byte, PRIME)
  }
  return mixed(digest, 0)
}

/** Index after the closing quote of the string that begins at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let back = quote
    while (bytes[back - 1] === BACKSLASH) back--
    if (((quote - back) & 1) === 0) return quote + 1
  }
  return bytes.length
}

/** A digest of all strings in a value, whatever the order of keys; at least 1. */
export function digestOfStrings(bytes: Buffer, from: number, to: number): number {
  let value = bytes.subarray(from, to)
  // Without these a string has only the escapes that JSON.stringify writes.
  if (value.includes('\\u') || value.includes('\\/'))
    value = Buffer.from(JSON.stringify(JSON.parse(value.toString())))
  let sum = 0
  for (let at = value.indexOf(QUOTE); at >= 0; at = value.indexOf(QUOTE, at)) {
    const end = endOfString(value, at)
    sum = (sum + crc32(value.subarray(at, end))) | 0
    at = end
  }
  return sum >>> 0 || 1
}

/**
 * Puts the hash of a JSON value, two times 32 bits, into `key`: two lanes, four bytes at a time. Constants and final mixing
 * are those of bryc's cyrb53 (public domain).
 */
export function hashInto(key: Uint32Array, bytes: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i++)
    if (bytes[i] === BACKSLASH) {
      // The same text may be escaped in several ways.
      const text = JSON.stringify(JSON.parse((bytes as Buffer).utf8Slice(from, to)))
      hashBytes(key, Buffer.from(text), 0, Buffer.byteLength(text))
      return
    }
  hashBytes(key, bytes, from, to)
}

function hashBytes(key: Uint32Array, bytes: Uint8Array, from: number, to: number): void {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = from; at < to; at += 4) {
    let word = 0
    for (let i = Math.min(at + 4, to) - 1; i >= at; i--) word = (word << 8) | bytes[i]!
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
    a = (a << 13) | (a >>> 19)
    b = (b << 17) | (b >>> 15)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  key[0] = a
  key[1] = b
}

/** The hash of an item's id. */
export function keyOf(id: string): Uint32Array {
  const bytes = Buffer.from(JSON.stringify(id))
  const key = new Uint32Array(2)
  hashInto(key, bytes, 0, bytes.length)
  return key
}
