/** Mean scores: wins and half the ties. Against one baseline this is Bradley–Terry without a solver. */

import { getOrInsert } from '../../rows/maps.ts'
import { percentileInterval, seededWeights, seedKeys } from '../../statistics/bootstrap.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { clusteredInterval, clusteredMean } from '../../statistics/clusters.ts'
import type { PairCells } from './cells.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'

/** A model's battles. */
interface ModelBattles {
  /** By cluster, in the order of the clusters. */
  sums: [weight: number, sum: number][]
  /** The last cluster that was added. */
  cluster: number
  n: number
  wins: number
  ties: number
}

/** The model that is in every battle: of two the one that is wanted, else the one that mostly stands first. */
export function commonModel(
  { models, a, b }: PairCells,
  firsts: ReadonlyMap<string, number>,
  wanted?: string,
): string | undefined {
  if (a.length === 0) return undefined
  const common = [a[0]!, b[0]!]
    .filter((one) => a.every((x, i) => x === one || b[i] === one))
    .map((one) => models[one]!)
  if (wanted !== undefined && common.includes(wanted)) return wanted
  const first = (model: string) => firsts.get(model) ?? 0
  return common.sort((x, y) => first(y) - first(x) || (x < y ? -1 : 1))[0]
}

export function rankByMean(cells: PairCells, settings: RankSettings): Ranking {
  const against = settings.baseline ?? null
  const own = battlesByModel(cells, against)
  const replicates = settings.rounds > 0 ? replicatesOf(cells, against, settings) : undefined
  const standings = [...own.keys()].sort().map((model): Standing => {
    const { sums, n, wins, ties } = own.get(model)!
    const counts = { n, wins, ties, losses: n - wins - ties, clusters: sums.length, component: 1 }
    if (model === against) return { model, score: 0.5, ci: [0.5, 0.5], se: 0, rating: 1000, ...counts }
    const mean = clusteredMean(sums)
    const drawn = replicates?.get(model)
    const bounds = drawn
      ? sums.length < 2
        ? null
        : percentileInterval(drawn, settings.level)
      : clusteredInterval(mean, settings.level)
    const rating =
      mean.mean > 0 && mean.mean < 1 ? 1000 + ELO_SCALE * Math.log(mean.mean / (1 - mean.mean)) : null
    return {
      model,
      score: mean.mean,
      ci: bounds && [Math.max(0, bounds[0]), Math.min(1, bounds[1])],
      se: mean.se,
      rating: against === null ? null : rating,
      ...counts,
    }
  })
  return { standings, against, replicatesLeftOut: 0 }
}

/** Goes through the cells, of all battles or of those against one model, in the order of the clusters. */
function eachCell(
  { models, clusters, starts, a, b }: PairCells,
  against: string | null,
  take: (cell: number, cluster: number, a: string, b: string) => void,
): void {
  for (let c = 0; c < clusters.length; c++)
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const [x, y] = [models[a[i]!]!, models[b[i]!]!]
      if (against === null || x === against || y === against) take(i, c, x, y)
    }
}

function battlesByModel(cells: PairCells, against: string | null): Map<string, ModelBattles> {
  const all = new Map<string, ModelBattles>()
  const add = (model: string, cluster: number, n: number, share: number, wins: number, ties: number) => {
    const own = getOrInsert(all, model, () => ({ sums: [], cluster: -1, n: 0, wins: 0, ties: 0 }))
    own.n += n
    own.wins += wins
    own.ties += ties
    if (own.cluster === cluster) {
      const last = own.sums.at(-1)!
      last[0] += n
      last[1] += share
    } else own.sums.push([n, share])
    own.cluster = cluster
  }
  eachCell(cells, against, (i, cluster, a, b) => {
    const [n, share, wins, ties] = [cells.n[i]!, cells.share[i]!, cells.wins[i]!, cells.ties[i]!]
    add(a, cluster, n, share, wins, ties)
    add(b, cluster, n, n - share, n - wins - ties, ties)
  })
  return all
}

/** Replicates of every model's mean: a cluster's weights are the same for all models. */
function replicatesOf(
  cells: PairCells,
  against: string | null,
  { rounds, seed }: RankSettings,
): Map<string, number[]> {
  const sums = new Map(
    cells.models.map((model) => [model, [new Float64Array(rounds), new Float64Array(rounds)] as const]),
  )
  const weights = new Int32Array(rounds)
  let drawn = -1
  const add = (model: string, n: number, share: number) => {
    const [all, won] = sums.get(model)!
    for (let round = 0; round < rounds; round++) {
      all[round]! += weights[round]! * n
      won[round]! += weights[round]! * share
    }
  }
  eachCell(cells, against, (i, cluster, a, b) => {
    if (cluster !== drawn) seededWeights(...seedKeys(seed, cells.clusters[cluster]!), 0, weights)
    drawn = cluster
    add(a, cells.n[i]!, cells.share[i]!)
    add(b, cells.n[i]!, cells.n[i]! - cells.share[i]!)
  })
  return new Map(
    [...sums].map(([model, [all, won]]) => [
      model,
      [...won.keys()].filter((round) => all[round]! > 0).map((round) => won[round]! / all[round]!),
    ]),
  )
}
