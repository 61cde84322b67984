/**
 * Short jbs that came lately, to be known again: where all but the item is the same, letter by letter, it is not
 * searched and checked again. That takes a third of the time.
 */
import { equal, slotAt } from './common'
import { COMMA, QUOTE, stringEnd } from './json'
import { alike, JB_MEMBER, SHORT } from './members'
import { AGAIN, INPUT, JB } from './memory'

/** How many, all with the same bytes before the item; the size of one, and how many members it may have. */
const ENTRIES: usize = 16
const ENTRY: usize = 512
const MEMBERS: usize = 24
/** Where an entry's members begin: a key's quote, a value's begin and end, counted from jb's begin, and the key's length. */
const FIRST: usize = 32

let entries: usize = 0
let oldest: usize = 0

/** Of the jb that was known again last: its number (see common), which member is the item, how many there are, whether they have the keys of the one before. */
export let number: i32 = -1
export let item: i32 = -1
export let count: usize = 0
export let same: bool = false

export function forgetAll(): void {
  entries = 0
  oldest = 0
}

/**
 * Keeps a jb that was checked.
 * @param first its members' records
 * @param end after its last byte
 */
export function remember(slot: i32, from: usize, first: usize, members: usize, which: i32, end: usize): void {
  if (load<u8>(from) !== COMMA || members > MEMBERS) return
  const at = first + (which as usize) * JB_MEMBER
  const begin = (load<u32>(at, 4) as usize) + INPUT
  const tail = (load<u32>(at, 8) as usize) + INPUT
  if (load<u8>(begin) !== QUOTE) return
  const head = begin - from
  for (let i: usize = 0; i < entries; i++) if (load<i32>(AGAIN + i * ENTRY) === slot) return
  if (
    entries > 0 &&
    (load<u32>(AGAIN, 4) !== (head as u32) || !equal(slotAt(load<i32>(AGAIN)) + 16, from, head))
  )
    forgetAll()
  const entry = AGAIN + (entries < ENTRIES ? entries++ : oldest++ % ENTRIES) * ENTRY
  store<i32>(entry, slot)
  store<u32>(entry, head as u32, 4)
  store<u32>(entry, (end - tail) as u32, 8)
  store<u32>(entry, members as u32, 12)
  store<i32>(entry, which, 16)
  store<u32>(entry, (tail - begin) as u32, 20)
  for (let i: usize = 0; i < members; i++) {
    const one = first + i * JB_MEMBER
    const to = entry + FIRST + i * JB_MEMBER
    const key = (load<u32>(one) as usize) + INPUT
    store<u32>(to, (key - from) as u32)
    store<u32>(to, ((load<u32>(one, 4) as usize) + INPUT - from) as u32, 4)
    store<u32>(to, ((load<u32>(one, 8) as usize) + INPUT - from) as u32, 8)
    store<u32>(to, (stringEnd(key + 1) - key) as u32, 12)
  }
}

/**
 * Looks whether the jb whose comma stands at `from` is one of those, and measures it into JB. Sets number, item, count, same.
 * @param jbs the members of the jb before, and how many
 * @returns the place after it; 0: it is none of them, and is to be checked
 */
export function again(from: usize, jbs: usize, jbCount: usize): usize {
  if (entries === 0) return 0
  const head = load<u32>(AGAIN, 4) as usize
  if (!equal(slotAt(load<i32>(AGAIN)) + 16, from, head)) return 0
  const begin = from + head
  if (load<u8>(begin) !== QUOTE) return 0
  const end = stringEnd(begin + 1)
  if (!end) return 0
  for (let i: usize = 0; i < entries; i++) {
    const entry = AGAIN + i * ENTRY
    const tail = load<u32>(entry, 8) as usize
    if (!equal(slotAt(load<i32>(entry)) + 32 + head, end, tail)) continue
    if (end + tail - from > SHORT) return 0
    measured(entry, from, end - begin, jbs, jbCount)
    return end + tail
  }
  return 0
}

/** Puts an entry's members where they stand in this jb, whose item has so many bytes. */
function measured(entry: usize, from: usize, length: usize, jbs: usize, jbCount: usize): void {
  number = load<i32>(entry)
  count = load<u32>(entry, 12) as usize
  item = load<i32>(entry, 16)
  same = count === jbCount
  const longer = length - (load<u32>(entry, 20) as usize)
  let place = from - INPUT
  for (let i: usize = 0; i < count; i++) {
    const one = entry + FIRST + i * JB_MEMBER
    const to = JB + i * JB_MEMBER
    const key = place + (load<u32>(one) as usize)
    store<u32>(to, key as u32)
    store<u32>(to, (place + (load<u32>(one, 4) as usize)) as u32, 4)
    if (i === (item as usize)) place += longer
    store<u32>(to, (place + (load<u32>(one, 8) as usize)) as u32, 8)
    store<u32>(to, 0, 12)
    if (same && !alike(key + INPUT, jbs + i * JB_MEMBER, load<u32>(one, 12) as usize)) same = false
  }
}
