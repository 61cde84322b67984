/** Mean scores: wins and half the ties. Against one baseline this is Bradley–Terry without a solver. */
import { percentileInterval, seededWeight, seedKeys } from '../../statistics/bootstrap.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { clusteredInterval, clusteredMean } from '../../statistics/clusters.ts'
import type { Entry } from './ledger.ts'
import type { Ranking, Settings, Standing } from './standing.ts'

/** A model's battles by cluster, in the order of the clusters. */
interface Own {
  clusters: string[]
  sums: [weight: number, sum: number][]
  n: number
  wins: number
  ties: number
}

/** The model that is in every battle: of two the one that is wanted, else the one that mostly stands first. */
export function commonModel(
  entries: readonly Entry[],
  firsts: ReadonlyMap<string, number>,
  wanted?: string,
): string | undefined {
  let common: string[] | undefined
  for (const { a, b } of entries) {
    common = common === undefined ? [a, b] : common.filter((model) => model === a || model === b)
    if (common.length === 0) return undefined
  }
  if (wanted !== undefined && common?.includes(wanted)) return wanted
  const first = (model: string) => firsts.get(model) ?? 0
  return common?.sort((x, y) => first(y) - first(x) || (x < y ? -1 : 1))[0]
}

export function rankByMean(entries: readonly Entry[], settings: Settings): Ranking {
  const against = settings.baseline ?? null
  const used = against === null ? entries : entries.filter(({ a, b }) => a === against || b === against)
  const own = ownBattles(used)
  const replicates = settings.rounds > 0 ? replicatesOf(own, settings) : undefined
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

function ownBattles(entries: readonly Entry[]): Map<string, Own> {
  const all = new Map<string, Own>()
  const add = (model: string, cluster: string, n: number, share: number, wins: number, ties: number) => {
    let own = all.get(model)
    if (!own) all.set(model, (own = { clusters: [], sums: [], n: 0, wins: 0, ties: 0 }))
    own.n += n
    own.wins += wins
    own.ties += ties
    // Entries come in the order of their clusters.
    if (own.clusters.at(-1) === cluster) {
      const last = own.sums.at(-1)!
      last[0] += n
      last[1] += share
    } else {
      own.clusters.push(cluster)
      own.sums.push([n, share])
    }
  }
  for (const { cluster, a, b, n, share, wins, ties } of entries) {
    add(a, cluster, n, share, wins, ties)
    add(b, cluster, n, n - share, n - wins - ties, ties)
  }
  return all
}

/** Replicates of every model's mean: a cluster's weights are the same for all models. */
function replicatesOf(own: ReadonlyMap<string, Own>, { rounds, seed }: Settings): Map<string, number[]> {
  const weightsOf = new Map<string, Uint8Array>()
  const draw = (cluster: string) => {
    const [k1, k2] = seedKeys(seed, cluster)
    const weights = new Uint8Array(rounds)
    for (let round = 0; round < rounds; round++) weights[round] = seededWeight(k1, k2, round)
    weightsOf.set(cluster, weights)
    return weights
  }
  const out = new Map<string, number[]>()
  for (const [model, { clusters, sums }] of own) {
    const [all, won] = [new Float64Array(rounds), new Float64Array(rounds)]
    for (const [i, cluster] of clusters.entries()) {
      const weights = weightsOf.get(cluster) ?? draw(cluster)
      const [n, sum] = sums[i]!
      for (let round = 0; round < rounds; round++) {
        all[round]! += weights[round]! * n
        won[round]! += weights[round]! * sum
      }
    }
    out.set(
      model,
      [...won.keys()].filter((round) => all[round]! > 0).map((round) => won[round]! / all[round]!),
    )
  }
  return out
}
