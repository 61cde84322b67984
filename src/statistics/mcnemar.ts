/** Yes/no outcomes of two runs on the same items. Values agree with statsmodels' mcnemar and proportion_confint. */
import { betaQuantile, binomialPmf, binomialTest } from './distributions.ts'
import { wilson } from './interval.ts'

/** Items on which both runs are right, only A, only B, neither. */
export interface PairedCounts {
  both: number
  onlyA: number
  onlyB: number
  neither: number
}

/** Exact two-sided McNemar test: a fair coin for each item on which the runs differ; 1 if they never do. */
export const mcnemarExact = ({ onlyA, onlyB }: PairedCounts): number => binomialTest(onlyA, onlyA + onlyB)

/**
 * McNemar's test with mid-p: half the probability of the observed counts, which makes the exact test less conservative.
 * Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data" (2013).
 */
export function mcnemarMidP(counts: PairedCounts): number {
  const { onlyA, onlyB } = counts
  const n = onlyA + onlyB
  if (n === 0) return 1
  const seen = binomialPmf(onlyA, n, 0.5)
  return onlyA === onlyB ? 1 - seen / 2 : mcnemarExact(counts) - seen
}

/**
 * Interval of the difference of two paired shares: Newcombe, "Improved confidence intervals for the difference
 * between binomial proportions based on paired data" (1998), method 10. Null without items.
 */
export function newcombe(counts: PairedCounts, level: number): [low: number, high: number] | null {
  const { both: a, onlyA: b, onlyB: c, neither: d } = counts
  const n = a + b + c + d
  if (n === 0) return null
  const [pA, pB] = [(a + b) / n, (a + c) / n]
  const [lowA, highA] = wilson(a + b, n, level)!
  const [lowB, highB] = wilson(a + c, n, level)!
  const margins = (a + b) * (c + d) * (a + c) * (b + d)
  const product = a * d - b * c
  const corrected = product > n / 2 ? product - n / 2 : Math.min(product, 0)
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins)
  const reach = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * phi * x * y + y * y))
  const difference = (b - c) / n
  return [difference - reach(pA - lowA, highB - pB), difference + reach(highA - pA, pB - lowB)]
}

/** Cohen's h, the distance of two shares on a scale of constant variance. */
export const cohensH = (a: number, b: number): number =>
  2 * Math.asin(Math.sqrt(a)) - 2 * Math.asin(Math.sqrt(b))

/** Exact interval of a share (Clopper and Pearson 1934); null where total is 0. */
export function clopperPearson(count: number, total: number, level: number): [number, number] | null {
  if (total === 0) return null
  const alpha = (1 - level) / 2
  return [
    count === 0 ? 0 : betaQuantile(alpha, count, total - count + 1),
    count === total ? 1 : betaQuantile(1 - alpha, count + 1, total - count),
  ]
}

/** Matched odds ratio, onlyA / onlyB, with Clopper and Pearson's bounds; null for infinity, and if the runs never differ. */
export function matchedOdds(
  { onlyA, onlyB }: PairedCounts,
  level: number,
): { ratio: number | null; ci: [number | null, number | null] } {
  const bounds = clopperPearson(onlyA, onlyA + onlyB, level)
  const odds = (share: number | undefined) =>
    share === undefined || share === 1 ? null : share / (1 - share)
  return { ratio: onlyB === 0 ? null : onlyA / onlyB, ci: [odds(bounds?.[0]), odds(bounds?.[1])] }
}
