/** Length bias: whether a judge prefers the longer answer. */
import { type ClusteredMean, clusterError, clusteredInterval, clusteredTest, varianceOf } from './clusters.ts'
import { sigmoid, softplus, solveBy } from './matrix.ts'
import { minimize } from './newton.ts'

interface LengthBias {
  n: number
  /** Decisive pairs of unequal length, and how many of them the longer answer won. */
  decisiveUnequal: number
  longerWon: number
  /** Standard deviation of the differences. */
  sd: number | null
  /** Null with a reason. */
  fit: LogisticFit | null
  reason?: string
}

interface LogisticFit {
  intercept: number
  slope: number
  /** Like p and ci null for fewer than two clusters. */
  se: [intercept: number, slope: number] | null
  p: number | null
  ci: [low: number, high: number] | null
}

/**
 * Logistic regression of decisive outcomes on the difference of length. The difference is divided by its standard
 * deviation over all pairs and not centred, so that σ(intercept) is A's win rate at equal length.
 * @param differences length of A less length of B
 * @param outcomes 1 where A won, 0 where B won; ties (½) are left out
 * @param clusters the cluster of each pair: standard errors are robust to it (Liang and Zeger 1986, times G/(G−1))
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
  const sd = n > 1 ? Math.sqrt(varianceOf(differences)) : null
  const counts = { n, decisiveUnequal, longerWon, sd }
  if (!sd) return { ...counts, fit: null, reason: 'no spread of lengths' }
  const decisive = [...outcomes.keys()].filter((i) => outcomes[i] !== 0.5)
  const z = decisive.map((i) => differences[i]! / sd)
  const y = decisive.map((i) => outcomes[i]!)
  const reason = separation(z, y)
  if (reason) return { ...counts, fit: null, reason }
  const fit = logistic(z, y, level, clusters && decisive.map((i) => clusters[i]!))
  return { ...counts, fit, ...(!fit && { reason: 'no finite optimum' }) }
}

/** Why there is no finite slope; undefined where there is one. */
function separation(z: readonly number[], y: readonly number[]): string | undefined {
  const of = (outcome: number) => z.filter((_, i) => y[i] === outcome)
  const [wins, losses] = [of(1), of(0)]
  if (wins.length === 0 || losses.length === 0) return 'all decisive outcomes are the same'
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b))
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b))
  if (most(losses) <= least(wins) || most(wins) <= least(losses)) return 'separated by length'
  return undefined
}

/** Logistic regression of y on [1, z]. */
function logistic(
  z: readonly number[],
  y: readonly number[],
  level: number,
  clusters: readonly string[] | undefined,
): LogisticFit | null {
  const logit = (beta: Float64Array, x: number) => beta[0]! + beta[1]! * x
  const found = minimize({
    size: 2,
    loss: (beta) => z.reduce((sum, x, i) => sum + softplus(logit(beta, x)) - y[i]! * logit(beta, x), 0),
    derivatives(beta) {
      const descent = new Float64Array(2)
      let [w, wx, wxx] = [0, 0, 0]
      for (const [i, x] of z.entries()) {
        const p = sigmoid(logit(beta, x))
        const weight = p * (1 - p)
        descent[0]! += y[i]! - p
        descent[1]! += (y[i]! - p) * x
        w += weight
        wx += weight * x
        wxx += weight * x * x
      }
      return { descent, hessian: Float64Array.of(w, wx, wx, wxx) }
    },
  })
  if (!found) return null
  const { parameters, factor } = found
  const [intercept, slope] = [parameters[0]!, parameters[1]!]
  const columns = [0, 1].map((i) => solveBy(factor, 2, Float64Array.of(1 - i, i)))
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
