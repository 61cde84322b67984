/** Bradley–Terry: ratings of models that met in any pairing. */
import { count, getOrInsert } from '../../rows/maps.ts'
import { percentileInterval, seededWeight, seedKeys } from '../../statistics/bootstrap.ts'
import {
  type ClusterScore,
  clusteredCovariance,
  components,
  ELO_SCALE,
  type Errors,
  type Fit,
  fitBradleyTerry,
  type Games,
  modelsAbove,
  reachable,
  refitting,
} from '../../statistics/bradley_terry.ts'
import { errorsIn } from '../../statistics/clusters.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import type { AllBattles } from './battle_sums.ts'
import { type Difference, differenceIn } from './groups.ts'
import type { BattleCounts, Ranking, RankSettings, Standing } from './standing.ts'

export function rankByStrength(
  battles: AllBattles,
  counts: readonly BattleCounts[],
  settings: RankSettings,
): Ranking {
  const { models } = battles
  const whole = ratedBattles(battles, models)
  const found = components(whole.games)
  const { weak, strong } = found
  const above = strong.length > weak.length && settings.ridge === 0 ? modelsAbove(whole.games, found) : []
  const largestFirst = [...weak].sort((x, y) => y.length - x.length || x[0]! - y[0]!)
  const componentOf = new Map(largestFirst.flatMap((group, place) => group.map((i) => [i, place])))
  const standings: Standing[] = models.map((model, i) => ({
    model,
    score: null,
    ci: null,
    se: null,
    rating: null,
    ratingCi: null,
    ratingSe: null,
    component: 1 + componentOf.get(i)!,
    ...(above.length > 0 && { above: above[i]!.map((one) => models[one]!) }),
  }))
  let leftOut = 0
  const places = new Map<string, Place>()
  for (const group of largestFirst) {
    const rated = settings.ridge > 0 ? group : largestStrong(group, strong)
    for (const i of group) if (!rated.includes(i)) standings[i]!.why = reasonOf(counts[i]!)
    if (rated.length < 2) continue
    const rating = rate(
      ratedBattles(
        battles,
        rated.map((i) => models[i]!),
      ),
      rated.map((i) => standings[i]!),
      settings,
    )
    if (!rating) continue
    leftOut += rating.leftOut
    for (const [i, model] of rated.entries()) places.set(models[model]!, { rating, i })
  }
  const difference = (x: string, y: string) => differenceOf(places.get(x), places.get(y))
  return { standings, against: settings.baseline ?? null, replicatesLeftOut: leftOut, difference }
}

/** The battles of some models, whose indexes there are those of `games`. */
interface RatedBattles {
  games: Games
  clusters: readonly { id: string; pairs: readonly PairGames[] }[]
}

/** Games of a cluster, and the index of their pair in `games`. */
interface PairGames {
  pair: number
  n: number
  share: number
}

function ratedBattles({ clusters }: AllBattles, models: readonly string[]): RatedBattles {
  const place = new Map(models.map((model, i) => [model, i]))
  const indexes = new Map<string, number>()
  const all: { a: number; b: number; n: number; wins: number }[] = []
  const rated = clusters.flatMap(({ id, pairs }) => {
    const own: PairGames[] = []
    for (const { a, b, n, share } of pairs) {
      const [x, y] = [place.get(a), place.get(b)]
      if (x === undefined || y === undefined) continue
      const pair = getOrInsert(indexes, `${x} ${y}`, () => all.push({ a: x, b: y, n: 0, wins: 0 }) - 1)
      all[pair]!.n += n
      all[pair]!.wins += share
      own.push({ pair, n, share })
    }
    return own.length > 0 ? [{ id, pairs: own }] : []
  })
  const games: Games = {
    models: models.length,
    a: all.map(({ a }) => a),
    b: all.map(({ b }) => b),
    n: all.map(({ n }) => n),
    wins: all.map(({ wins }) => wins),
  }
  return { games, clusters: rated }
}

/** Of models that can all be reached from each other. */
interface Rating {
  fit: Fit
  errors: Errors
  /** How many replicates have no solution. */
  leftOut: number
}

/** A model's rating, and its index there. */
interface Place {
  rating: Rating
  i: number
}

/** Null for ratings that cannot be compared. */
const differenceOf = (one: Place | undefined, other: Place | undefined): Difference | null =>
  one && other && one.rating === other.rating
    ? differenceIn(one.rating.fit.ratings, one.rating.errors, one.i, other.i)
    : null

/** In a component that is not strongly connected, only the largest strong part has ratings. */
function largestStrong(group: number[], strong: readonly number[][]): number[] {
  const parts = strong.filter((part) => group.includes(part[0]!)).sort((x, y) => y.length - x.length)
  if (parts.length === 1) return group
  return parts[0]!.length > 1 ? parts[0]! : []
}

const reasonOf = ({ wins, ties, losses }: BattleCounts) =>
  ties > 0 ? 'one_way' : losses === 0 ? 'never_lost' : wins === 0 ? 'never_won' : 'one_way'

