/**
 * Agreement of a judge with the truth, or of raters with each other. Values agree with scikit-learn (accuracy_score,
 * f1_score, cohen_kappa_score) and the krippendorff package; null where these give NaN.
 *
 * `counts` is how often each pair (or unit) occurs; once by default.
 */
import { count, getOrInsert } from '../rows/maps.ts'

export type Label = string | number
type Counts = readonly number[] | undefined

/** Share of pairs that are the same; null without any. */
export function accuracy(truth: readonly Label[], judged: readonly Label[], counts?: Counts): number | null {
  let [same, all] = [0, 0]
  for (let i = 0; i < truth.length; i++) {
    const weight = counts?.[i] ?? 1
    all += weight
    if (truth[i] === judged[i]) same += weight
  }
  return all === 0 ? null : same / all
}

/**
 * Unweighted mean of F1 over the classes that occur in `truth`. A class that only the judge names lowers the precision of
 * the others and has no F1 of its own; a class that the judge never names has F1 0.
 */
export function macroF1(truth: readonly Label[], judged: readonly Label[], counts?: Counts): number | null {
  const hits = new Map<Label, number>()
  const inTruth = new Map<Label, number>()
  const inJudged = new Map<Label, number>()
  for (let i = 0; i < truth.length; i++) {
    const weight = counts?.[i] ?? 1
    if (weight === 0) continue
    count(inTruth, truth[i]!, weight)
    count(inJudged, judged[i]!, weight)
    if (truth[i] === judged[i]) count(hits, truth[i]!, weight)
  }
  if (inTruth.size === 0) return null
  let sum = 0
  for (const [label, size] of inTruth)
    sum += (2 * (hits.get(label) ?? 0)) / (size + (inJudged.get(label) ?? 0))
  return sum / inTruth.size
}

/**
 * Cohen's kappa: agreement beyond chance. The weights `linear` and `quadratic` weigh a disagreement by the distance of the
 * labels in `order`, or its square; by default `order` has all labels that occur, sorted.
 */
export function cohenKappa(
  a: readonly Label[],
  b: readonly Label[],
  weights: Weights = 'none',
  options: { order?: readonly Label[]; counts?: Counts } = {},
): number | null {
  const order = options.order ?? sortedLabels([...a, ...b])
  const place = new Map(order.map((label, index) => [label, index]))
  const placeOf = (label: Label) => place.get(label) ?? -1
  return kappaOfPlaces(a.map(placeOf), b.map(placeOf), order.length, weights, options.counts)
}

type Weights = 'none' | 'linear' | 'quadratic'

/** Cohen's kappa of labels given as indexes below `size`; pairs with an index of -1 are left out. */
function kappaOfPlaces(
  a: readonly number[],
  b: readonly number[],
  size: number,
  weights: Weights,
  counts?: Counts,
): number | null {
  const [rows, columns] = [new Float64Array(size), new Float64Array(size)]
  let [all, seen] = [0, 0]
  for (let i = 0; i < a.length; i++) {
    const [row, column] = [a[i]!, b[i]!]
    if (row < 0 || column < 0) continue
    const times = counts?.[i] ?? 1
    const apart = Math.abs(row - column)
    rows[row]! += times
    columns[column]! += times
    all += times
    seen += times * (weights === 'none' ? Number(apart > 0) : weights === 'linear' ? apart : apart * apart)
  }
  // Both are multiplied by the number of pairs, which leaves integers.
  const expected = drawnApart(rows, columns, all, weights)
  return all === 0 || expected === 0 ? null : 1 - (seen * all) / expected
}

/** Σ cost · rows · columns over all pairs of indexes, in time linear in their number. */
function drawnApart(rows: Float64Array, columns: Float64Array, all: number, weights: Weights): number {
  let sum = 0
  if (weights === 'none') {
    for (let i = 0; i < rows.length; i++) sum += rows[i]! * (all - columns[i]!)
  } else if (weights === 'linear') {
    // A distance is the number of steps between neighbours: sums over the steps.
    let [before, under] = [0, 0]
    for (const [i, row] of rows.entries()) {
      before += row
      under += columns[i]!
      sum += before * (all - under) + under * (all - before)
    }
  } else {
    let [inRows, inColumns] = [0, 0]
    for (const [i, row] of rows.entries()) {
      const at = i - (rows.length - 1) / 2
      sum += all * at * at * (row + columns[i]!)
      inRows += at * row
      inColumns += at * columns[i]!
    }
    sum -= 2 * inRows * inColumns
  }
  return sum
}

