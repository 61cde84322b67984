/** Statistics of numbers that are counted by value: those of shards can be merged. */
import { count } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import { tInterval } from './distributions.ts'
import { exactMean } from './mean.ts'
import { Sum } from './sum.ts'

/** The most distinct values; beyond that, values are rounded and quantiles become approximate. */
const DISTINCT = 20_000
/** The number of decimals where values are not rounded. */
const EXACT = 99

/** Below this share a difference of squares is too inexact. */
const CANCELS = 1e-6

/** How often each number occurs. Mean and deviation do not depend on the order in which numbers are added. */
export class Histogram {
  private counts = new Map<number, number>()
  private decimals = EXACT
  /** Sums over all numbers, used once values are rounded. */
  private sum = 0
  private squares = 0
  private low = Number.POSITIVE_INFINITY
  private high = Number.NEGATIVE_INFINITY
  n = 0

  add(value: number, times = 1): void {
    this.n += times
    this.sum += value * times
    this.squares += value * value * times
    this.low = Math.min(this.low, value)
    this.high = Math.max(this.high, value)
    this.addCount(value, times)
  }

  private addCount(value: number, times: number): void {
    count(this.counts, rounded(value, this.decimals), times)
    while (this.counts.size > DISTINCT) this.roundTo(Math.min(this.decimals, 9) - 1)
  }

  private roundTo(decimals: number): void {
    this.decimals = decimals
    const before = this.counts
    this.counts = new Map()
    for (const [value, times] of before) count(this.counts, rounded(value, decimals), times)
  }

  /** Values and how often each occurs, the smallest first. */
  entries(): [value: number, times: number][] {
    return [...this.counts].sort(([a], [b]) => a - b)
  }

  get min(): number | null {
    return this.n === 0 ? null : this.low
  }

  get max(): number | null {
    return this.n === 0 ? null : this.high
  }

  get mean(): number | null {
    if (this.n === 0) return null
    return this.decimals === EXACT ? meanOf(this.entries()) : this.sum / this.n
  }

  /** Standard deviation: of these numbers with `freedom` 0, an estimate of the population's with 1. */
  deviation(freedom = 0): number | null {
    const { mean, n } = this
    if (mean === null || n <= freedom) return null
    const difference = this.squares - n * mean * mean
    // Of numbers that are large for their spread the difference has no digits left.
    const cancels = difference < CANCELS * this.squares
    const squares = this.decimals === EXACT || cancels ? sumOfSquares(this.entries(), mean) : difference
    return Math.sqrt(squares / (n - freedom))
  }

  /** Student's interval of the mean; null for fewer than two numbers, and if all are the same. */
  interval(level: number): [low: number, high: number] | null {
    const sd = this.deviation(1)
    return sd ? tInterval(this.mean!, sd, this.n, level) : null
  }

  /** The middle number, or the mean of the middle two. */
  get median(): number | null {
    if (this.n === 0) return null
    const upper = this.at(Math.floor(this.n / 2))
    return this.n % 2 === 1 ? upper : (this.at(this.n / 2 - 1) + upper) / 2
  }

  /** The mean without the lowest and the highest `share` of the numbers, rounded down (SciPy's trim_mean). */
  trimmed(share: number): number | null {
    if (this.n === 0) return null
    const cut = Math.floor(share * this.n)
    const kept: [number, number][] = []
    let before = 0
    for (const [value, times] of this.entries()) {
      const from = Math.max(before, cut)
      const to = Math.min(before + times, this.n - cut)
      if (to > from) kept.push([value, to - from])
      before += times
    }
    return meanOf(kept)
  }

  /** The number at an index of the sorted numbers. */
  private at(place: number): number {
    let before = 0
    for (const [value, times] of this.entries()) {
      before += times
      if (place < before) return value
    }
    return this.high
  }

  state(): JsonObject {
    const { n, sum, squares, decimals } = this
    return { n, sum, squares, decimals, min: this.min, max: this.max, counts: this.entries() }
  }

  merge(state: JsonObject): void {
    const n = Number(state.n)
    if (n === 0) return
    if (Number(state.decimals) < this.decimals) this.roundTo(Number(state.decimals))
    this.n += n
    this.sum += Number(state.sum)
    this.squares += Number(state.squares)
    this.low = Math.min(this.low, Number(state.min))
    this.high = Math.max(this.high, Number(state.max))
    for (const [value, times] of state.counts as [number, number][]) this.addCount(value, times)
  }
}

/** A histogram of these numbers. */
export function histogramOf(values: Iterable<number>): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.add(value)
  return histogram
}

function rounded(value: number, decimals: number): number {
  // -0 and 0 are one value.
  if (decimals === EXACT) return value === 0 ? 0 : value
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

const meanOf = (entries: [value: number, times: number][]): number =>
  exactMean(
    entries.map(([value]) => value),
    entries.map(([, times]) => times),
  )

function sumOfSquares(entries: [value: number, times: number][], mean: number): number {
  const sum = new Sum()
  for (const [value, times] of entries) sum.add((value - mean) ** 2, times)
  return sum.value
}
