/** Results, whether the rows are results already or trials that still have to be scored. */
import type { Rows } from '../rows/reader.ts'
import type { Row } from '../rows/row.ts'
import { atRow, type Context } from '../rows/stage.ts'
import { Scorer } from './_scorer.ts'
import type { ScoreSettings } from './_scoring.ts'

/**
 * One row an item, with `jb.result` and `jb.trials`, as soon as its last trial is in; rows that are results pass.
 * @param isTrial which rows are scored; the others pass as they are
 */
export async function* scoredRows(
  rows: Rows,
  settings: ScoreSettings,
  context: Context,
  isTrial: (row: Row) => boolean = () => true,
): Rows {
  const scorer = await Scorer.create({ ...settings }, context.stage)
  for await (const batch of rows) {
    const results: Row[] = []
    forEachRow(batch, (row) => {
      const result = isTrial(row) ? scorer.add(row) : row
      if (result) results.push(result)
    })
    if (results.length > 0) yield results
  }
  const rest = [...scorer.rest()]
  if (rest.length > 0) yield rest
}

/** Names the row in an unexpected error. */
export function forEachRow(batch: readonly Row[], work: (row: Row) => unknown): void {
  let i = 0
  try {
    for (; i < batch.length; i++) work(batch[i]!)
  } catch (error) {
    throw atRow(error, batch[i]!)
  }
}
