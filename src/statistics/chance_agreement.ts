/**
 * Agreement beyond chance, besides kappa and alpha: Gwet's coefficients, which stay sensible where nearly all items have one
 * label, Scott's pi, Fleiss' kappa. A figure is null where it is undefined (a single category), never 1.
 */
import { countEach } from '../rows/maps.ts'
import { type Label, sortedLabels } from './agreement.ts'
import { type ClusteredMean, clusteredInterval, clusterSums, unevenMean, weightedMean } from './clusters.ts'

/** Two raters' labels: each pair as indexes in `labels`, and how often each rater gave each label. */
interface Joint {
  labels: Label[]
  pairs: [row: number, column: number, times: number][]
  rows: Float64Array
  columns: Float64Array
  n: number
  /** Share of pairs with equal labels. */
  same: number
}

function jointOf(a: readonly Label[], b: readonly Label[], counts?: readonly number[]): Joint {
  const labels = sortedLabels([...a, ...b])
  const index = new Map(labels.map((label, i) => [label, i]))
  const [rows, columns] = [new Float64Array(labels.length), new Float64Array(labels.length)]
  let [n, same] = [0, 0]
  const pairs = a.map((label, i): Joint['pairs'][0] => {
    const [row, column, times] = [index.get(label)!, index.get(b[i]!)!, counts?.[i] ?? 1]
    rows[row]! += times
    columns[column]! += times
    n += times
    if (row === column) same += times
    return [row, column, times]
  })
  return { labels, pairs, rows, columns, n, same: same / n }
}

/** How far apart labels are, by their places in the sorted labels: weights of kappa. */
export type Distance = 'none' | 'linear' | 'quadratic'

const DISTANCES: Record<Distance, (i: number, j: number) => number> = {
  none: (i, j) => Number(i !== j),
  linear: (i, j) => Math.abs(i - j),
  quadratic: (i, j) => (i - j) ** 2,
}

/** The mean distance of each place from a rater's labels, in time linear in their number. */
function meanDistances(counts: Float64Array, n: number, distance: Distance): number[] {
  if (distance === 'none') return Array.from(counts, (times) => 1 - times / n)
  const [mean, squares] = [1, 2].map(
    (power) => counts.reduce((sum, times, i) => sum + times * i ** power, 0) / n,
  )
  if (distance === 'quadratic') return Array.from(counts, (_, i) => i * i - 2 * i * mean! + squares!)
  // From a place to the next the distance grows by the share of labels up to it, and falls by that of the others.
  let [below, apart] = [0, mean!]
  return Array.from(counts, (times) => {
    const here = apart
    below += times / n
    apart += 2 * below - 1
    return here
  })
}

/** Items whose labels are in pairs: see {@link LabelPairs}. */
interface KappaItems {
  a: readonly Label[]
  b: readonly Label[]
  /** How often each pair occurs, or the sum of its items' weights. */
  counts: readonly number[]
  /** The index of each item's pair. */
  of: ArrayLike<number>
  /** Where items are not independent: the cluster of each. */
  clusters?: readonly string[] | undefined
  /** Where they were not taken with the same probability: 1 / that of each. */
  weights?: readonly number[] | undefined
}

interface KappaError extends Pick<ClusteredMean, 'mean' | 'se' | 'freedom'> {
  /** The share of pairs whose labels would differ by chance. */
  apart: number
}

/**
 * Cohen's kappa, 1 − observed / expected distance, with its standard error (Fleiss, Cohen and Everitt 1969): kappa is a mean of
 * terms, one for each item, its value plus the item's influence on it. Of clusters and weights the error is the clustered one of
 * these terms (Liang and Zeger 1986, with G/(G−1) as for means). Null where a rater has a single label.
 */
export function kappaError(
  { a, b, counts, of, clusters, weights }: KappaItems,
  distance: Distance = 'none',
): KappaError | null {
  const { labels, pairs, rows, columns, n } = jointOf(a, b, counts)
  const isConstant = (rater: Float64Array) => rater.filter((times) => times > 0).length < 2
  if (labels.length < 2 || isConstant(rows) || isConstant(columns)) return null
  const apart = DISTANCES[distance]
  const seen = pairs.reduce((sum, [i, j, times]) => sum + times * apart(i, j), 0) / n
  const [ofRows, ofColumns] = [meanDistances(columns, n, distance), meanDistances(rows, n, distance)]
  const expected = rows.reduce((sum, times, i) => sum + times * ofRows[i]!, 0) / n
  const mean = 1 - seen / expected
  const terms = pairs.map(([i, j]) => {
    const moved = (seen * (ofRows[i]! + ofColumns[j]! - 2 * expected)) / expected
    return mean + (moved - (apart(i, j) - seen)) / expected
  })
  const byChance =
    distance === 'none'
      ? expected
      : 1 - rows.reduce((sum, times, i) => sum + (times * columns[i]!) / n / n, 0)
  if (!clusters && !weights) {
    const squares = terms.reduce((sum, term, i) => sum + counts[i]! * (term - mean) ** 2, 0)
    return { mean, se: Math.sqrt(squares) / n, apart: byChance }
  }
  const values = Array.from(of, (pair) => terms[pair]!)
  const { se, freedom } = weights
    ? weightedMean(values, weights, clusters)
    : unevenMean(clusterSums(values, clusters!))
  return { mean, se, ...(freedom !== undefined && { freedom }), apart: byChance }
}

