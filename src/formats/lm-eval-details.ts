/** `--as lm-eval-details`: a line of details per judgment, as lm-eval's llm_judge saves them. */
import type { Format } from './_format.ts'
import { asItsCode, detailsOf } from './_lm_eval.ts'

export const format: Format = {
  about: 'lm-eval: details of each judgment, a JSON line each (idx, score, judgment_raw, explanation, …)',
  unscored: true,
  async *write(rows, options) {
    let index = 0
    for await (const batch of rows)
      yield batch.map((row) => `${JSON.stringify(detailsOf(row, index++, asItsCode(options)))}\n`).join('')
  },
}
