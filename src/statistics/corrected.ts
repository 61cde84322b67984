/** Estimates of people's mean over all items, from few of their labels and many verdicts of a judge. */
import { clusterError, clusteredInterval, meanOf, varianceOf } from './clusters.ts'
import { normalQuantile } from './interval.ts'

/** People's labels of some items, and the judge's values of all. */
export interface FewLabels {
  /** People's labels. */
  y: readonly number[]
  /** The judge on the same items. */
  f: readonly number[]
  /** The judge on the items without a label. */
  u: readonly number[]
  /** The clusters of `y` and then of `u`: the error is that of the residuals' sums by cluster. */
  clusters?: readonly string[]
}

interface Estimate {
  estimate: number
  se: number | null
  /** Degrees of freedom of few clusters. */
  freedom?: number
  /** The judge's weight, 0 to 1. */
  lambda: number
}

/**
 * PPI++ for a mean: λ·mean(u) + mean(y − λf), λ = cov(y, f) / ((1 + n/N) var f) within [0, 1]. Angelopoulos,
 * Duchi and Zrnic, "PPI++" (2311.01453); the error as ppi_py has it. The labelled items have to be a random sample of all.
 * Null for fewer than two labels, or without unlabelled items.
 */
export function ppiPlus({ y, f, u, clusters }: FewLabels): Estimate | null {
  const [n, N] = [y.length, u.length]
  if (n < 2 || N === 0) return null
  const [meanY, meanF, meanU] = [meanOf(y), meanOf(f), meanOf(u)]
  const covariance = y.reduce((sum, one, i) => sum + (one - meanY) * (f[i]! - meanF), 0) / n
  const spread = (1 + n / N) * varianceOf([...f, ...u])
  const lambda = spread === 0 ? 0 : Math.max(0, Math.min(1, covariance / spread))
  const rest = y.map((one, i) => one - lambda * f[i]!)
  const middle = meanOf(rest)
  const estimate = lambda * meanU + middle
  if (!clusters) {
    const se = Math.sqrt((lambda * lambda * varianceOf(u, 0)) / N + varianceOf(rest, 0) / n)
    return { estimate, se, lambda }
  }
  const residuals = [
    ...rest.map((one) => (one - middle) / n),
    ...u.map((one) => (lambda * (one - meanU)) / N),
  ]
  return { estimate, lambda, ...clusterError(residuals, clusters) }
}

/**
 * Interval of {@link ppiPlus}, by t of the labels (or their clusters) less one. Few labels of shares show few
 * disagreements, or none of one kind, and the error seen is then too small: so two imaginary items are added, one each way,
 * in which people and the judge are as far apart as can be (as Agresti and Coull add successes and failures, 1998). `make
 * coverage` measures how often it holds. Null without spread, and for labels of fewer than two clusters.
 */
export function ppiInterval({ y, f, u, clusters }: FewLabels, level: number): [number, number] | null {
  const labelled = clusters ? new Set(clusters.slice(0, y.length)).size : y.length
  if (labelled < 2) return null
  const isShare = [y, f, u].every((values) => values.every((one) => one === 0 || one === 0.5 || one === 1))
  const found = ppiPlus(
    isShare
      ? {
          y: [...y, 0, 1],
          f: [...f, 1, 0],
          u,
          ...(clusters && {
            clusters: [...clusters.slice(0, y.length), '\0no', '\0yes', ...clusters.slice(y.length)],
          }),
        }
      : { y, f, u, ...(clusters && { clusters }) },
  )
  if (!found?.se) return null
  const { estimate: mean, se } = found
  const [low, high] = clusteredInterval({ mean, se, freedom: labelled - 1 }, level)!
  return isShare ? [Math.max(0, low), Math.min(1, high)] : [low, high]
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
