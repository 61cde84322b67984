/** Measures the members of jb, and those of objects in it. */
import { BACKSLASH, CLOSE, keyEnd, nextKey, OPEN, space, valueBegin, valueEnd } from './json'
import { begin, end, maskMember } from './masked'
import { INPUT, JB, LISTS, TABLE } from './memory'

/** Bytes of a member's record, and of one of jb's. */
export const MEMBER: usize = 3 * 4
export const JB_MEMBER: usize = 4 * 4

/** Up to this size of its objects a jb can come from the cache (recent.ts), which has no lists of their members. */
export const SHORT: usize = 256
/** Up to this size an object in jb (a trial, a verdict) has no list of its members. */
const SMALL: usize = 32

/** Of the last jb: the ends of its members and of their lists, the item's index, whether its keys are those of the jb before. */
export let jbEnd: usize = 0
export let jbItem: i32 = -1
export let listsEnd: usize = 0
/** The number of members of the last object in it, with a list or without. */
let listed: usize = 0
export let same: bool = false

/**
 * Measures the jb at `p` into JB and LISTS, and masks it. Sets jbEnd, listsEnd, jbItem and same.
 * @param from where it begins with its key and one comma
 * @param jbs the members of the jb before, and their number
 * @returns the address after it; 0 if it is invalid
 */
export function jbMembers(p: usize, from: usize, jbs: usize, jbCount: usize): usize {
  let to = JB
  let count: usize = 0
  listsEnd = LISTS
  jbItem = -1
  same = true
  begin(from)
  p = space(p + 1)
  while (load<u8>(p) !== CLOSE) {
    const key = p
    const keyAfter = keyEnd(p)
    const value = valueBegin(keyAfter)
    const length = keyAfter - key
    if (!value || hasEscapes(key, length) || to + JB_MEMBER > TABLE) return 0
    if (same && (count >= jbCount || !sameKey(key, jbs + count * JB_MEMBER, length))) same = false
    const list = listsEnd
    const after = load<u8>(value) === OPEN ? objectEnd(value) : valueEnd(value, 2)
    if (!after) return 0
    member(to, key, value, after)
    store<u32>(to, list === listsEnd ? 0 : (((list - LISTS) >> 2) as u32) + 1, 12)
    if (maskMember(key, length, value, after, list + 4, listed)) jbItem = count as i32
    to += JB_MEMBER
    count++
    p = nextKey(space(after))
    if (!p) return 0
  }
  jbEnd = to
  end(p + 1)
  return p + 1
}

/** Measures an object in jb; if it is over SMALL, adds the list of its members. @returns the address after it, or 0 */
function objectEnd(p: usize): usize {
  const start = p
  listed = 0
  let to = listsEnd + 4
  let count: u32 = 0
  p = space(p + 1)
  while (load<u8>(p) !== CLOSE) {
    const key = p
    const keyAfter = keyEnd(p)
    const value = valueBegin(keyAfter)
    const length = keyAfter - key
    if (!value || hasEscapes(key, length) || to + MEMBER > JB) return 0
    const after = valueEnd(value, 3)
    if (!after) return 0
    member(to, key, value, after)
    to += MEMBER
    count++
    p = nextKey(space(after))
    if (!p) return 0
  }
  p++
  listed = count as usize
  if (count && p - start > SMALL) {
    store<u32>(listsEnd, count)
    listsEnd = to
  }
  return p
}

export function member(to: usize, key: usize, value: usize, end: usize): void {
  store<u32>(to, (key - INPUT) as u32)
  store<u32>(to, (value - INPUT) as u32, 4)
  store<u32>(to, (end - INPUT) as u32, 8)
}

/** Whether a key with its quotes equals that of a member of the row before. */
export function sameKey(key: usize, before: usize, length: usize): bool {
  let other = (load<u32>(before) as usize) + INPUT
  let left = length
  while (left >= 8) {
    if (load<u64>(key) !== load<u64>(other)) return false
    key += 8
    other += 8
    left -= 8
  }
  // Bytes after the key are shifted out.
  return left === 0 || (load<u64>(key) ^ load<u64>(other)) << (64 - left * 8) === 0
}

/** Whether a key has escapes. */
export function hasEscapes(key: usize, length: usize): bool {
  for (let i: usize = 1; i < length; i++) if (load<u8>(key + i) === BACKSLASH) return true
  return false
}
