/**
 * Which hashes of a list may be there twice. They are marked, two bits by some of a hash's bits: one came, several came. These
 * marks, 2 to 4 bytes a hash, mostly stay in the cache, and none waits for the one before. Of the hashes that share a mark those
 * are left that share another one too: all that are there twice, and some in a thousand of the others.
 */
import { FREE } from './memory'

/** Bytes of a hash, and of a block of them, which stands in WINDOW. */
const HASH: usize = 8
const BLOCK: usize = 0x40000
const WINDOW: usize = FREE
const MARKS: usize = WINDOW + BLOCK

/** Where hashes are put that share a mark. */
let suspects: usize = MARKS
let end: usize = MARKS
/** Of 32 bits those that are no mark's. */
let shift: u32 = 0

/** Begins with marks for so many hashes. @returns where blocks of them are put */
export function begin(hashes: u32): usize {
  const bits = min<u32>(31, max<u32>(4, 32 - clz(hashes * 8 - 1)))
  shift = 32 - bits
  suspects = MARKS + (1 << (bits - 2))
  end = suspects
  room(end)
  memory.fill(MARKS, 0, suspects - MARKS)
  return WINDOW
}

/** Marks a block of so many bytes. */
export function mark(bytes: usize): void {
  markAll(WINDOW, bytes, 0)
}

/** Of a block that was marked, keeps those that share their mark. */
export function find(bytes: usize): void {
  room(end + bytes)
  end = keep(WINDOW, bytes, 0, end)
}

/** When all blocks were searched: of those that were found keeps those that share another mark. @returns how many bytes */
export function findAgain(): usize {
  const bytes = end - suspects
  memory.fill(MARKS, 0, suspects - MARKS)
  markAll(suspects, bytes, 4)
  return keep(suspects, bytes, 4, suspects) - suspects
}

/** Where they stand. */
export function found(): usize {
  return suspects
}

/** @param half which half of a hash has its mark: 0 or 4 */
function markAll(from: usize, bytes: usize, half: usize): void {
  for (let p = from + half; p < from + bytes; p += HASH) {
    const key = load<u32>(p) >> shift
    const one: u32 = 1 << ((key & 15) << 1)
    const word = MARKS + (((key >> 4) << 2) as usize)
    const there = load<u32>(word)
    store<u32>(word, there | one | ((there & one) << 1))
  }
}

/** Copies those with a mark that several have. @returns the place after them */
function keep(from: usize, bytes: usize, half: usize, to: usize): usize {
  for (let p = from; p < from + bytes; p += HASH) {
    const key = load<u32>(p + half) >> shift
    const several = (load<u32>(MARKS + (((key >> 4) << 2) as usize)) >> ((key & 15) << 1)) & 2
    store<u64>(to, load<u64>(p))
    to += (several << 2) as usize
  }
  return to
}

/** Makes the memory reach to a place. */
function room(to: usize): void {
  const pages = ((to + 0xffff) >> 16) as i32
  if (pages > memory.size()) memory.grow(pages - memory.size())
}
