/**
 * jb-agree: agreement of a judge's leaderboard with the assessors'. One row per pair of a truth measure and
 * a judge measure.
 *
 * Runs without a value of the judge are left out, or count as `--default` (`--on-missing default`), for every method
 * alike; runs that the truth lacks are always left out. The row reports either.
 */

import { byCodePoint } from '../python/unicode.ts'
import { usageError } from '../rows/record.ts'
import { CORRELATIONS } from './correlation.ts'
import { byTopic, distinct, type Entries } from './leaderboard.ts'
import { type Board, type MetaRow, type MetaSettings, Pair } from './pair.ts'

export const DEFAULT_METHODS = ['kendall', 'pearson', 'spearman', 'tauap_b', 'tau_gap', 'kendall@10']

/** Refuses unknown methods. @throws Fatal (usage) */
export function checkMethods(methods: readonly string[]): void {
  for (const method of methods) {
    const [, base, k, perTopic] = /^(.*?)(?:@(\d+)|(_per_topic))?$/.exec(method)!
    const special = (method === 'coverage' || method === 'bland_altman') && !k && !perTopic
    if (!special && (!Object.hasOwn(CORRELATIONS, base!) || k === '0'))
      throw usageError(
        `--correlation ${method}: expected ${Object.keys(CORRELATIONS).join(', ')}, one of them with @K (K at least 1) or _per_topic, coverage, or bland_altman`,
      )
  }
}

/** @throws Fatal (data) under `error` for a run the judge lacks, (usage) for a measure that the truth lacks */
export function metaEvaluate(
  judge: string,
  truth: Entries,
  given: Entries,
  settings: MetaSettings,
): MetaRow[] {
  const rows: MetaRow[] = []
  const measures = numberMeasures(truth)
  for (const name of settings.truthMeasure)
    if (!measures.includes(name))
      throw usageError(`--truth-measure ${name}: the truth has ${measures.join(', ')}`)
  for (const truthMeasure of measures.filter(
    (name) => settings.truthMeasure.length === 0 || settings.truthMeasure.includes(name),
  ))
    for (const evalMeasure of numberMeasures(given)) {
      const pair = new Pair(boardOf(truth, truthMeasure), boardOf(given, evalMeasure), settings)
      const remarks = pair.remarks(judge)
      rows.push({
        Judge: judge,
        TruthMeasure: truthMeasure,
        EvalMeasure: evalMeasure,
        ...pair.values(truthMeasure, evalMeasure),
        ...remarks,
      })
    }
  return rows
}

/** The measures that have only numbers, sorted by name. */
function numberMeasures(entries: Entries): string[] {
  const words = distinct(
    entries.filter(({ value }) => typeof value !== 'number'),
    'measure',
  )
  return distinct(entries, 'measure')
    .filter((measure) => !words.includes(measure))
    .sort(byCodePoint)
}

/** A measure's values; the last one of a run and topic counts. */
const boardOf = (entries: Entries, measure: string): Board =>
  byTopic(
    entries.filter((entry) => entry.measure === measure),
    ({ run, value }) => [run, value as number],
  )
