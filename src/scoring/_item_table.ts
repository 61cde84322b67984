/**
 * Which items were counted, and a digest of what was said of each: 8 bytes an item, at most 16 with the slots that are
 * free.
 *
 * An item is known by 58 bits of a hash of its id: of a million items two are taken for one with a chance of two in a
 * million.
 */
import { HashList } from './_hash_list.ts'
import { hash } from './_item_hash.ts'

/** Parts of a table, by the last bits of the hash's first half: each is small, so that it grows fast. */
const PARTS = 64
/** Bits of the digest, which stand in the same word as the rest of the hash's first half, cut to 20 bits. */
export const DIGEST_BITS = 12
const DIGEST = 2 ** DIGEST_BITS - 1
/** Of the slots at least 0.75 / 1.5, a half, are used. */
const FULLEST = 0.75
const GROWTH = 1.5

/** The 20 bits of the first half that a slot keeps, beside those of its part. */
const rest = () => hash[0]! >>> DIGEST_BITS

/** One part: open addressing with linear probing; a slot is two words, the second hash and the rest with the digest. */
class Part {
  count = 0
  capacity = 0
  private room = 0
  /** Slots by 2^32 keys. */
  private scale = 0
  words = new Uint32Array(0)

  /** Index of the slot where the key stands, or of the free one where it belongs. */
  search(key: number, rest: number): number {
    const { words } = this
    let at = ((key * this.scale) | 0) * 2
    for (;;) {
      const word = words[at + 1]!
      // A digest is not 0: a word of 0 is a free slot.
      if (word === 0 || (words[at] === key && word >>> DIGEST_BITS === rest)) return at
      at += 2
      if (at === words.length) at = 0
    }
  }

  /** The digest of a key, which is set where it is new; 0 where it was new. */
  take(key: number, rest: number, digest: number): number {
    if (this.count >= this.room) this.resize(Math.ceil(this.capacity * GROWTH))
    const at = this.search(key, rest)
    const { words } = this
    if (words[at + 1] !== 0) return words[at + 1]! & DIGEST
    words[at] = key
    words[at + 1] = ((rest << DIGEST_BITS) | digest) >>> 0
    this.count++
    return 0
  }

  /** Makes room for this many slots. */
  resize(capacity: number): void {
    const before = this.words
    this.capacity = Math.max(4, capacity)
    this.room = Math.floor(this.capacity * FULLEST)
    this.scale = this.capacity / 2 ** 32
    this.words = new Uint32Array(this.capacity * 2)
    for (let from = 0; from < before.length; from += 2) {
      const word = before[from + 1]!
      if (word === 0) continue
      const at = this.search(before[from]!, word >>> DIGEST_BITS)
      this.words[at] = before[from]!
      this.words[at + 1] = word
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
        if (part.take(second, first >>> DIGEST_BITS, 1) === 0) this.count++
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
    return this.list?.bytes ?? this.placed.reduce((sum, part) => sum + (part?.words.byteLength ?? 0), 0)
  }

  /** Whether the item hashed last is there. */
  get has(): boolean {
    return this.digest !== 0
  }

  /**
   * Takes the item hashed last.
   * @param digest from 1, of {@link DIGEST_BITS} bits
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
    return part === undefined || part.count === 0
      ? 0
      : part.words[part.search(hash[1]!, rest()) + 1]! & DIGEST
  }

  /** Another digest for the item hashed last, which is there. */
  replace(digest: number): void {
    const part = this.part()
    const at = part.search(hash[1]!, rest())
    part.words[at + 1] = ((rest() << DIGEST_BITS) | digest) >>> 0
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
      const { words } = part ?? { words: [] }
      for (let at = 0; at < words.length; at += 2) {
        const word = words[at + 1]!
        if (word !== 0) take(((word & ~DIGEST) | i) >>> 0, words[at]!, word & DIGEST)
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
