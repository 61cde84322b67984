/** Mean scores: wins plus half the ties. Against one baseline this equals Bradley–Terry, without a solver. */

import { shareInterval } from '../../scoring/share.ts'
import { type Cluster, meanReplicates, percentileInterval } from '../../statistics/bootstrap.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { clusteredMean } from '../../statistics/clusters.ts'
import type { PairCells } from './cells.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'

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
    settings.bootstrap > 0
      ? meanReplicates(models.length, clustersOf(cells, base), settings.bootstrap, settings.seed)
      : undefined
  const standings = sumsByModel(cells, base).map((sums, i): Standing => {
    const model = models[i]!
    if (i === base) return { model, score: 0.5, ci: [0.5, 0.5], se: 0, rating: 1000, component: 1 }
    const estimate = clusteredMean(sums)
    const { mean, se } = estimate
    const bounds = !replicates
      ? shareInterval(estimate, settings.ci)
      : sums.length < 2
        ? null
        : percentileInterval(replicates[i]!, settings.ci)
    const rating = mean > 0 && mean < 1 ? 1000 + ELO_SCALE * Math.log(mean / (1 - mean)) : null
    return {
      model,
      score: mean,
      ci: bounds && [Math.max(0, bounds[0]), Math.min(1, bounds[1])],
      se,
      rating: against === null ? null : rating,
      component: 1,
    }
  })
  return { standings, against, replicatesLeftOut: 0 }
}

/** Each model's games and wins by cluster, ties as halves, of all cells or of those with the baseline. */
function sumsByModel(cells: PairCells, base: number): [weight: number, sum: number][][] {
  const all: [number, number][][] = cells.models.map(() => [])
  const last = new Int32Array(cells.models.length).fill(-1)
  let cluster = 0
  for (const { adds } of clustersOf(cells, base)) {
    for (const [model, n, share] of adds)
      if (last[model] === cluster) {
        const sum = all[model]!.at(-1)!
        sum[0] += n
        sum[1] += share
      } else {
        all[model]!.push([n, share])
        last[model] = cluster
      }
    cluster++
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
