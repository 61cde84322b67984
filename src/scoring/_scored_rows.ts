/** Results, whether the rows are results already or trials that still have to be scored. */
import type { Rows } from '../rows/reader.ts'
import { decode, type Latin1, type Row } from '../rows/row.ts'
import { type Context, rowFailure, salvaged } from '../rows/stage.ts'
import { Scorer } from './_scorer.ts'
import type { ScoreSettings } from './_scoring.ts'

/**
 * One row for each item, with `jb.result` and `jb.trials`, as soon as its last trial is in; rows that are results pass.
 * @param isTrial which rows are scored; the others pass as they are
 */
export async function* scoredRows(
  rows: Rows,
  settings: ScoreSettings,
  context: Context,
  isTrial: (row: Row) => boolean = () => true,
): Rows {
  const scorer = await Scorer.create({ ...settings }, context)
  for await (const batch of rows) {
    const results: Row[] = []
    forEachRow(batch, context, (row) => {
      if (!isTrial(row)) results.push(row)
      else {
        const result = scorer.add(row)
        if (result) results.push(result)
      }
    })
    scorer.settle()
    if (results.length > 0) yield results
  }
  if (context.cut()) return
  const rest = [...scorer.rest()]
  if (rest.length > 0) yield rest
}

const AGAIN = {
  same: 'was counted already, with the same reply: it counts once',
  more: 'has more rows than trials: the same reply counts once (the input is read again, to take all of its rows together)',
  conflict:
    'occurs twice with different replies, scores, labels or groups (--by): it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD; --combine takes all replies)',
  combined:
    'is there again with other replies, labels or groups (--by): the input is read once more, to take all of its rows together',
}

/** An item that occurred before, with the same reply or another; a conflict is reported at its last row. */
export type OnRepeat = (what: keyof typeof AGAIN, item: Latin1, row: Pick<Row, 'file' | 'line'>) => void

/** Notes about items that came more than once. @param combine with --combine, all replies to an item count */
export const noteRepeats =
  (context: Context, combine = false): OnRepeat =>
  (what, item, { file, line }) => {
    if (what !== 'combined' || combine)
      context.note(`item ${decode(item)} ${AGAIN[what]}`, { file, line, kind: `${what} item again` })
  }

/** Whether a row is about an item that jb-render --probe changed. */
export const isProbe = (row: Row): boolean => row.has('probe')

/** Notes how many rows are about changed copies of items, which do not count here. */
export function noteProbes(rows: number, note: Context['note']): void {
  if (rows > 0)
    note(
      `${rows} ${rows === 1 ? 'row is' : 'rows are'} about items that jb-render --probe changed, left out: jb-audit reads them`,
    )
}

/** Processes each row; for a row that cannot be read, a failed row in its place. */
export function forEachRow(
  batch: readonly Row[],
  { stage, note }: Pick<Context, 'stage' | 'note'>,
  work: (row: Row) => unknown,
): void {
  for (const row of batch)
    try {
      work(row)
    } catch (error) {
      const failure = rowFailure(error, row)
      const { code, message } = failure
      // Rows of jb-score are written, and their failures reported as they are.
      if (stage !== 'score') note(`${code}: ${message}`, { file: row.file, line: row.line, kind: code })
      work(salvaged(row, stage, failure))
    }
}
