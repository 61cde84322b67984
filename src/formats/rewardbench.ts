/**
 * `jb-write rewardbench`: a row of RewardBench's leaderboard (version 1), from judged pairs with `subset` whose chosen answer is
 * A, or from a file of subset accuracies (eval-set). Equal scores are wrong. A reply that could not be read is counted as
 * failed and left out; with --compat rewardbench it counts ½, as in the original.
 */
import { EXIT, type JsonObject } from '../rows/record.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'
import { Subsets, sectionScores } from './_rewardbench.ts'

export const format: Format = {
  about: 'RewardBench: sections and score of judged pairs, or of a file of subset accuracies',
  unjudged: 'pass',
  fields: ['model'],
  async *write(rows, options, context) {
    const subsets = new Subsets(options.compat === 'rewardbench')
    const one = new OneJudge('rewardbench')
    for await (const batch of rows)
      for (const row of batch) {
        one.check(row)
        subsets.add(row)
      }
    const { failed } = subsets
    const means = subsets.means()
    if (means.size === 0)
      context.finish(EXIT.gate, 'nothing was measured: no row has accuracies, results or a verdict')
    const { scores, prior, overall, missing } = sectionScores(means)
    if (missing.length > 0)
      context.note(`subsets that no row has, left out of their sections: ${missing.join(', ')}`)
    subsets.tell(context.note)
    const report: JsonObject = {
      ...(one.model !== undefined && { model: one.model }),
      Score: overall,
      ...scores,
      ...(prior !== null && { 'Prior Sets (0.5 weight)': prior }),
      subsets: Object.fromEntries(means),
      ...(failed > 0 && { failed }),
      ...(missing.length > 0 && { missing }),
    }
    yield `${JSON.stringify(report)}\n`
  },
}
