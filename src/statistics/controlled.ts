/** Bradley–Terry with covariates of a battle: what is left of a model's strength at equal length and style. */
import { count, getOrInsert } from '../rows/maps.ts'
import { addFlat, type Score } from './bradley_terry.ts'
import { cholesky, sigmoid, softplus, solveBy } from './matrix.ts'

/** A row a battle; `x` holds `features` values a row. */
export interface Battles {
  models: number
  features: number
  a: ArrayLike<number>
  b: ArrayLike<number>
  weight: ArrayLike<number>
  /** 1, ½ or 0 for a, or a share. */
  y: ArrayLike<number>
  x: ArrayLike<number>
}

export interface ControlledFit {
  /** Models' ratings on the natural scale, then the features' coefficients. */
  coefficients: Float64Array
  factor: Float64Array
}

/** ridge/2 · Σ of squares, of ratings and of the features' coefficients. */
export interface Penalty {
  ratings: number
  features: number
}

export const NO_PENALTY: Penalty = { ratings: 0, features: 0 }

/** The optimum by Newton's method; null where none was found. */
export function fitControlled(battles: Battles, penalty: Penalty = NO_PENALTY): ControlledFit | null {
  const { models: m, features: k } = battles
  const size = m + k
  let beta = new Float64Array(size)
  let present = lossOf(battles, beta, penalty)
  for (let step = 0; step < 100; step++) {
    const { gradient, factor } = derivatives(battles, beta, penalty)
    if (!cholesky(factor, size)) return null
    const move = solveBy(factor, size, gradient)
    let most = 0
    for (const one of move) most = Math.max(most, Math.abs(one))
    if (!(most < 60)) return null
    let scale = 1
    for (;;) {
      const next = beta.map((one, i) => one + scale * move[i]!)
      const loss = lossOf(battles, next, penalty)
      if (loss <= present + 1e-12 * Math.abs(present) || scale < 1e-9) {
        beta = next
        present = loss
        break
      }
      scale /= 2
    }
    if (most * scale < 1e-11) {
      const last = derivatives(battles, beta, penalty).factor
      return cholesky(last, size) ? { coefficients: beta, factor: last } : null
    }
  }
  return null
}

/** The logit of a's chance in a battle. */
function logitOf({ models, features, a, b, x }: Battles, beta: Float64Array, i: number): number {
  let logit = beta[a[i]!]! - beta[b[i]!]!
  for (let f = 0; f < features; f++) logit += beta[models + f]! * x[i * features + f]!
  return logit
}

function lossOf(battles: Battles, beta: Float64Array, penalty: Penalty): number {
  const { models, a, weight, y } = battles
  let loss = 0
  for (let i = 0; i < a.length; i++) {
    const logit = logitOf(battles, beta, i)
    loss += weight[i]! * (softplus(logit) - y[i]! * logit)
  }
  for (let i = 0; i < beta.length; i++)
    loss += ((i < models ? penalty.ratings : penalty.features) / 2) * beta[i]! ** 2
  return loss
}

function derivatives(battles: Battles, beta: Float64Array, penalty: Penalty) {
  const { models: m, features: k, a, b, weight, y, x } = battles
  const size = m + k
  const gradient = new Float64Array(size)
  const h = new Float64Array(size * size)
  const at = new Int32Array(k + 2)
  const value = new Float64Array(k + 2)
  for (let i = 0; i < a.length; i++) {
    const p = sigmoid(logitOf(battles, beta, i))
    const more = weight[i]! * (y[i]! - p)
    const spread = weight[i]! * p * (1 - p)
    at[0] = a[i]!
    at[1] = b[i]!
    value[0] = 1
    value[1] = -1
    for (let f = 0; f < k; f++) {
      at[f + 2] = m + f
      value[f + 2] = x[i * k + f]!
    }
    for (let r = 0; r < k + 2; r++) {
      gradient[at[r]!]! += more * value[r]!
      const row = at[r]! * size
      const scaled = spread * value[r]!
      for (let c = 0; c < k + 2; c++) h[row + at[c]!]! += scaled * value[c]!
    }
  }
  addFlat(h, m, size, penalty.ratings)
  for (let f = m; f < size; f++) h[f * size + f]! += penalty.features
  for (let i = 0; i < size; i++) gradient[i]! -= (i < m ? penalty.ratings : penalty.features) * beta[i]!
  return { gradient, factor: h }
}

/** Each cluster's part of the gradient at the optimum, in the order of the clusters' first battles. */
export function clusterScores(
  battles: Battles,
  { coefficients }: ControlledFit,
  clusters: ArrayLike<number>,
): Score[] {
  const { models: m, features: k, a, b, weight, y, x } = battles
  const scores = new Map<number, Map<number, number>>()
  for (let i = 0; i < a.length; i++) {
    const more = weight[i]! * (y[i]! - sigmoid(logitOf(battles, coefficients, i)))
    const of = getOrInsert(scores, clusters[i]!, () => new Map<number, number>())
    count(of, a[i]!, more)
    count(of, b[i]!, -more)
    for (let f = 0; f < k; f++) count(of, m + f, more * x[i * k + f]!)
  }
  return [...scores.values()].map((of) => [...of])
}
