/**
 * Agreement beyond chance, besides kappa and alpha: Gwet's coefficients, which stay sensible where nearly all items have one
 * label, Scott's pi, Fleiss' kappa. A figure is null where it is undefined (a single category), never 1.
 */
import { countEach } from '../rows/maps.ts'
import { type Label, sortedLabels } from './agreement.ts'
import { type ClusteredMean, clusteredMean, clusterSums } from './clusters.ts'

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

/**
 * Cohen's kappa as a mean of terms, one for each pair: its value plus the pair's influence on it. Their spread is that of
 * kappa. Undefined where kappa is.
 */
function kappaTerms({ labels, pairs, rows, columns, n, same }: Joint): number[] | undefined {
  if (n === 0 || labels.length < 2) return undefined
  const expected = rows.reduce((sum, row, i) => sum + (row * columns[i]!) / (n * n), 0)
  if (expected === 1) return undefined
  const kappa = (same - expected) / (1 - expected)
  return pairs.map(
    ([i, j]) =>
      kappa +
      (Number(i === j) - kappa - (1 - kappa) * ((columns[i]! + rows[j]!) / n - expected)) / (1 - expected),
  )
}

/** Standard error of Cohen's kappa (Fleiss, Cohen and Everitt 1969); null where kappa is undefined. */
export function kappaError(
  a: readonly Label[],
  b: readonly Label[],
  counts?: readonly number[],
): number | null {
  const joint = jointOf(a, b, counts)
  const terms = kappaTerms(joint)
  if (!terms) return null
  const { pairs, n } = joint
  const mean = terms.reduce((sum, term, i) => sum + pairs[i]![2] * term, 0) / n
  return Math.sqrt(terms.reduce((sum, term, i) => sum + pairs[i]![2] * (term - mean) ** 2, 0)) / n
}

/**
 * Cohen's kappa of items in clusters, with the clustered error (Liang and Zeger 1986, with G/(G−1) as for means); null where
 * kappa is undefined.
 * @param of the index of each item's pair in `a`, `b` and `counts`
 */
export function clusteredKappa(
  a: readonly Label[],
  b: readonly Label[],
  counts: readonly number[],
  of: ArrayLike<number>,
  clusters: readonly string[],
): ClusteredMean | null {
  const terms = kappaTerms(jointOf(a, b, counts))
  if (!terms) return null
  const values = clusters.map((_, i) => terms[of[i]!]!)
  return clusteredMean(clusterSums(values, clusters))
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
export interface ManyRaters {
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
