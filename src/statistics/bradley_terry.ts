/**
 * Bradley–Terry: how strong models are, from who beat whom. Natural scale: the odds that a beats b are
 * exp(r_a − r_b); a tie is half a win to each. Bradley and Terry, "Rank analysis of incomplete block designs" (1952).
 */
import { cholesky, sandwich, sigmoid, softplus, solveBy } from './matrix.ts'

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

/** Points of an Elo-like scale for one unit of the natural one. */
export const ELO_SCALE = 400 / Math.LN10

/**
 * The maximum of the likelihood, less ridge/2 · Σ r². Without a ridge it exists where every model can be reached
 * from every other through wins and ties (Ford 1957): see {@link components}. Null where it was not found.
 */
export function fitBradleyTerry(games: Games, ridge = 0): Fit | null {
  const m = games.models
  let ratings: Float64Array = new Float64Array(m)
  let present = lossOf(games, ratings, ridge)
  for (let times = 0; times < 200; times++) {
    const factor = information(games, ratings, ridge)
    if (!cholesky(factor, m)) return null
    const step = solveBy(factor, m, gradientOf(games, ratings, ridge))
    let scale = 1
    let next = move(ratings.slice(), step, 1)
    let loss = lossOf(games, next, ridge)
    while (loss > present + 1e-12 * Math.abs(present) && scale > 1e-9) {
      scale /= 2
      next = move(ratings.slice(), step, scale)
      loss = lossOf(games, next, ridge)
    }
    ratings = next
    present = loss
    if (!(largest(step) < 60)) return null
    if (largest(step) * scale < 1e-12) {
      const last = information(games, ratings, ridge)
      return cholesky(last, m) ? { ratings, factor: last } : null
    }
  }
  return null
}

/** The steps of a replicate's fit that take the factor of the whole, before Newton's method does. */
const CHORDS = 40

/**
 * The fit of replicates of the same pairs with other counts: from the ratings of the whole by its factor (chords
 * are far cheaper than Newton's steps), or in full where that does not close in. What it works in is made once.
 */