/** Below it an error is rounding. */
const NO_SPREAD = 1e-9

/**
 * Interval of Cohen's kappa, within −1 and 1: its value and 1.96 errors (of few clusters t) to each side. If all items agree,
 * or none, there is no spread to measure by: then the bounds are those of the share that agrees, less what chance gives. With
 * weights they are as far out as either, because few heavy items may agree by chance.
 * @param same the interval of that share
 * @returns null where a rater has a single label, and for a single cluster
 */
export function kappaInterval(
  items: KappaItems,
  distance: Distance,
  level: number,
  same: readonly [number, number] | null,
): [number, number] | null {
  const found = kappaError(items, distance)
  if (found?.se == null) return null
  const byShare = same?.map((share) => Math.max(-1, 1 - (1 - share) / found.apart)) as [number, number]
  if (found.se >= NO_SPREAD) {
    const [low, high] = clusteredInterval(found, level)!
    const others = items.weights && distance === 'none' && byShare ? byShare : [1, -1]
    return [Math.max(-1, Math.min(low, others[0]!)), Math.min(1, Math.max(high, others[1]!))]
  }
  return same === null || (same[0] > 0 && same[1] < 1) ? null : byShare
}

/**
 * Gwet's AC1 of two raters, or AC2 with `quadratic` weights over the sorted labels. Chance agreement is
 * Σ π(1 − π) / (q − 1). Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement" (2008).
 * @param counts how often each pair occurs
 */
export function gwet(
  a: readonly Label[],
  b: readonly Label[],
  weights: 'none' | 'quadratic' = 'none',
  counts?: readonly number[],
): number | null {
  const joint = jointOf(a, b, counts)
  const { labels, pairs, rows, columns, n } = joint
  const q = labels.length
  if (n === 0 || q < 2) return null
  let spread = 0
  for (const [i, row] of rows.entries()) {
    const share = (row + columns[i]!) / (2 * n)
    spread += share * (1 - share)
  }
  let [seen, all] = [joint.same, q]
  if (weights === 'quadratic') {
    const at = labels.every((label) => typeof label === 'number')
      ? (labels as number[])
      : labels.map((_, i) => i)
    const span = (at[q - 1]! - at[0]!) ** 2
    seen = pairs.reduce((sum, [i, j, times]) => sum + times * (1 - (at[i]! - at[j]!) ** 2 / span), 0) / n
    const mean = at.reduce((sum, one) => sum + one, 0) / q
    // Σ over all ordered pairs of labels of 1 − their squared distance / span.
    all = q * q - (2 * q * at.reduce((sum, one) => sum + (one - mean) ** 2, 0)) / span
  }
  const expected = (all * spread) / (q * (q - 1))
  return expected === 1 ? null : (seen - expected) / (1 - expected)
}

/** Scott's pi (1955): chance agreement from the shares of labels of both raters together. */
export function scottPi(a: readonly Label[], b: readonly Label[], counts?: readonly number[]): number | null {
  const joint = jointOf(a, b, counts)
  const { rows, columns, n } = joint
  if (n === 0) return null
  const expected = rows.reduce((sum, row, i) => sum + ((row + columns[i]!) / (2 * n)) ** 2, 0)
  return expected === 1 ? null : (joint.same - expected) / (1 - expected)
}

/** Agreement of many raters. */
interface ManyRaters {
  /** Share of agreeing pairs of raters, over items with two ratings or more. */
  po: number | null
  ac1: number | null
  /** Fleiss' kappa; null where a rating is missing. */
  fleiss: number | null
}

/** Gwet's AC1 (2008) and Fleiss' kappa (1971). @param items the ratings of each, null where one is missing */
export function manyRaters(items: readonly (readonly (Label | null)[])[]): ManyRaters {
  const rated = items
    .map((item) => item.filter((one): one is Label => one !== null))
    .filter((of) => of.length > 0)
  const labels = sortedLabels(rated.flat())
  if (labels.length < 2) return { po: null, ac1: null, fleiss: null }
  const shares = new Map(labels.map((label) => [label, 0]))
  let [pairs, several] = [0, 0]
  for (const of of rated) {
    const counts = countEach(of)
    for (const [label, n] of counts) shares.set(label, shares.get(label)! + n / of.length / rated.length)
    if (of.length < 2) continue
    several++
    for (const n of counts.values()) pairs += (n * (n - 1)) / (of.length * (of.length - 1))
  }
  if (several === 0) return { po: null, ac1: null, fleiss: null }
  const po = pairs / several
  let [spread, squares] = [0, 0]
  for (const share of shares.values()) {
    spread += share * (1 - share)
    squares += share * share
  }
  const beyond = (expected: number) => (expected === 1 ? null : (po - expected) / (1 - expected))
  const complete = items.every((item) => item.length === items[0]!.length && !item.includes(null))
  return { po, ac1: beyond(spread / (labels.length - 1)), fleiss: complete ? beyond(squares) : null }
}
