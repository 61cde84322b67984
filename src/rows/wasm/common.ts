/** What jbs have in common with others but for what is masked, kept to be known again. */
import { length } from './masked'
import { COMMON, copy, MASKED } from './memory'

/** Places for them: how many bytes one has, then the bytes. */
const SLOTS: usize = 1024
const SLOT: usize = 640
const HEAD: usize = 16
/** How many slots are probed for one; how many are used before all are cleared; after how many misses it gives up. */
const PROBES: u32 = 4
const USED: u32 = 512
const VAIN: u32 = 2048

let used: u32 = 0
let vain: u32 = 0
let epoch: u32 = 0

/** How often what is common was forgotten: its numbers begin again. */
export function forgotten(): u32 {
  return epoch
}

/** Whether so many are kept that it is time to forget them. */
export function full(): bool {
  return used > USED
}

export function forget(): void {
  for (let i: usize = 0; i < SLOTS; i++) store<u32>(COMMON + i * SLOT, 0)
  used = 0
  epoch++
}

/**
 * The number of the jb that was masked last: jbs of one number are the same in all that is not masked, letter by letter.
 * @returns -1 where it has none
 */
export function common(): i32 {
  if (vain >= VAIN) return -1
  let slot = hash(length, MASKED, MASKED + length) as usize
  for (let i: u32 = 0; i < PROBES; i++, slot++) {
    const at = COMMON + (slot & (SLOTS - 1)) * SLOT
    const there = load<u32>(at)
    if (there === (length as u32) && equal(at + HEAD, MASKED, length)) {
      if (vain > 0) vain--
      return (slot & (SLOTS - 1)) as i32
    }
    if (there === 0) {
      store<u32>(at, length as u32)
      copy(at + HEAD, MASKED, length)
      used++
      vain++
      return (slot & (SLOTS - 1)) as i32
    }
  }
  vain++
  return -1
}

/** Where a number's bytes are kept. */
export function bytesOf(number: i32): usize {
  return COMMON + (number as usize) * SLOT + HEAD
}

export function equal(a: usize, b: usize, length: usize): bool {
  if (length >= 16) {
    const end = a + length - 16
    for (; a < end; a += 16, b += 16) if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false
    // The last ones, of which some may be compared again.
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