/** Distinct pairs of labels. */
export interface LabelPairs {
  a: Label[]
  b: Label[]
  /** How often each pair occurs. */
  counts: number[]
  /** The index of each item's pair. */
  of: Int32Array
}

export function labelPairs(a: ArrayLike<Label>, b: ArrayLike<Label>): LabelPairs {
  const pairs: LabelPairs = { a: [], b: [], counts: [], of: new Int32Array(a.length) }
  const indexes = new Map<Label, Map<Label, number>>()
  for (let i = 0; i < a.length; i++) {
    const row = getOrInsert(indexes, a[i]!, () => new Map<Label, number>())
    const at = getOrInsert(row, b[i]!, () => {
      pairs.a.push(a[i]!)
      pairs.b.push(b[i]!)
      return pairs.counts.push(0) - 1
    })
    pairs.counts[at]!++
    pairs.of[i] = at
  }
  return pairs
}

/** Numbers by size, then words by code point. */
export function sortedLabels(labels: Iterable<Label>): Label[] {
  return [...new Set(labels)].sort((a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
    return a < b ? -1 : a > b ? 1 : 0
  })
}

/**
 * Krippendorff's alpha, 1 − observed / expected disagreement. Krippendorff, "Computing Krippendorff's alpha-reliability"
 * (2011).
 * @param units the ratings of each item, null where one is missing; units with fewer than two ratings are ignored
 * @param level `interval` needs numbers; `ordinal` takes labels in sorted order, or in `order`
 */
export function krippendorffAlpha(
  units: readonly (readonly (Label | null)[])[],
  level: 'nominal' | 'ordinal' | 'interval' = 'nominal',
  options: { order?: readonly Label[]; counts?: Counts } = {},
): number | null {
  const rated = units
    .map((unit, i) => ({
      ratings: unit.filter((value): value is Label => value !== null),
      times: options.counts?.[i] ?? 1,
    }))
    .filter(({ ratings }) => ratings.length > 1)
  const values = options.order ?? sortedLabels(rated.flatMap(({ ratings }) => ratings))
  const place = new Map(values.map((value, index) => [value, index]))
  const totals = new Float64Array(values.length)
  for (const { ratings, times } of rated) for (const value of ratings) totals[place.get(value)!]! += times
  const { at, all, expected } = spread(values, totals, level)
  const distance = (x: number, y: number) => (level === 'nominal' ? Number(x !== y) : (at[x]! - at[y]!) ** 2)
  // Each ordered pair of ratings within a unit, weighed by 1 / (ratings − 1).
  let observed = 0
  for (const { ratings, times } of rated) {
    const places = ratings.map((value) => place.get(value)!)
    let apart = 0
    for (const [k, one] of places.entries())
      for (let other = 0; other < k; other++) apart += distance(one, places[other]!)
    observed += (times * 2 * apart) / (ratings.length - 1)
  }
  return expected === 0 ? null : 1 - ((all - 1) * observed) / expected
}

/** The position of each value at a level of measurement, the number of ratings, and Σ of squared distances between any two. */
function spread(values: readonly Label[], totals: Float64Array, level: 'nominal' | 'ordinal' | 'interval') {
  const all = totals.reduce((sum, size) => sum + size, 0)
  if (level === 'nominal')
    return { at: [], all, expected: totals.reduce((sum, size) => sum + size * (all - size), 0) }
  let before = 0
  const at = values.map((value, c) => {
    before += totals[c]!
    // Ordinal: the ratings below a value plus half of its own.
    return level === 'interval' ? Number(value) : before - totals[c]! / 2
  })
  const mean = totals.reduce((sum, size, c) => sum + size * at[c]!, 0) / all
  let [squares, rest] = [0, 0]
  for (const [c, size] of totals.entries()) {
    squares += size * (at[c]! - mean) ** 2
    rest += size * (at[c]! - mean)
  }
  const several = totals.filter((size) => size > 0).length > 1
  return { at, all, expected: several ? 2 * (all * squares - rest * rest) : 0 }
}

/** Share of the results whose verdict changed with the order shown; results that were not checked count as unchanged. */
export function positionalBiasRate(detected: number, results: number): number | null {
  return results === 0 ? null : detected / results
}
