/** Tests of two independent samples: of shares Fisher's, of scores Welch's. */
import { meanOf, varianceOf } from './clusters.ts'
import { binomialPmf, tTest } from './distributions.ts'

/**
 * Two-sided p of x of n and y of m being shares of the same population: the chance of all splits of x + y that are at most
 * as likely as this one (as SciPy's fisher_exact).
 */
export function fisherTest(x: number, n: number, y: number, m: number): number {
  const [all, total] = [x + y, n + m]
  if (n === 0 || m === 0 || all === 0 || all === total) return 1
  const share = all / total
  const whole = binomialPmf(all, total, share)
  const chance = (k: number) => (binomialPmf(k, n, share) * binomialPmf(all - k, m, share)) / whole
  const seen = chance(x) * (1 + 1e-7)
  const mean = (n * all) / total
  // Further out the chances are below 1e-15.
  const reach = 9 * Math.sqrt((mean * (1 - share) * m) / (total - 1)) + Math.abs(x - mean) + 9
  let p = 0
  for (
    let k = Math.max(0, all - m, Math.floor(mean - reach));
    k <= Math.min(n, all, Math.ceil(mean + reach));
    k++
  ) {
    const one = chance(k)
    if (one <= seen) p += one
  }
  return Math.min(1, p)
}

/** Two-sided p of equal means, by t with Welch's degrees of freedom; null without spread, or for fewer than two values. */
export function welchTest(x: readonly number[], y: readonly number[]): number | null {
  if (x.length < 2 || y.length < 2) return null
  const [a, b] = [varianceOf(x) / x.length, varianceOf(y) / y.length]
  if (a + b === 0) return null
  const freedom = (a + b) ** 2 / (a ** 2 / (x.length - 1) + b ** 2 / (y.length - 1))
  return tTest((meanOf(x) - meanOf(y)) / Math.sqrt(a + b), freedom)
}

/** The same of values that may be 0 and 1 alone: then Fisher's test. */
export function sameMeanTest(x: readonly number[], y: readonly number[]): number | null {
  if (x.length === 0 || y.length === 0) return null
  const isShare = [x, y].every((of) => of.every((one) => one === 0 || one === 1))
  return isShare ? fisherTest(ones(x), x.length, ones(y), y.length) : welchTest(x, y)
}

const ones = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0)
