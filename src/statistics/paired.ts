/** Tests of paired scores, from their differences. Values agree with SciPy's. */
import { countEach } from '../rows/maps.ts'
import { meanOf, varianceOf } from './clusters.ts'
import { ranks } from './correlation.ts'
import { binomialTest, normalTest, tInterval, tTest } from './distributions.ts'

interface TTest {
  mean: number
  /** Standard error of the mean. */
  se: number
  t: number
  p: number
  ci: [low: number, high: number]
  /** Cohen's d of the differences, mean / sd. */
  dz: number
}

/** Differences this small in proportion are rounding: 0.3 − 0.2 is as much as 0.2 − 0.1. */
export const ROUNDING = 1e-12

/** x − y; 0 if they differ by rounding alone. */
export function differenceOf(x: number, y: number): number {
  const difference = x - y
  return Math.abs(difference) <= ROUNDING * Math.max(Math.abs(x), Math.abs(y)) ? 0 : difference
}

/** Standard deviation of differences (n − 1), 0 if they differ by rounding alone; null for fewer than two. */
export function deviationOf(differences: readonly number[]): number | null {
  if (differences.length < 2) return null
  const sd = Math.sqrt(varianceOf(differences))
  return sd <= ROUNDING * Math.abs(meanOf(differences)) ? 0 : sd
}

/** Paired t-test of the differences; null for fewer than two, or where all are the same and have no spread. */
export function pairedT(differences: readonly number[], level: number): TTest | null {
  const n = differences.length
  const sd = deviationOf(differences)
  if (!sd) return null
  const mean = meanOf(differences)
  const se = sd / Math.sqrt(n)
  return {
    mean,
    se,
    t: mean / se,
    p: tTest(mean / se, n - 1),
    ci: tInterval(mean, sd, n, level),
    dz: mean / sd,
  }
}

interface SignedRanks {
  plus: number
  minus: number
  p: number
  exact: boolean
  /** (W+ − W−) / (W+ + W−); null without differences. */
  rankBiserial: number | null
}

/** Up to this many differences the p value is exact; with ties, up to {@link EXACT_WITH_TIES}. */
const EXACT = 50
const EXACT_WITH_TIES = 25

/**
 * Wilcoxon's signed-rank test. Zeros are left out, and ties share their mean rank. The p value of up to 50 differences
 * (25 with ties) is exact: the share of all sign patterns. Of more it is normal, with the correction for ties and none for
 * continuity. Values agree with SciPy's exact, permutation and asymptotic methods.
 */
export function wilcoxon(differences: readonly number[], exact = true): SignedRanks {
  const kept = differences.filter((one) => one !== 0)
  const sizes = kept.map((one) => roundedSize(one))
  const rank = ranks(sizes)
  const n = kept.length
  let plus = 0
  for (const [i, one] of kept.entries()) if (one > 0) plus += rank[i]!
  const total = (n * (n + 1)) / 2
  const minus = total - plus
  const rankBiserial = n === 0 ? null : (plus - minus) / total
  const ties = tieSizes(sizes)
  if (exact && n > 0 && n <= (ties.length === 0 ? EXACT : EXACT_WITH_TIES))
    return { plus, minus, p: exactSignedRank(Math.min(plus, minus), rank), exact: true, rankBiserial }
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - ties.reduce((sum, t) => sum + (t ** 3 - t) / 48, 0)
  const p = variance === 0 ? 1 : normalTest((plus - total / 2) / Math.sqrt(variance))
  return { plus, minus, p, exact: false, rankBiserial }
}

/** Rounded, so that 0.7 − 0.6 and 0.2 − 0.1 are ties. */
const roundedSize = (value: number) => Number(Math.abs(value).toPrecision(12))

const tieSizes = (values: readonly number[]): number[] => [...countEach(values).values()].filter((n) => n > 1)

/** Two-sided p: the share of all sign patterns whose sum of ranks is at least as extreme. Sums are counted in halves, as ties have half ranks. */
function exactSignedRank(smaller: number, ranks: readonly number[]): number {
  const n = ranks.length
  const ways = new Float64Array(n * (n + 1) + 1)
  ways[0] = 1
  for (const rank of ranks)
    for (let sum = ways.length - 1; sum >= 2 * rank; sum--) ways[sum]! += ways[sum - 2 * rank]!
  let tail = 0
  for (let sum = 0; sum <= 2 * smaller; sum++) tail += ways[sum]!
  return Math.min(1, (2 * tail) / 2 ** n)
}

/** Sign test: exact binomial on wins and losses, ties left out. */
export function signTest(wins: number, losses: number): number {
  return binomialTest(wins, wins + losses)
}

/** The most differences for which all sign patterns are counted. */
const ALL_SIGNS = 20

/**
 * Exact sign-flip permutation test of the mean: the share of all sign patterns whose |mean| is at least the observed one.
 * Null for more than 20 differences that are not all the same, which have too many patterns.
 */
export function signFlips(differences: readonly number[]): number | null {
  const n = differences.length
  // Where all are the same, only all one way are as far from 0.
  if (n > 0 && deviationOf(differences) === 0) return differences[0] === 0 ? 1 : 2 ** (1 - n)
  if (n > ALL_SIGNS) return null
  let sum = differences.reduce((all, one) => all + one, 0)
  const seen = Math.abs(sum) - ROUNDING * differences.reduce((all, one) => all + Math.abs(one), 0)
  // Gray code: one sign changes from each pattern to the next.
  const sign = new Int8Array(n).fill(1)
  let hits = 0
  for (let pattern = 0; pattern < 2 ** n; pattern++) {
    if (Math.abs(sum) >= seen) hits++
    const at = 31 - Math.clz32((pattern + 1) & -(pattern + 1))
    if (at >= n) break
    sum -= 2 * sign[at]! * differences[at]!
    sign[at]! *= -1
  }
  return hits / 2 ** n
}

/** How {@link pairedTest} is called where it counts sign patterns. */
export const SIGN_FLIP = 'sign-flip exact'

/**
 * The p value of a mean difference by the paired t test, or, if wanted or where all differences are the same and have no
 * spread, by sign flips. Null for a single difference; the t test's where there are too many for sign flips.
 */
export function pairedTest(
  differences: readonly number[],
  exact = false,
): { p: number | null; test: string } {
  if (!exact && differences.every((one) => one === 0)) return { p: 1, test: 't' }
  const flips = exact || deviationOf(differences) === 0 ? signFlips(differences) : null
  return flips === null
    ? { p: pairedT(differences, 0.95)?.p ?? null, test: 't' }
    : { p: flips, test: SIGN_FLIP }
}
