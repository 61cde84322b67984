/** The CSV of MT-bench's rating extraction: a line a judgment, CRLF, quotes where they are needed. */
import type { Row } from '../rows/row.ts'
import type { FormatOptions } from './_format.ts'
import { RecordedJudgments } from './_mt_bench_report.ts'

const COLUMNS = ['question_id', 'category', 'rating', 'completion', 'model']

/** The head of the file, and then the lines of judgments, in their order. */
export async function ratingLines({
  compat,
}: FormatOptions): Promise<{ head: string; linesOf(rows: Row[]): string }> {
  const { stringify } = await import('csv-stringify/sync')
  const lines = (cells: unknown[][]) =>
    stringify(cells, { record_delimiter: '\r\n', quoted_match: /[\r\n]/, cast: { boolean: String } })
  const recorded = compat === 'mt-bench' ? new RecordedJudgments() : undefined
  const recordOf = (row: Row) => {
    const { question_id, category, model } = recorded?.of(row) ?? {
      question_id: row.field('question_id') ?? row.get('item'),
      category: row.field('category') ?? 'unknown',
      model: row.field('model') ?? row.get('reply')?.model,
    }
    const completion = row.get('reply')?.text ?? row.field('judgment')
    // A judgment without a rating has an empty cell, never a number.
    return [question_id, category, row.get('verdict')?.score, completion, model]
  }
  return {
    head: lines([COLUMNS]),
    linesOf: (rows) => lines(rows.map(recordOf)),
  }
}
