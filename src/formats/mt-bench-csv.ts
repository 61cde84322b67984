/** `jb-write mt-bench-csv`: one line per judgment, as MT-bench's rating extraction writes them (CRLF, minimal quotes). */
import type { Format } from './_format.ts'
import { judgmentsOf } from './_judgments.ts'
import { RecordedJudgments } from './_mt_bench_report.ts'

const COLUMNS = ['question_id', 'category', 'rating', 'completion', 'model']

export const format: Format = {
  about: 'MT-bench ratings as CSV: question_id, category, rating, completion, model',
  unscored: true,
  countsRepeats: 'mt-bench',
  fields: ['model', 'question_id', 'turn'],
  async *write(rows, options, { note }) {
    const recorded = options.compat === 'mt-bench' ? new RecordedJudgments() : undefined
    const { stringify } = await import('csv-stringify/sync')
    const lines = (cells: unknown[][]) =>
      stringify(cells, { record_delimiter: '\r\n', quoted_match: /[\r\n]/, cast: { boolean: String } })
    yield lines([COLUMNS])
    for await (const batch of rows) {
      const judgments = batch.flatMap((row) => judgmentsOf(row, note))
      const records = judgments.map((row) => {
        const { question_id, category, model } = recorded?.of(row) ?? {
          question_id: row.field('question_id') ?? row.get('item'),
          category: row.field('category') ?? 'unknown',
          model: row.field('model') ?? row.get('reply')?.model,
        }
        const completion = row.get('reply')?.text ?? row.field('judgment')
        // A judgment without a rating has an empty cell, never a number.
        return [question_id, category, row.get('verdict')?.score, completion, model]
      })
      yield lines(records)
    }
  },
}
