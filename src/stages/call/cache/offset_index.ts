/**
 * The offsets in a file at which the line of a key may begin: about 15 bytes a key. Keys are known by 32 bits of a hash,
 * so the caller reads the line to see whether it is the one.
 */

const FREE = 0xffff
/** Part of the slots in use at which a table grows, and how much. */
const FULL = 0.8
const GROWTH = 1.5
const SLOTS = 16
/** Tables, each for the hashes with the same upper bits: one that grows is small beside the whole. */
const TABLES = 64
const UPPER_BITS = 26
const TWO_32 = 2 ** 32

export class OffsetIndex {
  private readonly tables = Array.from({ length: TABLES }, () => new Table())

  get size(): number {
    return this.tables.reduce((sum, { used }) => sum + used, 0)
  }

  /** The offsets kept under a hash (32 bits), the latest first. */
  find(hash: number): number[] {
    return this.tables[hash >>> UPPER_BITS]!.find(hash)
  }

  /** @param offset up to 2^48 */
  add(hash: number, offset: number): void {
    this.tables[hash >>> UPPER_BITS]!.add(hash, offset)
  }
}

/** Open addressing with steps of one. */
class Table {
  used = 0
  /** The hash, and the offset in two parts; a free slot has {@link FREE} as its upper part. */
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

  /** Slots are visited from a free one on, so keys of one hash keep their order. */
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

  /** Where a hash's slot is looked for first: by its lower bits, spread over the table. */
  private home(hash: number): number {
    return Math.floor((((hash << (32 - UPPER_BITS)) >>> 0) / TWO_32) * this.hashes.length)
  }

  private after(i: number): number {
    return i + 1 === this.hashes.length ? 0 : i + 1
  }
}
