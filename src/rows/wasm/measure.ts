/**
 * Lines of JSON, checked and measured 16 bytes at a time: AssemblyScript, which src/measure.ts loads and feeds.
 * A line that is a JSON object leaves a record of where its members stand. Whatever is rare (an error, deep
 * nesting, a key in disguise) is left for JavaScript, which also has the words for it.
 *
 * A record, in 32-bit numbers, places counted from the input's begin: begin and end of the line, state, size of the
 * record, how many members of the user's, how many of jb's, begin and end of jb with its key and one comma, which of
 * its members is the item (-1), what other jbs have in common with it (see common), how many masked values are given,
 * both halves of a hash of the item (0: it has none); then for each of the user's members its key's quote, its value's begin and end; the same for each of jb's, and where
 * the list of its own members begins after all these, counted from 1, if it is a long object (0): how many, and three
 * numbers for each; in the end the begin and end of each masked value. The record of a line that is no row has the
 * first three numbers alone.
 */
import {
  again,
  count as againCount,
  item as againItem,
  same as againSame,
  forgetAll,
  number,
  remember,
} from './again'
import { common, forget, forgotten, full } from './common'
import { first, hashText, none, second } from './hash'
import { CLOSE, COMMA, keyEnd, NEWLINE, OPEN, RETURN, space, valueBegin, valueEnd } from './json'
import { judged, maskReplies, valid, values } from './masked'
import {
  alike,
  disguised,
  JB_MEMBER,
  jbEnd,
  jbItem,
  jbMembers,
  listsEnd,
  MEMBER,
  member,
  same,
} from './members'
import { copy, END, INPUT, JB, LISTS, TABLE, VALUES } from './memory'

export { begin as beginSuspects, find, findAgain, found, mark } from './suspects'
export { forgotten, maskReplies }

/** Sizes in bytes. */
const BARE: usize = 3 * 4
const HEAD: usize = 13 * 4

/** States of a line; the last is internal. */
const LEFT: u32 = 0
const BLANK: u32 = 1
const ROW: u32 = 2
const FULL: u32 = 3
/** Beside ROW: the user's keys, or jb's, are those of the row before, letter by letter. */
const SAME_USERS: u32 = 4
const SAME_JB: u32 = 8

export function table(): usize {
  return TABLE
}

export function input(): usize {
  return INPUT
}

/** Bytes that the input may have: it is read 16 at a time. */
export function capacity(): usize {
  return END - INPUT - 32
}

/** Where the line begins that is measured next. */
let next: usize = 0
/** The state of a line that is not a row. */
let state: u32 = LEFT

/** Members of the row before and how many they are, the user's and jb's: mostly this row has the same keys. */
let users: usize = 0
let userCount: usize = 0
let jbs: usize = 0
let jbCount: usize = 0

/** Where to go on, when the table had no room for all. */
export function position(): usize {
  return next - INPUT
}

/**
 * Measures lines, as many as the table has room for.
 * @param from where the first of them begins
 * @param to after the last, a line end: that stops every search
 * @returns bytes of the table that are used
 */
export function measure(from: usize, to: usize): usize {
  userCount = 0
  jbCount = 0
  if (full()) {
    forget()
    forgetAll()
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
    begin(record, next, end, state === BLANK ? BLANK : LEFT)
    next = end + 1
    record += BARE
  }
  return record - TABLE
}

/** The begin of every record. */
function begin(record: usize, start: usize, end: usize, what: u32): void {
  if (end > start && load<u8>(end - 1) === RETURN) end--
  store<u32>(record, (start - INPUT) as u32)
  store<u32>(record, (end - INPUT) as u32, 4)
  store<u32>(record, what, 8)
}

/** Where the line ends that `p` is in. */
function lineEnd(p: usize): usize {
  const ends = i8x16.splat(NEWLINE as i8)
  while (true) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(p), ends))
    if (found) return p + ctz(found)
    p += 16
  }
}

