/** The layout of the memory: addresses in bytes. */

/** Lists of members of objects in jb, and jb's own members, until they are copied to the record. */
export const LISTS: usize = 0x4000
export const JB: usize = 0x8000
export const TABLE: usize = 0x10000
export const INPUT: usize = 0x80000
export const END: usize = 0x190000
/** The tables of shared.ts and recent.ts. */
export const SHARED: usize = END
export const RECENT: usize = 0x230000
/** Of the current jb: its unmasked bytes, its parts, the begins of the parts of a cached one, its listed values. */
export const MASKED: usize = 0x238000
export const PARTS: usize = 0x239000
export const STARTS: usize = 0x23a000
export const VALUES: usize = 0x23b000

/** The memory of suspects.ts, which grows as needed. */
export const FREE: usize = 0x240000

/** Copies 16 bytes at a time, and so up to 15 bytes too many. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i))
}
