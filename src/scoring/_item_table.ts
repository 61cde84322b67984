/**
 * Which items were counted, and a digest of what was said of each: 10 bytes an item, at most 16 with the slots that are
 * free.
 */

import { decode, encode } from '../rows/row.ts'

/** Parts that grow one by one: the room needed while one grows is small. By the first bits of the key. */
const PARTS = 64
const PART_BITS = 6
const POSITION = 2 ** (32 - PART_BITS)
/** Bytes of a slot. */
const SLOT = 10
/** Of the slots at least 7/8 / 1.4 = 62.5 % are used. */
const FULLEST = 7 / 8
const GROWTH = 1.4

/** Key of the text that was hashed last: see {@link hashText}. */
let high = 0
let low = 0

/** A 64-bit hash (cyrb53's mixing, by bryc, public domain) of a text with a character a byte, for the next call of a table. */
export function hashText(text: string): void {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  high = a >>> 0
  low = b >>> 0
}

/** The same of an item's id, given as the JSON text that stands in a row. */
export function hashItem(text: string): void {
  hashText(text.includes('\\') ? encode(JSON.stringify(JSON.parse(decode(text)))) : text)
}

/** One part of a table: open addressing with linear probing. */
class Part {
  count = 0
  capacity = 0
  highs = new Uint32Array(0)
  lows = new Uint32Array(0)
  /** 0 where the slot is free. */
  digests = new Uint16Array(0)

  /** Index of the slot where the key stands, or of the free one where it belongs. */
  private search(high: number, low: number): number {
    const { highs, lows, digests, capacity } = this
    let at = Math.floor(((high % POSITION) / POSITION) * capacity)
    while (digests[at] !== 0 && (highs[at] !== high || lows[at] !== low)) if (++at === capacity) at = 0
    return at
  }

  /** The digest of a key; 0 where it is not there. */
  get(high: number, low: number): number {
    return this.count === 0 ? 0 : this.digests[this.search(high, low)]!
  }

  set(high: number, low: number, digest: number): void {
    if (this.count >= this.capacity * FULLEST) this.resize(Math.ceil(this.capacity * GROWTH))
    const at = this.search(high, low)
    if (this.digests[at] === 0) this.count++
    this.highs[at] = high
    this.lows[at] = low
    this.digests[at] = digest
  }

  /** Makes room for this many slots. */
  resize(capacity: number): void {
    const { highs, lows, digests } = this
    this.capacity = Math.max(16, capacity)
    this.highs = new Uint32Array(this.capacity)
    this.lows = new Uint32Array(this.capacity)
    this.digests = new Uint16Array(this.capacity)
    for (let from = 0; from < digests.length; from++) {
      if (digests[from] === 0) continue
      const at = this.search(highs[from]!, lows[from]!)
      this.highs[at] = highs[from]!
      this.lows[at] = lows[from]!
      this.digests[at] = digests[from]!
    }
  }
}

export class ItemTable {
  private readonly parts = Array.from({ length: PARTS }, () => new Part())

  get size(): number {
    return this.parts.reduce((sum, { count }) => sum + count, 0)
  }

  /** Bytes that are taken, with the slots that are free. */
  get bytes(): number {
    return this.parts.reduce((sum, { capacity }) => sum + capacity * SLOT, 0)
  }

  /** The digest of the item hashed last; 0 where it is not there. */
  get(): number {
    return this.parts[high >>> (32 - PART_BITS)]!.get(high, low)
  }

  /** Sets the digest of the item hashed last. @param digest not 0 */
  set(digest: number): void {
    this.parts[high >>> (32 - PART_BITS)]!.set(high, low, digest)
  }

  private *slots(): Generator<[high: number, low: number, digest: number]> {
    for (const { highs, lows, digests } of this.parts)
      for (let at = 0; at < digests.length; at++)
        if (digests[at] !== 0) yield [highs[at]!, lows[at]!, digests[at]!]
  }

  /** Room for more items: they come in the order of their keys, which would crowd a small table's first slots. */
  private reserve(more: number): void {
    for (const part of this.parts) {
      const capacity = Math.ceil((part.count + more / PARTS) / FULLEST)
      if (capacity > part.capacity) part.resize(capacity)
    }
  }

  /** The keys, 8 bytes each, as base64: what `--partial` keeps. */
  state(): string {
    const bytes = Buffer.allocUnsafe(this.size * 8)
    let at = 0
    for (const [high, low] of this.slots()) at = bytes.writeUInt32LE(low, bytes.writeUInt32LE(high, at))
    return bytes.toString('base64')
  }

  /** Adds the items of a state. @returns how many of them were there already */
  merge(state: string): number {
    const bytes = Buffer.from(state, 'base64')
    let twice = 0
    this.reserve(bytes.length / 8)
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      ;[high, low] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
      if (this.get() !== 0) twice++
      else this.set(1)
    }
    return twice
  }

  /** Adds the items of another table. */
  join(other: ItemTable): void {
    this.reserve(other.size)
    for (const [otherHigh, otherLow, digest] of other.slots()) {
      ;[high, low] = [otherHigh, otherLow]
      if (this.get() === 0) this.set(digest)
    }
  }
}

/** A sum over items that does not depend on their order: equal sums, equal items. */
export class ItemSum {
  private high = 0
  private low = 0

  /** The item hashed last. */
  add(): void {
    this.high = (this.high + high) >>> 0
    this.low = (this.low + low) >>> 0
  }

  get value(): string {
    return `${this.high.toString(16)}-${this.low.toString(16)}`
  }

  merge(value: string): void {
    const [high = 0, low = 0] = value.split('-').map((word) => Number.parseInt(word, 16))
    this.high = (this.high + high) >>> 0
    this.low = (this.low + low) >>> 0
  }
}
