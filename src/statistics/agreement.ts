/**
 * Agreement of a judge with what is known to be right, or of raters with each other. Values agree with
 * scikit-learn (accuracy_score, f1_score, cohen_kappa_score) and with the krippendorff package; null stands
 * where these give NaN.
 *
 * `counts` says how many times the pair (or unit) at that place stands in the data.
 */
import { count } from '../rows/maps.ts'

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
 * Unweighted mean of the classes' F1, over the classes that occur in `truth` (a class only the judge names
 * costs precision elsewhere, and has no F1 of its own). A class never judged has F1 0.
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
 * Cohen's kappa: agreement beyond what chance gives. `linear` and `quadratic` weigh a disagreement by the
 * distance (squared) of the labels' places in `order`: by default all labels that occur, sorted.
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

/** Cohen's kappa of labels by their places below `size`; pairs with a label of none (-1) are left out. */
export function kappaOfPlaces(
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
  // Of two labels drawn apart, both times the number of pairs.
  const expected = drawnApart(rows, columns, all, weights)
  return all === 0 || expected === 0 ? null : 1 - (seen * all) / expected
}

/** Σ cost · rows · columns over all two places, in time linear in their number. */
function drawnApart(rows: Float64Array, columns: Float64Array, all: number, weights: Weights): number {
  let sum = 0
  if (weights === 'none') {
    for (let i = 0; i < rows.length; i++) sum += rows[i]! * (all - columns[i]!)
  } else if (weights === 'linear') {
    // The distance is the number of borders between the two.
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

/** Numbers by size, then words by code point. */
export function sortedLabels(labels: Iterable<Label>): Label[] {
  return [...new Set(labels)].sort((a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
    return a < b ? -1 : a > b ? 1 : 0
  })
}

/**
 * Krippendorff's alpha, 1 − observed / expected disagreement, from units (items), each with what its raters
 * said; null is a rating that is missing, and a unit with fewer than two ratings says nothing. `interval`
 * needs numbers; `ordinal` takes labels in sorted order, or in `order`.
 * Krippendorff, "Computing Krippendorff's alpha-reliability" (2011).
 */
export function krippendorffAlpha(
  units: readonly (readonly (Label | null)[])[],
  level: 'nominal' | 'ordinal' | 'interval' = 'nominal',
  options: { order?: readonly Label[]; counts?: Counts } = {},
): number | null {
  const rated = units.map((unit) => unit.filter((value): value is Label => value !== null))
  const values = options.order ?? sortedLabels(rated.filter((unit) => unit.length > 1).flat())
  const place = new Map(values.map((value, index) => [value, index]))
  const totals = new Float64Array(values.length)
  for (const [i, unit] of rated.entries())
    if (unit.length > 1) for (const value of unit) totals[place.get(value)!]! += options.counts?.[i] ?? 1
  const { at, all, expected } = spread(values, totals, level)
  // Each ordered pair of ratings within a unit, weighed by 1 / (ratings − 1).
  let observed = 0
  for (const [i, unit] of rated.entries()) {
    const places = unit.map((value) => place.get(value)!)
    let apart = 0
    for (const [k, one] of places.entries())
      for (let other = 0; other < k; other++)
        apart += level === 'nominal' ? Number(one !== places[other]) : (at[one]! - at[places[other]!]!) ** 2
    if (unit.length > 1) observed += ((options.counts?.[i] ?? 1) * 2 * apart) / (unit.length - 1)
  }
  return expected === 0 ? null : 1 - ((all - 1) * observed) / expected
}

/** Where values lie at a level of measurement, how many ratings there are, and the squared distances of any two of them. */
function spread(values: readonly Label[], totals: Float64Array, level: 'nominal' | 'ordinal' | 'interval') {
  const all = totals.reduce((sum, size) => sum + size, 0)
  if (level === 'nominal')
    return { at: [], all, expected: totals.reduce((sum, size) => sum + size * (all - size), 0) }
  let before = 0
  const at = values.map((value, c) => {
    before += totals[c]!
    // Ordinal: the ratings before a value, its own counting half.
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

/** Share of the results whose verdict changed with the order shown; a result without the check is one that did not. */
export function positionalBiasRate(detected: number, results: number): number | null {
  return results === 0 ? null : detected / results
}
