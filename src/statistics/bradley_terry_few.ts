/**
 * Bradley–Terry by few of people's verdicts and many of a judge's: prediction-powered estimation of a logistic model.
 * Angelopoulos, Duchi and Zrnic, "PPI++" (2311.01453), whose loss is λ·L(judge, without label) + L(people) − λ·L(judge, with label).
 */
import { count, getOrInsert } from '../rows/maps.ts'
import { type Fit, fitBradleyTerry, type Games } from './bradley_terry.ts'
import { sandwich, sigmoid } from './matrix.ts'

/** Battles, a row each: between models a and b, a's share by the judge, and by people (NaN without a label). */
export interface LabelledBattles {
  models: number
  a: ArrayLike<number>
  b: ArrayLike<number>
  judge: ArrayLike<number>
  people: ArrayLike<number>
  /** A number from 0 on for each battle: battles of a cluster belong together. */
  cluster: ArrayLike<number>
}

interface FewFit {
  ratings: Float64Array
  /** Of the ratings, by clusters. */
  covariance: Float64Array
  /** Clusters with a label, less one. */
  freedom: number
  /** The judge's weight, 0 to 1. */
  lambda: number
}

/** Null without a finite optimum, and for labels of fewer than two clusters. The labelled battles have to be a random sample. */
export function fitByLabels(battles: LabelledBattles): FewFit | null {
  const { people, cluster } = battles
  const all = [...Array(people.length).keys()]
  const [labelled, rest] = [
    all.filter((i) => !Number.isNaN(people[i]!)),
    all.filter((i) => Number.isNaN(people[i]!)),
  ]
  const freedom = new Set(labelled.map((i) => cluster[i])).size - 1
  if (freedom < 1) return null
  const lambda = rest.length === 0 ? 0 : weightOf(battles, labelled, rest)
  if (lambda === null) return null
  const fit = fitBradleyTerry(
    gamesOf(battles, (i) => gainOf(battles, i, lambda, labelled.length, rest.length)),
  )
  if (!fit) return null
  return {
    ratings: fit.ratings,
    covariance: covarianceOf(battles, fit, { lambda, labelled, rest }),
    freedom,
    lambda,
  }
}

/** What a battle adds to the sums of its two models: games and a's wins. */
type Gain = readonly [games: number, wins: number]

function gainOf({ judge, people }: LabelledBattles, i: number, lambda: number, n: number, N: number): Gain {
  if (Number.isNaN(people[i]!)) return [(lambda * n) / N, (lambda * judge[i]! * n) / N]
  return [1 - lambda, people[i]! - lambda * judge[i]!]
}

function gamesOf({ models, a, b }: LabelledBattles, gain: (i: number) => Gain): Games {
  const n = new Float64Array(models * models)
  const wins = new Float64Array(models * models)
  for (let i = 0; i < a.length; i++) {
    const [games, won] = gain(i)
    n[a[i]! * models + b[i]!]! += games
    wins[a[i]! * models + b[i]!]! += won
  }
  const met = [...n.keys()].filter((pair) => n[pair] !== 0 || wins[pair] !== 0)
  return {
    models,
    a: met.map((pair) => Math.floor(pair / models)),
    b: met.map((pair) => pair % models),
    n: met.map((pair) => n[pair]!),
    wins: met.map((pair) => wins[pair]!),
  }
}

/** λ, from the residuals of both against the judge's own ratings: cov(people, judge) / ((1 + n/N) var(judge)), within [0, 1]. */
function weightOf(
  battles: LabelledBattles,
  labelled: readonly number[],
  rest: readonly number[],
): number | null {
  const { a, b, judge, people } = battles
  const fit = fitBradleyTerry(gamesOf(battles, (i) => [1, judge[i]!]))
  if (!fit) return null
  const expected = (i: number) => sigmoid(fit.ratings[a[i]!]! - fit.ratings[b[i]!]!)
  const mean = (of: readonly number[], value: (i: number) => number) =>
    of.reduce((sum, i) => sum + value(i), 0) / of.length
  const covariance = mean(labelled, (i) => (people[i]! - expected(i)) * (judge[i]! - expected(i)))
  const spread =
    (1 + labelled.length / rest.length) * mean([...labelled, ...rest], (i) => (judge[i]! - expected(i)) ** 2)
  return spread === 0 ? 0 : Math.max(0, Math.min(1, covariance / spread))
}

interface Samples {
  lambda: number
  labelled: readonly number[]
  rest: readonly number[]
}

/** A cluster's part of the gradient, and its share of the unlabelled battles less that of the labelled ones. */
interface ClusterScore {
  sums: Map<number, number>
  apart: number
}

/** @param total is what the unlabelled battles add up to, by model: the labelled ones add up to the same with the other sign */
function scoresOf(
  { a, b, judge, people, cluster }: LabelledBattles,
  ratings: Float64Array,
  { lambda, labelled, rest }: Samples,
  total: Float64Array,
): Iterable<ClusterScore> {
  const [n, N] = [labelled.length, rest.length]
  const scores = new Map<number, ClusterScore>()
  for (const i of [...labelled, ...rest]) {
    const isLabelled = !Number.isNaN(people[i]!)
    const expected = sigmoid(ratings[a[i]!]! - ratings[b[i]!]!)
    const ofJudge = lambda * (judge[i]! - expected)
    const more = isLabelled ? people[i]! - expected - ofJudge : (ofJudge * n) / N
    const { sums, apart } = getOrInsert(scores, cluster[i]!, () => ({ sums: new Map(), apart: 0 }))
    count(sums, a[i]!, more)
    count(sums, b[i]!, -more)
    scores.get(cluster[i]!)!.apart = N === 0 ? 0 : apart + (isLabelled ? -1 / n : 1 / N)
    if (isLabelled) continue
    total[a[i]!]! += more
    total[b[i]!]! -= more
  }
  return scores.values()
}

/**
 * The sandwich of the two samples: a battle's score is (value − expected) for a and the same against b, less the mean of its
 * sample, summed by cluster. The means of both samples have one direction, so a cluster's are that times a number.
 */
function covarianceOf(battles: LabelledBattles, { ratings, factor }: Fit, samples: Samples): Float64Array {
  const { models: m, cluster } = battles
  const total = new Float64Array(m)
  const middle = new Float64Array(m * m)
  const crossed = new Float64Array(m)
  let squares = 0
  for (const { sums, apart } of scoresOf(battles, ratings, samples, total)) {
    for (const [i, x] of sums) {
      crossed[i]! += apart * x
      for (const [j, y] of sums) middle[i * m + j]! += x * y
    }
    squares += apart * apart
  }
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++)
      middle[i * m + j]! +=
        squares * total[i]! * total[j]! - crossed[i]! * total[j]! - total[i]! * crossed[j]!
  const clusters = new Set(samples.labelled.map((i) => cluster[i])).size
  return sandwich(factor, m, middle).map((one) => (one * clusters) / (clusters - 1))
}
