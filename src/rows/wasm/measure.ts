/**
 * Checks and measures lines of JSON, 16 bytes at a time. AssemblyScript, loaded by src/rows/measure.ts. Each line that is
 * a JSON object gets a record with the positions of its members. Rare lines (an error, deep nesting, an escaped key) are
 * left to JavaScript, which also has the error messages.
 *
 * A record consists of 32-bit numbers; offsets count from the begin of the input:
 * - begin and end of the line, its state, the number of numbers in the record;
 * - the number of the user's members and of jb's; begin and end of jb with its key and one comma (-1: no jb);
 * - the item's index among jb's members (-1), the number of jb's unmasked bytes as a whole (-1, see shared.ts), the number of listed
 *   masked values, both halves of the item's hash (0: none);
 * - for each of the user's members: its key's quote, its value's begin and end;
 * - for each of jb's members the same, and for an object where the list of its own members begins after all of jb's,
 *   counted from 1 (0: no list);
 * - the lists: the number of members, and three numbers for each;
 * - begin and end of each listed masked value.
 * The record of a line that is not a row has the first three numbers only.
 */
import { first, hashText, none, second } from './hash'
import { CLOSE, keyEnd, NEWLINE, nextKey, OPEN, QUOTE, RETURN, space, valueBegin, valueEnd } from './json'
import { maskReplies, valid, values, withReplies } from './masked'
import {
  hasEscapes,
  JB_MEMBER,
  jbEnd,
  jbItem,
  jbMembers,
  listsEnd,
  MEMBER,
  member,
  same,
  sameKey,
} from './members'
import { copy, END, INPUT, JB, LISTS, TABLE, VALUES } from './memory'
import {
  add,
  clear,
  lookUp,
  number,
  count as recentCount,
  item as recentItem,
  same as recentSame,
} from './recent'
import { full, reset, resets, sharedNumber } from './shared'

export { begin as beginSuspects, find, findAgain, found, mark } from './suspects'
export { maskReplies, resets }

/** `"jb"` */
const JB_KEY: u32 = 0x22626a22

/** Sizes in bytes. */
const SHORT: usize = 3 * 4
const HEAD: usize = 13 * 4

/** States of a line; FULL (no room in the table) is internal. */
const UNMEASURED: u32 = 0
const BLANK: u32 = 1
const ROW: u32 = 2
const FULL: u32 = 3
/** Bits beside ROW: the user's keys, or jb's, are those of the row before. */
const SAME_USERS: u32 = 4
const SAME_JB: u32 = 8

export function table(): usize {
  return TABLE
}

export function input(): usize {
  return INPUT
}

/** Size of the input: reads of 16 bytes may go past its end. */
export function capacity(): usize {
  return END - INPUT - 32
}

/** The begin of the next line. */
let next: usize = 0
/** The state of the last line that was not a row. */
let state: u32 = UNMEASURED

/** Members of the row before and their numbers, the user's and jb's: most rows have the same keys. */
let users: usize = 0
let userCount: usize = 0
let jbs: usize = 0
let jbCount: usize = 0

/** Of the current line: the number of the user's members, and whether their keys are those of the row before. */
let userSize: usize = 0
let sameUsers: bool = false
/** The same for jb; its begin and end with its key and one comma (0: no jb); whether it is from the cache (see recent.ts). */
let jbSize: usize = 0
let sameJb: bool = false
let jbFrom: usize = 0
let jbTo: usize = 0
let jbKnown: bool = false

/** The offset of the next line, if the table had no room for all. */
export function position(): usize {
  return next - INPUT
}

/**
 * Measures lines, as many as the table has room for.
 * @param from where the first line begins
 * @param to after the last line, which has a line end: every search stops there
 * @returns the number of bytes used in the table
 */
export function measure(from: usize, to: usize): usize {
  userCount = 0
  jbCount = 0
  if (full()) {
    reset()
    clear()
  }
  next = INPUT + from
  let record = TABLE
  while (next < INPUT + to && record + HEAD <= INPUT) {
    const done = row(next, record)
    if (done) {
      record = done
      continue
    }
    if (state === FULL && record > TABLE) break
    const end = lineEnd(next)
    begin(record, next, end, state === BLANK ? BLANK : UNMEASURED)
    next = end + 1
    record += SHORT
  }
  return record - TABLE
}

/** Writes the first three numbers of a record. */
function begin(record: usize, start: usize, end: usize, what: u32): void {
  if (end > start && load<u8>(end - 1) === RETURN) end--
  store<u32>(record, (start - INPUT) as u32)
  store<u32>(record, (end - INPUT) as u32, 4)
  store<u32>(record, what, 8)
}

/** The end of the line that contains `p`. */
function lineEnd(p: usize): usize {
  const ends = i8x16.splat(NEWLINE as i8)
  while (true) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(p), ends))
    if (found) return p + ctz(found)
    p += 16
  }
}

