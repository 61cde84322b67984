/** A difference with its interval and test: of right-or-wrong outcomes from their counts, of scores from their differences. */
import { accuracy, cohenKappa, type LabelPairs, labelPairs } from '../statistics/agreement.ts'
import { bcaInterval, bootstrapTest, meanReplicates, percentileInterval } from '../statistics/bootstrap.ts'
import { gwet } from '../statistics/chance_agreement.ts'
import {
  clusteredInterval,
  clusteredTest,
  clusterFigures,
  clusterSums,
  meanOf,
  unevenMean,
} from '../statistics/clusters.ts'
import { pearson } from '../statistics/correlation.ts'
import {
  cohensH,
  matchedOdds,
  mcnemarExact,
  mcnemarMidP,
  newcombe,
  type PairedCounts,
} from '../statistics/mcnemar.ts'
import {
  deviationOf,
  differenceOf,
  pairedT,
  pairedTest,
  ROUNDING,
  SIGN_FLIP,
  signTest,
  wilcoxon,
} from '../statistics/paired.ts'
import { itemsNeeded, minimalMean, minimalShareDifference, valuesNeeded } from '../statistics/power.ts'

/** Two runs' values of the items that have an outcome in both. */
export interface PairedSample {
  a: Float64Array
  b: Float64Array
  /** The cluster of each item, or its id if items are resampled; undefined if neither is needed. */
  groups: readonly string[] | undefined
  /** --cluster names a field. */
  clustered: boolean
  /** They are compared as scores, even if all are 0 or 1. */
  scores: boolean
  /** Values are labels rather than amounts. */
  labels: boolean
  /** The least and the largest difference that there can be; undefined if they are not known. */
  limits?: readonly [low: number, high: number] | undefined
}

interface InferenceSettings {
  ci: number
  exact?: boolean
  bootstrap: number
  seed: string
}

/** An interval and a test, in the order in which they are printed. */
interface Certainty {
  ci: [number, number] | null
  method: string
  /** Bias-corrected and accelerated, from the same resamples, if there are few clusters. */
  ci_bca?: [number, number] | null
  clusters?: number
  effective_clusters?: number
  design_effect?: number | null
  p: number | null
  test: string
}

/** Figures of a difference b − a, in the order in which they are printed; wins are b's. */
interface Inference extends Certainty {
  mean_a: number
  mean_b: number
  difference: number
  wins: number
  losses: number
  ties: number
  p_wilcoxon?: number
  p_sign?: number
  effect: Record<string, unknown>
  mde: number | null
  items_needed: number | null
  clusters_needed?: number | null
  agreement: Record<string, unknown>
}

const MCNEMAR_EXACT = 'mcnemar exact'

/** Whether --exact applies to a test. */
export const isExact = (test: unknown): boolean => test === MCNEMAR_EXACT || test === SIGN_FLIP

export function infer(sample: PairedSample, settings: InferenceSettings): Inference {
  const counts = pairedCounts(sample)
  const inference = counts ? inferFromCounts(sample, counts, settings) : inferFromScores(sample, settings)
  return { ...inference, ci: inside(inference.ci, sample.limits) }
}

/** The part of an interval in which a difference can be. */
export const inside = (
  ci: [number, number] | null,
  limits: PairedSample['limits'],
): [number, number] | null =>
  ci && limits
    ? [Math.min(limits[1], Math.max(limits[0], ci[0])), Math.min(limits[1], Math.max(limits[0], ci[1]))]
    : ci

/** On how many items both runs, one or neither is right; undefined if a value is neither 0 nor 1. */
function pairedCounts({ a, b, scores }: Pick<PairedSample, 'a' | 'b' | 'scores'>): PairedCounts | undefined {
  if (scores) return undefined
  let [both, onlyA, onlyB, neither] = [0, 0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!]
    if ((x !== 0 && x !== 1) || (y !== 0 && y !== 1)) return undefined
    if (x === 1) y === 1 ? both++ : onlyA++
    else y === 1 ? onlyB++ : neither++
  }
  return { both, onlyA, onlyB, neither }
}

function inferFromCounts(sample: PairedSample, counts: PairedCounts, settings: InferenceSettings): Inference {
  const { both, onlyA, onlyB, neither } = counts
  const n = both + onlyA + onlyB + neither
  const [meanA, meanB] = [(both + onlyA) / n, (both + onlyB) / n]
  const difference = (onlyB - onlyA) / n
  // Functions of two runs tell the first from the second: here b from a.
  const turned = { ...counts, onlyA: onlyB, onlyB: onlyA }
  const se = Math.sqrt(((onlyA + onlyB) / n - difference * difference) / n)
  const odds = matchedOdds(turned, settings.ci)
  const closed = {
    ci: newcombe(turned, settings.ci),
    method: 'newcombe',
    p: settings.exact ? mcnemarExact(counts) : mcnemarMidP(counts),
    test: settings.exact ? MCNEMAR_EXACT : 'mcnemar mid-p',
  }
  const { error, ...certainty } = byGroups(sample, se, settings) ?? { ...closed, error: se }
  const wanted = wantedOf(settings)
  const power = !sample.clustered
    ? {
        mde: minimalShareDifference(n, (onlyA + onlyB) / n, wanted),
        items_needed: onlyA === onlyB ? null : itemsNeeded({ onlyA: onlyA / n, onlyB: onlyB / n }, wanted),
      }
    : powerOf(error, { n, ...certainty }, difference, settings)
  const cells = [
    { x: 1, y: 1, n: both },
    { x: 1, y: 0, n: onlyA },
    { x: 0, y: 1, n: onlyB },
    { x: 0, y: 0, n: neither },
  ].filter((cell) => cell.n > 0)
  return {
    mean_a: meanA,
    mean_b: meanB,
    difference,
    ...certainty,
    wins: onlyB,
    losses: onlyA,
    ties: both + neither,
    effect: { cohens_h: cohensH(meanB, meanA), odds_ratio: odds.ratio, odds_ratio_ci: odds.ci },
    ...power,
    agreement: agreementOf({
      a: cells.map(({ x }) => x),
      b: cells.map(({ y }) => y),
      counts: cells.map((cell) => cell.n),
    }),
  }
}

