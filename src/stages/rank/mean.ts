/** Mean scores: wins plus half the ties. Against one baseline this equals Bradley–Terry, without a solver. */

import { type Cluster, meanReplicates, percentileInterval } from '../../statistics/bootstrap.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { clusteredInterval, clusteredMean } from '../../statistics/clusters.ts'
import type { PairCells } from './cells.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'

interface ModelBattles {
  /** By cluster, in the order of the clusters. */
  sums: [weight: number, sum: number][]
  /** Index of the cluster of the last sum. */
  cluster: number
  n: number
  wins: number
  ties: number
}

/** The model that is in every battle. Of two such models, the wanted one, else the one that is first in more battles. */
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
  const { models } = cells
  const against = settings.baseline ?? null
  const base = against === null ? -1 : models.indexOf(against)
  const replicates =
    settings.rounds > 0
      ? meanReplicates(models.length, clustersOf(cells, base), settings.rounds, settings.seed)
      : undefined
  const standings = battlesByModel(cells, base).flatMap(({ sums, n, wins, ties }, i): Standing[] => {
    if (n === 0) return []
    const model = models[i]!
    const counts = { n, wins, ties, losses: n - wins - ties, clusters: sums.length, component: 1 }
    if (i === base) return [{ model, score: 0.5, ci: [0.5, 0.5], se: 0, rating: 1000, ...counts }]
    const estimate = clusteredMean(sums)
    const { mean, se } = estimate
    const bounds = !replicates
      ? clusteredInterval(estimate, settings.level)
      : sums.length < 2
        ? null
        : percentileInterval(replicates[i]!, settings.level)
    const rating = mean > 0 && mean < 1 ? 1000 + ELO_SCALE * Math.log(mean / (1 - mean)) : null
    return [
      {
        model,
        score: mean,
        ci: bounds && [Math.max(0, bounds[0]), Math.min(1, bounds[1])],
        se,
        rating: against === null ? null : rating,
        ...counts,
      },
    ]
  })
  return { standings, against, replicatesLeftOut: 0 }
}

/** Battles by model, of all cells or of those with the baseline. @param base the baseline's index; -1 for none */
function battlesByModel(cells: PairCells, base: number): ModelBattles[] {
  const { models, clusters, starts, a, b } = cells
  const all = models.map((): ModelBattles => ({ sums: [], cluster: -1, n: 0, wins: 0, ties: 0 }))
  const add = (model: number, cluster: number, n: number, share: number, wins: number, ties: number) => {
    const own = all[model]!
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
  for (let c = 0; c < clusters.length; c++)
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      if (base >= 0 && a[i] !== base && b[i] !== base) continue
      const [n, share, wins, ties] = [cells.n[i]!, cells.share[i]!, cells.wins[i]!, cells.ties[i]!]
      add(a[i]!, c, n, share, wins, ties)
      add(b[i]!, c, n, n - share, n - wins - ties, ties)
    }
  return all
}

/** What each cluster adds to the models' means, as {@link meanReplicates} takes it. */
function* clustersOf({ clusters, starts, a, b, n, share }: PairCells, base: number): Generator<Cluster> {
  for (const [c, id] of clusters.entries()) {
    const adds: [number, number, number][] = []
    for (let i = starts[c]!; i < starts[c + 1]!; i++)
      if (base < 0 || a[i] === base || b[i] === base)
        adds.push([a[i]!, n[i]!, share[i]!], [b[i]!, n[i]!, n[i]! - share[i]!])
    if (adds.length > 0) yield { id, adds }
  }
}
