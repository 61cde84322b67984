/** Digests by value: the same for a text however its JSON is written (escapes, order of keys, 1.0 for 1). */
import { crc32 } from 'node:zlib'
import type { Request } from '../rows/record.ts'
import { canonical } from './kind.ts'

/** Mixes a digest with a number of 32 bits. Digests have 31 bits, which V8 keeps without a box. */
function mixed(digest: number, number: number): number {
  const product = Math.imul(digest ^ number, 2654435761)
  return (product ^ (product >>> 15)) >>> 1
}

/** The digest of a text. */
export const textDigest = (text: string): number => mixed(crc32(text), 0)

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

/** Mixes a digest with a number of 64 bits. */
function mixedNumber(digest: number, number: number): number {
  double[0] = number
  return mixed(mixed(digest, halves[0]!), halves[1]!)
}

/**
 * The digest of a reply.
 * @param verdict digest of what its verdict says, without the score @param score undefined or null for none
 * @param criterion the name of the one that was asked about
 */
export function replyDigest(
  verdict: number,
  text: string | undefined,
  score: unknown,
  criterion: string | undefined,
): number {
  let digest = mixed(verdict, text === undefined ? 0 : textDigest(text))
  if (typeof score === 'number') digest = mixedNumber(digest, score)
  if (criterion !== undefined) digest = mixed(digest, textDigest(criterion))
  return digest
}

/** Digests of prompts are below this: 32 bits of a checksum, and 20 of the length. */
const LENGTHS = 2 ** 20

/** The digest of all that a trial was asked, in its order; 0 where that is not known. Two prompts that differ in a letter have two. */
export function promptDigest({ messages, prompt, questions }: Request): number {
  const asked = messages ?? prompt
  if (asked === undefined || asked === null) return 0
  let [sum, length] = [0, 0]
  for (const text of textsOf(questions === undefined ? asked : [asked, questions].flat())) {
    sum = crc32(text, sum)
    length += text.length
  }
  return sum * LENGTHS + (length % LENGTHS) || 1
}

/** The texts of a prompt, each after its length, so that none runs into the next. */
function* textsOf(asked: unknown): Generator<string> {
  if (!Array.isArray(asked)) return yield canonical(asked)
  for (const message of asked as unknown[]) {
    const { role, content, ...more } = (message ?? {}) as Record<string, unknown>
    const isText = typeof content === 'string' && typeof role === 'string' && Object.keys(more).length === 0
    const texts = isText ? [role, content] : [canonical(message)]
    for (const text of texts) {
      yield `${text.length} `
      yield text
    }
  }
}

/** Hashes of items, as states of shards have them: 8 bytes each, here as Latin-1. */
export type ItemHash = string

/** The hash of a text, two times 32 bits: two lanes, four bytes at a time. Constants and final mixing are those of bryc's cyrb53 (public domain). */
export function hashOf(text: string): ItemHash {
  const bytes = Buffer.from(JSON.stringify(text))
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0
    for (let i = Math.min(at + 4, bytes.length) - 1; i >= at; i--) word = (word << 8) | bytes[i]!
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
    a = (a << 13) | (a >>> 19)
    b = (b << 17) | (b >>> 15)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return hashIn(a, b)
}

/** A hash of two numbers of 32 bits. */
export function hashIn(high: number, low: number): ItemHash {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeInt32LE(high | 0, 0)
  bytes.writeInt32LE(low | 0, 4)
  return bytes.toString('latin1', 0, 8)
}

/** The numbers of a hash. */
export function numbersIn(hash: ItemHash): [high: number, low: number] {
  const bytes = Buffer.from(hash, 'latin1')
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
}

/** Hashes as a text. */
export const hashesText = (hashes: Iterable<ItemHash>): string =>
  Buffer.from([...hashes].join(''), 'latin1').toString('base64')

/** The hashes of a text that {@link hashesText} gave. */
export function* hashesIn(text: string): Generator<ItemHash> {
  const bytes = Buffer.from(text, 'base64')
  for (let at = 0; at + 8 <= bytes.length; at += 8) yield bytes.toString('latin1', at, at + 8)
}

/** A sum over hashes, in any order: sets with equal sums are equal. */
export class HashSum {
  private high = 0
  private low = 0

  add(hash: ItemHash): void {
    const [high, low] = numbersIn(hash)
    this.high = (this.high + high) | 0
    this.low = (this.low + low) | 0
  }

  get value(): string {
    return `${(this.high >>> 0).toString(16)}-${(this.low >>> 0).toString(16)}`
  }

  merge(value: string): void {
    const [high = 0, low = 0] = value.split('-').map((word) => Number.parseInt(word, 16))
    this.high = (this.high + high) | 0
    this.low = (this.low + low) | 0
  }
}
