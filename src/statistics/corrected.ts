/** Estimates of people's mean over all items, from few of their labels and many verdicts of a judge. */
import {
  clusterError,
  clusteredInterval,
  clusteredTest,
  clustersIn,
  effectiveNumber,
  errorOfWeights,
  meanOf,
  varianceOf,
} from './clusters.ts'
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
  /** 1 / the probability with which each labelled item was taken; without it all had the same. */
  weights?: readonly number[]
}

interface Estimate {
  estimate: number
  se: number | null
  /** Degrees of freedom of few clusters. */
  freedom?: number
  /** The judge's weight, 0 to 1. */
  lambda: number
}

const within = (value: number, low = 0, high = 1) => Math.max(low, Math.min(high, value))

/**
 * PPI++ for a mean: λ·mean(u) + mean(y − λf), λ = cov(y, f) / ((1 + n/N) var f) within [0, 1]. Angelopoulos,
 * Duchi and Zrnic, "PPI++" (2311.01453); the error as ppi_py has it. The labelled items have to be a random sample of all,
 * or have `weights`. Null for fewer than two labels, or without unlabelled items.
 */
export function ppiPlus(sample: FewLabels): Estimate | null {
  const { y, f, u, clusters, weights } = sample
  const [n, N] = [y.length, u.length]
  if (n < 2 || N === 0) return null
  if (weights) return byDesign({ ...sample, weights })
  const [meanY, meanF, meanU] = [meanOf(y), meanOf(f), meanOf(u)]
  const covariance = y.reduce((sum, one, i) => sum + (one - meanY) * (f[i]! - meanF), 0) / n
  const spread = (1 + n / N) * varianceOf([...f, ...u])
  const lambda = spread === 0 ? 0 : within(covariance / spread)
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
 * The difference estimator where items were taken with known probabilities: λ times the judge's mean of all items, plus the
 * mean of y − λf by Hájek, Σ w·(y − λf) / Σ w; λ = cov(y, f) / var f by the same weights. The error is that of the linearised
 * residuals (Särndal, Swensson and Wretman, "Model Assisted Survey Sampling", 1992, 5.7).
 */
function byDesign({ y, f, u, clusters, weights }: FewLabels & { weights: readonly number[] }): Estimate {
  const all = [...f, ...u]
  const [meanAll, total] = [meanOf(all), sumOf(weights)]
  const weighted = (values: readonly number[]) => sumOf(values.map((one, i) => weights[i]! * one)) / total
  const [meanY, meanF] = [weighted(y), weighted(f)]
  const covariance = weighted(y.map((one, i) => (one - meanY) * (f[i]! - meanF)))
  const spread = varianceOf(all, 0)
  const lambda = spread === 0 ? 0 : within(covariance / spread)
  const rest = y.map((one, i) => one - lambda * f[i]!)
  const middle = weighted(rest)
  const residuals = all.map((one, i) => {
    const ofJudge = (lambda * (one - meanAll)) / all.length
    return i < y.length ? ofJudge + (weights[i]! * (rest[i]! - middle)) / total : ofJudge
  })
  const error = clusterError(residuals, clusters ?? residuals.map((_, i) => String(i)))
  return { estimate: lambda * meanAll + middle, lambda, ...error }
}

const sumOf = (values: readonly number[]) => meanOf(values) * values.length

/** What values are: shares, differences of two shares, or amounts without an end. */
type PpiValues = 'shares' | 'differences' | 'amounts'

/** Two imaginary items, one each way, as pairs of people's value and the judge's. */
const IMAGINARY: Record<PpiValues, readonly (readonly [y: number, f: number])[]> = {
  shares: [
    [0, 1],
    [1, 0],
  ],
  differences: [
    [-1, 0],
    [1, 0],
  ],
  amounts: [],
}

/** Whether all values are 0, ½ or 1. */
export const areShares = (...values: (readonly number[])[]): boolean =>
  values.every((of) => of.every((one) => one === 0 || one === 0.5 || one === 1))

/**
 * Interval of {@link ppiPlus}, and p of no difference from 0, by t of the labels (or their clusters) less one. Few labels of
 * shares show few disagreements, or none of one kind, and the error seen is then too small: so two imaginary items are added, one
 * each way, in which people and the judge are far apart (as Agresti and Coull add successes and failures, 1998). `make coverage`
 * measures how often it holds. With weights the error is at least that of as many labels of equal weight as these come to, and so
 * are the degrees of freedom. Null without spread, and for labels of fewer than two clusters.
 */
export function ppiInterval(
  sample: FewLabels,
  level: number,
  span: PpiValues,
): { ci: [number, number]; p: number } | null {
  const { y, clusters, weights } = sample
  const independent = clusters ? clustersIn(clusters.slice(0, y.length)).effective : y.length
  const labelled = weights ? Math.min(independent, effectiveNumber(weights)) : independent
  if (labelled < 2) return null
  const all = withImaginary(sample, IMAGINARY[span])
  const found = ppiPlus(all)
  if (!found?.se) return null
  const rest = all.y.map((one, i) => one - found.lambda * all.f[i]!)
  const se = all.weights ? Math.max(found.se, errorOfWeights(rest, all.weights)!) : found.se
  const inference = { mean: found.estimate, se, freedom: labelled - 1 }
  const [low, high] = clusteredInterval(inference, level)!
  const [least, most] = { shares: [0, 1], differences: [-1, 1], amounts: [-Infinity, Infinity] }[span]
  return { ci: [within(low, least, most), within(high, least, most)], p: clusteredTest(inference)! }
}

function withImaginary(
  { y, f, u, clusters, weights }: FewLabels,
  added: readonly (readonly [y: number, f: number])[],
): FewLabels {
  return {
    y: [...y, ...added.map(([one]) => one)],
    f: [...f, ...added.map(([, one]) => one)],
    u,
    ...(clusters && {
      clusters: [
        ...clusters.slice(0, y.length),
        ...added.map((_, i) => `\0${i}`),
        ...clusters.slice(y.length),
      ],
    }),
    ...(weights && { weights: [...weights, ...added.map(() => meanOf(weights))] }),
  }
}

/** Counts on a labelled set: the judge said yes in `tp` of `m1` positive items, and no in `tn` of `m0` negative ones. */
export interface KnownErrors {
  tp: number
  m1: number
  tn: number
  m0: number
}

interface RoganGladen {
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
  return {
    estimate: within((k / n + specificity - 1) / youden),
    ci: [within(middle - z * error), within(middle + z * error)],
    ...known,
  }
}
