/**
 * Seeded bootstrap: how often replicate b takes a cluster follows from seed and id alone, so that the figures
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

/** What a round adds to the key; as a signed number, which stays an integer in sums. */
const STEP = 0x9e3779b1 | 0

/** A number of 32 bits for replicate `round` (murmur3's finaliser, keyed). */
function mixed(k1: number, k2: number, round: number): number {
  let x = (Math.imul(round, STEP) + k1) | 0
  x ^= x >>> 16
  x = Math.imul(x, 0x85ebca6b)
  x ^= k2
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** How often replicate `round` takes the cluster of these keys: Poisson with mean 1. */
export const seededWeight = (k1: number, k2: number, round: number): number => weightOf(mixed(k1, k2, round))

function weightOf(x: number): number {
  let weight = 0
  while (weight < THRESHOLDS.length && x >= THRESHOLDS[weight]!) weight++
  return weight
}

/** Weights by a number's first 12 bits; MIXED where these do not tell. */
const MIXED = 255
const BY_FIRST_BITS = Uint8Array.from({ length: 4096 }, (_, bits) => {
  const [low, high] = [weightOf(bits * 2 ** 20), weightOf((bits + 1) * 2 ** 20 - 1)]
  return low === high ? low : MIXED
})

/** Adds the weights of replicates from `first` on to `count` places of `sums` from `at` on. */
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
    // mixed() by hand, whose multiple of the round is a sum here.
    let x = start ^ (start >>> 16)
    start = (start + STEP) | 0
    x = Math.imul(x, 0x85ebca6b) ^ k2
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
    x ^= x >>> 16
    const weight = BY_FIRST_BITS[x >>> 20]!
    sums[i]! += weight === MIXED ? weightOf(x >>> 0) : weight
  }
}

/** The weights of replicates from `first` on, one for each place of `out`. */
export function seededWeights(k1: number, k2: number, first: number, out: Int32Array): void {
  out.fill(0)
  addSeededWeights(k1, k2, first, out, 0, out.length)
}

/**
 * Replicates of a mean of clusters, each `[weight, Σ of weight × value]`, `ids` naming them; a replicate that
 * takes none is left out.
 */
export function meanReplicates(
  clusters: readonly (readonly [weight: number, sum: number])[],
  ids: readonly string[],
  rounds: number,
  seed: string | number,
): number[] {
  const weights = new Float64Array(rounds)
  const sums = new Float64Array(rounds)
  // Sums of floats depend on their order: that of the ids.
  const order = [...ids.keys()].sort((a, b) => (ids[a]! < ids[b]! ? -1 : ids[a]! > ids[b]! ? 1 : 0))
  for (const i of order) {
    const [k1, k2] = seedKeys(seed, ids[i]!)
    const [weight, sum] = clusters[i]!
    for (let round = 0; round < rounds; round++) {
      const times = seededWeight(k1, k2, round)
      weights[round]! += times * weight
      sums[round]! += times * sum
    }
  }
  return [...sums.keys()]
    .filter((round) => weights[round]! > 0)
    .map((round) => sums[round]! / weights[round]!)
}

/** Quantile of sorted values, straight lines between them (numpy's default). */
function quantileOf(sorted: readonly number[], p: number): number {
  const at = (sorted.length - 1) * p
  const low = Math.floor(at)
  const high = Math.min(low + 1, sorted.length - 1)
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (at - low)
}

/** The middle `level` of the replicates; null without any. */
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

/** Two-sided p of the replicates against 0: twice the smaller tail, those at 0 counting half; never 0. */
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
