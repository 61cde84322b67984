/** --as rewardbench: RewardBench's result file (eval-set) of each judge, the best first. */
import { sectionScores } from '../../formats/_rewardbench.ts'
import { Subsets } from '../../formats/_rewardbench_rows.ts'
import { byKey, getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { runModel } from '../../scoring/_run_identity.ts'
import { scoredRows } from '../../scoring/_scored_rows.ts'
import type { RankOptions } from './options.ts'

/** Yields one object per line, keys sorted: accuracies by subset and the judge's name. jb-aggregate --as rewardbench reads it. */
export async function* rewardBenchResults(
  rows: Rows,
  { compat }: Pick<RankOptions, 'compat'>,
  context: Context,
): AsyncGenerator<string> {
  const judges = new Map<string, Subsets>()
  for await (const batch of scoredRows(rows, {}, context))
    for (const row of batch) {
      const name = String(runModel(row) ?? row.field('model') ?? row.get('judge') ?? '')
      const subsets = getOrInsert(judges, name, () => new Subsets(compat === 'rewardbench'))
      subsets.add(row)
    }
  if (context.cut()) return
  if ([...judges.values()].every((subsets) => subsets.means().size === 0))
    context.finish(EXIT.gate, 'nothing was ranked: no row has a subset, and a verdict or accuracies')
  const files = [...judges].map(([model, subsets]) => {
    const means = subsets.means()
    subsets.tell(context.note, `${model}: `)
    const file = { ...Object.fromEntries(means), chat_template: null, model, model_type: 'Generative' }
    const sorted = Object.fromEntries(byKey(Object.entries(file)))
    return {
      model,
      overall: sectionScores(means).overall ?? Number.NEGATIVE_INFINITY,
      text: JSON.stringify(sorted),
    }
  })
  files.sort((a, b) => b.overall - a.overall || (a.model < b.model ? -1 : 1))
  for (const { text } of files) yield `${text}\n`
}
