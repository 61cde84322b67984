/** How sure a difference is: of outcomes that are right or wrong by their counts, of scores by their differences. */
import { cohenKappa } from '../../statistics/agreement.ts'
import { bcaInterval, bootstrapTest, meanReplicates, percentileInterval } from '../../statistics/bootstrap.ts'
import { gwet } from '../../statistics/chance_agreement.ts'
import {
  clusteredInterval,
  clusteredMean,
  clusteredTest,
  clusterSums,
  meanOf,
  varianceOf,
} from '../../statistics/clusters.ts'
import { pearson } from '../../statistics/correlation.ts'
import {
  cohensH,
  matchedOdds,
  mcnemarExact,
  mcnemarMidP,
  newcombe,
  type PairedCounts,
} from '../../statistics/mcnemar.ts'
import { pairedT, signFlips, signTest, wilcoxon } from '../../statistics/paired.ts'
import { itemsNeeded, minimalDifference } from '../../statistics/power.ts'

/** What both runs said of the items that both have an outcome of. */
export interface Sample {
  a: Float64Array
  b: Float64Array
  /** Ids of the items, and what cluster each belongs to; empty and undefined where they are not asked for. */
  ids: readonly string[]
  clusters: readonly string[] | undefined
  /** Values are labels rather than amounts. */
  labels: boolean
}

export interface InferenceSettings {
  ci: number
  exact: boolean
  bootstrap: number
  seed: string
}

/** Figures of a difference, in the order in which they are printed. */
export interface Inference {
  mean_a: number
  mean_b: number
  difference: number
  ci: [number, number] | null
  method: string
  /** From the same resamples, corrected for bias and skewness, where there are few clusters. */
  ci_bca?: [number, number] | null
  clusters?: number
  design_effect?: number | null
  wins: number
  losses: number
  ties: number
  p: number | null
  test: string
  p_wilcoxon?: number
  p_sign?: number
  effect: Record<string, unknown>
  mde: number | null
  items_needed: number | null
  agreement: Record<string, unknown>
}

const [MCNEMAR_EXACT, SIGN_FLIP] = ['mcnemar exact', 'sign-flip exact']

/** Whether a test is one that --exact allows. */
export const isExact = (test: unknown): boolean => test === MCNEMAR_EXACT || test === SIGN_FLIP

/** Differences that are 0 but for rounding. */
const TIE = 1e-12

export function infer(sample: Sample, settings: InferenceSettings): Inference {
  const counts = countsOf(sample)
  return counts ? ofOutcomes(sample, counts, settings) : ofScores(sample, settings)
}

/** How often both, one, neither is right; undefined where a value is neither 0 nor 1. */
function countsOf({ a, b }: Sample): PairedCounts | undefined {
  let [both, onlyA, onlyB, neither] = [0, 0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!]
    if (x === 1) {
      if (y === 1) both++
      else if (y === 0) onlyA++
      else return undefined
    } else if (x !== 0) return undefined
    else if (y === 1) onlyB++
    else if (y === 0) neither++
    else return undefined
  }
  return { both, onlyA, onlyB, neither }
}

function ofOutcomes(sample: Sample, counts: PairedCounts, settings: InferenceSettings): Inference {
  const { both, onlyA, onlyB, neither } = counts
  const n = both + onlyA + onlyB + neither
  const [meanA, meanB] = [(both + onlyA) / n, (both + onlyB) / n]
  const difference = (onlyA - onlyB) / n
  const se = Math.sqrt(((onlyA + onlyB) / n - difference * difference) / n)
  const odds = matchedOdds(counts, settings.ci)
  const closed = {
    ci: newcombe(counts, settings.ci),
    method: 'newcombe',
    p: settings.exact ? mcnemarExact(counts) : mcnemarMidP(counts),
    test: settings.exact ? MCNEMAR_EXACT : 'mcnemar mid-p',
  }
  const { error, ...sure } = resampled(sample, se, settings) ?? { ...closed, error: se }
  return {
    mean_a: meanA,
    mean_b: meanB,
    difference,
    ...sure,
    wins: onlyA,
    losses: onlyB,
    ties: both + neither,
    effect: { cohens_h: cohensH(meanA, meanB), odds_ratio: odds.ratio, odds_ratio_ci: odds.ci },
    ...powerOf(error, n, difference, settings),
    agreement: beyondChance([1, 1, 0, 0], [1, 0, 1, 0], [both, onlyA, onlyB, neither]),
  }
}

/** In the order of the items. */
const differencesOf = ({ a, b }: Sample): number[] => Array.from(a, (one, i) => one - b[i]!)

