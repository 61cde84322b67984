/**
 * Seeded bootstrap. How often a replicate takes a cluster depends on the seed and the cluster's id alone, so that figures
 * are the same in any order of rows, in shards, and on every machine.
 */
import { seededWords } from '../rows/seed.ts'
import { normalCdf } from './distributions.ts'
import { normalQuantile } from './interval.ts'

/** ⌊2³² · P(Poisson(1) ≤ k)⌋, k = 0 … 11. */
const THRESHOLDS = [
  1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777, 4294923276, 4294962463,
  4294966817, 4294967252, 4294967292,
]

/** The first two words of SHA-256(seed NUL id), big-endian: what a cluster's weights are drawn from. */
export const seedKeys = (seed: string | number, id: string): [k1: number, k2: number] =>
  seededWords(`${seed}\0${id}`)

/** Added to the key in each round; signed, so that sums stay 32-bit integers. */
const STEP = 0x9e3779b1 | 0

/** 32 pseudorandom bits for replicate `round`: murmur3's finaliser, keyed. */
export function seededBits(k1: number, k2: number, round: number): number {
  let x = (Math.imul(round, STEP) + k1) | 0
  x ^= x >>> 16
  x = Math.imul(x, 0x85ebca6b)
  x ^= k2
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** How often replicate `round` takes the cluster of these keys: Poisson with mean 1. */
export const seededWeight = (k1: number, k2: number, round: number): number =>
  weightOf(seededBits(k1, k2, round))

function weightOf(x: number): number {
  let weight = 0
  while (weight < THRESHOLDS.length && x >= THRESHOLDS[weight]!) weight++
  return weight
}

/** Weights by a number's first 12 bits; MIXED where these leave several. */
const MIXED = 255
const BY_FIRST_BITS = Uint8Array.from({ length: 4096 }, (_, bits) => {
  const [low, high] = [weightOf(bits * 2 ** 20), weightOf((bits + 1) * 2 ** 20 - 1)]
  return low === high ? low : MIXED
})

/** Adds the weights of `count` replicates from `first` on to `sums`, from index `at` on. */
export function addSeededWeights(
  k1: number,
  k2: number,
  first: number,
  sums: Int32Array,
  at: number,
  count: number,
): void {
  let start = (Math.imul(first, STEP) + k1) | 0
  for (let i = at; i < at + count; i++) {
    // seededBits() inlined, with a running sum in place of its multiplication.
    let x = start ^ (start >>> 16)
    start = (start + STEP) | 0
    x = Math.imul(x, 0x85ebca6b) ^ k2
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
    x ^= x >>> 16
    const weight = BY_FIRST_BITS[x >>> 20]!
    sums[i]! += weight === MIXED ? weightOf(x >>> 0) : weight
  }
}

/** Fills `out` with the weights of replicates from `first` on. */
export function seededWeights(k1: number, k2: number, first: number, out: Int32Array): void {
  out.fill(0)
  addSeededWeights(k1, k2, first, out, 0, out.length)
}

/** A cluster that replicates take or leave as a whole. */
export interface Cluster {
  id: string
  /** What it adds to each mean: the mean's index, the weight, and Σ of weight × value. */
  adds: readonly (readonly [mean: number, weight: number, sum: number])[]
}

/**
 * Replicates of weighted means. All means of a replicate come from the same draw; a replicate that takes none of a mean's
 * clusters is left out of that mean.
 * @param clusters in the order of their ids, on which sums of floats depend
 */
export function meanReplicates(
  means: number,
  clusters: Iterable<Cluster>,
  rounds: number,
  seed: string | number,
): number[][] {
  const all = Array.from({ length: means }, () => ({
    weights: new Float64Array(rounds),
    sums: new Float64Array(rounds),
  }))
  const times = new Int32Array(rounds)
  for (const { id, adds } of clusters) {
    seededWeights(...seedKeys(seed, id), 0, times)
    for (const [mean, weight, sum] of adds) {
      const { weights, sums } = all[mean]!
      for (let round = 0; round < rounds; round++) {
        weights[round]! += times[round]! * weight
        sums[round]! += times[round]! * sum
      }
    }
  }
  return all.map(({ weights, sums }) =>
    [...sums.keys()].filter((round) => weights[round]! > 0).map((round) => sums[round]! / weights[round]!),
  )
}

/** Quantile of sorted values by linear interpolation (numpy's default). */
function quantileOf(sorted: readonly number[], p: number): number {
  const at = (sorted.length - 1) * p
  const low = Math.floor(at)
  const high = Math.min(low + 1, sorted.length - 1)
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (at - low)
}

/** The percentile interval: the middle `level` of the replicates; null without any. */
export function percentileInterval(replicates: readonly number[], level: number): [number, number] | null {
  if (replicates.length === 0) return null
  const sorted = Float64Array.from(replicates).sort() as unknown as number[]
  return [quantileOf(sorted, (1 - level) / 2), quantileOf(sorted, (1 + level) / 2)]
}

/**
 * Bias-corrected and accelerated interval (Efron 1987). Null where all replicates lie on one side of the estimate.
 * @param jackknife the estimate without each item in turn
 */
export function bcaInterval(
  estimate: number,
  replicates: readonly number[],
  jackknife: readonly number[],
  level: number,
): [number, number] | null {
  const sorted = Float64Array.from(replicates).sort() as unknown as number[]
  let [below, same] = [0, 0]
  for (const one of sorted) {
    if (one < estimate) below++
    else if (one === estimate) same++
  }
  const share = (below + same / 2) / sorted.length
  if (share <= 0 || share >= 1) return null
  const bias = normalQuantile(share)
  const mean = jackknife.reduce((sum, one) => sum + one, 0) / jackknife.length
  let [squares, cubes] = [0, 0]
  for (const one of jackknife) {
    squares += (mean - one) ** 2
    cubes += (mean - one) ** 3
  }
  const acceleration = squares === 0 ? 0 : cubes / (6 * squares ** 1.5)
  const reach = normalQuantile((1 + level) / 2)
  const bound = (z: number) =>
    quantileOf(sorted, normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z))))
  return [bound(-reach), bound(reach)]
}

/** Two-sided p of the replicates against 0: twice the smaller tail, with those at 0 as halves; never 0. */
export function bootstrapTest(replicates: readonly number[]): number {
  let [below, above] = [0, 0]
  for (const one of replicates) {
    if (one < 0) below++
    else if (one > 0) above++
    else {
      below += 0.5
      above += 0.5
    }
  }
  return Math.min(1, (2 * (Math.min(below, above) + 1)) / (replicates.length + 1))
}
