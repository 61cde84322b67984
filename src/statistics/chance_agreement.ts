/**
 * Agreement of raters beyond chance, besides kappa and alpha: what stays sensible where nearly all items are of
 * one kind. Null stands where a figure is undefined (a single category), never 1.
 */
import { countEach } from '../rows/maps.ts'
import { type Label, sortedLabels } from './agreement.ts'
import { type ClusteredMean, clusteredMean, clusterSums } from './clusters.ts'

/** Two raters' labels: places of theirs in `labels` by pair, and how often each has each. */
interface Joint {
  labels: Label[]
  pairs: [row: number, column: number, times: number][]
  rows: Float64Array
  columns: Float64Array
  n: number
}

function jointOf(a: readonly Label[], b: readonly Label[], counts?: readonly number[]): Joint {
  const labels = sortedLabels([...a, ...b])
  const place = new Map(labels.map((label, i) => [label, i]))
  const [rows, columns] = [new Float64Array(labels.length), new Float64Array(labels.length)]
  let n = 0
  const pairs = a.map((label, i): Joint['pairs'][0] => {
    const [row, column] = [place.get(label)!, place.get(b[i]!)!]
    const times = counts?.[i] ?? 1
    rows[row]! += times
    columns[column]! += times
    n += times
    return [row, column, times]
  })
  return { labels, pairs, rows, columns, n }
}

/** Share of pairs with the same label twice. */
const sameOf = ({ pairs, n }: Joint) =>
  pairs.reduce((sum, [row, column, times]) => sum + (row === column ? times : 0), 0) / n

/** Cohen's kappa, and the agreement expected by chance; undefined where kappa is. */
function kappaOf(joint: Joint): { kappa: number; expected: number } | undefined {
  const { labels, rows, columns, n } = joint
  if (n === 0 || labels.length < 2) return undefined
  const expected = rows.reduce((sum, row, i) => sum + (row * columns[i]!) / (n * n), 0)
  return expected === 1 ? undefined : { kappa: (sameOf(joint) - expected) / (1 - expected), expected }
}

/** Standard error of Cohen's kappa (Fleiss, Cohen and Everitt 1969); null where kappa is undefined. */
export function kappaError(
  a: readonly Label[],
  b: readonly Label[],
  counts?: readonly number[],
): number | null {
  const joint = jointOf(a, b, counts)
  const chance = kappaOf(joint)
  if (!chance) return null
  const { kappa, expected } = chance
  const { pairs, rows, columns, n } = joint
  let variance = -((kappa - expected * (1 - kappa)) ** 2)
  for (const [i, j, times] of pairs)
    if (i === j) variance += (times / n) * (1 - ((rows[i]! + columns[i]!) / n) * (1 - kappa)) ** 2
    else variance += (times / n) * (1 - kappa) ** 2 * ((columns[i]! + rows[j]!) / n) ** 2
  return Math.sqrt(Math.max(0, variance) / n) / (1 - expected)
}

/**
 * The same where items come in clusters: what each item adds to kappa (the terms of the formula above), summed by
 * cluster (Liang and Zeger 1986; a factor of G/(G−1) as for means). `of` says which pair each item has, of `a`, `b`, `counts`.
 */
export function clusteredKappa(
  a: readonly Label[],
  b: readonly Label[],
  counts: readonly number[],
  of: ArrayLike<number>,
  clusters: readonly string[],
): ClusteredMean | null {
  const joint = jointOf(a, b, counts)
  const chance = kappaOf(joint)
  if (!chance) return null
  const { kappa, expected } = chance
  const { pairs, rows, columns, n } = joint
  const adds = pairs.map(
    ([i, j]) =>
      kappa +
      (Number(i === j) - kappa - (1 - kappa) * ((columns[i]! + rows[j]!) / n - expected)) / (1 - expected),
  )
  return clusteredMean(
    clusterSums(
      clusters.map((_, i) => adds[of[i]!]!),
      clusters,
    ),
  )
}

/**
 * Gwet's AC1 of two raters; with `quadratic` weights over the sorted labels AC2. Chance agreement is
 * Σ π(1 − π) / (q − 1). Gwet, "Computing inter-rater reliability and its variance in the presence of high
 * agreement" (2008). `counts` says how often each pair stands in the data.
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
  let [seen, all] = [sameOf(joint), q]
  if (weights === 'quadratic') {
    const at = labels.every((label) => typeof label === 'number')
      ? (labels as number[])
      : labels.map((_, i) => i)
    const span = (at[q - 1]! - at[0]!) ** 2
    seen = pairs.reduce((sum, [i, j, times]) => sum + times * (1 - (at[i]! - at[j]!) ** 2 / span), 0) / n
    const mean = at.reduce((sum, one) => sum + one, 0) / q
    // Σ over all two labels of 1 − their distance squared.
    all = q * q - (2 * q * at.reduce((sum, one) => sum + (one - mean) ** 2, 0)) / span
  }
  const expected = (all * spread) / (q * (q - 1))
  return expected === 1 ? null : (seen - expected) / (1 - expected)
}

/** Scott's pi: kappa with one common share of each label. */
export function scottPi(a: readonly Label[], b: readonly Label[], counts?: readonly number[]): number | null {
  const joint = jointOf(a, b, counts)
  const { rows, columns, n } = joint
  if (n === 0) return null
  const expected = rows.reduce((sum, row, i) => sum + ((row + columns[i]!) / (2 * n)) ** 2, 0)
  return expected === 1 ? null : (sameOf(joint) - expected) / (1 - expected)
}

/** Agreement of many raters on items, null a rating that is missing. */
export interface ManyRaters {
  /** Share of agreeing pairs of raters, over items with two ratings or more. */
  po: number | null
  ac1: number | null
  /** Fleiss' kappa; null where a rating is missing. */
  fleiss: number | null
}

/** Gwet's AC1 (2008) and Fleiss' kappa (1971). */
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
