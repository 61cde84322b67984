/** Rows one by one, those about changed items among them. */
import type { Row } from '../rows/row.ts'
import { type Context, rowFailure, salvaged } from '../rows/stage.ts'

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
      // Rows of jb-score are written, and their failures told as they are.
      if (stage !== 'score') note(`${code}: ${message}`, { file: row.file, line: row.line, kind: code })
      work(salvaged(row, stage, failure))
    }
}
