/**
 * Masks the values of a jb that differ from row to row: the item, the request, the reply's text, usage, cost and all else
 * in it but its model, finish_reason and parameters. The masked values cut the jb into parts.
 */
import { CLOSE, CLOSE_ARRAY, numberEnd, OPEN, OPEN_ARRAY, QUOTE, stringEnd, valueEnd } from './json'
import { MEMBER } from './members'
import { copy, INPUT, MASKED, PARTS, VALUES } from './memory'

/** Kinds of masked values, and a bit for those that are listed for JavaScript. */
const STRING: u32 = 1
const INTEGER: u32 = 2
const NUMBER: u32 = 3
const VALUE: u32 = 4
const KIND: u32 = 7
export const LISTED: u32 = 8

/** Bytes of a part's record: its begin and end, and the kind of the value after it; 0: the last part. */
export const PART: usize = 3 * 4
/** The most parts and unmasked bytes of a jb. */
const MOST_PARTS: usize = 32
export const MOST: usize = 600

/** The most digits of an integer whose sums are exact. */
const DIGITS: usize = 12

export let parts: usize = 0
/** The number of unmasked bytes, which are in MASKED. */
export let length: usize = 0
/** The number of listed values. */
export let values: usize = 0
/** Whether it has an item, no duplicate of a masked key, and is not too long. */
export let valid: bool = false

let from: usize = 0
/** Whether more than the item is masked. */
export let withReplies: bool = false
/** The masked keys found so far, one bit each. */
let keys: u32 = 0

export function maskReplies(on: bool): void {
  withReplies = on
}

/** Begins a jb with the comma or key at `p`. */
export function begin(p: usize): void {
  parts = 0
  length = 0
  values = 0
  valid = true
  from = p
  keys = 0
}

/** Ends it at `p`. */
export function end(p: usize): void {
  if (!(keys & 1)) valid = false
  cut(p, p, 0)
}

/** Masks a value: ends the part before it. */
function cut(value: usize, after: usize, kind: u32): void {
  const size = value - from
  if (!valid || parts === MOST_PARTS || length + size > MOST) {
    valid = false
    return
  }
  const part = PARTS + parts * PART
  store<u32>(part, from as u32)
  store<u32>(part, value as u32, 4)
  store<u32>(part, kind, 8)
  copy(MASKED + length, from, size)
  length += size
  parts++
  from = after
  if (kind & LISTED) listValue(value, after)
}

function listValue(value: usize, after: usize): void {
  store<u32>(VALUES + values * 8, (value - INPUT) as u32)
  store<u32>(VALUES + values * 8, (after - INPUT) as u32, 4)
  values++
}

/** Marks a key as found; a duplicate makes the jb invalid for masking. */
function markKey(bit: u32): void {
  if (keys & bit) valid = false
  keys |= bit
}

/**
 * Masks a member of jb.
 * @param list the records of its value's members, and their number
 * @returns whether it is the item, and the first one
 */
export function maskMember(
  key: usize,
  size: usize,
  value: usize,
  after: usize,
  list: usize,
  members: usize,
): bool {
  const last = list + members * MEMBER
  // "item", "reply", "request"
  if (isKey(key, size, 6, 0x65746922, 0x226d6574)) {
    markKey(1)
    cut(value, after, load<u8>(value) === QUOTE ? STRING : VALUE)
    return valid
  }
  if (!withReplies) return false
  if (isKey(key, size, 7, 0x70657222, 0x22796c70)) {
    markKey(2)
    if (load<u8>(value) === OPEN) maskReply(list, last)
  } else if (size === 9 && begins(key, 0x71657222, 0x74736575)) {
    markKey(4)
    if (load<u8>(value) === OPEN) maskRequest(list, last)
  }
  return false
}

