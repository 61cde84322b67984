/**
 * Bradley–Terry: how strong models are, from who beat whom. Natural scale: the odds that a beats b are
 * exp(r_a − r_b); a tie is half a win to each. Bradley and Terry, "Rank analysis of incomplete block designs" (1952).
 */
import { effectiveClusters, FEW } from './clusters.ts'
import { sandwich, sigmoid, softplus, solveBy } from './matrix.ts'
import { minimize } from './newton.ts'

/** Games between models 0 … models − 1, a row a pair: how many, and a's wins with ties as halves. */
export interface Games {
  models: number
  a: ArrayLike<number>
  b: ArrayLike<number>
  n: ArrayLike<number>
  wins: ArrayLike<number>
}

export interface Fit {
  /** Natural scale, mean 0. */
  ratings: Float64Array
  /** Cholesky factor of the information matrix (that of the mean added), for errors and replicates. */
  factor: Float64Array
}

/** Points on the Elo scale for one unit of the natural scale. */
export const ELO_SCALE = 400 / Math.LN10

/**
 * Ratings with the highest likelihood, less ridge/2 · Σ r². Without a ridge they exist where every model can be reached
 * from every other through wins and ties (Ford 1957): see {@link components}. Null where no optimum was found.
 */
export function fitBradleyTerry(games: Games, ridge = 0): Fit | null {
  const found = minimize({
    size: games.models,
    loss: (ratings) => lossOf(games, ratings, ridge),
    derivatives: (ratings) => ({
      descent: gradientOf(games, ratings, ridge),
      hessian: information(games, ratings, ridge),
    }),
  })
  return found && { ratings: move(found.parameters, new Float64Array(games.models)), factor: found.factor }
}

/** Steps with the factor of the whole that a replicate's fit may take before it falls back to Newton's method. */
const CHORDS = 40

/**
 * A function that fits replicates, which have the same pairs with other counts. It starts from the ratings of the whole
 * and uses the factor of the whole (far cheaper than Newton's steps); where that does not converge, it fits in full.
 */
export function refitting(whole: Fit, ridge: number): (games: Games) => Float64Array | null {
  const m = whole.ratings.length
  const [gradient, strengths] = [new Float64Array(m), new Float64Array(m)]
  return (games) => {
    const ratings = whole.ratings.slice()
    for (let step = 0; step < CHORDS; step++) {
      gradientOf(games, ratings, ridge, gradient, strengths)
      if (largest(gradient) < 1e-6) return ratings
      move(ratings, solveBy(whole.factor, m, gradient))
    }
    return fitBradleyTerry(games, ridge)?.ratings ?? null
  }
}

function lossOf({ a, b, n, wins }: Games, ratings: Float64Array, ridge: number): number {
  let loss = 0
  for (let i = 0; i < a.length; i++) {
    const apart = ratings[a[i]!]! - ratings[b[i]!]!
    loss += n[i]! * softplus(apart) - wins[i]! * apart
  }
  if (ridge > 0) for (const one of ratings) loss += (ridge / 2) * one * one
  return loss
}

/**
 * Of the log-likelihood.
 * @param gradient is overwritten and returned
 * @param strengths is overwritten with each model's e^rating, so that exp is called once a model and not once a pair
 */
function gradientOf(
  { models, a, b, n, wins }: Games,
  ratings: Float64Array,
  ridge: number,
  gradient = new Float64Array(models),
  strengths = new Float64Array(models),
): Float64Array {
  gradient.fill(0)
  for (let i = 0; i < models; i++) strengths[i] = Math.exp(ratings[i]!)
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!]
    const more = wins[i]! - (n[i]! * strengths[x]!) / (strengths[x]! + strengths[y]!)
    gradient[x]! += more
    gradient[y]! -= more
  }
  if (ridge > 0) for (let i = 0; i < models; i++) gradient[i]! -= ridge * ratings[i]!
  return gradient
}

/** Second derivatives of the loss, made positive definite by {@link addFlat}. */
function information({ models: m, a, b, n }: Games, ratings: Float64Array, ridge: number): Float64Array {
  const h = new Float64Array(m * m)
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!]
    const p = sigmoid(ratings[x]! - ratings[y]!)
    const weight = n[i]! * p * (1 - p)
    h[x * m + x]! += weight
    h[y * m + y]! += weight
    h[x * m + y]! -= weight
    h[y * m + x]! -= weight
  }
  addFlat(h, m, m, ridge)
  return h
}

/**
 * Makes the information of `m` ratings positive definite, in a matrix of `size` rows: adds the ridge, or a multiple of
 * 11ᵀ, the direction in which the likelihood is flat.
 */
export function addFlat(h: Float64Array, m: number, size: number, ridge: number): void {
  let trace = 0
  for (let i = 0; i < m; i++) trace += h[i * size + i]!
  const level = trace / m / m || 1
  for (let i = 0; i < m; i++) {
    if (ridge > 0) h[i * size + i]! += ridge
    else for (let j = 0; j < m; j++) h[i * size + j]! += level
  }
}

/** Adds a step to the ratings and subtracts their mean, in place. */
function move(ratings: Float64Array, step: Float64Array): Float64Array {
  let mean = 0
  for (let i = 0; i < ratings.length; i++) mean += ratings[i]! += step[i]!
  mean /= ratings.length
  for (let i = 0; i < ratings.length; i++) ratings[i]! -= mean
  return ratings
}

function largest(values: Float64Array): number {
  let most = 0
  for (const value of values) most = Math.max(most, Math.abs(value))
  return most
}

/** A cluster's contribution to the gradient: parameters and their derivatives. */
type Score = readonly (readonly [parameter: number, derivative: number])[]

