/** A hash table of the unmasked bytes of jbs, which gives equal ones the same number. */
import { length } from './masked'
import { copy, MASKED, SHARED } from './memory'

/** Slots of the table; bytes of a slot: its length, then from HEAD on its bytes. */
const SLOTS: usize = 1024
const SLOT: usize = 640
const HEAD: usize = 16
/** Slots that are probed; used slots at which the table is cleared; misses after which the table is given up. */
const PROBES: u32 = 4
const USED: u32 = 512
const MISSES: u32 = 2048

let used: u32 = 0
let misses: u32 = 0
let resetCount: u32 = 0

/** How often the table was cleared, which restarts the numbers. */
export function resets(): u32 {
  return resetCount
}

/** Whether the table should be cleared. */
export function full(): bool {
  return used > USED
}

export function reset(): void {
  for (let i: usize = 0; i < SLOTS; i++) store<u32>(SHARED + i * SLOT, 0)
  used = 0
  resetCount++
}

/**
 * The number of the jb that was masked last: jbs with the same number are equal in all unmasked bytes.
 * @returns -1 if it has none
 */
export function sharedNumber(): i32 {
  if (misses >= MISSES) return -1
  let slot = hash(length, MASKED, MASKED + length) as usize
  for (let i: u32 = 0; i < PROBES; i++, slot++) {
    const at = SHARED + (slot & (SLOTS - 1)) * SLOT
    const there = load<u32>(at)
    if (there === (length as u32) && equal(at + HEAD, MASKED, length)) {
      if (misses > 0) misses--
      return (slot & (SLOTS - 1)) as i32
    }
    if (there === 0) {
      store<u32>(at, length as u32)
      copy(at + HEAD, MASKED, length)
      used++
      misses++
      return (slot & (SLOTS - 1)) as i32
    }
  }
  misses++
  return -1
}

/** The address of a number's bytes. */
export function bytesOf(number: i32): usize {
  return SHARED + (number as usize) * SLOT + HEAD
}

export function equal(a: usize, b: usize, length: usize): bool {
  if (length >= 16) {
    const end = a + length - 16
    for (; a < end; a += 16, b += 16) if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false
    // The last 16 bytes, which may overlap those before.
    b -= a - end
    return !v128.any_true(v128.xor(v128.load(end), v128.load(b)))
  }
  for (; length > 0; length--, a++, b++) if (load<u8>(a) !== load<u8>(b)) return false
  return true
}

function hash(h: u64, p: usize, end: usize): u64 {
  for (; p + 8 <= end; p += 8) h = mixed(h ^ load<u64>(p))
  if (p < end) h = mixed(h ^ (load<u64>(p) << (64 - (end - p) * 8)))
  return h
}

function mixed(h: u64): u64 {
  // biome-ignore lint/correctness/noPrecisionLoss: 64 bits are exact here
  h *= 0x9e3779b97f4a7c15
  return h ^ (h >> 32)
}
