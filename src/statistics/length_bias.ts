/** Does the longer answer win? */
import { type ClusteredMean, clusterError, clusteredInterval, clusteredTest } from './clusters.ts'
import { cholesky, sigmoid, softplus, solveBy } from './matrix.ts'

export interface LengthBias {
  n: number
  /** Decisive pairs of unequal length, and how many of these the longer one won. */
  decisiveUnequal: number
  longerWon: number
  /** Standard deviation of the differences of length. */
  sd: number | null
  /** Logistic regression of winning on the difference of length in standard deviations; null with a reason. */
  fit: LogisticFit | null
  reason?: string
}

interface LogisticFit {
  intercept: number
  slope: number
  /** Null, as p and ci, for fewer than two clusters. */
  se: [intercept: number, slope: number] | null
  p: number | null
  ci: [low: number, high: number] | null
}

/**
 * Decisive outcomes (1 or 0 for A; ties, ½, are left out) against the difference of length, A − B, divided by its
 * standard deviation over all pairs and not centred: σ(intercept) is A's win rate at equal length. With `clusters`, what
 * each pair belongs to, errors are robust to them (Liang and Zeger 1986, times G/(G−1)).
 */
export function lengthBias(
  differences: readonly number[],
  outcomes: readonly number[],
  level: number,
  clusters?: readonly string[],
): LengthBias {
  const n = differences.length
  let [decisiveUnequal, longerWon] = [0, 0]
  for (const [i, difference] of differences.entries()) {
    if (difference === 0 || outcomes[i] === 0.5) continue
    decisiveUnequal++
    if (difference > 0 === (outcomes[i] === 1)) longerWon++
  }
  const mean = differences.reduce((sum, one) => sum + one, 0) / n
  const sd = n > 1 ? Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1)) : null
  const counts = { n, decisiveUnequal, longerWon, sd }
  if (!sd) return { ...counts, fit: null, reason: 'no spread of lengths' }
  const decisive = [...outcomes.keys()].filter((i) => outcomes[i] !== 0.5)
  const z = decisive.map((i) => differences[i]! / sd)
  const y = decisive.map((i) => outcomes[i]!)
  const reason = separation(z, y)
  if (reason) return { ...counts, fit: null, reason }
  return { ...counts, fit: logistic(z, y, level, clusters && decisive.map((i) => clusters[i]!)) }
}

/** Why no finite slope exists; undefined where one does. */
function separation(z: readonly number[], y: readonly number[]): string | undefined {
  const of = (outcome: number) => z.filter((_, i) => y[i] === outcome)
  const [wins, losses] = [of(1), of(0)]
  if (wins.length === 0 || losses.length === 0) return 'all decisive outcomes are the same'
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b))
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b))
  if (most(losses) <= least(wins) || most(wins) <= least(losses)) return 'separated by length'
  return undefined
}

/** Logistic regression on [1, z] by Newton's method. */
function logistic(
  z: readonly number[],
  y: readonly number[],
  level: number,
  clusters: readonly string[] | undefined,
): LogisticFit {
  const beta = new Float64Array(2)
  let factor = new Float64Array(4)
  const loss = (b: Float64Array) =>
    z.reduce((sum, x, i) => sum + softplus(b[0]! + b[1]! * x) - y[i]! * (b[0]! + b[1]! * x), 0)
  let present = loss(beta)
  for (let step = 0; step < 100; step++) {
    const gradient = new Float64Array(2)
    factor = new Float64Array(4)
    for (const [i, x] of z.entries()) {
      const p = sigmoid(beta[0]! + beta[1]! * x)
      const weight = p * (1 - p)
      gradient[0]! += y[i]! - p
      gradient[1]! += (y[i]! - p) * x
      factor[0]! += weight
      factor[1]! += weight * x
      factor[3]! += weight * x * x
    }
    factor[2] = factor[1]!
    if (!cholesky(factor, 2)) break
    const move = solveBy(factor, 2, gradient)
    let scale = 1
    let next = beta.map((b, i) => b + move[i]!)
    // A sum of many terms is known to so many digits, and no more.
    while (loss(next) > present + 1e-12 * Math.abs(present) && scale > 1e-6) {
      scale /= 2
      next = beta.map((b, i) => b + scale * move[i]!)
    }
    beta.set(next)
    present = loss(beta)
    // The next step would be the square of this one.
    if (scale === 1 && Math.abs(move[0]!) + Math.abs(move[1]!) < 1e-8) break
  }
  const [intercept, slope] = [beta[0]!, beta[1]!]
  const columns = [0, 1].map((i) => solveBy(factor, 2, Float64Array.from([1 - i, i])))
  const errorOf = (i: number): Pick<ClusteredMean, 'se' | 'freedom'> => {
    const [ofOne, ofZ] = columns[i]!
    if (!clusters) return { se: Math.sqrt(columns[i]![i]!) }
    const adds = z.map((x, k) => (y[k]! - sigmoid(intercept + slope * x)) * (ofOne! + ofZ! * x))
    return clusterError(adds, clusters)
  }
  const [first, second] = [errorOf(0), { mean: slope, ...errorOf(1) }]
  return {
    intercept,
    slope,
    se: first.se === null || second.se === null ? null : [first.se, second.se],
    p: clusteredTest(second),
    ci: clusteredInterval(second, level),
  }
}
