/** `jb-write mt-bench-csv`: one line per judgment, as MT-bench's rating extraction writes them. */
import type { Format } from './_format.ts'
import { ratingLines } from './_mt_bench_csv.ts'

export const format: Format = {
  about: 'MT-bench ratings as CSV: question_id, category, rating, completion, model',
  judgments: true,
  countsRepeats: 'mt-bench',
  fields: ['model', 'question_id', 'turn'],
  async *write(rows, options) {
    const { head, linesOf } = await ratingLines(options)
    yield head
    for await (const batch of rows) yield linesOf(batch)
  },
}
