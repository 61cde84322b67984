/**
 * Numbers items in the order of the input. An item takes 8 bytes for its hash and 4 to 11 in a hash table.
 *
 * Items are identified by a 64-bit hash of their id: a collision among a million items has a probability of 3 · 10⁻⁸.
 */
import { hash } from '../../scoring/_item_hash.ts'

/** The largest share of slots in use. */
const FULLEST = 0.75

export class ItemNumbers {
  size = 0
  /** Both halves of each hash, from index 2 on: index 0 belongs to no item. */
  private hashes = new Uint32Array(2048)
  /** Numbers + 1, 0 for a free slot: open addressing with linear probing, by the first half. */
  private slots = new Uint32Array(2048)
  private shift = 32 - 11
  /** Tried first: runs mostly have the same items in the same order. */
  private next = 0

  /** The number of the item that was hashed last; a new item gets the next number. */
  take(): number {
    const { next } = this
    const item = next < this.size && this.is(next + 1) ? next : this.search()
    this.next = item + 1 === this.size ? 0 : item + 1
    return item
  }

  private search(): number {
    const { slots } = this
    const last = slots.length - 1
    let slot = hash[0]! >>> this.shift
    for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
      if (this.is(number)) return number - 1
      slot = (slot + 1) & last
    }
    return this.add(slot)
  }

  /** Whether the item that was hashed last has this number, counted from 1. */
  private is(number: number): boolean {
    const { hashes } = this
    return hashes[2 * number] === hash[0] && hashes[2 * number + 1] === hash[1]
  }

  private add(slot: number): number {
    const number = ++this.size
    if (2 * number === this.hashes.length) this.hashes = grown(this.hashes, 0)
    this.hashes[2 * number] = hash[0]!
    this.hashes[2 * number + 1] = hash[1]!
    this.slots[slot] = number
    if (number > this.slots.length * FULLEST) this.grow()
    return number - 1
  }

  private grow(): void {
    const slots = new Uint32Array(this.slots.length * 2)
    const { hashes, size } = this
    const shift = this.shift - 1
    for (let number = 1; number <= size; number++) {
      let slot = hashes[2 * number]! >>> shift
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = number
    }
    this.slots = slots
    this.shift = shift
  }
}

/** A copy with room for at least `length` numbers, and at least twice as many as before. */
export function grown<T extends Uint32Array | Float64Array>(numbers: T, length: number): T {
  const copy = new (numbers.constructor as new (length: number) => T)(Math.max(length, 2 * numbers.length))
  copy.set(numbers)
  return copy
}
