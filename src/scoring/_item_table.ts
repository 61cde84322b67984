/**
 * A set of items with a digest for each: 10 bytes per slot, at most 16 per item with the free slots.
 *
 * Items are identified by 58 bits of a hash of their id: the probability that a million items have a collision is two in a
 * million.
 */
import { HashList } from './_hash_list.ts'
import { hash } from './_item_hash.ts'

/** A table is divided by the last bits of the hash's first half: small parts grow fast. */
const PARTS = 64
/** Bits of the digest that share a word with 20 bits of the hash's first half. They are never all 0. */
export const LOW_BITS = 12
const LOW = 2 ** LOW_BITS - 1
/** Bits of the digest: two different replies have the same one with a probability of 2^-28. */
export const DIGEST_BITS = LOW_BITS + 16
/** Between 0.75 / 1.2 (five in eight) and 0.75 of the slots are used. */
const FULLEST = 0.75
const GROWTH = 1.2

/** The bits of the first half that a slot keeps. */
const rest = () => hash[0]! >>> LOW_BITS

/** Open addressing with linear probing. A slot has two words (the hash's second half; the rest of the first half with the digest's low bits) and, in another array, the digest's high bits. */
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

  /** The slot of the key, or the free one for it. */
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

  /** The digest of a key; 0 if the key is new, which is then added with `digest`. */
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

  /** The digest in a slot; 0 if it is free. */
  digest(at: number): number {
    return (this.high[at >> 1]! << LOW_BITS) | (this.words[at + 1]! & LOW)
  }

  set(at: number, key: number, rest: number, digest: number): void {
    this.words[at] = key
    this.words[at + 1] = ((rest << LOW_BITS) | (digest & LOW)) >>> 0
    this.high[at >> 1] = digest >>> LOW_BITS
  }

  /** Changes the number of slots. */
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
  /** Undefined once items had to be looked up. */
  private list: HashList | undefined
  private count = 0
  private readonly trusting: boolean
  private repeated = false

  /**
   * @param trusting take each item for new, at a fifth of the cost; afterwards {@link repeats} tells whether it was
   */
  constructor(trusting = false) {
    this.trusting = trusting
    if (trusting) this.list = new HashList()
  }

  /** Whether an item was taken for new that was not. */
  get repeats(): boolean {
    return this.repeated || this.list?.repeats() === true
  }

  get size(): number {
    return this.list?.size ?? this.count
  }

  private get parts(): (Part | undefined)[] {
    const { list, placed } = this
    if (list) {
      this.list = undefined
      list.forEach((first, second) => {
        const part = (placed[first & (PARTS - 1)] ??= new Part())
        if (part.take(second, first >>> LOW_BITS, 1) === 0) this.count++
        else this.repeated = true
      })
    }
    return placed
  }

  private part(): Part {
    return (this.parts[hash[0]! & (PARTS - 1)] ??= new Part())
  }

  /** Allocated bytes. */
  get bytes(): number {
    return this.list?.bytes ?? this.placed.reduce((sum, part) => sum + (part?.bytes ?? 0), 0)
  }

  /** Whether the table has the item hashed last. */
  get has(): boolean {
    return this.digest !== 0
  }

  /**
   * Adds the item hashed last, if it is new.
   * @param digest of {@link DIGEST_BITS} bits, of which the lowest {@link LOW_BITS} are not all 0
   * @returns its digest; 0 if it is new
   */
  take(digest: number): number {
    if (this.trust(hash[0]!, hash[1]!)) return 0
    const known = this.part().take(hash[1]!, rest(), digest)
    if (known === 0) this.count++
    else if (this.trusting) this.repeated = true
    return this.trusting ? 0 : known
  }

  /** Adds an item without looking it up. @returns false if that is no longer possible */
  trust(first: number, second: number): boolean {
    this.list?.add(first, second)
    return this.list !== undefined
  }

  /** The digest of the item hashed last; 0 if the table does not have it. */
  get digest(): number {
    const part = this.parts[hash[0]! & (PARTS - 1)]
    return part === undefined || part.count === 0 ? 0 : part.digest(part.search(hash[1]!, rest()))
  }

  /** Replaces the digest of the item hashed last, which the table has. */
  replace(digest: number): void {
    const part = this.part()
    part.set(part.search(hash[1]!, rest()), hash[1]!, rest(), digest)
  }

  /** Calls back for each item, with its hash as the last one. */
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

  /** All items of a trusting table in which none was looked up, for another thread. */
  packed(): readonly Uint32Array[] {
    return this.list!.packed()
  }

  /** Adds the packed items of another table. */
  add(packed: readonly Uint32Array[]): void {
    this.list!.join(packed)
  }

  /** Makes room for more items. They will come in the order of their slots, which would crowd the first slots of a small part. */
  private reserve(more: number): void {
    if (more < PARTS) return
    const { parts } = this
    for (const [i, part = new Part()] of parts.entries()) {
      parts[i] = part
      const capacity = Math.ceil((part.count + (more / PARTS) * 1.1) / FULLEST)
      if (capacity > part.capacity) part.resize(capacity)
    }
  }

  /** The items as base64, 8 bytes each, for `--partial`. */
  state(): string {
    const bytes = Buffer.allocUnsafe(this.size * 8)
    let at = 0
    this.forEach((first, second) => {
      at = bytes.writeUInt32LE(second, bytes.writeUInt32LE(first, at))
    })
    return bytes.toString('base64')
  }

  /** Adds the items of a state. @returns how many of them the table had already */
  merge(state: string): number {
    const bytes = Buffer.from(state, 'base64')
    let known = 0
    this.reserve(bytes.length / 8)
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      hash[0] = bytes.readUInt32LE(at)
      hash[1] = bytes.readUInt32LE(at + 4)
      if (this.take(1) !== 0) known++
    }
    return known
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
