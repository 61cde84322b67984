/**
 * Which items were counted, and a digest of what was said of each: 10 bytes a slot, at most 16 an item with the slots that
 * are free.
 *
 * An item is known by 58 bits of a hash of its id: of a million items two are taken for one with a chance of two in a
 * million.
 */
import { HashList } from './_hash_list.ts'
import { hash } from './_item_hash.ts'

/** Parts of a table, by the last bits of the hash's first half: each is small, so that it grows fast. */
const PARTS = 64
/** Bits of the digest in the word with the rest of the hash's first half, which is cut to 20 bits. They are never all 0. */
export const LOW_BITS = 12
const LOW = 2 ** LOW_BITS - 1
/** Bits of the digest: of two replies that differ, one in 2^28 is taken for the same. */
export const DIGEST_BITS = LOW_BITS + 16
/** Of the slots at least 0.75 / 1.2, five in eight, are used. */
const FULLEST = 0.75
const GROWTH = 1.2

/** The 20 bits of the first half that a slot keeps, beside those of its part. */
const rest = () => hash[0]! >>> LOW_BITS

/** One part: open addressing with linear probing. A slot is two words, the second hash and the rest with the low bits of the digest; its high bits stand apart. */
class Part {
  count = 0
  capacity = 0
  private room = 0
  /** Slots by 2^32 keys. */
  private scale = 0
  words = new Uint32Array(0)
  private high = new Uint16Array(0)

  get bytes(): number {
    return this.words.byteLength + this.high.byteLength
  }

  /** Index of the slot where the key stands, or of the free one where it belongs. */
  search(key: number, rest: number): number {
    const { words } = this
    let at = ((key * this.scale) | 0) * 2
    for (;;) {
      const word = words[at + 1]!
      // The low bits of a digest are not 0: a word of 0 is a free slot.
      if (word === 0 || (words[at] === key && word >>> LOW_BITS === rest)) return at
      at += 2
      if (at === words.length) at = 0
    }
  }

  /** The digest of a key, which is set where it is new; 0 where it was new. */
  take(key: number, rest: number, digest: number): number {
    if (this.count >= this.room) this.resize(Math.ceil(this.capacity * GROWTH))
    const at = this.search(key, rest)
    const known = this.digest(at)
    if (known === 0) {
      this.set(at, key, rest, digest)
      this.count++
    }
    return known
  }

  /** The digest in a slot; 0 where it is free. */
  digest(at: number): number {
    return (this.high[at >> 1]! << LOW_BITS) | (this.words[at + 1]! & LOW)
  }

  set(at: number, key: number, rest: number, digest: number): void {
    this.words[at] = key
    this.words[at + 1] = ((rest << LOW_BITS) | (digest & LOW)) >>> 0
    this.high[at >> 1] = digest >>> LOW_BITS
  }

  /** Makes room for this many slots. */
  resize(capacity: number): void {
    const { words: before, high } = this
    this.capacity = Math.max(4, capacity)
    this.room = Math.floor(this.capacity * FULLEST)
    this.scale = this.capacity / 2 ** 32
    this.words = new Uint32Array(this.capacity * 2)
    this.high = new Uint16Array(this.capacity)
    for (let from = 0; from < before.length; from += 2) {
      const word = before[from + 1]!
      if (word === 0) continue
      const at = this.search(before[from]!, word >>> LOW_BITS)
      this.words[at] = before[from]!
      this.words[at + 1] = word
      this.high[at >> 1] = high[from >> 1]!
    }
  }
}

export class ItemTable {
  private readonly placed = new Array<Part | undefined>(PARTS).fill(undefined)
  /** Undefined once a place was needed for each. */
  private list: HashList | undefined
  private count = 0
  private readonly trusting: boolean
  private twice = false

  /**
   * @param trusting no item comes twice: each is taken for new, at a fifth of the cost. Whether that was so, {@link repeats} tells.
   */
  constructor(trusting = false) {
    this.trusting = trusting
    if (trusting) this.list = new HashList()
  }

  /** Whether one was taken for new that was there already. */
  get repeats(): boolean {
    return this.twice || this.list?.repeats() === true
  }

  /** Items that are in it. */
  get size(): number {
    return this.list?.size ?? this.count
  }

