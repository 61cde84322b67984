/** The hash of an item's id: the same as in src/rows/item_hash.ts. */
import { BACKSLASH } from './json'

/** Both halves of the last hash; 0 and 0: none. */
export let first: u32 = 0
export let second: u32 = 0

export function none(): void {
  first = 0
  second = 0
}

/** Hashes the JSON text in [p, end); none if it has a backslash, as equal ids may be escaped in several ways. */
export function hashText(p: usize, end: usize): void {
  const backslashes = i8x16.splat(BACKSLASH as i8)
  for (let q = p; q < end; q += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(q), backslashes))
    if (found && q + ctz(found) < end) {
      none()
      return
    }
  }
  let a: u32 = 0xdeadbeef
  let b: u32 = 0x41c6ce57
  for (; p + 4 <= end; p += 4) {
    const word = load<u32>(p)
    a = rotl<u32>((a ^ word) * 2654435761, 13)
    b = rotl<u32>((b ^ word) * 1597334677, 17)
  }
  if (p < end) {
    const word = load<u32>(p) & ((1 << (((end - p) as u32) * 8)) - 1)
    a = rotl<u32>((a ^ word) * 2654435761, 13)
    b = rotl<u32>((b ^ word) * 1597334677, 17)
  }
  first = ((a ^ (a >> 16)) * 2246822507) ^ ((b ^ (b >> 13)) * 3266489909)
  second = ((b ^ (b >> 16)) * 2246822507) ^ ((first ^ (first >> 13)) * 3266489909)
}
