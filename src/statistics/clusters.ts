/** Means of values that come in clusters: questions of one text, samples of one item, battles about one prompt. */

import { countEach, getOrInsert } from '../rows/maps.ts'
import { normalTest, tQuantile, tTest } from './distributions.ts'
import { normalQuantile, wilson } from './interval.ts'
import { Sum } from './sum.ts'

/** Below this many clusters Student's t takes the place of the normal distribution. */
export const FEW = 50

/**
 * How many clusters of equal size vary as much as these: (Σ size)² / Σ size², at least 2. Kish, "Survey sampling" (1965);
 * Carter, Schnepel and Steigerwald, "Asymptotic behavior of a t-test robust to cluster heterogeneity" (2017), for values
 * that are independent within a cluster. Clusters of equal size count as many as they are.
 */
export const effectiveClusters = (sum: number, squares: number): number => Math.max(2, sum ** 2 / squares)

export interface ClusteredMean {
  n: number
  clusters: number
  /** How many clusters of equal size they come to, as far as is known. */
  effective: number
  mean: number
  /** √(Σ over clusters of (Σ of residuals)²) / n · √(G/(G−1)); null for fewer than two clusters. */
  se: number | null
  /** Degrees of freedom of the t distribution; undefined where the normal one does. */
  freedom?: number
}

/**
 * Mean and its standard error from sums: a cluster is `[weight, Σ of weight × value]`.
 * Miller, "Adding error bars to evals" (2411.00640), with the factor G/(G−1) for few clusters.
 */
export function clusteredMean(clusters: readonly (readonly [weight: number, sum: number])[]): ClusteredMean {
  const [weights, sums] = [new Sum(), new Sum()]
  for (const [weight, sum] of clusters) {
    weights.add(weight)
    sums.add(sum)
  }
  const [n, groups] = [weights.value, clusters.length]
  const mean = n === 0 ? Number.NaN : sums.value / n
  const squares = new Sum()
  for (const [weight, sum] of clusters) squares.add((sum - weight * mean) ** 2)
  const se = groups < 2 ? null : (Math.sqrt(squares.value) / n) * Math.sqrt(groups / (groups - 1))
  return { n, clusters: groups, effective: groups, mean, se, ...(groups < FEW && { freedom: groups - 1 }) }
}

/**
 * The same for clusters of any size: G in the factor and the degrees of freedom is {@link effectiveClusters}, as a large cluster
 * says less than many small ones. Of clusters of equal size it is {@link clusteredMean}.
 */
export function unevenMean(clusters: readonly (readonly [size: number, sum: number])[]): ClusteredMean {
  const { se, freedom: _, ...found } = clusteredMean(clusters)
  const { effective } = countClusters(clusters.map(([size]) => size))
  if (se === null || effective >= FEW) return { ...found, effective, se }
  const factor = Math.sqrt((1 - 1 / found.clusters) / (1 - 1 / effective))
  return { ...found, effective, se: se * factor, freedom: effective - 1 }
}

/** How many clusters of these sizes there are, and how many of equal size they come to. */
export function countClusters(sizes: readonly number[]): Pick<ClusteredMean, 'clusters' | 'effective'> {
  const clusters = sizes.length
  const sum = (of: (size: number) => number) => sizes.reduce((all, size) => all + of(size), 0)
  const effective =
    clusters < 2
      ? clusters
      : effectiveClusters(
          sum((size) => size),
          sum((size) => size ** 2),
        )
  return { clusters, effective }
}

/** The same of the clusters of values. @param names the cluster of each */
export const clustersIn = (names: readonly string[]) => countClusters([...countEach(names).values()])

/** The clusters of a report, also how many they come to where they are not of equal size. */
export const clusterFigures = ({ clusters, effective }: Pick<ClusteredMean, 'clusters' | 'effective'>) => ({
  clusters,
  ...(effective < clusters && { effective_clusters: effective }),
})