  private get parts(): (Part | undefined)[] {
    const { list, placed } = this
    if (list) {
      this.list = undefined
      // The item hashed last is not touched.
      list.forEach((first, second) => {
        const part = (placed[first & (PARTS - 1)] ??= new Part())
        if (part.take(second, first >>> LOW_BITS, 1) === 0) this.count++
        else this.twice = true
      })
    }
    return placed
  }

  private part(): Part {
    return (this.parts[hash[0]! & (PARTS - 1)] ??= new Part())
  }

  /** Bytes that are taken, with those that are free. */
  get bytes(): number {
    return this.list?.bytes ?? this.placed.reduce((sum, part) => sum + (part?.bytes ?? 0), 0)
  }

  /** Whether the item hashed last is there. */
  get has(): boolean {
    return this.digest !== 0
  }

  /**
   * Takes the item hashed last.
   * @param digest of {@link DIGEST_BITS} bits, of which the lowest {@link LOW_BITS} are not all 0
   * @returns the digest with which it was there already; 0 where it is new
   */
  take(digest: number): number {
    if (this.trust(hash[0]!, hash[1]!)) return 0
    const known = this.part().take(hash[1]!, rest(), digest)
    if (known === 0) this.count++
    else if (this.trusting) this.twice = true
    return this.trusting ? 0 : known
  }

  /** Takes an item for new. @returns false where each has its place: it has to be looked up */
  trust(first: number, second: number): boolean {
    this.list?.add(first, second)
    return this.list !== undefined
  }

  /** The digest of the item hashed last; 0 where it is not there. */
  get digest(): number {
    const part = this.parts[hash[0]! & (PARTS - 1)]
    return part === undefined || part.count === 0 ? 0 : part.digest(part.search(hash[1]!, rest()))
  }

  /** Another digest for the item hashed last, which is there. */
  replace(digest: number): void {
    const part = this.part()
    part.set(part.search(hash[1]!, rest()), hash[1]!, rest(), digest)
  }

  /** Hashes each of the items again. */
  forEachItem(take: () => void): void {
    this.forEach((first, second) => {
      hash[0] = first
      hash[1] = second
      take()
    })
  }

  private forEach(take: (first: number, second: number, digest: number) => void): void {
    for (const [i, part] of this.parts.entries()) {
      if (!part) continue
      const { words } = part
      for (let at = 0; at < words.length; at += 2) {
        const word = words[at + 1]!
        if (word !== 0) take(((word & ~LOW) | i) >>> 0, words[at]!, part.digest(at))
      }
    }
  }

  /** All items of a table in which none was looked up, to be given to another thread. */
  packed(): readonly Uint32Array[] {
    return this.list!.packed()
  }

  /** Takes such items into another such table. */
  add(packed: readonly Uint32Array[]): void {
    this.list!.join(packed)
  }

  /** Room for more items: they come in the order of their slots, which would crowd the first ones of a small part. */
  private reserve(more: number): void {
    if (more < PARTS) return
    const { parts } = this
    for (const [i, part = new Part()] of parts.entries()) {
      parts[i] = part
      const capacity = Math.ceil((part.count + (more / PARTS) * 1.1) / FULLEST)
      if (capacity > part.capacity) part.resize(capacity)
    }
  }

  /** The items, 8 bytes each, as base64: what `--partial` keeps. */
  state(): string {
    const bytes = Buffer.allocUnsafe(this.size * 8)
    let at = 0
    this.forEach((first, second) => {
      at = bytes.writeUInt32LE(second, bytes.writeUInt32LE(first, at))
    })
    return bytes.toString('base64')
  }

  /** Adds the items of a state. @returns how many of them were there already */
  merge(state: string): number {
    const bytes = Buffer.from(state, 'base64')
    let twice = 0
    this.reserve(bytes.length / 8)
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      hash[0] = bytes.readUInt32LE(at)
      hash[1] = bytes.readUInt32LE(at + 4)
      if (this.take(1) !== 0) twice++
    }
    return twice
  }

  /** Adds the items of another table. */
  join(other: ItemTable): void {
    this.reserve(other.size)
    other.forEach((first, second, digest) => {
      hash[0] = first
      hash[1] = second
      this.take(digest)
    })
  }
}
