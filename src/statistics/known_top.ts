/**
 * Which models are the top K, and whether that is known however often one looks: Bradley–Terry with a ridge, errors that
 * allow for dispersion and for pairs that depart from one scale, and a normal mixture as the bound at every look
 * (Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021).
 */
import { ELO_SCALE, fitBradleyTerry } from './bradley_terry.ts'
import { dot, sigmoid, solveBy } from './matrix.ts'
import { Sum } from './sum.ts'

/** The valid battles of two models: `sum` and `squares` of the first one's shares of them, each 0, ½ or 1 or a mean of games. */
export interface Meetings {
  a: number
  b: number
  n: number
  sum: number
  squares: number
}

/** Everybody has a rating. */
const RIDGE = 0.25
/** Variance of the mixture, in logits². */
const PRIOR = 0.09
const LEAST_DISPERSION = 0.1
/** A statement needs so many valid battles of each model. */
export const ENOUGH = 20

interface Observed extends Meetings {
  /** n·p(1−p), Σ(x−p) and Σ(x−p)². */
  information: number
  residual: number
  squared: number
}

/** Ratings, and the variance of any contrast of them. */
export interface Strengths {
  models: number
  /** Natural scale, mean 0. */
  ratings: Float64Array
  /** Variance of the battles beside that of the model. */
  dispersion: number
  /** Standard deviation of pairs' own departures from one scale, in logits. */
  pairEffect: number
  /** Whether pairs depart from one scale beyond chance. */
  oneScale: boolean
  /** Variance of Σ c·r, Σ c = 0. @param c one value a model */
  variance(c: Float64Array): number
  /** Variance of the difference of two ratings. */
  between(i: number, j: number): number
}

/**
 * Ratings of `models` from their meetings. Variance of a contrast: the larger of the model's, times the dispersion, and
 * the sandwich's, plus that of the pairs' effects.
 */
export function strengthsOf(models: number, meetings: readonly Meetings[]): Strengths {
  const { ratings, factor } = fitBradleyTerry(
    {
      models,
      a: meetings.map(({ a }) => a),
      b: meetings.map(({ b }) => b),
      n: meetings.map(({ n }) => n),
      wins: meetings.map(({ sum }) => sum),
    },
    RIDGE,
  )!
  const pairs = meetings.map((pair): Observed => {
    const p = sigmoid(ratings[pair.a]! - ratings[pair.b]!)
    return {
      ...pair,
      information: pair.n * p * (1 - p),
      residual: pair.sum - pair.n * p,
      squared: pair.squares - 2 * p * pair.sum + pair.n * p * p,
    }
  })
  const total = (of: (pair: Observed) => number) => {
    const sum = new Sum()
    for (const pair of pairs) sum.add(of(pair))
    return sum.value
  }
  const n = total((pair) => pair.n)
  const scatter = total(({ squared }) => squared) / total(({ information }) => information)
  const dispersion = Math.max(LEAST_DISPERSION, (scatter * n) / Math.max(1, n - models + 1))
  const excess = total(({ residual, information }) => residual ** 2 - dispersion * information)
  const chance = Math.sqrt(2 * total(({ information }) => (dispersion * information) ** 2))
  const departure = Math.max(0, (excess + chance) / total(({ information }) => information ** 2))

  // Thousands of pairs, for each of as many contrasts.
  const [first, second] = [Int32Array.from(pairs, ({ a }) => a), Int32Array.from(pairs, ({ b }) => b)]
  const squared = Float64Array.from(pairs, (pair) => pair.squared)
  const squares = Float64Array.from(pairs, ({ information }) => information ** 2)
  const columns = Array.from({ length: models }, (_, i) =>
    solveBy(factor, models, new Float64Array(models).fill(1, i, i + 1)),
  )
  /** Of a contrast, and the product k of the ratings' covariance with it. */
  const variance = (c: Float64Array, k: Float64Array) => {
    const byModel = dispersion * dot(k, c)
    let seen = 0
    let effects = 0
    for (let i = 0; i < first.length; i++) {
      const apart = k[first[i]!]! - k[second[i]!]!
      seen += squared[i]! * apart * apart
      effects += squares[i]! * apart * apart
    }
    return Math.max(byModel, seen) + departure * effects
  }
  return {
    models,
    ratings,
    dispersion,
    pairEffect: Math.sqrt(departure),
    oneScale: !(excess > 2.33 * chance),
    variance: (c) => variance(c, solveBy(factor, models, c.slice())),
    between(i, j) {
      const c = new Float64Array(models)
      c[i] = 1
      c[j] = -1
      const [own, other] = [columns[i]!, columns[j]!]
      return variance(
        c,
        own.map((value, at) => value - other[at]!),
      )
    },
  }
}

/** How many standard errors a one-sided statement needs to be wrong with at most `alpha` over all looks. @param s its variance */
const needed = (s: number, alpha: number): number =>
  Math.sqrt((1 + s / PRIOR) * (2 * Math.log(1 / (2 * alpha)) + Math.log1p(PRIOR / s)))

interface Placed {
  /** The model's number. */
  model: number
  /** Natural scale, and its interval at every look. */
  natural: number
  naturalCi: [number, number]
  /** The same as points. */
  rating: number
  ratingCi: [number, number]
  in: boolean
  settled: boolean
}

export interface KnownTop {
  decided: boolean
  /** In order of their ratings. */
  places: Placed[]
  /** Of each pair across the boundary: how many errors apart, the margin added. */
  apart: { in: number; out: number; z: number }[]
}

/**
 * The statement that the `top` models with the highest ratings are the best, but for those that would win at most
 * ½ + `margin` against one of them.
 * @param names in the order that decides between equal ratings
 * @param battles valid ones of each model
 */
export function knownTop(
  strengths: Strengths,
  battles: readonly number[],
  { top, margin, alpha }: { top: number; margin: number; alpha: number },
): KnownTop {
  const { models, ratings } = strengths
  const order = [...ratings.keys()].sort((i, j) => ratings[j]! - ratings[i]! || i - j)
  const [best, rest] = [order.slice(0, top), order.slice(top)]
  const ahead = Math.log((0.5 + margin) / (0.5 - margin))
  const open = new Set<number>()
  const apart: KnownTop['apart'] = []
  for (const i of best)
    for (const j of rest) {
      const s = strengths.between(i, j)
      const z = (ratings[i]! - ratings[j]! + ahead) / Math.sqrt(s)
      apart.push({ in: i, out: j, z })
      if (z < needed(s, alpha)) open.add(i).add(j)
    }
  const enough = battles.every((n) => n >= ENOUGH)
  const places = order.map((model, rank): Placed => {
    const s = strengths.variance(new Float64Array(models).fill(-1 / models).with(model, 1 - 1 / models))
    const reach = Math.sqrt(s) * needed(s, alpha / 2)
    const elo = (natural: number) => 1000 + ELO_SCALE * natural
    const natural = ratings[model]!
    const naturalCi: [number, number] = [natural - reach, natural + reach]
    return {
      model,
      natural,
      naturalCi,
      rating: elo(natural),
      ratingCi: [elo(naturalCi[0]), elo(naturalCi[1])],
      in: rank < top,
      settled: enough && !open.has(model),
    }
  })
  return { decided: enough && open.size === 0, places, apart }
}
