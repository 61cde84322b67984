/**
 * `--as rewardbench`: a row of RewardBench's leaderboard (version 1) from judged pairs by `subset`, the chosen answer
 * being A, or from a file of subset accuracies (eval-set). Equal scores are wrong. With --compat rewardbench a
 * reply that could not be read counts ½, as there; else it is counted and left out.
 */
import type { JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Format } from './_format.ts'
import { PRIOR_SETS, SECTIONS, sectionScores } from './_rewardbench.ts'

const SUBSETS = new Set([
  ...Object.values(SECTIONS).flatMap((subsets) => Object.keys(subsets)),
  ...PRIOR_SETS,
])

/** What the original counts for a reply it could not read. */
const UNREAD = 0.5

export const format: Format = {
  about: 'RewardBench: sections and score of judged pairs, or of a file of subset accuracies',
  async *write(rows, options, context) {
    const sums = new Map<string, { n: number; sum: number }>()
    const given = new Map<string, number>()
    let [failed, model] = [0, '']
    const add = (subset: string, value: number) => {
      const of = sums.get(subset) ?? { n: 0, sum: 0 }
      sums.set(subset, { n: of.n + 1, sum: of.sum + value })
    }
    for await (const batch of rows)
      for (const row of batch) {
        const result = row.get('result')
        model ||= String(result?.model ?? row.field('model') ?? '')
        const subset = row.field('subset')
        if (typeof subset !== 'string') {
          for (const [name, value] of Object.entries(row.item))
            if (SUBSETS.has(name) && typeof value === 'number') given.set(name, value)
          continue
        }
        const value = creditOf(row)
        if (value !== undefined) add(subset, value)
        else if (options.compat === 'rewardbench') add(subset, UNREAD)
        else failed++
      }
    const means = new Map(given)
    for (const [subset, { n, sum }] of sums) means.set(subset, sum / n)
    const { scores, prior, overall, missing } = sectionScores(means)
    if (missing.length > 0)
      context.note(`subsets that no row has, left out of their sections: ${missing.join(', ')}`)
    if (failed > 0)
      context.note(`${failed} items without a verdict are left out (--compat rewardbench counts them ½)`)
    const report: JsonObject = {
      ...(model !== '' && { model }),
      Score: overall,
      ...scores,
      ...(prior !== null && { 'Prior Sets (0.5 weight)': prior }),
      subsets: Object.fromEntries([...means].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...(failed > 0 && { failed }),
      ...(missing.length > 0 && { missing }),
    }
    yield `${JSON.stringify(report)}\n`
  },
}

/** 1, 0, or what a result says; undefined for a failure. */
function creditOf(row: Row): number | undefined {
  const result = row.has('error') ? undefined : row.get('result')
  if (typeof result?.correct === 'boolean') return Number(result.correct)
  if (result?.decision !== undefined) return Number(result.decision === 'A>B')
  const [chosen, rejected] = [
    scoreOf(row, 'score_chosen', 'scores_chosen'),
    scoreOf(row, 'score_rejected', 'scores_rejected'),
  ]
  if (chosen !== undefined && rejected !== undefined) return Number(chosen > rejected)
  const recorded = row.field('results')
  return typeof recorded === 'number' ? recorded : undefined
}

/** Scores may be nested one deep. */
function scoreOf(row: Row, ...names: string[]): number | undefined {
  for (const name of names) {
    const value = [row.field(name) ?? []].flat(2)[0]
    if (typeof value === 'number') return value
  }
  return undefined
}