/** How many values of equal weight vary as much as these: (Σ w)² / Σ w² (Kish 1965). */
export function effectiveNumber(weights: readonly number[]): number {
  const [sum, squares] = [new Sum(), new Sum()]
  for (const weight of weights) {
    sum.add(weight)
    squares.add(weight ** 2)
  }
  return sum.value ** 2 / squares.value
}

/**
 * Mean of values by their weights. Few heavy ones that happen to be alike show too small an error: it is at least that of as
 * many values of equal weight as these come to, which also give the degrees of freedom.
 */
export function weightedMean(
  values: readonly number[],
  weights: readonly number[],
  clusters: readonly string[] | undefined,
): ClusteredMean {
  const each = clusters ?? values.map((_, i) => String(i))
  const { freedom: _, ...seen } = clusteredMean(clusterSums(values, each, weights))
  const effective = Math.min(seen.clusters, effectiveNumber(weights))
  const least = errorOfWeights(values, weights)
  const se = seen.se === null || least === null ? null : Math.max(seen.se, least)
  return { ...seen, se, effective, ...(effective < FEW && { freedom: Math.max(1, effective - 1) }) }
}

/** √(Σ w (value − mean)² / Σ w / (effective number − 1)); null for a single value. */
export function errorOfWeights(values: readonly number[], weights: readonly number[]): number | null {
  const effective = effectiveNumber(weights)
  if (!(effective > 1)) return null
  const total = meanOf(weights)
  const weighted = (of: (i: number) => number) => meanOf(values.map((_, i) => weights[i]! * of(i))) / total
  const mean = weighted((i) => values[i]!)
  return Math.sqrt(weighted((i) => (values[i]! - mean) ** 2) / (effective - 1))
}

/** The error of {@link unevenMean} of a sum of residuals: √(Σ over clusters of (Σ of them)² · G/(G−1)). */
export function clusterError(
  residuals: readonly number[],
  clusters: readonly string[],
): Pick<ClusteredMean, 'se' | 'freedom'> {
  const { n, se, freedom } = unevenMean(clusterSums(residuals, clusters))
  return { se: se === null ? null : se * n, ...(freedom !== undefined && { freedom }) }
}

/** Interval of a clustered mean; null for fewer than two clusters. */
export function clusteredInterval(
  { mean, se, freedom }: Pick<ClusteredMean, 'mean' | 'se' | 'freedom'>,
  level: number,
): [number, number] | null {
  if (se === null) return null
  const reach = errorsIn(level, freedom) * se
  return [mean - reach, mean + reach]
}

/**
 * Interval of a mean of values from `low` to `high`, which it does not leave: that of the logit of the mean's place between
 * them, by the delta method. Newcombe, "Logit confidence intervals and the inverse sinh transformation" (2001); with t as in
 * Franco, Little, Louis and Slud, "Comparative study of confidence intervals for proportions in complex sample surveys" (2019).
 * @param se above 0, the mean between the two
 */
export function boundedInterval(
  { mean, se, freedom }: { mean: number; se: number; freedom?: number },
  [low, high]: readonly [low: number, high: number],
  level: number,
): [number, number] {
  const place = (mean - low) / (high - low)
  const reach = (errorsIn(level, freedom) * se) / (high - low) / (place * (1 - place))
  const logit = Math.log(place / (1 - place))
  const at = (one: number) => low + (high - low) / (1 + Math.exp(-one))
  return [at(logit - reach), at(logit + reach)]
}

/** How many standard errors an interval reaches to each side. @param freedom that of t; undefined for the normal distribution */
export const errorsIn = (level: number, freedom: number | undefined): number =>
  freedom === undefined ? normalQuantile((1 + level) / 2) : tQuantile(level, freedom)

/** Two-sided p of a clustered mean against 0; null where it has no spread to measure by. */
export function clusteredTest({
  mean,
  se,
  freedom,
}: Pick<ClusteredMean, 'mean' | 'se' | 'freedom'>): number | null {
  if (se === null || se === 0) return null
  return freedom === undefined ? normalTest(mean / se) : tTest(mean / se, freedom)
}

