/** Keys of a line's members. Nearby lines with the same keys share one list, so lists can be compared by identity. */
import type { Block } from './block.ts'

/** Keys as Latin-1, their escapes decoded. */
export type Keys = readonly string[]

/**
 * The keys of the members whose records are in a table.
 * @param first,step index of the first record, and numbers a record has
 * @param before the keys of the line before, which is returned if they are the same
 */
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
  for (let i = 0, at = first; i < count; i++, at += step) keys.push(block.key(table[at]!, table[at + 1]!))
  return known(keys)
}

/** Lists seen recently. */
const lists: Keys[] = []
const LISTS = 8
let next = 0

function known(keys: Keys): Keys {
  const list = lists.find((one) => one.length === keys.length && one.every((key, i) => key === keys[i]))
  return list ?? (lists[next++ % LISTS] = keys)
}
