/** How well stated probabilities match what happened. */
import { seededBits, seedKeys } from './bootstrap.ts'
import { erfc } from './interval.ts'

interface Calibration {
  n: number
  /** Mean squared distance of probability and outcome (Brier 1950). */
  brier: number
  /** Expected calibration error: Σ n_b/n · |mean p − share| (Naeini et al. 2015); biased upwards for few items. */
  ece: number
  /** What it is on average where outcomes come by the stated probabilities: √(2/π)/n · Σ over bins of √(Σ p(1 − p)). */
  eceByChance: number
  /** The largest of a bin's errors. */
  mce: number
  /** The same over bins of equal size. */
  eceEqualMass: number
  /** Murphy's terms (1973): brier ≈ reliability − resolution + uncertainty. */
  reliability: number
  resolution: number
  uncertainty: number
  /** Mean p − share of ones. */
  overconfidence: number
  /** A row a bin that holds any: its number, how many, their mean p, the share of ones. */
  bins: [bin: number, n: number, p: number, share: number][]
}

/**
 * Calibration over `bins` bins of equal width (lo, hi], the first of which also holds 0.
 * @param p probabilities of outcomes 1
 */
export function calibration(p: readonly number[], y: readonly number[], bins = 10): Calibration | null {
  const n = p.length
  if (n === 0) return null
  // Equal probabilities keep the order in which they were given.
  const order = [...p.keys()].sort((i, j) => p[i]! - p[j]!)
  const base = y.reduce((sum, one) => sum + one, 0) / n
  const rows: Calibration['bins'] = []
  let [brier, ece, mce, reliability, resolution, total, chance] = [0, 0, 0, 0, 0, 0, 0]
  for (let at = 0; at < n; ) {
    const bin = binOf(p[order[at]!]!, bins)
    let [size, mean, ones, spread] = [0, 0, 0, 0]
    for (; at < n && binOf(p[order[at]!]!, bins) === bin; at++) {
      const i = order[at]!
      size++
      mean += p[i]!
      ones += y[i]!
      total += p[i]!
      spread += p[i]! * (1 - p[i]!)
      brier += (p[i]! - y[i]!) ** 2
    }
    mean /= size
    chance += Math.sqrt(spread)
    const share = ones / size
    rows.push([bin, size, mean, share])
    ece += (size / n) * Math.abs(mean - share)
    mce = Math.max(mce, Math.abs(mean - share))
    reliability += (size / n) * (mean - share) ** 2
    resolution += (size / n) * (share - base) ** 2
  }
  return {
    n,
    brier: brier / n,
    ece,
    eceByChance: (Math.sqrt(2 / Math.PI) * chance) / n,
    mce,
    eceEqualMass: equalMass(
      order.map((i) => p[i]!),
      order.map((i) => y[i]!),
      bins,
    ),
    reliability,
    resolution,
    uncertainty: base * (1 - base),
    overconfidence: total / n - base,
    bins: rows,
  }
}

const binOf = (p: number, bins: number) => Math.max(0, Math.min(bins - 1, Math.ceil(p * bins) - 1))

/**
 * Sorted values cut into runs whose sizes differ by one at most, the longer ones first. A run that ends between equal values goes on
 * to the last of them, and the next one ends where it would have ended, or beyond.
 */
function equalMass(p: readonly number[], y: readonly number[], bins: number): number {
  const n = p.length
  let [error, from, end] = [0, 0, 0]
  for (let bin = 0; bin < bins; bin++) {
    end += Math.floor(n / bins) + Number(bin < n % bins)
    if (end <= from) continue
    let apart = 0
    let at = from
    for (; at < n && (at < end || p[at] === p[at - 1]); at++) apart += p[at]! - y[at]!
    error += Math.abs(apart) / n
    from = at
  }
  return error
}

/** What a run's confidences are; undefined for what is neither from 0 to 1 nor clearly percent, such as 7 to 10. */
export function confidenceScale(numbers: Iterable<number>): 'probability' | 'percent' | undefined {
  let [above, between, most] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const one of numbers) {
    if (one > 1) above++
    else if (one > 0 && one < 1) between++
    most = Math.max(most, one)
  }
  return above <= between ? 'probability' : most > 10 ? 'percent' : undefined
}

/** Draws of a simulated p, which is exact at any n; it is made below so much spread of the outcomes, and up to so many of them. */
const [DRAWS, ENOUGH_SPREAD, MOST_DRAWN] = [1999, 100, 20_000]

/** The log odds of probabilities near 0 and 1 count as these, so that no single one decides. */
const FARTHEST = 4

/**
 * P of outcomes that come by the stated probabilities: the score test of Cox's recalibration line, of level and slope
 * (Cox, "Two further applications of a model for binary regression", 1958). Items have to be independent.
 * @param seed of the draws
 */
export function calibrationTest(p: readonly number[], y: readonly number[], seed: string): number {
  const n = p.length
  // In one order, whatever the order of the items: draws go by it.
  const order = [...p.keys()].sort((i, j) => p[i]! - p[j]! || y[i]! - y[j]!)
  const stated = Float64Array.from(order, (i) => p[i]!)
  const spread = stated.map((one) => one * (1 - one))
  const total = sumOf(spread)
  const isSure = (i: number) => p[i] === y[i]
  if (total < 1e-12) return order.every(isSure) ? 1 : 1 / (DRAWS + 1)
  const logits = stated.map((one) =>
    Math.max(-FARTHEST, Math.min(FARTHEST, Math.log(Math.max(one, 1e-12) / Math.max(1 - one, 1e-12)))),
  )
  const middle = sumOf(logits.map((one, i) => spread[i]! * one)) / total
  const slope = logits.map((one) => one - middle)
  const slopes = sumOf(slope.map((one, i) => spread[i]! * one * one))
  const hasSlope = slopes > 1e-9 * total
  const statistic = (level: number, tilt: number) =>
    (level * level) / total + (hasSlope ? (tilt * tilt) / slopes : 0)
  const seen = statistic(
    sumOf(stated.map((one, i) => y[order[i]!]! - one)),
    sumOf(stated.map((one, i) => (y[order[i]!]! - one) * slope[i]!)),
  )
  if (total >= ENOUGH_SPREAD || n > MOST_DRAWN)
    return hasSlope ? (1 + seen / (n - 2)) ** (-(n - 2) / 2) : erfc(Math.sqrt(seen / 2))
  const [k1, k2] = seedKeys(seed, 'calibration')
  const limits = stated.map((one) => one * 2 ** 32)
  let [more, at] = [0, 0]
  for (let draw = 0; draw < DRAWS; draw++) {
    let [level, tilt] = [0, 0]
    for (let i = 0; i < n; i++) {
      const apart = Number(seededBits(k1, k2, at++) < limits[i]!) - stated[i]!
      level += apart
      tilt += apart * slope[i]!
    }
    if (statistic(level, tilt) >= seen - 1e-9) more++
  }
  return (more + 1) / (DRAWS + 1)
}

const sumOf = (values: Float64Array) => values.reduce((sum, one) => sum + one, 0)

type CalibrationSays = 'fits' | 'too sure' | 'not sure enough' | 'off'

/** @param p of {@link calibrationTest}; null where items are not independent: the interval decides @param interval of mean p − share */
export function calibrationSays(p: number | null, [low, high]: readonly [number, number]): CalibrationSays {
  if (p !== null && p >= 0.05) return 'fits'
  if (low > 0) return 'too sure'
  if (high < 0) return 'not sure enough'
  return p === null ? 'fits' : 'off'
}