/** Rates models that can all be reached from each other, in their standings; undefined where no optimum was found. */
function rate(
  battles: RatedBattles,
  standings: readonly Standing[],
  settings: RankSettings,
): Rating | undefined {
  const fit = fitBradleyTerry(battles.games, settings.ridge)
  if (!fit) return undefined
  const found = clusteredCovariance(fit.factor, standings.length, scoresOf(battles, fit))
  const errors = errorsIn(settings.ci, found.freedom)
  const drawn = settings.bootstrap > 0 ? replicatesOf(battles, fit, settings) : undefined
  // If more than 5 % have no solution, the others are not a sample of all.
  const kept = drawn && drawn.length >= 0.95 * settings.bootstrap ? drawn : undefined
  const base = standings.findIndex(({ model }) => model === settings.baseline)
  for (const [i, standing] of standings.entries()) {
    const closed = standingBy(fit.ratings, found.covariance, { i, base, errors })
    const percentiles = (of: (ratings: Float64Array) => number) =>
      kept ? percentileInterval(kept.map(of), settings.ci) : null
    const ratingCi = drawn ? percentiles((one) => elo(one[i]!)) : closed.ratingCi
    const ci = drawn ? percentiles((one) => chanceOf(one, i, base)) : closed.ci
    // There is no score against a baseline of another component.
    const scored = settings.baseline === undefined || base >= 0
    const { score, se, rating, ratingSe } = closed
    Object.assign(standing, { ...(scored && { score, ci, se }), rating, ratingCi, ratingSe })
  }
  return { fit, errors: found, leftOut: drawn ? settings.bootstrap - drawn.length : 0 }
}

const elo = (natural: number) => 1000 + ELO_SCALE * natural

/** The chance to beat the baseline; of no baseline (−1) the average model. */
const chanceOf = (ratings: ArrayLike<number>, i: number, base: number) =>
  sigmoid(ratings[i]! - (base < 0 ? 0 : ratings[base]!))

/**
 * Score and rating of a model, with errors from the ratings' covariance.
 * @param base the baseline, to which the score is; −1 without one @param errors how many an interval reaches to each side
 */
function standingBy(
  ratings: Float64Array,
  covariance: Float64Array,
  { i, base, errors }: { i: number; base: number; errors: number },
) {
  const size = ratings.length
  const at = (x: number, y: number) => covariance[x * size + y]!
  const se = Math.sqrt(Math.max(0, at(i, i)))
  const apart = base < 0 ? at(i, i) : at(i, i) + at(base, base) - at(i, base) - at(base, i)
  const contrastSe = Math.sqrt(Math.max(0, apart))
  const score = chanceOf(ratings, i, base)
  const logit = Math.log(score / (1 - score))
  const bounds = (middle: number, reach: number, scale: (x: number) => number): [number, number] => [
    scale(middle - reach),
    scale(middle + reach),
  ]
  return {
    score,
    ci: bounds(logit, errors * contrastSe, sigmoid),
    se: score * (1 - score) * contrastSe,
    rating: elo(ratings[i]!),
    ratingCi: bounds(ratings[i]!, errors * se, elo),
    ratingSe: ELO_SCALE * se,
  }
}

/** Each cluster's games, and what they add to the gradient. */
function* scoresOf({ clusters, games }: RatedBattles, { ratings }: Fit): Generator<ClusterScore> {
  for (const { pairs } of clusters) {
    const gains = new Map<number, number>()
    let played = 0
    for (const { pair, n, share } of pairs) {
      const [a, b] = [games.a[pair]!, games.b[pair]!]
      const more = share - n * sigmoid(ratings[a]! - ratings[b]!)
      played += n
      count(gains, a, more)
      count(gains, b, -more)
    }
    yield { games: played, score: [...gains] }
  }
}

/** Bootstrap: the ratings of each replicate, in which clusters are drawn anew, that has a solution. */
function replicatesOf(
  { clusters, games }: RatedBattles,
  fit: Fit,
  { bootstrap: rounds, seed, ridge }: RankSettings,
): Float64Array[] {
  const drawnFrom = clusters.map(({ id, pairs }) => ({ keys: seedKeys(seed, id), pairs }))
  const connected = reachable(games)
  const refit = refitting(fit, ridge)
  const ratings: Float64Array[] = []
  for (let round = 0; round < rounds; round++) {
    const n = new Array<number>(games.a.length).fill(0)
    const wins = [...n]
    for (const { keys, pairs } of drawnFrom) {
      const times = seededWeight(...keys, round)
      if (times === 0) continue
      for (const one of pairs) {
        n[one.pair]! += times * one.n
        wins[one.pair]! += times * one.share
      }
    }
    const drawn = { ...games, n, wins }
    if (ridge === 0 && !connected(drawn)) continue
    const found = refit(drawn)
    if (found) ratings.push(found)
  }
  return ratings
}
