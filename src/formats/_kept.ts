/** What rows of trials hold beside their verdict, in a temporary file until their item is scored: a result has none of it. */
import { Spool } from '../files/spool.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { LedgerSettings } from '../scoring/item.ts'
import { countedTrials } from '../scoring/item_result.ts'
import { scoredItems } from '../scoring/scored_rows.ts'

/** A row of jb-score, and by trial what is kept of its rows; nothing of a row that came in scored. */
export type RowWithReplies<T> = [row: Row, replies: ReadonlyMap<number, T>]

/**
 * Scores rows as scoredRows does.
 * @param partOf what is kept of a row: JSON; undefined for nothing
 */
export async function* scoredWithReplies<T extends object>(
  rows: Rows,
  settings: LedgerSettings,
  context: Context,
  partOf: (row: Row) => T | undefined,
): AsyncGenerator<RowWithReplies<T>[]> {
  const spool = new Spool()
  const keepTrial = (row: Row): number | undefined => {
    const part = row.has('result') || row.has('trials') ? undefined : partOf(row)
    if (!part) return undefined
    spool.add(JSON.stringify(part))
    return spool.pieces - 1
  }
  try {
    for await (const batch of scoredItems(rows, { ...settings, keepTrial }, context))
      yield batch.map(([row, item]) => {
        const replies = new Map<number, T>()
        for (const { told } of item ? countedTrials(item).kept : [])
          if (told.kept !== undefined)
            getOrInsert(replies, told.trial.n, () => JSON.parse(String(spool.read(told.kept as number))) as T)
        return [row, replies] as const
      })
  } finally {
    spool.close()
  }
}
