/**
 * Finds candidates for duplicates in a list of hashes. Each hash has a mark of two bits, chosen by some of its bits: seen
 * once, seen several times. The marks take 2 to 4 bytes a hash, mostly stay in the CPU's cache, and do not depend on one
 * another. Of the hashes that share a mark, those are left that also share a second one: all duplicates, and some in a
 * thousand of the others.
 */
import { FREE } from './memory'

/** Bytes of a hash, and of a block of hashes, which is put at WINDOW. */
const HASH: usize = 8
const BLOCK: usize = 0x40000
const WINDOW: usize = FREE
const MARKS: usize = WINDOW + BLOCK

/** The hashes that share a mark. */
let suspects: usize = MARKS
let end: usize = MARKS
/** 32 minus the bits of a mark's index. */
let shift: u32 = 0

/** Prepares marks for so many hashes. @returns the address for blocks of them */
export function begin(hashes: u32): usize {
  const bits = min<u32>(31, max<u32>(4, 32 - clz(hashes * 8 - 1)))
  shift = 32 - bits
  suspects = MARKS + (1 << (bits - 2))
  end = suspects
  room(end)
  memory.fill(MARKS, 0, suspects - MARKS)
  return WINDOW
}

/** Marks the hashes of a block. @param bytes its size */
export function mark(bytes: usize): void {
  markAll(WINDOW, bytes, 0)
}

/** Collects the hashes of a marked block that share a mark. */
export function find(bytes: usize): void {
  room(end + bytes)
  end = keep(WINDOW, bytes, 0, end)
}

/** After all blocks: keeps the collected hashes that share a second mark. @returns their size in bytes */
export function findAgain(): usize {
  const bytes = end - suspects
  memory.fill(MARKS, 0, suspects - MARKS)
  markAll(suspects, bytes, 4)
  return keep(suspects, bytes, 4, suspects) - suspects
}

/** Their address. */
export function found(): usize {
  return suspects
}

/** @param half the half of a hash that chooses its mark: 0 or 4 */
function markAll(from: usize, bytes: usize, half: usize): void {
  for (let p = from + half; p < from + bytes; p += HASH) {
    const key = load<u32>(p) >> shift
    const one: u32 = 1 << ((key & 15) << 1)
    const word = MARKS + (((key >> 4) << 2) as usize)
    const there = load<u32>(word)
    store<u32>(word, there | one | ((there & one) << 1))
  }
}

/** Copies the hashes whose mark was seen several times. @returns the address after them */
function keep(from: usize, bytes: usize, half: usize, to: usize): usize {
  for (let p = from; p < from + bytes; p += HASH) {
    const key = load<u32>(p + half) >> shift
    const several = (load<u32>(MARKS + (((key >> 4) << 2) as usize)) >> ((key & 15) << 1)) & 2
    store<u64>(to, load<u64>(p))
    to += (several << 2) as usize
  }
  return to
}

/** Grows the memory to an address. */
function room(to: usize): void {
  const pages = ((to + 0xffff) >> 16) as i32
  if (pages > memory.size()) memory.grow(pages - memory.size())
}
