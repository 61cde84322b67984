/** The first rows of a stream. */
import type { Rows } from './reader.ts'

/** Stops reading after `count` rows; undefined: passes all rows. */
export async function* firstRows(rows: Rows, count: number | undefined): Rows {
  if (count === undefined) return yield* rows
  if (count === 0) return
  let left = count
  for await (const batch of rows) {
    yield batch.slice(0, left)
    left -= batch.length
    if (left <= 0) return
  }
}