function ofScores(sample: Sample, settings: InferenceSettings): Inference {
  const differences = differencesOf(sample)
  const n = differences.length
  const difference = meanOf(differences)
  const sd = n < 2 ? null : Math.sqrt(varianceOf(differences))
  const se = sd === null ? null : sd / Math.sqrt(n)
  const [wins, losses] = [
    differences.filter((d) => d > TIE).length,
    differences.filter((d) => d < -TIE).length,
  ]
  const t = pairedT(differences, settings.ci)
  const p = t?.p ?? (wins + losses === 0 ? 1 : null)
  const flips = settings.exact ? signFlips(differences) : null
  const test = flips === null ? { p, test: 't' } : { p: flips, test: SIGN_FLIP }
  const closed = { ci: t?.ci ?? null, method: 't', ...test, error: se }
  const { error, ...sure } = resampled(sample, se, settings) ?? closed
  const ranks = wilcoxon(differences)
  return {
    mean_a: meanOf(sample.a),
    mean_b: meanOf(sample.b),
    difference,
    ...sure,
    wins,
    losses,
    ties: n - wins - losses,
    p_wilcoxon: ranks.p,
    p_sign: signTest(wins, losses),
    effect: { d_z: sd ? difference / sd : null, rank_biserial: ranks.rankBiserial },
    ...powerOf(error, n, difference, settings),
    agreement: sample.labels ? labelsAgree(sample) : correlated(sample),
  }
}

/** The smallest difference that these items show in four of five cases, and how many items the difference seen needs. */
function powerOf(error: number | null, n: number, difference: number, { ci }: InferenceSettings) {
  if (error === null || error === 0) return { mde: null, items_needed: null }
  const needed = Math.abs(difference) <= TIE ? null : itemsNeeded(error * error * n, difference, 1 - ci)
  return { mde: minimalDifference(error, 1 - ci), items_needed: needed && Math.ceil(needed) }
}

/** Below this many clusters percentiles alone are too narrow. */
const FEW = 100

/** Interval and p by resamples or by clusters, and the standard error; undefined where neither was asked for. */
function resampled(sample: Sample, naive: number | null, { ci: level, bootstrap, seed }: InferenceSettings) {
  const { ids, clusters } = sample
  if (bootstrap === 0 && !clusters) return undefined
  const differences = differencesOf(sample)
  const none = differences.every((one) => Math.abs(one) <= TIE)
  const names = clusters ?? ids
  const sums = clusterSums(differences, names)
  const mean = clusteredMean(sums)
  const groups = clusters && {
    clusters: mean.clusters,
    design_effect: mean.se === null || !naive ? null : (mean.se / naive) ** 2,
  }
  const error = clusters ? mean.se : naive
  if (bootstrap > 0) {
    const replicates = meanReplicates(sums, [...new Set(names)].sort(), bootstrap, seed)
    const ci = mean.clusters < 2 ? null : percentileInterval(replicates, level)
    return {
      ci,
      method: 'bootstrap percentile',
      ...(mean.clusters > 1 &&
        mean.clusters < FEW && { ci_bca: corrected(sums, mean.mean, replicates, level) }),
      ...groups,
      p: none ? 1 : bootstrapTest(replicates),
      test: 'bootstrap',
      error,
    }
  }
  const method = mean.freedom === undefined ? 'clustered' : 'clustered t'
  return {
    ci: clusteredInterval(mean, level),
    method,
    ...groups,
    p: none ? 1 : clusteredTest(mean),
    test: method,
    error,
  }
}

/** The bias-corrected and accelerated interval of a mean of clusters. */
function corrected(
  sums: readonly (readonly [weight: number, sum: number])[],
  mean: number,
  replicates: readonly number[],
  level: number,
) {
  const [n, total] = sums.reduce(([n, all], [weight, sum]) => [n + weight, all + sum], [0, 0])
  const without = sums.map(([weight, sum]) => (total - sum) / (n - weight))
  return bcaInterval(mean, replicates, without, level)
}

/** How often the runs say the same. */
function beyondChance(x: readonly number[], y: readonly number[], counts: readonly number[]) {
  const all = counts.reduce((sum, n) => sum + n, 0)
  const same = counts.reduce((sum, n, i) => sum + (x[i] === y[i] ? n : 0), 0)
  // Labels that never occurred are not listed.
  const kept = [...counts.keys()].filter((i) => counts[i]! > 0)
  const [u, v, times] = [kept.map((i) => x[i]!), kept.map((i) => y[i]!), kept.map((i) => counts[i]!)]
  return {
    po: same / all,
    kappa: cohenKappa(u, v, 'none', { counts: times }),
    ac1: gwet(u, v, 'none', times),
  }
}

/** The same of values that are few, each pair of them counted. */
function labelsAgree({ a, b }: Sample) {
  const seen = new Map<string, [x: number, y: number, n: number]>()
  for (const [i, x] of a.entries()) {
    const key = `${x} ${b[i]}`
    const of = seen.get(key)
    if (of) of[2]++
    else seen.set(key, [x, b[i]!, 1])
  }
  const all = [...seen.values()].sort(([x, y], [u, v]) => x - u || y - v)
  return beyondChance(
    all.map(([x]) => x),
    all.map(([, y]) => y),
    all.map(([, , n]) => n),
  )
}

/** Of scores. In the order of the values, for sums of floats depend on it. */
function correlated({ a, b }: Sample) {
  const order = [...a.keys()].sort((i, j) => a[i]! - a[j]! || b[i]! - b[j]!)
  return {
    pearson: pearson(
      order.map((i) => a[i]!),
      order.map((i) => b[i]!),
    ),
  }
}
