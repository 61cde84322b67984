/** Estimates of people's mean over all items, from few of their labels and many verdicts of a judge. */
import { clusterError, clusteredInterval, meanOf, varianceOf } from './clusters.ts'
import { normalQuantile } from './interval.ts'

export interface Corrected {
  estimate: number
  /** Null for fewer than two clusters, and without spread. */
  ci: [low: number, high: number] | null
  /** The judge's weight, 0 to 1. */
  lambda: number
}

/**
 * PPI++ for a mean: λ·mean(u) + mean(y − λf), λ = cov(y, f) / ((1 + n/N) var f) within [0, 1]. Angelopoulos,
 * Duchi and Zrnic, "PPI++" (2311.01453); variances as ppi_py takes them. The labelled items have to be a random
 * sample of all.
 * @param y people's labels, `f` the judge on the same items, `u` the judge on the items without a label
 * @param clusters the clusters of `y` and then of `u`: the error is that of the residuals' sums by cluster
 * @returns null for fewer than two labels, or without unlabelled items
 */
export function ppiPlus(
  y: readonly number[],
  f: readonly number[],
  u: readonly number[],
  level: number,
  clusters?: readonly string[],
): Corrected | null {
  const [n, N] = [y.length, u.length]
  if (n < 2 || N === 0) return null
  const [meanY, meanF] = [meanOf(y), meanOf(f)]
  const covariance = y.reduce((sum, one, i) => sum + (one - meanY) * (f[i]! - meanF), 0) / n
  const spread = (1 + n / N) * varianceOf([...f, ...u])
  const lambda = spread === 0 ? 0 : Math.max(0, Math.min(1, covariance / spread))
  const rest = y.map((one, i) => one - lambda * f[i]!)
  const estimate = lambda * meanOf(u) + meanOf(rest)
  if (clusters) {
    const [middle, meanU] = [meanOf(rest), meanOf(u)]
    const residuals = [
      ...rest.map((one) => (one - middle) / n),
      ...u.map((one) => (lambda * (one - meanU)) / N),
    ]
    return {
      estimate,
      ci: clusteredInterval({ mean: estimate, ...clusterError(residuals, clusters) }, level),
      lambda,
    }
  }
  const se = Math.sqrt((lambda * lambda * varianceOf(u, 0)) / N + varianceOf(rest, 0) / n)
  const reach = normalQuantile((1 + level) / 2) * se
  return { estimate, ci: se === 0 ? null : [estimate - reach, estimate + reach], lambda }
}

/** Counts on a labelled set: the judge said yes in `tp` of `m1` positive items, and no in `tn` of `m0` negative ones. */
export interface KnownErrors {
  tp: number
  m1: number
  tn: number
  m0: number
}

export interface RoganGladen {
  estimate: number | null
  ci: [low: number, high: number] | null
  sensitivity: number
  specificity: number
  reason?: string
}

/**
 * The share of positive items, if the judge said yes in k of n: (p + sp − 1) / (se + sp − 1), within [0, 1]
 * (Rogan and Gladen 1978), with the interval of Lang and Reiczigel, "Confidence limits for prevalence of disease
 * adjusted for estimated sensitivity and specificity" (2014).
 */
export function roganGladen(
  k: number,
  n: number,
  { tp, m1, tn, m0 }: KnownErrors,
  level: number,
): RoganGladen {
  const [sensitivity, specificity] = [tp / m1, tn / m0]
  const youden = sensitivity + specificity - 1
  const known = { sensitivity, specificity }
  if (!(youden > 0) || n === 0)
    return {
      estimate: null,
      ci: null,
      ...known,
      reason: 'the judge is no better than chance on the labelled items',
    }
  const z = normalQuantile((1 + level) / 2)
  const size = n + z * z
  const p = (k + (z * z) / 2) / size
  const [se, sp] = [(tp + 1) / (m1 + 2), (tn + 1) / (m0 + 2)]
  const scale = se + sp - 1
  const share = (p + sp - 1) / scale
  const [ofSe, ofSp] = [(se * (1 - se)) / (m1 + 2), (sp * (1 - sp)) / (m0 + 2)]
  const middle = share + 2 * z * z * (share * ofSe - (1 - share) * ofSp)
  const error =
    Math.sqrt((p * (1 - p)) / size + share * share * ofSe + (1 - share) ** 2 * ofSp) / Math.abs(scale)
  const within = (value: number) => Math.max(0, Math.min(1, value))
  return {
    estimate: within((k / n + specificity - 1) / youden),
    ci: [within(middle - z * error), within(middle + z * error)],
    ...known,
  }
}
