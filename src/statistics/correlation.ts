/**
 * Correlation of two lists of numbers: Pearson's r, Spearman's rho, Kendall's tau-b. Values agree with SciPy's pearsonr,
 * spearmanr and kendalltau; null where these give NaN (fewer than two pairs, or a constant list).
 *
 * `counts` is how often each pair occurs; once by default.
 */
import { count } from '../rows/maps.ts'

type Counts = readonly number[] | undefined

/** Pearson's r, in [-1, 1]. */
export function pearson(x: readonly number[], y: readonly number[], counts?: Counts): number | null {
  if (isConstant(x, counts) || isConstant(y, counts)) return null
  const n = total(x, counts)
  const [meanX, meanY] = [sum(x, counts) / n, sum(y, counts) / n]
  let [xx, yy, xy] = [0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    const weight = counts?.[i] ?? 1
    const [dx, dy] = [x[i]! - meanX, y[i]! - meanY]
    xx += weight * dx * dx
    yy += weight * dy * dy
    xy += weight * dx * dy
  }
  const r = xy / Math.sqrt(xx) / Math.sqrt(yy)
  return Number.isFinite(r) ? Math.max(-1, Math.min(1, r)) : null
}

/** Spearman's rho: Pearson's r of the ranks. */
export function spearman(x: readonly number[], y: readonly number[], counts?: Counts): number | null {
  return pearson(ranks(x, counts), ranks(y, counts), counts)
}

/** Ranks from 1, least first; equal values share the mean of their ranks. */
export function ranks(values: readonly number[], counts?: Counts): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!)
  const out = new Array<number>(values.length)
  let before = 0
  for (let i = 0; i < order.length; ) {
    let [end, size] = [i, 0]
    for (; end < order.length && values[order[end]!] === values[order[i]!]; end++)
      size += counts?.[order[end]!] ?? 1
    for (; i < end; i++) out[order[i]!] = before + (size + 1) / 2
    before += size
  }
  return out
}

/**
 * Kendall's tau-b, which allows for ties in both lists. Knight's method, O(n log n):
 * (concordant − discordant) / sqrt((pairs − ties in x)(pairs − ties in y)).
 */
export function kendall(x: readonly number[], y: readonly number[], counts?: Counts): number | null {
  if (isConstant(x, counts) || isConstant(y, counts)) return null
  const weight = (i: number) => counts?.[i] ?? 1
  const order = [...x.keys()].filter((i) => weight(i) > 0).sort((a, b) => x[a]! - x[b]! || y[a]! - y[b]!)
  const pairsOf = (n: number) => (n * (n - 1)) / 2
  const places = denseRanks(y)
  const seen = new Fenwick(y.length)
  let [tieX, tieXY, discordant, before] = [0, 0, 0, 0]
  for (let i = 0; i < order.length; ) {
    // All of one x together: pairs among them are neither concordant nor discordant.
    let [end, size] = [i, 0]
    for (; end < order.length && x[order[end]!] === x[order[i]!]; end++) size += weight(order[end]!)
    for (let j = i, equal = 0; j < end; j++) {
      const at = order[j]!
      discordant += weight(at) * (before - seen.upTo(places[at]!))
      equal += weight(at)
      if (j + 1 === end || y[order[j + 1]!] !== y[at]) {
        tieXY += pairsOf(equal)
        equal = 0
      }
    }
    for (; i < end; i++) seen.add(places[order[i]!]!, weight(order[i]!))
    tieX += pairsOf(size)
    before += size
  }
  const sizes = new Map<number, number>()
  for (const i of order) count(sizes, y[i]!, weight(i))
  const tieY = [...sizes.values()].reduce((sum, size) => sum + pairsOf(size), 0)
  const pairs = pairsOf(before)
  const tau =
    (pairs - tieX - tieY + tieXY - 2 * discordant) / Math.sqrt(pairs - tieX) / Math.sqrt(pairs - tieY)
  return Number.isFinite(tau) ? Math.max(-1, Math.min(1, tau)) : null
}

/** Index of each value among the distinct ones in order. */
export function denseRanks(values: readonly number[]): number[] {
  const places = new Map([...new Set(values)].sort((a, b) => a - b).map((value, place) => [value, place]))
  return values.map((value) => places.get(value)!)
}

/** Sums of prefixes under additions, each in O(log n). */
export class Fenwick {
  private readonly sums: Float64Array

  constructor(size: number) {
    this.sums = new Float64Array(size + 1)
  }

  add(place: number, by: number): void {
    for (let i = place + 1; i < this.sums.length; i += i & -i) this.sums[i]! += by
  }

  /** The sum up to and including a place. */
  upTo(place: number): number {
    let sum = 0
    for (let i = place + 1; i > 0; i -= i & -i) sum += this.sums[i]!
    return sum
  }
}

const sum = (values: readonly number[], counts: Counts) =>
  values.reduce((sum, value, i) => sum + (counts?.[i] ?? 1) * value, 0)

const total = (values: readonly number[], counts: Counts) =>
  counts ? counts.reduce((sum, count) => sum + count, 0) : values.length

/** Whether there is no correlation: fewer than two distinct values. */
function isConstant(values: readonly number[], counts: Counts): boolean {
  const distinct = new Set(counts ? values.filter((_, i) => counts[i]! > 0) : values)
  return distinct.size < 2
}