/** Measures a line that is a row. @returns the address after its record, or 0 and the state */
function row(start: usize, record: usize): usize {
  state = LEFT
  let p = space(start)
  if (load<u8>(p) !== OPEN) {
    if (load<u8>(p) === NEWLINE) state = BLANK
    return 0
  }
  let to = record + HEAD
  let count: usize = 0
  let asBefore = true
  let jbFrom: usize = 0
  let jbTo: usize = 0
  /** jb is the first of several members: the comma after it goes with it. */
  let jbLeads = false
  let newJbs: usize = 0
  let jbSame = false
  /** jb is the same as an earlier one but for its item. */
  let known = false
  let comma: usize = 0
  p = space(p + 1)
  if (load<u8>(p) === CLOSE) p = space(p + 1)
  else
    while (true) {
      const key = p
      p = keyEnd(p)
      if (!p) return 0
      if (jbLeads) {
        jbTo = key
        jbLeads = false
      }
      const length = p - key
      p = valueBegin(p)
      if (!p) return 0
      const value = p
      if (length === 4 && load<u32>(key) === 0x22626a22) {
        // Two of them, or one that is no object, are not the toolkit's to use.
        if (jbFrom || load<u8>(p) !== OPEN) return 0
        const end = comma ? again(comma, jbs, jbCount) : 0
        known = end !== 0
        p = known ? end : jbMembers(p, comma ? comma : key, jbs, jbCount)
        if (!p) return 0
        newJbs = known ? againCount : (jbEnd - JB) / JB_MEMBER
        jbSame = known ? againSame : same
        jbFrom = comma ? comma : key
        jbTo = p
        jbLeads = comma === 0
      } else {
        // In escapes it could be the key jb.
        if ((length === 9 || length === 14) && disguised(key, length)) return 0
        p = valueEnd(p, 1)
        if (!p) return 0
        if (to + MEMBER > INPUT) {
          state = FULL
          return 0
        }
        if (asBefore && (count >= userCount || !alike(key, users + count * MEMBER, length))) asBefore = false
        member(to, key, value, p)
        to += MEMBER
        count++
      }
      p = space(p)
      const c: u32 = load<u8>(p)
      comma = p
      p = space(p + 1)
      if (c === CLOSE) break
      if (c !== COMMA) return 0
    }
  if (load<u8>(p) !== NEWLINE) return 0
  const what: u32 =
    ROW | (asBefore && count === userCount ? SAME_USERS : 0) | (jbSame && newJbs === jbCount ? SAME_JB : 0)
  begin(record, start, p, what)
  store<u32>(record, count as u32, 16)
  const end = rowEnd(record, to, newJbs, jbFrom, jbTo, known)
  if (end) next = p + 1
  return end
}

/** The rest of a row's record: its `jb`, whose members are copied to `to`. @returns the address after the record, or 0 and the state */
function rowEnd(record: usize, to: usize, newJbs: usize, jbFrom: usize, jbTo: usize, known: bool): usize {
  let item: i32 = -1
  let slot: i32 = -1
  if (known) {
    item = againItem
    slot = number
  } else if (jbFrom) {
    item = jbItem
    if (valid) slot = common()
  }
  const given: usize = slot < 0 ? 0 : values * 8
  const lists = to + newJbs * JB_MEMBER
  const listed = jbFrom && !known ? listsEnd - LISTS : 0
  const end = lists + listed + given
  // With room for the 16 bytes that are copied at once.
  if (end + 16 > INPUT) {
    state = FULL
    return 0
  }
  copy(to, JB, newJbs * JB_MEMBER)
  copy(lists, LISTS, listed)
  copy(lists + listed, VALUES, given)
  store<u32>(record, ((end - record) >> 2) as u32, 12)
  store<u32>(record, newJbs as u32, 20)
  store<i32>(record, jbFrom ? ((jbFrom - INPUT) as i32) : -1, 24)
  store<i32>(record, jbFrom ? ((jbTo - INPUT) as i32) : -1, 28)
  store<i32>(record, item, 32)
  store<i32>(record, slot, 36)
  store<u32>(record, (given / 8) as u32, 40)
  if (judged && item >= 0) {
    const value = to + (item as usize) * JB_MEMBER
    hashText(INPUT + (load<u32>(value, 4) as usize), INPUT + (load<u32>(value, 8) as usize))
  } else none()
  store<u32>(record, first, 44)
  store<u32>(record, second, 48)
  if (!known && slot >= 0) remember(slot, jbFrom, to, newJbs, item)
  users = record + HEAD
  userCount = load<u32>(record, 16)
  if (jbFrom) {
    jbs = to
    jbCount = newJbs
  }
  return end
}
