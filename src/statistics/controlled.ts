/** Bradley–Terry with covariates: models' strengths at equal length and style. */
import { count, getOrInsert } from '../rows/maps.ts'
import { addFlat, type ClusterScore } from './bradley_terry.ts'
import { sigmoid, softplus } from './matrix.ts'
import { minimize, type Optimum } from './newton.ts'

/** One index per battle; `x` has `features` values for each. */
export interface Battles {
  models: number
  features: number
  a: ArrayLike<number>
  b: ArrayLike<number>
  weight: ArrayLike<number>
  /** a's share of the win: 1, ½, 0, or a value between. */
  y: ArrayLike<number>
  x: ArrayLike<number>
}

/** Factors of ½ Σ squares that are added to the loss: of ratings and of coefficients. */
export interface Penalty {
  ratings: number
  features: number
}

/** Models' ratings on the natural scale, then the features' coefficients; null where no optimum was found. */
export const fitControlled = (battles: Battles, penalty: Penalty): Optimum | null =>
  minimize({
    size: battles.models + battles.features,
    loss: (parameters) => lossOf(battles, parameters, penalty),
    derivatives: (parameters) => derivatives(battles, parameters, penalty),
  })

/** The logit of a's chance in a battle. */
function logitIn({ models, features, a, b, x }: Battles, beta: Float64Array, i: number): number {
  let logit = beta[a[i]!]! - beta[b[i]!]!
  for (let f = 0; f < features; f++) logit += beta[models + f]! * x[i * features + f]!
  return logit
}

function lossOf(battles: Battles, beta: Float64Array, penalty: Penalty): number {
  const { models, a, weight, y } = battles
  let loss = 0
  for (let i = 0; i < a.length; i++) {
    const logit = logitIn(battles, beta, i)
    loss += weight[i]! * (softplus(logit) - y[i]! * logit)
  }
  for (let i = 0; i < beta.length; i++)
    loss += ((i < models ? penalty.ratings : penalty.features) / 2) * beta[i]! ** 2
  return loss
}

function derivatives(battles: Battles, beta: Float64Array, penalty: Penalty) {
  const { models: m, features: k, a, b, weight, y, x } = battles
  const size = m + k
  const descent = new Float64Array(size)
  const h = new Float64Array(size * size)
  const at = new Int32Array(k + 2)
  const value = new Float64Array(k + 2)
  for (let i = 0; i < a.length; i++) {
    const p = sigmoid(logitIn(battles, beta, i))
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
      descent[at[r]!]! += more * value[r]!
      const row = at[r]! * size
      const scaled = spread * value[r]!
      for (let c = 0; c < k + 2; c++) h[row + at[c]!]! += scaled * value[c]!
    }
  }
  addFlat(h, m, size, penalty.ratings)
  for (let f = m; f < size; f++) h[f * size + f]! += penalty.features
  for (let i = 0; i < size; i++) descent[i]! -= (i < m ? penalty.ratings : penalty.features) * beta[i]!
  return { descent, hessian: h }
}

/** Each cluster's games, and what they add to the gradient at the optimum, in the order of the clusters' first battles. */
export function clusterScores(
  battles: Battles,
  { parameters }: Optimum,
  clusters: ArrayLike<number>,
): ClusterScore[] {
  const { models: m, features: k, a, b, weight, y, x } = battles
  const scores = new Map<number, { games: number; sums: Map<number, number> }>()
  for (let i = 0; i < a.length; i++) {
    const more = weight[i]! * (y[i]! - sigmoid(logitIn(battles, parameters, i)))
    const cluster = getOrInsert(scores, clusters[i]!, () => ({ games: 0, sums: new Map<number, number>() }))
    cluster.games += weight[i]!
    const of = cluster.sums
    count(of, a[i]!, more)
    count(of, b[i]!, -more)
    for (let f = 0; f < k; f++) count(of, m + f, more * x[i * k + f]!)
  }
  return [...scores.values()].map(({ games, sums }) => ({ games, score: [...sums] }))
}