function maskReply(list: usize, last: usize): void {
  for (let at = list; at < last; at += MEMBER) {
    const key = INPUT + (load<u32>(at) as usize)
    const value = INPUT + (load<u32>(at, 4) as usize)
    const after = INPUT + (load<u32>(at, 8) as usize)
    const size = stringEnd(key + 1) - key
    const c: u32 = load<u8>(value)
    // "text", "cost", "usage"
    if (isKey(key, size, 6, 0x78657422, 0x22747865)) {
      markKey(8)
      if (c === QUOTE) cut(value, after, STRING | LISTED)
    } else if (isKey(key, size, 6, 0x736f6322, 0x2274736f)) {
      markKey(16)
      if (isNumber(c)) cut(value, after, NUMBER | LISTED)
    } else if (isKey(key, size, 7, 0x61737522, 0x22656761)) {
      markKey(32)
      if (c === OPEN) maskNumbers(value, after)
    } else if (!isUnmasked(key, size)) cut(value, after, VALUE)
  }
}

/** Whether a key of the reply is "model", "parameters", "served_model" or "finish_reason". */
function isUnmasked(key: usize, size: usize): bool {
  return (
    isKey(key, size, 7, 0x646f6d22, 0x226c6564) ||
    (size === 12 && begins(key, 0x72617022, 0x74656d61)) ||
    (size === 14 && begins(key, 0x72657322, 0x5f646576)) ||
    (size === 15 && begins(key, 0x6e696622, 0x5f687369))
  )
}

/** Masks the request's messages and prompt; none of it is listed. */
function maskRequest(list: usize, last: usize): void {
  for (let at = list; at < last; at += MEMBER) {
    const key = INPUT + (load<u32>(at) as usize)
    // "messages", "prompt"
    if (
      (begins(key, 0x73656d22, 0x65676173) && load<u16>(key, 8) === 0x2273) ||
      begins(key, 0x6f727022, 0x2274706d)
    )
      cut(INPUT + (load<u32>(at, 4) as usize), INPUT + (load<u32>(at, 8) as usize), VALUE)
  }
}

/** Whether a key has this length, up to eight bytes with its quotes, and these first and last four bytes. */
function isKey(key: usize, size: usize, length: usize, first: u32, last: u32): bool {
  return size === length && load<u32>(key) === first && load<u32>(key + length - 4) === last
}

/** Whether the eight bytes at `p` are these. */
function begins(p: usize, first: u32, second: u32): bool {
  return load<u32>(p) === first && load<u32>(p, 4) === second
}

/** Masks the numbers in the valid object at `p`; its own integers are listed, nested numbers are not. */
function maskNumbers(p: usize, end: usize): void {
  let depth: u32 = 0
  while (p < end) {
    const c: u32 = load<u8>(p)
    if (c === QUOTE) p = stringEnd(p + 1)
    else if (isNumber(c)) {
      const after = numberEnd(p)
      if (depth > 1) cut(p, after, NUMBER)
      else if (integerEnd(p) === after) cut(p, after, INTEGER | LISTED)
      p = after
    } else {
      if (c === OPEN || c === OPEN_ARRAY) depth++
      else if (c === CLOSE || c === CLOSE_ARRAY) depth--
      p++
    }
  }
}

function isNumber(c: u32): bool {
  return c - 0x30 < 10 || c === 0x2d
}

/** The address after a non-negative integer of at most DIGITS digits; 0 for anything else. */
function integerEnd(p: usize): usize {
  const start = p
  while ((load<u8>(p) as u32) - 0x30 < 10) p++
  const c: u32 = load<u8>(p)
  if (p === start || p - start > DIGITS || c === 0x2e || (c | 0x20) === 0x65) return 0
  return p - start > 1 && load<u8>(start) === 0x30 ? 0 : p
}

/** The address after the value at `p` if it is of this kind, in which case it is listed if that kind is; else 0. */
export function maskedEnd(p: usize, kind: u32): usize {
  const after = kindEnd(p, kind & KIND)
  if (after && kind & LISTED) listValue(p, after)
  return after
}

function kindEnd(p: usize, kind: u32): usize {
  const c: u32 = load<u8>(p)
  if (kind === STRING) return c === QUOTE ? stringEnd(p + 1) : 0
  if (kind === INTEGER) return integerEnd(p)
  if (kind === VALUE) return valueEnd(p, 3)
  return isNumber(c) ? numberEnd(p) : 0
}

/** Empties the list of values. */
export function clearValues(): void {
  values = 0
}
