/** Where things stand in memory, in bytes: what waits for the user's members to be complete, the table, the input, what is kept of earlier lines. */

/** Lists of members of objects in jb, and jb's own members. */
export const LISTS: usize = 0x4000
export const JB: usize = 0x8000
export const TABLE: usize = 0x10000
export const INPUT: usize = 0x80000
export const END: usize = 0x190000
/** What common.ts and again.ts keep. */
export const COMMON: usize = END
export const AGAIN: usize = 0x230000
/** Of a jb: its bytes but those that are masked, their parts, where these begin in one that is known again, values that are given. */
export const MASKED: usize = 0x238000
export const PARTS: usize = 0x239000
export const STARTS: usize = 0x23a000
export const VALUES: usize = 0x23b000

/** What suspects.ts keeps begins here: the memory grows as far as that needs. */
export const FREE: usize = 0x240000

/** Copies 16 bytes at a time, the last of which may be too many. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i))
}
