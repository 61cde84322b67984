/**
 * A 64-bit hash of an item's id: two lanes of 32 bits, which take four bytes at a time. The same stands in
 * wasm/hash.ts, which makes it while a line is measured. (Constants and the last mixing are those of bryc's cyrb53, public
 * domain; the rotations carry high bits of a word to low ones.)
 */
import type { Block } from './block.ts'

/** Puts the hash of the JSON text between two places into `hash`. */
export function hashText(block: Block, from: number, to: number, hash: Uint32Array): void {
  const { here } = block
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = from; at < to; at += 4) {
    let word = 0
    for (let i = Math.min(at + 4, to) - 1; i >= at; i--) {
      word = (word << 8) | (here ? here[i]! : block.at(i))
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
