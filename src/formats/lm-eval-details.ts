/** `jb-write lm-eval-details`: a line of details per judgment, as lm-eval's llm_judge saves them. */
import type { Format } from './_format.ts'
import { asItsCode, detailsFor, detailsOf } from './_lm_eval.ts'

export const format: Format = {
  about: 'lm-eval: details of each judgment, a JSON line each (idx, score, judgment_raw, explanation, …)',
  judgments: true,
  fields: ['model'],
  async *write(rows, options, { note }) {
    let index = 0
    let first: string | undefined
    let model: string | undefined
    let isTold = false
    for await (const batch of rows) {
      for (const row of isTold ? [] : batch) {
        const { judged = model, ...rest } = detailsFor(row)
        model ??= judged
        const of = JSON.stringify({ ...rest, judged: judged === model || judged })
        first ??= of
        if (of === first || isTold) continue
        isTold = true
        note(
          `${row.place}: of another model, task, judge, run or filter than the rows before, which the lines do not tell apart: jb-write lm-eval --save DIR writes a file for each`,
        )
      }
      yield batch.map((row) => `${JSON.stringify(detailsOf(row, index++, asItsCode(options)))}\n`).join('')
    }
  },
}
