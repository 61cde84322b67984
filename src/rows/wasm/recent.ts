/**
 * A cache of recent short jbs. A jb that equals one of them in all unmasked bytes is not scanned and checked again, which
 * takes a third of the time.
 */

import { COMMA, OPEN, stringEnd } from './json'
import { clearValues, maskedEnd, PART, parts } from './masked'
import { JB_MEMBER, SHORT, sameKey } from './members'
import { INPUT, JB, PARTS, RECENT, STARTS } from './memory'
import { bytesOf, equal } from './shared'

/** Entries, which all have the same bytes before the first masked value; bytes of an entry; members it may have. */
const ENTRIES: usize = 16
const ENTRY: usize = 832
const MEMBERS: usize = 24
/** Offset of an entry's parts: the size of each, and the kind of the value after it. */
const FIRST_PART: usize = 32
/** Offset of its members: key's quote, value's begin and end, each as a part and an offset in it; and the key's length. */
const FIRST: usize = 32 + 32 * 8
const PLACE: u32 = 0xffff

let entries: usize = 0
let oldest: usize = 0

/** Of the last jb that was found: its number (see shared.ts), the item's index, its members, whether its keys are those of the jb before. */
export let number: i32 = -1
export let item: i32 = -1
export let count: usize = 0
export let same: bool = false

export function clear(): void {
  entries = 0
  oldest = 0
}

/**
 * Adds the jb that was masked last.
 * @param first the records of its members
 */
export function add(slot: i32, from: usize, first: usize, members: usize, which: i32): void {
  if (load<u8>(from) !== COMMA || members > MEMBERS) return
  const head = load<u32>(PARTS, 4) - load<u32>(PARTS)
  for (let i: usize = 0; i < entries; i++) if (load<i32>(RECENT + i * ENTRY) === slot) return
  if (
    entries > 0 &&
    (load<u32>(RECENT, FIRST_PART) !== head || !equal(bytesOf(load<i32>(RECENT)), from, head as usize))
  )
    clear()
  const entry = RECENT + (entries < ENTRIES ? entries++ : oldest++ % ENTRIES) * ENTRY
  store<i32>(entry, slot)
  store<u32>(entry, members as u32, 4)
  store<i32>(entry, which, 8)
  for (let i: usize = 0; i < parts; i++) {
    const part = PARTS + i * PART
    store<u32>(entry + i * 8, load<u32>(part, 4) - load<u32>(part), FIRST_PART)
    store<u32>(entry + i * 8, load<u32>(part, 8), FIRST_PART + 4)
  }
  for (let i: usize = 0; i < members; i++) {
    const one = first + i * JB_MEMBER
    const to = entry + FIRST + i * JB_MEMBER
    const key = (load<u32>(one) as usize) + INPUT
    store<u32>(to, placed(key))
    store<u32>(to, placed((load<u32>(one, 4) as usize) + INPUT), 4)
    store<u32>(to, placed((load<u32>(one, 8) as usize) + INPUT), 8)
    store<u32>(to, (stringEnd(key + 1) - key) as u32, 12)
  }
}

/** The part that contains a byte, in the high half, and the byte's offset in it. */
function placed(at: usize): u32 {
  let i: usize = 0
  while (at > (load<u32>(PARTS + i * PART, 4) as usize)) i++
  return ((i << 16) as u32) | ((at as u32) - load<u32>(PARTS + i * PART))
}

/**
 * Looks up the jb whose comma is at `from`, and writes its members to JB. Sets number, item, count, same.
 * @param jbs the members of the jb before, and their number
 * @returns the address after it; 0: it is not in the cache and has to be checked
 */
export function lookUp(from: usize, jbs: usize, jbCount: usize): usize {
  if (entries === 0 || !equal(bytesOf(load<i32>(RECENT)), from, load<u32>(RECENT, FIRST_PART) as usize))
    return 0
  for (let i: usize = 0; i < entries; i++) {
    const entry = RECENT + i * ENTRY
    const end = endOf(entry, from)
    if (end) return measured(entry, jbs, jbCount) ? end : 0
  }
  return 0
}

/** The address after the jb at `p` if it matches the entry, with the begins of its parts in STARTS; else 0. */
function endOf(entry: usize, p: usize): usize {
  let bytes = bytesOf(load<i32>(entry))
  clearValues()
  let i: usize = 0
  while (true) {
    const size = load<u32>(entry + i * 8, FIRST_PART) as usize
    if (!equal(bytes, p, size)) return 0
    store<u32>(STARTS + i * 4, (p - INPUT) as u32)
    p += size
    bytes += size
    const kind = load<u32>(entry + i * 8, FIRST_PART + 4)
    if (!kind) return p
    p = maskedEnd(p, kind)
    if (!p) return 0
    i++
  }
}

/** Writes an entry's members with their offsets in this jb. @returns false if one is a long object, which needs a list */
function measured(entry: usize, jbs: usize, jbCount: usize): bool {
  number = load<i32>(entry)
  count = load<u32>(entry, 4) as usize
  item = load<i32>(entry, 8)
  same = count === jbCount
  for (let i: usize = 0; i < count; i++) {
    const one = entry + FIRST + i * JB_MEMBER
    const to = JB + i * JB_MEMBER
    const key = placeOf(load<u32>(one))
    const value = placeOf(load<u32>(one, 4))
    const after = placeOf(load<u32>(one, 8))
    if (((after - value) as usize) > SHORT && load<u8>(INPUT + (value as usize)) === OPEN) return false
    store<u32>(to, key)
    store<u32>(to, value, 4)
    store<u32>(to, after, 8)
    store<u32>(to, 0, 12)
    if (same && !sameKey((key as usize) + INPUT, jbs + i * JB_MEMBER, load<u32>(one, 12) as usize))
      same = false
  }
  return true
}

function placeOf(placed: u32): u32 {
  return load<u32>(STARTS + ((placed >> 16) as usize) * 4) + (placed & PLACE)
}
