/**
 * How well one ranking of runs agrees with another, as AutoJudge's meta-evaluation counts it. `truth` and
 * `judge` hold the runs' values at the same places.
 */
import { kendall, pearson, spearman } from '../statistics/correlation.ts'

export type Correlation = (truth: readonly number[], judge: readonly number[]) => number | null

/**
 * tau_AP with ties, the mean of both directions (Yilmaz, Aslam and Robertson 2008; ties as in Urbano and
 * Marrero 2017): mistakes at the top weigh more. Nothing to compare (all values equal) is 0 in a direction,
 * so that a constant judge has (0 − 1) / 2.
 */
export function tauApB(truth: readonly number[], judge: readonly number[]): number {
  return (tauAp(truth, judge) + tauAp(judge, truth)) / 2
}

/** Of the items above i in `y`, the share that is above i in `x` too: averaged and put on [-1, 1]. */
function tauAp(x: readonly number[], y: readonly number[]): number {
  let sum = 0
  let count = 0
  for (let i = 0; i < y.length; i++) {
    let above = 0
    let agree = 0
    for (let j = 0; j < y.length; j++) {
      if (!(y[j]! > y[i]!)) continue
      above++
      if (x[j]! > x[i]!) agree++
    }
    if (above === 0) continue
    sum += agree / above
    count++
  }
  return count === 0 ? 0 : (2 / count) * sum - 1
}

/**
 * tau_GAP (Gao and Oard 2015): for each place of the judge's ranking, the part of the truth's gaps to the places above
 * that the judge has the right way round; the mean of these shares on [-1, 1]. Of equal scores of the judge those that
 * come first in the lists stand above. Null where the truth has no gap. Not symmetric.
 */
export function tauGap(truth: readonly number[], judge: readonly number[]): number | null {
  const order = inOrder(
    judge.map((_, i) => i),
    (a, b) => (judge[a] === judge[b] ? a < b : judge[a]! > judge[b]!),
  )
  let sum = 0
  let count = 0
  for (const [place, i] of order.entries()) {
    let gaps = 0
    let confirmed = 0
    for (const j of order.slice(0, place)) {
      const gap = truth[j]! - truth[i]!
      gaps += Math.abs(gap)
      if (gap > 0) confirmed += gap
    }
    if (!(gaps > 0)) continue
    sum += confirmed / gaps
    count++
  }
  return count === 0 ? null : 2 * (sum / count) - 1
}

/** Sorted by "comes before" alone, as Python sorts: where NaN is among the values, the order is Python's too. */
const inOrder = <T>(values: readonly T[], before: (a: T, b: T) => boolean): T[] =>
  [...values].sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0))

/** By name. Kendall's is tau-b; null where a list is constant. */
export const CORRELATIONS: Record<string, Correlation> = {
  kendall,
  pearson,
  spearman,
  tauap_b: tauApB,
  tau_gap: tauGap,
}

/** Places of the k largest values; of equal ones, those that come first. */
export function topOf(values: readonly number[], k: number): number[] {
  // Python's sort in reverse: equal values stay in their order.
  return inOrder([...values.keys()].reverse(), (a, b) => values[a]! < values[b]!)
    .reverse()
    .slice(0, k)
}

/**
 * Bland and Altman's limits of agreement: the mean of `judge − truth` and 1.96 standard deviations (n − 1)
 * either side. Null for fewer than two pairs.
 */
export function blandAltman(
  differences: readonly number[],
): { bias: number; low: number; high: number } | null {
  const n = differences.length
  if (n < 2) return null
  const bias = differences.reduce((sum, one) => sum + one, 0) / n
  const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - bias) ** 2, 0) / (n - 1))
  return { bias, low: bias - 1.96 * spread, high: bias + 1.96 * spread }
}
