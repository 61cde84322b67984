/** Items that have several samples without a number of theirs: the second reply to a trial is one of the second sample. */
import { itemId } from '../rows/item_id.ts'
import { count } from '../rows/maps.ts'
import type { Row } from '../rows/row.ts'

const OF = ['judge', 'judge_digest', 'name', 'variant'] as const

/** Counts the rows of each trial: the number of the sample that a row is of, from 0. @param more of a row, what keeps runs apart */
export function sampleNumbers(more: (row: Row) => string = () => ''): (row: Row) => number {
  const rows = new Map<string, number>()
  return (row) => {
    const model =
      row.part('reply', 'model') ??
      row.get('verdict')?.model ??
      row.get('result')?.model ??
      row.get('error')?.model
    const item = row.get('item') ?? itemId(row)
    const key = JSON.stringify([
      item,
      row.get('trial')?.n ?? 0,
      ...OF.map((key) => row.text(key)),
      model,
      more(row),
    ])
    count(rows, key)
    return rows.get(key)! - 1
  }
}
