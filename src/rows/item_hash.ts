/**
 * A 64-bit hash of an item's id: two 32-bit lanes, four bytes at a time. wasm/hash.ts computes the same hash while it
 * measures a line. Constants and final mixing are those of bryc's cyrb53 (public domain); the rotations carry high bits
 * of a word to low ones.
 */
import type { Block } from './block.ts'

/** Writes the two halves of the hash of the JSON text in [from, to) to `hash`. */
export function hashText(block: Block, from: number, to: number, hash: Uint32Array): void {
  const { bytes } = block
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = from; at < to; at += 4) {
    let word = 0
    for (let i = Math.min(at + 4, to) - 1; i >= at; i--) {
      word = (word << 8) | (bytes ? bytes[i]! : block.at(i))
    }
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
    a = (a << 13) | (a >>> 19)
    b = (b << 17) | (b >>> 15)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  hash[0] = a
  hash[1] = b
}
