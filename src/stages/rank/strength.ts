/** Bradley–Terry: ratings of models that met in any pairing. */
import { count } from '../../rows/maps.ts'
import { percentileInterval } from '../../statistics/bootstrap.ts'
import {
  clusteredCovariance,
  components,
  ELO_SCALE,
  type Fit,
  fitBradleyTerry,
  type Score,
} from '../../statistics/bradley_terry.ts'
import { normalQuantile } from '../../statistics/interval.ts'
import { quadraticForm, sigmoid } from '../../statistics/matrix.ts'
import type { PairCells } from './cells.ts'
import { replicatesOf } from './replicates.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'
import { type BattleTable, tableOf } from './table.ts'

export function rankByStrength(cells: PairCells, settings: RankSettings): Ranking {
  const { models } = cells
  const whole = tableOf(cells, [...models.keys()])
  const { weak, strong } = components(whole.games)
  const largestFirst = [...weak].sort((x, y) => y.length - x.length || x[0]! - y[0]!)
  const standings: Standing[] = models.map((model, i) => ({
    model,
    score: null,
    ci: null,
    se: null,
    rating: null,
    ratingCi: null,
    ratingSe: null,
    component: 1 + largestFirst.findIndex((of) => of.includes(i)),
    n: 0,
    wins: 0,
    ties: 0,
    losses: 0,
    clusters: 0,
  }))
  countBattles(cells, standings)
  let leftOut = 0
  for (const group of largestFirst) {
    // Within a component that falls apart, the largest part has ratings.
    const parts = strong.filter((part) => group.includes(part[0]!)).sort((x, y) => y.length - x.length)
    const rated = settings.ridge > 0 || parts.length === 1 ? group : parts[0]!.length > 1 ? parts[0]! : []
    for (const i of group) if (!rated.includes(i)) standings[i]!.why = reasonOf(standings[i]!)
    if (rated.length < 2) continue
    const table = rated.length === models.length ? whole : tableOf(cells, rated)
    leftOut += rate(
      table,
      rated.map((i) => standings[i]!),
      settings,
    )
  }
  return { standings, against: settings.baseline ?? null, replicatesLeftOut: leftOut }
}

const reasonOf = ({ wins, ties, losses }: Standing) =>
  ties > 0 ? 'one_way' : losses === 0 ? 'never_lost' : wins === 0 ? 'never_won' : 'one_way'

/** Games, wins and clusters of each model. */
function countBattles(
  { clusters, starts, a, b, n, wins, ties }: PairCells,
  standings: readonly Standing[],
): void {
  const last = new Int32Array(standings.length).fill(-1)
  const add = (i: number, cluster: number, games: number, won: number, tied: number) => {
    const of = standings[i]!
    of.n += games
    of.wins += won
    of.ties += tied
    of.losses += games - won - tied
    if (last[i] !== cluster) of.clusters++
    last[i] = cluster
  }
  for (let c = 0; c < clusters.length; c++)
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      add(a[i]!, c, n[i]!, wins[i]!, ties[i]!)
      add(b[i]!, c, n[i]!, n[i]! - wins[i]! - ties[i]!, ties[i]!)
    }
}

/** Ratings of models that can all be reached from each other; gives the number of replicates without a solution. */
function rate(table: BattleTable, standings: readonly Standing[], settings: RankSettings): number {
  const fit = fitBradleyTerry(table.games, settings.ridge)
  if (!fit) return 0
  const size = standings.length
  const covariance = clusteredCovariance(fit.factor, size, scoresOf(table, fit))
  const z = normalQuantile((1 + settings.level) / 2)
  const drawn = settings.rounds > 0 ? replicatesOf(table, fit, settings) : undefined
  // More than a twentieth without a solution: what is left is no sample of all.
  const kept = drawn && drawn.length >= 0.95 * settings.rounds ? drawn : undefined
  const base = standings.findIndex(({ model }) => model === settings.baseline)
  const chance = (ratings: ArrayLike<number>, i: number) =>
    sigmoid(ratings[i]! - (base < 0 ? 0 : ratings[base]!))
  for (const [i, standing] of standings.entries()) {
    const contrast = Float64Array.from(standings, (_, j) =>
      base >= 0 ? Number(j === i) - Number(j === base) : Number(j === i),
    )
    const se = Math.sqrt(Math.max(0, covariance[i * size + i]!))
    const apart = Math.sqrt(Math.max(0, quadraticForm(covariance, size, contrast)))
    const rating = fit.ratings[i]!
    const score = chance(fit.ratings, i)
    const logit = Math.log(score / (1 - score))
    const elo = (natural: number) => 1000 + ELO_SCALE * natural
    const closed = !drawn
    const ratingCi = closed
      ? ([elo(rating - z * se), elo(rating + z * se)] as [number, number])
      : kept
        ? percentileInterval(
            kept.map((one) => elo(one[i]!)),
            settings.level,
          )
        : null
    const ci = closed
      ? ([sigmoid(logit - z * apart), sigmoid(logit + z * apart)] as [number, number])
      : kept
        ? percentileInterval(
            kept.map((one) => chance(one, i)),
            settings.level,
          )
        : null
    // Against a baseline that none of these can be compared with, there is no score.
    const scored = settings.baseline === undefined || base >= 0
    Object.assign(standing, {
      ...(scored && { score, ci, se: score * (1 - score) * apart }),
      rating: elo(rating),
      ratingCi,
      ratingSe: ELO_SCALE * se,
    })
  }
  return drawn ? settings.rounds - drawn.length : 0
}

/** Each cluster's part of the gradient. */
function* scoresOf(
  { cells: { clusters, starts, n, share }, games, pair }: BattleTable,
  { ratings }: Fit,
): Generator<Score> {
  for (let c = 0; c < clusters.length; c++) {
    const gains = new Map<number, number>()
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      if (pair[i]! < 0) continue
      const [a, b] = [games.a[pair[i]!]!, games.b[pair[i]!]!]
      const more = share[i]! - n[i]! * sigmoid(ratings[a]! - ratings[b]!)
      count(gains, a, more)
      count(gains, b, -more)
    }
    if (gains.size > 0) yield [...gains]
  }
}
