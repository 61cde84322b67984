/**
 * Hashes of items in the order of the input, 8 bytes each. Duplicates are looked for once, at the end, at a tenth of the
 * cost of looking each item up.
 */

/** Numbers in a block, two for each item. */
const BLOCK = 2 ** 16

export class HashList {
  private readonly blocks: Uint32Array[] = []
  /** The last block, which grows. */
  private words = new Uint32Array(16)
  private used = 0

  get size(): number {
    return this.blocks.reduce((sum, { length }) => sum + length, this.used) / 2
  }

  get bytes(): number {
    return this.blocks.reduce((sum, { byteLength }) => sum + byteLength, this.words.byteLength)
  }

  /** Adds both halves of a hash. */
  add(first: number, second: number): void {
    if (this.used === this.words.length) this.grow()
    this.words[this.used] = first
    this.words[this.used + 1] = second
    this.used += 2
  }

  private grow(): void {
    const { words } = this
    if (words.length === BLOCK) {
      this.blocks.push(words)
      this.words = new Uint32Array(BLOCK)
      this.used = 0
    } else {
      this.words = new Uint32Array(words.length * 2)
      this.words.set(words)
    }
  }

  /** All hashes, for another thread. */
  packed(): readonly Uint32Array[] {
    if (this.used > 0) this.blocks.push(this.words.slice(0, this.used))
    this.used = 0
    return this.blocks
  }

  /** Adds the packed hashes of another list. */
  join(packed: readonly Uint32Array[]): void {
    this.blocks.push(...packed)
  }

  /** Whether there are duplicates. */
  repeats(): boolean {
    const blocks = this.packed()
    return hasDuplicates(blocks)
  }

  forEach(take: (first: number, second: number) => void): void {
    for (const words of this.packed())
      for (let at = 0; at < words.length; at += 2) take(words[at]!, words[at + 1]!)
  }
}

function hasDuplicates(blocks: readonly Uint32Array[]): boolean {
  const numbers = blocks.reduce((sum, { length }) => sum + length, 0)
  // A quarter to a half of the slots are used.
  const bits = Math.max(1, 32 - Math.clz32(numbers))
  const table = new Uint32Array(2 * 2 ** bits)
  const last = table.length - 1
  for (const words of blocks)
    for (let at = 0; at < words.length; at += 2) {
      // 0 marks a free slot, so the last bit is always set.
      const first = (words[at]! | 1) >>> 0
      const second = words[at + 1]!
      let slot = (second >>> (32 - bits)) * 2
      for (let known = table[slot]!; known !== 0; known = table[slot]!) {
        if (known === first && table[slot + 1] === second) return true
        slot = (slot + 2) & last
      }
      table[slot] = first
      table[slot + 1] = second
    }
  return false
}