export function refitting(whole: Fit, ridge: number): (games: Games) => Float64Array | null {
  const m = whole.ratings.length
  const [gradient, strengths] = [new Float64Array(m), new Float64Array(m)]
  return (games) => {
    const ratings = whole.ratings.slice()
    for (let step = 0; step < CHORDS; step++) {
      gradientOf(games, ratings, ridge, gradient, strengths)
      if (largest(gradient) < 1e-6) return ratings
      move(ratings, solveBy(whole.factor, m, gradient), 1)
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

/** @param gradient is filled; @param strengths room for an exponential a model, not one a pair */
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

/** Second derivatives; a multiple of 11ᵀ, along which the likelihood is flat, makes the matrix definite. */
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

/** What makes the information of `m` ratings definite, in a matrix of `size` rows: the ridge, or a multiple of 11ᵀ. */
export function addFlat(h: Float64Array, m: number, size: number, ridge: number): void {
  let trace = 0
  for (let i = 0; i < m; i++) trace += h[i * size + i]!
  const level = trace / m / m || 1
  for (let i = 0; i < m; i++) {
    if (ridge > 0) h[i * size + i]! += ridge
    else for (let j = 0; j < m; j++) h[i * size + j]! += level
  }
}

/** Moves the ratings, whose mean stays 0. */
function move(ratings: Float64Array, by: Float64Array, scale: number): Float64Array {
  let mean = 0
  for (let i = 0; i < ratings.length; i++) mean += ratings[i]! += scale * by[i]!
  mean /= ratings.length
  for (let i = 0; i < ratings.length; i++) ratings[i]! -= mean
  return ratings
}

function largest(values: Float64Array): number {
  let most = 0
  for (const value of values) most = Math.max(most, Math.abs(value))
  return most
}

/** A cluster's part of the gradient: models and what they gain. */
export type Score = readonly (readonly [model: number, gain: number])[]

/** H⁻¹ V H⁻¹, V the sum of the clusters' scores' outer products: variances that hold whatever the model's truth (White 1982). */
export function clusteredCovariance(
  factor: Float64Array,
  size: number,
  scores: Iterable<Score>,
): Float64Array {
  const middle = new Float64Array(size * size)
  for (const score of scores)
    for (const [i, x] of score) for (const [j, y] of score) middle[i * size + j]! += x * y
  return sandwich(factor, size, middle)
}

/** Groups of models, each in the order of the models. */
export interface Components {
  /** Connected by battles, whoever won: ratings of different ones cannot be compared. */
  weak: number[][]
  /** Connected by wins and ties both ways: only within one are there finite ratings. */
  strong: number[][]
}

/** Tarjan's components of the graph with an edge from winner to loser, both ways for a tie. */
export function components(games: Games): Components {
  const { models, a, b, n } = games
  const met: number[][] = Array.from({ length: models }, () => [])
  for (let i = 0; i < a.length; i++) {
    if (n[i] === 0) continue
    met[a[i]!]!.push(b[i]!)
    met[b[i]!]!.push(a[i]!)
  }
  return { weak: stronglyConnected(met), strong: strongComponents(games) }
}

/**
 * A test of whether every model can be reached from every other through wins and ties, for any number of counts of
 * the same pairs: is all one strong component?
 */
export function reachable({ models, a, b }: Games): (games: Pick<Games, 'n' | 'wins'>) => boolean {
  const pairs: number[][] = Array.from({ length: models }, () => [])
  for (let i = 0; i < a.length; i++) {
    pairs[a[i]!]!.push(i)
    pairs[b[i]!]!.push(i)
  }
  const seen = new Uint8Array(models)
  const queue = new Int32Array(models)
  return ({ n, wins }) => {
    for (const forward of [true, false]) {
      seen.fill(0)
      seen[0] = 1
      queue[0] = 0
      let end = 1
      for (let next = 0; next < end && end < models; next++) {
        const from = queue[next]!
        for (const i of pairs[from]!) {
          const first = a[i] === from
          const to = first ? b[i]! : a[i]!
          if (seen[to] === 1) continue
          // Whether the pair has an edge this way: a win, or a tie.
          if (first === forward ? wins[i]! > 0 : wins[i]! < n[i]!) {
            seen[to] = 1
            queue[end++] = to
          }
        }
      }
      if (end < models) return false
    }
    return true
  }
}

function strongComponents({ models, a, b, n, wins }: Games): number[][] {
  const beats: number[][] = Array.from({ length: models }, () => [])
  for (let i = 0; i < a.length; i++) {
    if (n[i] === 0) continue
    if (wins[i]! > 0) beats[a[i]!]!.push(b[i]!)
    if (wins[i]! < n[i]!) beats[b[i]!]!.push(a[i]!)
  }
  return stronglyConnected(beats)
}

function stronglyConnected(edges: readonly number[][]): number[][] {
  const size = edges.length
  const [index, low] = [new Int32Array(size).fill(-1), new Int32Array(size)]
  const onStack = new Uint8Array(size)
  const stack: number[] = []
  const found: number[][] = []
  let next = 0
  for (let root = 0; root < size; root++) {
    if (index[root] !== -1) continue
    const path: [node: number, edge: number][] = [[root, 0]]
    while (path.length > 0) {
      const top = path[path.length - 1]!
      const [node] = top
      if (top[1] === 0) {
        index[node] = low[node] = next++
        stack.push(node)
        onStack[node] = 1
      }
      const to = edges[node]![top[1]++]
      if (to !== undefined) {
        if (index[to] === -1) path.push([to, 0])
        else if (onStack[to]) low[node] = Math.min(low[node]!, index[to]!)
        continue
      }
      path.pop()
      const parent = path[path.length - 1]?.[0]
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!)
      if (low[node] === index[node]) {
        const from = stack.lastIndexOf(node)
        const group = stack.splice(from).sort((x, y) => x - y)
        for (const one of group) onStack[one] = 0
        found.push(group)
      }
    }
  }
  return found.sort((x, y) => x[0]! - y[0]!)
}
