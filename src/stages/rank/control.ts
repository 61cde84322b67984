/** Scores at equal length and style: Bradley–Terry with features of the answers. */
import { getOrInsert } from '../../rows/maps.ts'
import { percentileInterval, seededWeight, seedKeys } from '../../statistics/bootstrap.ts'
import { clusteredCovariance, ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { errorsIn } from '../../statistics/clusters.ts'
import { type Battles, clusterScores, fitControlled, type Penalty } from '../../statistics/controlled.ts'
import { dot, quadraticForm, sigmoid, solveBy } from '../../statistics/matrix.ts'
import type { Features } from './features.ts'
import { differenceIn } from './groups.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'

/** A game with the features of its answers; a and b are in the order of the row. */
export interface ControlledGame {
  /** Empty for a game that is its own cluster. */
  cluster: string
  a: string
  b: string
  share: number
  weight: number
  features: number[]
}

/**
 * arena-hard's logistic regression has scikit-learn's default penalty, L2 with C = 1, on models' columns in units of ln 10 and
 * on every row twice; FastChat's has ½ on single rows, which is the same.
 */
const ORIGINAL: Penalty = { ratings: 0.5 / Math.LN10 ** 2, features: 0.5 }

/**
 * Null if there is no finite optimum.
 * @param models sorted
 * @param features names, and the degrees of freedom of their standard deviations
 * @param original whether to use the penalty of arena-hard and FastChat
 */
export function rankControlled(
  games: ControlledGame[],
  models: readonly string[],
  { names, freedom }: Pick<Features, 'names' | 'freedom'>,
  settings: RankSettings,
  original: boolean,
): Ranking | null {
  games.sort(inOrder)
  for (const [k, game] of games.entries())
    if (game.cluster === '') game.cluster = `${game.a}|${game.b}|${game.share}#${k}`
  const place = new Map(models.map((name, i) => [name, i]))
  const scales = names.map((_, f) => scaleOf(games, f, freedom))
  // A feature that is the same in all battles has no coefficient.
  const used = [...names.keys()].filter((f) =>
    games.some(({ features }) => features[f] !== games[0]!.features[f]),
  )
  const battles: Battles = {
    models: models.length,
    features: used.length,
    a: games.map(({ a }) => place.get(a)!),
    b: games.map(({ b }) => place.get(b)!),
    weight: games.map(({ weight }) => weight),
    y: games.map(({ share }) => share),
    x: games.flatMap(({ features }) => used.map((f) => (features[f]! - scales[f]!.mean) / scales[f]!.sd)),
  }
  const penalty = original ? ORIGINAL : { ratings: settings.ridge, features: 0 }
  const fit = fitControlled(battles, penalty)
  if (!fit) return null
  const clusterPlaces = new Map<string, number>()
  const clusters = games.map(({ cluster }) => getOrInsert(clusterPlaces, cluster, () => clusterPlaces.size))
  const scores = clusterScores(battles, fit, clusters)
  const size = models.length + used.length
  const found = clusteredCovariance(fit.factor, size, scores)
  const { covariance } = found
  const base = settings.baseline === undefined ? -1 : models.indexOf(settings.baseline)
  const errors = errorsIn(settings.ci, found.freedom)
  const moves =
    settings.bootstrap > 0
      ? movesOf([...clusterPlaces.keys()], scores, fit.factor, size, settings)
      : undefined
  const standings = models.map((model, i): Standing => {
    // The rating less that of the baseline, or less the mean.
    const contrast = Float64Array.from(
      { length: size },
      (_, j) =>
        Number(j === i) - (base >= 0 ? Number(j === base) : Number(j < models.length) / models.length),
    )
    const at = dot(contrast, fit.parameters)
    const contrastSe = Math.sqrt(Math.max(0, quadraticForm(covariance, size, contrast)))
    const drawn = moves?.map((move) => at + dot(contrast, move))
    const bounds = drawn
      ? percentileInterval(drawn, settings.ci)!
      : [at - errors * contrastSe, at + errors * contrastSe]
    const [low, high] = bounds as [number, number]
    const elo = (natural: number) => 1000 + ELO_SCALE * natural
    return {
      model,
      score: sigmoid(at),
      ci: [sigmoid(low), sigmoid(high)],
      se: sigmoid(at) * sigmoid(-at) * contrastSe,
      rating: elo(at),
      ratingCi: [elo(low), elo(high)],
      ratingSe: ELO_SCALE * contrastSe,
      component: 1,
    }
  })
  const controls = names.map((feature, f) => {
    if (!used.includes(f)) return { feature, coefficient: null, se: null, ...scales[f]! }
    const at = models.length + used.indexOf(f)
    const se = Math.sqrt(Math.max(0, covariance[at * size + at]!))
    return { feature, coefficient: fit.parameters[at]!, se, ...scales[f]! }
  })
  const difference = (x: string, y: string) =>
    differenceIn(fit.parameters, found, place.get(x)!, place.get(y)!)
  return { standings, against: settings.baseline ?? null, replicatesLeftOut: 0, controls, difference }
}

/** Sums of floats depend on the order of games, which must not depend on the order of rows. */
function inOrder(x: ControlledGame, y: ControlledGame): number {
  for (const key of ['cluster', 'a', 'b', 'share'] as const)
    if (x[key] !== y[key]) return x[key] < y[key] ? -1 : 1
  for (const [f, value] of x.features.entries()) if (value !== y.features[f]) return value - y.features[f]!
  return 0
}

/** Mean and deviation of a feature over all votes. */
function scaleOf(games: readonly ControlledGame[], f: number, freedom: 0 | 1): { mean: number; sd: number } {
  let [n, sum, squares] = [0, 0, 0]
  for (const { weight, features } of games) {
    n += weight
    sum += weight * features[f]!
  }
  const mean = sum / n
  for (const { weight, features } of games) squares += weight * (features[f]! - mean) ** 2
  return { mean, sd: Math.sqrt(squares / (n - freedom)) }
}

/** One Newton step from the optimum to that of each replicate: H⁻¹ Σ (w − 1) s over the clusters, w a cluster's weight and s its score. */
function movesOf(
  clusters: readonly string[],
  scores: ReturnType<typeof clusterScores>,
  factor: Float64Array,
  size: number,
  { bootstrap, seed }: RankSettings,
): Float64Array[] {
  const gradients = Array.from({ length: bootstrap }, () => new Float64Array(size))
  for (const [c, cluster] of clusters.entries()) {
    const [k1, k2] = seedKeys(seed, cluster)
    for (let round = 0; round < bootstrap; round++) {
      const more = seededWeight(k1, k2, round) - 1
      if (more === 0) continue
      for (const [at, gain] of scores[c]!.score) gradients[round]![at]! += more * gain
    }
  }
  return gradients.map((gradient) => solveBy(factor, size, gradient))
}