/**
 * Interval of a share of values 0 and 1: Wilson's on the effective number of values, n / design effect, at most n; for
 * few clusters times (z/t)². Korn and Graubard, "Confidence intervals for proportions with small expected number of
 * positive counts estimated from survey data" (1998). A share of 0 or 1 has no spread: each cluster counts once.
 * Null for fewer than two clusters.
 */
export function clusteredShareInterval(
  { n, effective, mean, se, freedom }: ClusteredMean,
  level: number,
): [number, number] | null {
  if (se === null) return null
  const spread = mean * (1 - mean)
  const z = normalQuantile((1 + level) / 2)
  const few = freedom === undefined ? 1 : (z / tQuantile(level, freedom)) ** 2
  const values = few * (spread === 0 ? effective : Math.min(n, spread / se ** 2))
  return wilson(mean * values, values, level)
}

/**
 * Sums of values by their cluster, in the order of the clusters' names: [size, sum]; with weights [Σ weight, Σ weight × value].
 */
export function clusterSums(
  values: readonly number[],
  clusters: readonly string[],
  weights?: readonly number[],
): [number, number][] {
  const places = new Map<string, number>()
  const sizes = new Sums(weights ?? [])
  const sums = new Sums(weights ? values.map((value, i) => weights[i]! * value) : values)
  for (let i = 0; i < values.length; i++) {
    const place = getOrInsert(places, clusters[i]!, () => places.size)
    sizes.add(place, weights?.[i] ?? 1)
    sums.add(place, (weights?.[i] ?? 1) * values[i]!)
  }
  return [...places].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, at]) => [sizes.of(at), sums.of(at)])
}

/** Several sums. Whole numbers need no exact sums of floats, which take much memory. */
class Sums {
  private readonly whole: boolean
  private readonly sums: (number | Sum)[] = []

  constructor(values: readonly number[]) {
    this.whole = values.every(Number.isInteger)
  }

  add(at: number, value: number): void {
    if (this.whole) this.sums[at] = ((this.sums[at] ?? 0) as number) + value
    else ((this.sums[at] ??= new Sum()) as Sum).add(value)
  }

  of(at: number): number {
    const sum = this.sums[at]!
    return typeof sum === 'number' ? sum : sum.value
  }
}

interface Resamples {
  mean: number
  /** sd of the items' means / √items. */
  se: number | null
  /** Mean of the items' own variances; null where no item has two samples. */
  within: number | null
  /** Variance between items beyond that, at least 0. */
  between: number | null
  /** What the error would be with one sample an item, and with any number. */
  seOneSample: number | null
  seManySamples: number | null
}

/** What several samples an item say about the error: whether more samples or more items help (Miller 2024, section 3). */
export function resamples(items: readonly (readonly number[])[]): Resamples {
  const means = items.map(meanOf)
  const n = means.length
  const variances = items.map((of) => (of.length > 1 ? varianceOf(of) : null))
  const known = variances.filter((one) => one !== null)
  const total = n > 1 ? varianceOf(means) : null
  const within = known.length > 0 ? meanOf(known) : null
  const noise = meanOf(variances.map((one, i) => (one ?? within ?? 0) / items[i]!.length))
  const between = total === null || within === null ? null : Math.max(0, total - noise)
  const error = (variance: number | null) => (variance === null ? null : Math.sqrt(variance / n))
  return {
    mean: meanOf(means),
    se: error(total),
    within,
    between,
    seOneSample: between === null ? null : error(between + within!),
    seManySamples: error(between),
  }
}

export function meanOf(values: Iterable<number> & { length: number }): number {
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum.value / values.length
}

/** Variance; `freedom` 1 estimates that of what the values are a sample of. */
export function varianceOf(values: readonly number[], freedom = 1): number {
  const mean = meanOf(values)
  const squares = new Sum()
  for (const value of values) squares.add((value - mean) ** 2)
  return squares.value / (values.length - freedom)
}
