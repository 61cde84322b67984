/** Shards with an item in common do not add up. */
import { EXIT, Fatal } from '../rows/record.ts'

/** The error for a state with items of an earlier one; `items` is 0 if all of them are. */
export const mergedTwice = (place: string, items: number) =>
  new Fatal(
    EXIT.data,
    `${place}: ${items > 0 ? `${items} of its items are` : 'all of it is'} in a state before it as well: each shard is merged once, and no two have an item in common`,
  )