export const differencesOf = ({ a, b }: PairedSample): number[] =>
  Array.from(a, (one, i) => differenceOf(b[i]!, one))

function inferFromScores(sample: PairedSample, settings: InferenceSettings): Inference {
  const differences = differencesOf(sample)
  const n = differences.length
  const difference = meanOf(differences)
  const sd = deviationOf(differences)
  const se = sd === null ? null : sd / Math.sqrt(n)
  const wins = differences.filter((d) => d > 0).length
  const losses = differences.filter((d) => d < 0).length
  const t = pairedT(differences, settings.ci)
  const closed = { ci: t?.ci ?? null, method: 't', ...pairedTest(differences, settings.exact) }
  const { error, ...certainty } = byGroups(sample, se, settings) ?? { ...closed, error: se }
  const ranks = wilcoxon(differences)
  return {
    mean_a: meanOf(sample.a),
    mean_b: meanOf(sample.b),
    difference,
    ...certainty,
    wins,
    losses,
    ties: n - wins - losses,
    p_wilcoxon: ranks.p,
    p_sign: signTest(wins, losses),
    effect: { d_z: sd ? difference / sd : null, rank_biserial: ranks.rankBiserial },
    ...powerOf(error, { n, ...certainty }, difference, settings),
    agreement: sample.labels ? agreementOf(labelPairs(sample.a, sample.b)) : correlationOf(sample),
  }
}

/** The smallest difference that a t test of so many items (or clusters) finds in four of five cases, and how many the observed one needs. */
function powerOf(
  error: number | null,
  { n, clusters = n, effective_clusters: effective = clusters }: { n: number } & Partial<Certainty>,
  difference: number,
  settings: InferenceSettings,
) {
  const wanted = wantedOf(settings)
  const known = error !== null && error > 0
  const standard = known ? minimalMean(effective, wanted) : null
  const needed =
    known && Math.abs(difference) > ROUNDING * error
      ? valuesNeeded(difference / error / Math.sqrt(effective), wanted)
      : null
  return {
    mde: standard === null ? null : standard * error!,
    items_needed: needed === null ? null : Math.ceil((needed * n) / effective),
    ...(clusters !== n && { clusters_needed: needed && Math.ceil((needed * clusters) / effective) }),
  }
}

const wantedOf = ({ ci, exact }: InferenceSettings) => ({ alpha: 1 - ci, exact, power: 0.8 })

/** Below this many clusters a percentile interval is too narrow. */
const FEW = 100

/** Interval, p and standard error by resamples or by clusters; undefined if neither is wanted. */
function byGroups(
  sample: PairedSample,
  naive: number | null,
  { ci: level, bootstrap, seed }: InferenceSettings,
): (Certainty & { error: number | null }) | undefined {
  const { groups, clustered } = sample
  if (!groups) return undefined
  const differences = differencesOf(sample)
  const allEqual = differences.every((one) => one === 0)
  const sums = clusterSums(differences, groups)
  const mean = unevenMean(sums)
  const design = clustered && {
    ...clusterFigures(mean),
    design_effect: mean.se === null || !naive ? null : (mean.se / naive) ** 2,
  }
  const error = clustered ? mean.se : naive
  if (bootstrap === 0) {
    const method = mean.freedom === undefined ? 'clustered' : 'clustered t'
    const p = allEqual ? 1 : clusteredTest(mean)
    return { ci: clusteredInterval(mean, level), method, ...design, p, test: method, error }
  }
  const ids = [...new Set(groups)].sort()
  const clusters = sums.map(([weight, sum], i) => ({ id: ids[i]!, adds: [[0, weight, sum]] as const }))
  const [replicates] = meanReplicates(1, clusters, bootstrap, seed)
  const several = mean.clusters > 1
  return {
    ci: several ? percentileInterval(replicates!, level) : null,
    method: 'bootstrap percentile',
    ...(several && mean.clusters < FEW && { ci_bca: accelerated(sums, mean.mean, replicates!, level) }),
    ...design,
    p: allEqual ? 1 : bootstrapTest(replicates!),
    test: 'bootstrap',
    error,
  }
}

/** The bias-corrected and accelerated interval of a mean of clusters. */
function accelerated(
  sums: readonly (readonly [weight: number, sum: number])[],
  mean: number,
  replicates: readonly number[],
  level: number,
) {
  const [n, total] = sums.reduce(([n, all], [weight, sum]) => [n + weight, all + sum], [0, 0])
  const jackknife = sums.map(([weight, sum]) => (total - sum) / (n - weight))
  return bcaInterval(mean, replicates, jackknife, level)
}

/** How often two runs give the same label, as a share and beyond chance. */
const agreementOf = ({ a, b, counts }: Pick<LabelPairs, 'a' | 'b' | 'counts'>) => ({
  po: accuracy(a, b, counts),
  kappa: cohenKappa(a, b, 'none', { counts }),
  ac1: gwet(a, b, 'none', counts),
})

/** Pairs are sorted by their values, because sums of floats depend on the order. */
function correlationOf({ a, b }: PairedSample) {
  const order = [...a.keys()].sort((i, j) => a[i]! - a[j]! || b[i]! - b[j]!)
  return {
    pearson: pearson(
      order.map((i) => a[i]!),
      order.map((i) => b[i]!),
    ),
  }
}
