/**
 * Rank correlations of AutoJudge's meta-evaluation. `truth` and `judge` hold the values of the same runs in the same order.
 */
import { roundFloat } from '../python/numbers.ts'
import { denseRanks, Fenwick, kendall, pearson, spearman } from '../statistics/correlation.ts'

type Correlation = (truth: readonly number[], judge: readonly number[]) => number | null

/**
 * tau_AP with ties, the mean of both directions: errors at the top weigh more (Yilmaz, Aslam and Robertson 2008; ties as
 * in Urbano and Marrero 2017). A direction in which all values are equal is 0, so a constant judge has (0 − 1) / 2.
 */
export function tauApB(truth: readonly number[], judge: readonly number[]): number {
  return (tauAp(truth, judge) + tauAp(judge, truth)) / 2
}

/** The share of the items above i in `y` that are also above i in `x`, averaged over i and scaled to [-1, 1]. */
function tauAp(x: readonly number[], y: readonly number[]): number {
  const places = denseRanks(x)
  const order = [...y.keys()].sort((a, b) => y[b]! - y[a]!)
  const seen = new Fenwick(y.length)
  const shares = new Array<number>(y.length)
  for (let above = 0, end = 0; above < order.length; above = end) {
    end = above + 1
    while (end < order.length && y[order[end]!] === y[order[above]!]) end++
    const equal = order.slice(above, end)
    for (const i of above > 0 ? equal : []) shares[i] = (above - seen.upTo(places[i]!)) / above
    for (const i of equal) seen.add(places[i]!, 1)
  }
  const defined = shares.filter((share) => share !== undefined)
  return defined.length === 0 ? 0 : (2 / defined.length) * defined.reduce((sum, share) => sum + share, 0) - 1
}

/**
 * tau_GAP (Gao and Oard 2015): for each rank of the judge, the share of the truth's gaps to higher ranks that the judge
 * orders correctly; the mean of these shares, scaled to [-1, 1]. Equal scores of the judge are ranked in list order, as in
 * autojudge-evaluate. Null if all values of the truth are equal. Not symmetric.
 */
export function tauGap(truth: readonly number[], judge: readonly number[]): number | null {
  const order = inOrder([...judge.keys()], (a, b) => (judge[a] === judge[b] ? a < b : judge[a]! > judge[b]!))
  let sum = 0
  let count = 0
  for (const [place, i] of order.entries()) {
    let gaps = 0
    let confirmed = 0
    for (let higher = 0; higher < place; higher++) {
      const gap = truth[order[higher]!]! - truth[i]!
      gaps += Math.abs(gap)
      if (gap > 0) confirmed += gap
    }
    if (!(gaps > 0)) continue
    sum += confirmed / gaps
    count++
  }
  return count === 0 ? null : 2 * (sum / count) - 1
}

/**
 * Sorts as Python's `list.sort`, which inserts each of up to 63 values by binary search into those before it: so NaN,
 * which is neither less nor greater, ends up in the same place. Engines sort such values each in its own way.
 */
function inOrder<T>(values: readonly T[], before: (a: T, b: T) => boolean): T[] {
  if (values.length > 63) return [...values].sort((a, b) => (before(a, b) ? -1 : Number(before(b, a))))
  const falls = values.length > 1 && before(values[1]!, values[0]!)
  let run = 1
  while (run < values.length && before(values[run]!, values[run - 1]!) === falls) run++
  const sorted = values.slice(0, run)
  if (falls) sorted.reverse()
  for (const value of values.slice(run)) {
    let from = 0
    let to = sorted.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (before(value, sorted[middle]!)) to = middle
      else from = middle + 1
    }
    sorted.splice(from, 0, value)
  }
  return sorted
}

/** The mean; null without values. */
export const meanOrNull = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** Rounds to ten decimals; NaN becomes null. */
export const tenDecimals = (value: number | null): number | null =>
  value === null || Number.isNaN(value) ? null : roundFloat(value, 10) + 0

/** By name. `kendall` is tau-b; null if a list is constant. */
export const CORRELATIONS: Record<string, Correlation> = {
  kendall,
  pearson,
  spearman,
  tauap_b: tauApB,
  tau_gap: tauGap,
}

/** Indexes of the k largest values; of equal ones, the first. */
export function topOf(values: readonly number[], k: number): number[] {
  // As Python's sort with reverse=True: equal values keep their order.
  return inOrder([...values.keys()].reverse(), (a, b) => values[a]! < values[b]!)
    .reverse()
    .slice(0, k)
}

/** Bland and Altman's limits of agreement: the mean difference ± 1.96 standard deviations (n − 1). Null for fewer than two. */
export function blandAltman(
  differences: readonly number[],
): { bias: number; low: number; high: number } | null {
  const n = differences.length
  if (n < 2) return null
  const bias = meanOrNull(differences)!
  const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - bias) ** 2, 0) / (n - 1))
  return { bias, low: bias - 1.96 * spread, high: bias + 1.96 * spread }
}
