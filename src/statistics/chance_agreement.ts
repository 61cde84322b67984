/**
 * Agreement of raters beyond chance, besides kappa and alpha: what stays sensible where nearly all items are of
 * one kind. Null stands where a figure is undefined (a single category), never 1.
 */
import { type Label, sortedLabels } from './agreement.ts'

/** How often each pair of labels came, rows the first rater's. */
interface Joint {
  labels: Label[]
  table: Float64Array
  rows: Float64Array
  columns: Float64Array
  n: number
}

function jointOf(a: readonly Label[], b: readonly Label[], counts?: readonly number[]): Joint {
  const labels = sortedLabels([...a, ...b])
  const place = new Map(labels.map((label, i) => [label, i]))
  const q = labels.length
  const table = new Float64Array(q * q)
  const [rows, columns] = [new Float64Array(q), new Float64Array(q)]
  let n = 0
  for (const [i, label] of a.entries()) {
    const [row, column] = [place.get(label)!, place.get(b[i]!)!]
    const times = counts?.[i] ?? 1
    table[row * q + column]! += times
    rows[row]! += times
    columns[column]! += times
    n += times
  }
  return { labels, table, rows, columns, n }
}

/** Standard error of Cohen's kappa (Fleiss, Cohen and Everitt 1969); null where kappa is undefined. */
export function kappaError(a: readonly Label[], b: readonly Label[]): number | null {
  const { labels, table, rows, columns, n } = jointOf(a, b)
  const q = labels.length
  if (n === 0 || q < 2) return null
  let [seen, expected] = [0, 0]
  for (let i = 0; i < q; i++) {
    seen += table[i * q + i]! / n
    expected += (rows[i]! * columns[i]!) / (n * n)
  }
  if (expected === 1) return null
  const kappa = (seen - expected) / (1 - expected)
  let variance = -((kappa - expected * (1 - kappa)) ** 2)
  for (let i = 0; i < q; i++)
    for (let j = 0; j < q; j++) {
      const share = table[i * q + j]! / n
      if (i === j) variance += share * (1 - ((rows[i]! + columns[i]!) / n) * (1 - kappa)) ** 2
      else variance += share * (1 - kappa) ** 2 * ((columns[i]! + rows[j]!) / n) ** 2
    }
  return Math.sqrt(Math.max(0, variance) / n) / (1 - expected)
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
  const { labels, table, rows, columns, n } = jointOf(a, b, counts)
  const q = labels.length
  if (n === 0 || q < 2) return null
  const at = labels.every((label) => typeof label === 'number')
    ? (labels as number[])
    : labels.map((_, i) => i)
  const span = (at[q - 1]! - at[0]!) ** 2
  let [seen, all, spread] = [0, 0, 0]
  for (let i = 0; i < q; i++) {
    const share = (rows[i]! + columns[i]!) / (2 * n)
    spread += share * (1 - share)
    for (let j = 0; j < q; j++) {
      const weight = weights === 'none' ? Number(i === j) : 1 - (at[i]! - at[j]!) ** 2 / span
      all += weight
      seen += (weight * table[i * q + j]!) / n
    }
  }
  const expected = (all * spread) / (q * (q - 1))
  return expected === 1 ? null : (seen - expected) / (1 - expected)
}

/** Scott's pi: kappa with one common share of each label. */
export function scottPi(a: readonly Label[], b: readonly Label[]): number | null {
  const { labels, table, rows, columns, n } = jointOf(a, b)
  if (n === 0) return null
  let [seen, expected] = [0, 0]
  for (let i = 0; i < labels.length; i++) {
    seen += table[i * labels.length + i]! / n
    expected += ((rows[i]! + columns[i]!) / (2 * n)) ** 2
  }
  return expected === 1 ? null : (seen - expected) / (1 - expected)
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
    const counts = new Map<Label, number>()
    for (const label of of) counts.set(label, (counts.get(label) ?? 0) + 1)
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
