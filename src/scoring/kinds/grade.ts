/** Grades: the samples of an item are combined to a score; the report has their mean and spread. */

import { getOrInsert } from '../../rows/maps.ts'
import { type JsonObject, type Result, RowFailure } from '../../rows/record.ts'
import { Histogram, histogramOf } from '../../statistics/describe.ts'
import { addToCluster, clusterSums, scoreInterval } from '../by_cluster.ts'
import { type JudgeKind, plainMeaning } from '../kind.ts'
import { scoreIn } from '../label.ts'
import { addScores, agreementReport, agreementSums } from '../label_agreement.ts'
import { ByName, Shared } from '../sums.ts'
import { attemptsPart } from './parts.ts'

/** The share left out at each end of a trimmed mean. */
const TRIM = 0.2
/** The most different scores of which a report lists the counts. */
const LISTED = 50

/** Combines the samples. @throws RowFailure conflict if they differ under `--combine agree` */
function combined(scores: number[], combine: string): number {
  const all = histogramOf(scores)
  switch (combine) {
    case 'first':
      return scores[0]!
    case 'median':
      return all.median!
    case 'average_precision': {
      // Ragas's context precision: Σ (P@k · v_k) / Σ v_k over the ranks k; 0 if all are 0.
      const sum = scores.reduce((total, score) => total + score, 0)
      let before = 0
      const at = scores.map((score, i) => score * ((before += score) / (i + 1)))
      return sum === 0 ? 0 : at.reduce((total, one) => total + one, 0) / sum
    }
    case 'trimmed':
      return all.trimmed(TRIM)!
    case 'agree':
      if (all.min === all.max) return scores[0]!
      throw new RowFailure('conflict', `the samples differ: ${scores.join(', ')} (--combine agree)`)
    case 'vote':
    case 'majority': {
      const most = Math.max(...all.entries().map(([, times]) => times))
      const modes = all.entries().filter(([, times]) => times === most)
      // Of equally frequent scores, the median.
      return histogramOf(modes.map(([value]) => value)).median!
    }
    default:
      return all.mean!
  }
}

/** What a report adds up over grades. */
const sums = () => ({
  scores: new Histogram(),
  by: clusterSums(),
  /** The deviations of the samples of items with several. */
  spreads: new Histogram(),
  dimensions: new ByName(() => ({ values: new Histogram() })),
  meta: agreementSums(),
  /** The scale; null if results differ in it. */
  scale: new Shared(),
})

export const kind: JudgeKind<ReturnType<typeof sums>> = {
  reads: ['score', 'range', 'dimensions', 'dropped', 'failure', 'unweighted', 'combine'],
  labels: [],
  meaning: plainMeaning,
  score(trials, about, settings) {
    const verdicts = trials.map(({ verdict }) => verdict!)
    if (verdicts.some((verdict) => verdict.dropped))
      throw new RowFailure('no_verdict', 'a reply could not be read, and the original drops it')
    const scores = verdicts.map(({ score }) => score)
    if (!scores.every((score) => typeof score === 'number'))
      throw new RowFailure('no_verdict', 'jb.verdict has no score')
    const [{ range } = {}] = verdicts
    const own = verdicts[0]?.combine
    const combine = settings.combine ?? (typeof own === 'string' ? own : 'mean')
    const result: Result = { kind: 'grade', score: combined(scores as number[], combine) }
    if (range) result.range = range
    if (scores.length > 1) {
      const all = histogramOf(scores as number[])
      Object.assign(result, { samples: scores, min: all.min, max: all.max, std: all.deviation() })
    }
    const dimensions = dimensionsOf(verdicts.map(({ dimensions }) => dimensions as JsonObject | undefined))
    if (dimensions) result.dimensions = dimensions
    if (settings.label !== undefined) result.label = scoreIn(about, settings)
    return result
  },
  sums,
  add({ scores, by, spreads, dimensions, meta, scale }, result, { cluster }) {
    scores.add(result.score!)
    addToCluster(by, result.score!, cluster)
    if (typeof result.std === 'number') spreads.add(result.std)
    if (typeof result.label === 'number') addScores(meta, result.label, result.score!)
    for (const [name, value] of Object.entries((result.dimensions as JsonObject) ?? {}))
      if (typeof value === 'number') dimensions.of(name).values.add(value)
    scale.add('range', (result.range as [number, number]) ?? null)
  },
  report({ scores, by, spreads, dimensions, meta, scale }, { ci }) {
    const range = scale.get('range') as [number, number] | null | undefined
    const report: JsonObject = {
      score: scores.mean,
      ...scoreInterval(scores, by, range, ci),
      median: scores.median,
      trimmed_mean: scores.trimmed(TRIM),
      std: scores.deviation(),
      min: scores.min,
      max: scores.max,
    }
    if (range) {
      report.range = range
      report.utility = scores.mean === null ? null : scores.mean / range[1]
    }
    const agreement = agreementReport(meta)
    // Labels beyond the judge's scale are of another: only correlations hold.
    if (range && !labelsWithin(meta, range)) delete agreement.alpha_interval
    Object.assign(report, agreement)
    Object.assign(report, attemptsPart(by, scores, range, ci))
    const distribution = distributionOf(scores, range)
    if (distribution) report.distribution = distribution
    if (spreads.n > 0) report.sample_std = spreads.mean
    if (dimensions.size > 0)
      report.dimensions = Object.fromEntries([...dimensions].map(([name, { values }]) => [name, values.mean]))
    return report
  },
}

const labelsWithin = ({ scores }: ReturnType<typeof agreementSums>, [low, high]: [number, number]) =>
  [...scores.keys()].every((key) => {
    const [label] = JSON.parse(key) as [number, number]
    return low <= label && label <= high
  })

/** The means of a judge's further scores, by name. */
function dimensionsOf(all: (JsonObject | undefined)[]): JsonObject | undefined {
  const sums = new Map<string, Histogram>()
  for (const dimensions of all)
    for (const [name, value] of Object.entries(dimensions ?? {}))
      if (typeof value === 'number') getOrInsert(sums, name, () => new Histogram()).add(value)
  if (sums.size === 0) return undefined
  return Object.fromEntries([...sums].map(([name, values]) => [name, values.mean]))
}

/** Counts of the scores, including the whole numbers of a short scale that never occurred. */
function distributionOf(
  scores: Histogram,
  range: [number, number] | null | undefined,
): Record<string, number> | undefined {
  const counts = new Map(scores.entries())
  if (counts.size > LISTED) return undefined
  if (range && range[1] - range[0] < LISTED && Number.isInteger(range[0]))
    for (let value = range[0]; value <= range[1]; value++) counts.set(value, counts.get(value) ?? 0)
  const sorted = [...counts].sort(([a], [b]) => a - b)
  return Object.fromEntries(sorted.map(([value, times]) => [String(value), times]))
}