/** Measures a line. @returns the address after its record; 0: it is not a row, see `state` */
function row(start: usize, record: usize): usize {
  state = UNMEASURED
  let p = space(start)
  if (load<u8>(p) !== OPEN) {
    if (load<u8>(p) === NEWLINE) state = BLANK
    return 0
  }
  p = measureMembers(space(p + 1), record + HEAD)
  if (!p) return 0
  p = space(p + 1)
  if (load<u8>(p) !== NEWLINE) return 0
  // If jb is the first member, the comma after it belongs to it.
  if (jbFrom && load<u8>(jbFrom) === QUOTE && userSize) jbTo = INPUT + (load<u32>(record + HEAD) as usize)
  let what = ROW
  if (sameUsers && userSize === userCount) what |= SAME_USERS
  if (sameJb && jbSize === jbCount) what |= SAME_JB
  begin(record, start, p, what)
  const end = rowEnd(record)
  if (end) next = p + 1
  return end
}

/**
 * Measures the members of the line's object: the user's into its record, jb's into JB.
 * @param p the first key or the closing bracket
 * @param to where the first member's record is written
 * @returns the address of the closing bracket; 0: it is not a row
 */
function measureMembers(p: usize, to: usize): usize {
  userSize = 0
  sameUsers = true
  jbSize = 0
  sameJb = false
  jbFrom = 0
  jbKnown = false
  /** After the member before; 0: none. */
  let comma: usize = 0
  while (load<u8>(p) !== CLOSE) {
    const key = p
    const keyAfter = keyEnd(p)
    const value = valueBegin(keyAfter)
    if (!value) return 0
    const length = keyAfter - key
    if (length === 4 && load<u32>(key) === JB_KEY) p = measureJb(value, comma ? comma : key)
    else p = measureUsers(to + userSize * MEMBER, key, length, value)
    if (!p) return 0
    comma = space(p)
    p = nextKey(comma)
    if (!p) return 0
  }
  return p
}

/** Measures one of the user's members. @returns the address after it; 0: it is invalid, or there is no room */
function measureUsers(to: usize, key: usize, length: usize, value: usize): usize {
  // With escapes it could be the key jb.
  if ((length === 9 || length === 14) && hasEscapes(key, length)) return 0
  const end = valueEnd(value, 1)
  if (!end) return 0
  if (to + MEMBER > INPUT) {
    state = FULL
    return 0
  }
  member(to, key, value, end)
  if (sameUsers) sameUsers = userSize < userCount && sameKey(key, users + userSize * MEMBER, length)
  userSize++
  return end
}

/** Measures jb, or finds it in the cache. @param from its comma or key @returns the address after it; 0: an error */
function measureJb(p: usize, from: usize): usize {
  // A second jb, or one that is not an object.
  if (jbFrom || load<u8>(p) !== OPEN) return 0
  jbFrom = from
  jbTo = lookUp(from, jbs, jbCount)
  jbKnown = jbTo !== 0
  if (!jbKnown) jbTo = jbMembers(p, from, jbs, jbCount)
  jbSize = jbKnown ? recentCount : (jbEnd - JB) / JB_MEMBER
  sameJb = jbKnown ? recentSame : same
  return jbTo
}

/** Writes the rest of a row's record. @returns the address after it; 0: no room */
function rowEnd(record: usize): usize {
  const to = record + HEAD + userSize * MEMBER
  let item: i32 = -1
  let slot: i32 = -1
  if (jbKnown) {
    item = recentItem
    slot = number
  } else if (jbFrom) {
    item = jbItem
    if (valid) slot = sharedNumber()
  }
  const given: usize = slot < 0 ? 0 : values * 8
  const lists = to + jbSize * JB_MEMBER
  const listed = jbFrom && !jbKnown ? listsEnd - LISTS : 0
  const end = lists + listed + given
  // `copy` writes up to 16 bytes more.
  if (end + 16 > INPUT) {
    state = FULL
    return 0
  }
  copy(to, JB, jbSize * JB_MEMBER)
  copy(lists, LISTS, listed)
  copy(lists + listed, VALUES, given)
  store<u32>(record, ((end - record) >> 2) as u32, 12)
  store<u32>(record, userSize as u32, 16)
  store<u32>(record, jbSize as u32, 20)
  store<i32>(record, jbFrom ? ((jbFrom - INPUT) as i32) : -1, 24)
  store<i32>(record, jbFrom ? ((jbTo - INPUT) as i32) : -1, 28)
  store<i32>(record, item, 32)
  store<i32>(record, slot, 36)
  store<u32>(record, (given / 8) as u32, 40)
  if (withReplies && item >= 0) {
    const value = to + (item as usize) * JB_MEMBER
    hashText(INPUT + (load<u32>(value, 4) as usize), INPUT + (load<u32>(value, 8) as usize))
  } else none()
  store<u32>(record, first, 44)
  store<u32>(record, second, 48)
  if (!jbKnown && slot >= 0) add(slot, jbFrom, to, jbSize, item)
  users = record + HEAD
  userCount = userSize
  if (jbFrom) {
    jbs = to
    jbCount = jbSize
  }
  return end
}
