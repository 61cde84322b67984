/** Names of the members of a line: one list for all lines that have the same, as far as they come close to one another. */
import type { Block } from './block.ts'

/** Names of members as they stand between their quotes, a character a byte; decoded where they have escapes. */
export type Keys = readonly string[]

/** The names of members by their records in a table. @param before those of the line before */
export function keysOf(
  block: Block,
  table: Int32Array,
  first: number,
  step: number,
  count: number,
  before: Keys,
): Keys {
  let same = before.length === count
  for (let i = 0; same && i < count; i++) same = block.hasKey(table[first + step * i]!, before[i]!)
  if (same) return before
  const keys: string[] = []
  same = before.length === count
  for (let i = 0; i < count; i++) {
    const place = first + step * i
    const key = block.key(table[place]!, table[place + 1]!)
    if (same && key !== before[i]) same = false
    keys.push(key)
  }
  return same ? before : known(keys)
}

/** Lists of keys seen recently: lines with the same keys share one. */
const lists: Keys[] = []
const LISTS = 8
let next = 0

function known(keys: Keys): Keys {
  const list = lists.find((one) => one.length === keys.length && one.every((key, i) => key === keys[i]))
  return list ?? (lists[next++ % LISTS] = keys)
}
