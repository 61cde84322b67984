/**
 * Maps 32-bit hashes of keys to offsets of lines in a file, with about 15 bytes per key. The caller must read the line to see
 * whether it has the key.
 */

const FREE = 0xffff
/** The load factor at which a table grows, and the factor of growth. */
const FULL = 0.8
const GROWTH = 1.5
const SLOTS = 16
/** Tables by the upper bits of hashes: growing one needs little memory. */
const TABLES = 64
const UPPER_BITS = 26
const TWO_32 = 2 ** 32

export class OffsetIndex {
  private readonly tables = Array.from({ length: TABLES }, () => new Table())

  get size(): number {
    return this.tables.reduce((sum, { used }) => sum + used, 0)
  }

  /** The offsets of a hash, the latest first. */
  find(hash: number): number[] {
    return this.tables[hash >>> UPPER_BITS]!.find(hash)
  }

  /** @param offset up to 2^48 */
  add(hash: number, offset: number): void {
    this.tables[hash >>> UPPER_BITS]!.add(hash, offset)
  }
}

/** A hash table with linear probing. */
class Table {
  used = 0
  /** Hashes, and offsets in two parts; the upper part of a free slot is {@link FREE}. */
  private hashes = new Uint32Array(SLOTS)
  private lower = new Uint32Array(SLOTS)
  private upper = new Uint16Array(SLOTS).fill(FREE)

  find(hash: number): number[] {
    const found: number[] = []
    for (let i = this.home(hash); this.upper[i] !== FREE; i = this.after(i))
      if (this.hashes[i] === hash) found.push(this.upper[i]! * TWO_32 + this.lower[i]!)
    return found.reverse()
  }

  add(hash: number, offset: number): void {
    if (this.used >= this.hashes.length * FULL) this.grow()
    this.put(hash, offset % TWO_32, Math.floor(offset / TWO_32))
    this.used++
  }

  private put(hash: number, lower: number, upper: number): void {
    let i = this.home(hash)
    while (this.upper[i] !== FREE) i = this.after(i)
    this.hashes[i] = hash
    this.lower[i] = lower
    this.upper[i] = upper
  }

  /** Starts at a free slot, so that offsets of one hash keep their order. */
  private grow(): void {
    const { hashes, lower, upper } = this
    const slots = Math.ceil(hashes.length * GROWTH)
    this.hashes = new Uint32Array(slots)
    this.lower = new Uint32Array(slots)
    this.upper = new Uint16Array(slots).fill(FREE)
    const start = upper.indexOf(FREE)
    for (let n = 0; n < hashes.length; n++) {
      const i = (start + n) % hashes.length
      if (upper[i] !== FREE) this.put(hashes[i]!, lower[i]!, upper[i]!)
    }
  }

  /** The first slot to probe, by the lower bits of the hash. */
  private home(hash: number): number {
    return Math.floor((((hash << (32 - UPPER_BITS)) >>> 0) / TWO_32) * this.hashes.length)
  }

  private after(i: number): number {
    return i + 1 === this.hashes.length ? 0 : i + 1
  }
}
