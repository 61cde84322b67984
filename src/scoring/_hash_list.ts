/**
 * Hashes of items in the order of the input, 8 bytes each. Duplicates are looked for once, at the end, at a tenth of the
 * cost of looking each item up.
 */

import { instance } from '../rows/measure.ts'

/** Numbers in a block, two for each item. */
const BLOCK = 2 ** 16
/** Below this many, duplicates are looked for in JavaScript. */
const FEW = 2 ** 12

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
    return hasDuplicates(this.size < FEW ? blocks : suspects(blocks, this.size))
  }

  forEach(take: (first: number, second: number) => void): void {
    for (const words of this.packed())
      for (let at = 0; at < words.length; at += 2) take(words[at]!, words[at + 1]!)
  }
}

/** The part of src/rows/wasm that finds possible duplicates. */
interface Machine {
  memory: WebAssembly.Memory
  beginSuspects(hashes: number): number
  mark(bytes: number): void
  find(bytes: number): void
  findAgain(): number
  found(): number
}

let machine: Machine | undefined

/** All duplicate hashes and a few others; all hashes without WebAssembly. */
function suspects(blocks: readonly Uint32Array[], size: number): readonly Uint32Array[] {
  try {
    machine ??= instance() as Machine
  } catch {
    return blocks
  }
  const { memory } = machine
  const window = machine.beginSuspects(size) / 4
  for (const words of blocks) {
    new Uint32Array(memory.buffer).set(words, window)
    machine.mark(words.byteLength)
  }
  for (const words of blocks) {
    new Uint32Array(memory.buffer).set(words, window)
    machine.find(words.byteLength)
  }
  const bytes = machine.findAgain()
  return [new Uint32Array(memory.buffer, machine.found(), bytes / 4)]
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

/** Whether one of these hashes is among the packed ones. */
export function isAmong(
  packed: readonly Uint32Array[],
  hashes: readonly (readonly [first: number, second: number])[],
): boolean {
  if (hashes.length === 0) return false
  const seconds = new Set(hashes.map(([, second]) => second))
  for (const words of packed)
    for (let at = 1; at < words.length; at += 2) {
      const second = words[at]!
      if (seconds.has(second) && hashes.some((one) => one[1] === second && one[0] === words[at - 1]))
        return true
    }
  return false
}
