/**
 * jb-agree: agreement of a judge's leaderboard with the assessors'. One row per pair of a truth measure and
 * a judge measure.
 *
 * Runs without a value of the judge are left out, or count as `--default` (`--on-missing default`), for every method
 * alike; runs that the truth lacks are always left out. The row reports either.
 */

import { someNames } from '../options/nearest.ts'
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
import { usageError } from '../rows/record.ts'
import { CORRELATIONS } from './correlation.ts'
import { byTopic, type Entries } from './leaderboard.ts'
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
  const [expected, found] = [boardsOf(truth), boardsOf(given)]
  for (const name of settings.truthMeasure)
    if (!expected.has(name))
      throw usageError(`--truth-measure ${name}: the truth has ${someNames([...expected.keys()])}`)
  for (const [truthMeasure, truthBoard] of expected) {
    if (settings.truthMeasure.length > 0 && !settings.truthMeasure.includes(truthMeasure)) continue
    for (const [evalMeasure, board] of found) {
      const pair = new Pair(truthBoard, board, settings)
      const remarks = pair.remarks(judge)
      rows.push({
        Judge: judge,
        TruthMeasure: truthMeasure,
        EvalMeasure: evalMeasure,
        ...pair.values(truthMeasure, evalMeasure),
        ...remarks,
      })
    }
  }
  return rows
}

/** The values of each measure that has only numbers, sorted by its name; the last one of a run and topic counts. */
const boardsOf = (entries: Entries): Map<string, Board> =>
  new Map(
    [...grouped(entries, ({ measure }) => measure)]
      .filter(([, own]) => own.every(({ value }) => typeof value === 'number'))
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([measure, own]) => [measure, byTopic(own, ({ run, value }) => [run, value as number])]),
  )
