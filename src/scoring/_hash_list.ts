/**
 * Hashes of items in the order in which they came, 8 bytes each: no place has to be found for one, and whether one came
 * twice is found out at the end, part by part, where that costs a tenth of what it does as they come.
 */

/** Parts in which they are looked at, by the last bits of the first half: few enough items that a table of them stays in the cache. */
const PART_BITS = 6
export const PARTS = 2 ** PART_BITS
/** Numbers that are put in the order of their parts at once, two an item. */
const BLOCK = 2 ** 16

/** Items by their parts, and within a part as they came. */
export interface HashBlock {
  words: Uint32Array
  /** Where each part begins, and where the last one ends. */
  begins: Uint32Array
}

export class HashList {
  private readonly blocks: HashBlock[] = []
  /** Those that came last. */
  private words = new Uint32Array(0)
  private used = 0

  get size(): number {
    return this.blocks.reduce((sum, { words }) => sum + words.length, this.used) / 2
  }

  get bytes(): number {
    return this.blocks.reduce((sum, { words }) => sum + words.byteLength, this.words.byteLength)
  }

  /** Takes both halves of a hash. */
  add(first: number, second: number): void {
    if (this.used === BLOCK) this.sort()
    else if (this.used === this.words.length) this.grow()
    this.words[this.used++] = first
    this.words[this.used++] = second
  }

  private grow(): void {
    const { words } = this
    this.words = new Uint32Array(Math.max(16, words.length * 2))
    this.words.set(words)
  }

  /** Puts those that came last in the order of their parts. */
  private sort(): void {
    const { words, used } = this
    if (used === 0) return
    const begins = new Uint32Array(PARTS + 1)
    for (let at = 0; at < used; at += 2) begins[(words[at]! & (PARTS - 1)) + 1]! += 2
    for (let i = 0; i < PARTS; i++) begins[i + 1]! += begins[i]!
    const ends = begins.slice()
    const sorted = new Uint32Array(used)
    for (let at = 0; at < used; at += 2) {
      const part = words[at]! & (PARTS - 1)
      const to = ends[part]!
      sorted[to] = words[at]!
      sorted[to + 1] = words[at + 1]!
      ends[part] = to + 2
    }
    this.blocks.push({ words: sorted, begins })
    this.used = 0
  }

  /** All that came so far, to be given to another thread. */
  packed(): readonly HashBlock[] {
    this.sort()
    return this.blocks
  }

  /** Takes what another packed. */
  join(packed: readonly HashBlock[]): void {
    this.blocks.push(...packed)
  }

  /** Whether one came twice. @param ignored last bits of the first half that are not looked at, but for those that tell the part */
  repeats(ignored: number): boolean {
    this.sort()
    let most = 0
    for (let part = 0; part < PARTS; part++) most = Math.max(most, this.count(part))
    // From a third to two thirds of the slots are used.
    const bits = 32 - Math.clz32(Math.ceil(most * 1.5))
    const table = new Uint32Array(2 * 2 ** bits)
    for (let part = 0; part < PARTS; part++) {
      if (part > 0) table.fill(0)
      for (const { words, begins } of this.blocks)
        if (!placed(words, begins[part]!, begins[part + 1]!, table, 32 - bits, ignored)) return true
    }
    return false
  }

  private count(part: number): number {
    return this.blocks.reduce((sum, { begins }) => sum + begins[part + 1]! - begins[part]!, 0) / 2
  }

  /** Gives them, part by part. */
  forEach(take: (first: number, second: number) => void): void {
    this.sort()
    for (let part = 0; part < PARTS; part++)
      for (const { words, begins } of this.blocks)
        for (let at = begins[part]!; at < begins[part + 1]!; at += 2) take(words[at]!, words[at + 1]!)
  }
}

/** Puts items into a table, two numbers a slot. @returns false where one is there already */
function placed(
  words: Uint32Array,
  from: number,
  to: number,
  table: Uint32Array,
  shift: number,
  ignored: number,
): boolean {
  const last = table.length - 1
  for (let at = from; at < to; at += 2) {
    // A slot with a 0 is free.
    const first = (words[at]! >>> ignored) + 1
    const second = words[at + 1]!
    let slot = (second >>> shift) * 2
    for (let there = table[slot]!; there !== 0; there = table[slot]!) {
      if (there === first && table[slot + 1] === second) return false
      slot = (slot + 2) & last
    }
    table[slot] = first
    table[slot + 1] = second
  }
  return true
}

/** Whether one is among those that were packed. @param ignored see {@link HashList.repeats} */
export function isPacked(
  packed: readonly HashBlock[],
  first: number,
  second: number,
  ignored: number,
): boolean {
  const part = first & (PARTS - 1)
  return packed.some(({ words, begins }) => {
    for (let at = begins[part]!; at < begins[part + 1]!; at += 2)
      if (words[at + 1] === second && words[at]! >>> ignored === first >>> ignored) return true
    return false
  })
}