/** A cluster's games, and what they add to the gradient. */
export interface ClusterScore {
  games: number
  score: Score
}

/** Errors of a fit, by clusters. */
export interface Errors {
  covariance: Float64Array
  /** The effective number of clusters: see {@link effectiveClusters}. */
  clusters: number
  /** Degrees of freedom of the t distribution; undefined where the normal one does. */
  freedom?: number
}

/**
 * The sandwich H⁻¹ V H⁻¹, V = Σ over the G clusters of score · scoreᵀ: valid also where the model is wrong (White 1982). Few
 * clusters take the factor G/(G−1), and their intervals t of `freedom`, G − 1, with G the effective number.
 */
export function clusteredCovariance(
  factor: Float64Array,
  size: number,
  scores: Iterable<ClusterScore>,
): Errors {
  const middle = new Float64Array(size * size)
  let [there, sum, squares] = [0, 0, 0]
  for (const { games, score } of scores) {
    there++
    sum += games
    squares += games * games
    for (const [i, x] of score) for (const [j, y] of score) middle[i * size + j]! += x * y
  }
  const covariance = sandwich(factor, size, middle)
  if (there < 2) return { covariance, clusters: there }
  const clusters = effectiveClusters(sum, squares)
  if (clusters >= FEW) return { covariance, clusters }
  const freedom = clusters - 1
  return { covariance: covariance.map((one) => (one * clusters) / freedom), clusters, freedom }
}

/** Groups of models, each in the order of the models. */
interface Components {
  /** Connected by games, whoever won: ratings of different components cannot be compared. */
  weak: number[][]
  /** Connected in both directions by wins and ties: only within such a component are ratings finite. */
  strong: number[][]
}

/** Components of the graph with an edge from winner to loser, and both ways for a tie. */
export function components(games: Games): Components {
  const beats = beatenBy(games)
  const met: number[][] = beats.map((to) => [...to])
  for (const [from, to] of beats.entries()) for (const one of to) met[one]!.push(from)
  return { weak: stronglyConnected(met), strong: stronglyConnected(beats) }
}

/** Whom each model beat or tied. */
function beatenBy({ models, a, b, n, wins }: Games): number[][] {
  const beats: number[][] = Array.from({ length: models }, () => [])
  for (let i = 0; i < a.length; i++) {
    if (wins[i]! > 0) beats[a[i]!]!.push(b[i]!)
    if (wins[i]! < n[i]!) beats[b[i]!]!.push(a[i]!)
  }
  return beats
}

/** The models above each: those from which a chain of wins and ties leads to it, and none back. */
export function modelsAbove(games: Games, { strong }: Components): number[][] {
  const beats = beatenBy(games)
  const above = Array.from({ length: games.models }, (): number[] => [])
  for (const part of strong) {
    const below = new Set(part)
    for (const one of below) for (const beaten of beats[one]!) below.add(beaten)
    for (const one of part) below.delete(one)
    for (const one of below) above[one]!.push(...part)
  }
  return above
}

/**
 * A function that tells whether all models are one strong component, for other counts of the same pairs. It is much faster
 * than {@link components}: replicates of a bootstrap call it.
 */
export function reachable(games: Games): (counts: Pick<Games, 'n' | 'wins'>) => boolean {
  const pairs: number[][] = Array.from({ length: games.models }, () => [])
  for (let i = 0; i < games.a.length; i++) {
    pairs[games.a[i]!]!.push(i)
    pairs[games.b[i]!]!.push(i)
  }
  return (counts) => {
    const counted = { ...games, ...counts }
    return reachesAll(counted, pairs, true) && reachesAll(counted, pairs, false)
  }
}

/**
 * Whether the first model reaches all others by edges from winner to loser, or against them if not `forward`.
 * @param pairs those of each model
 */
function reachesAll({ models, a, b, n, wins }: Games, pairs: number[][], forward: boolean): boolean {
  const seen = new Uint8Array(models)
  const queue = new Int32Array(models)
  seen[0] = 1
  let end = 1
  for (let next = 0; next < end && end < models; next++) {
    const from = queue[next]!
    for (const i of pairs[from]!) {
      const first = a[i] === from
      const to = first ? b[i]! : a[i]!
      if (seen[to] === 1) continue
      // An edge this way is a win or a tie.
      if (first === forward ? wins[i]! > 0 : wins[i]! < n[i]!) {
        seen[to] = 1
        queue[end++] = to
      }
    }
  }
  return end >= models
}

/** Tarjan's algorithm, without recursion. */
function stronglyConnected(edges: readonly number[][]): number[][] {
  const size = edges.length
  const [index, low] = [new Int32Array(size).fill(-1), new Int32Array(size)]
  const onStack = new Uint8Array(size)
  const stack: number[] = []
  /** From the root to the node at hand, each with the number of its edges that were followed. */
  const path: { node: number; edge: number }[] = []
  const found: number[][] = []
  let next = 0
  const enter = (node: number) => {
    index[node] = low[node] = next++
    stack.push(node)
    onStack[node] = 1
    path.push({ node, edge: 0 })
  }
  const leave = () => {
    const { node } = path.pop()!
    const parent = path.at(-1)?.node
    if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!)
    if (low[node] !== index[node]) return
    const group = stack.splice(stack.lastIndexOf(node)).sort((x, y) => x - y)
    for (const one of group) onStack[one] = 0
    found.push(group)
  }
  for (let root = 0; root < size; root++) {
    if (index[root] === -1) enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = edges[top.node]![top.edge++]
      if (to === undefined) leave()
      else if (index[to] === -1) enter(to)
      else if (onStack[to]) low[top.node] = Math.min(low[top.node]!, index[to]!)
    }
  }
  return found.sort((x, y) => x[0]! - y[0]!)
}
