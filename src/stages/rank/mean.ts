/** Mean scores: wins plus half the ties. Against one baseline this equals Bradley–Terry, without a solver. */

import { shareInterval } from '../../scoring/share.ts'
import { type Cluster, meanReplicates, percentileInterval } from '../../statistics/bootstrap.ts'
import { ELO_SCALE } from '../../statistics/bradley_terry.ts'
import { effectiveClusters, FEW, unevenMean } from '../../statistics/clusters.ts'
import type { AllBattles } from './battle_sums.ts'
import type { Difference } from './groups.ts'
import type { Ranking, RankSettings, Standing } from './standing.ts'

/** The model that is in every battle. Of two such models, the wanted one, else the one that is first in more battles. */
export function commonModel(
  { clusters }: AllBattles,
  firsts: ReadonlyMap<string, number>,
  wanted?: string,
): string | undefined {
  const pairs = clusters.flatMap((cluster) => cluster.pairs)
  if (pairs.length === 0) return undefined
  const common = [pairs[0]!.a, pairs[0]!.b].filter((one) => pairs.every(({ a, b }) => a === one || b === one))
  if (wanted !== undefined && common.includes(wanted)) return wanted
  const first = (model: string) => firsts.get(model) ?? 0
  return common.sort((x, y) => first(y) - first(x) || (x < y ? -1 : 1))[0]
}

export function rankByMean(battles: AllBattles, settings: RankSettings): Ranking {
  const { models } = battles
  const against = settings.baseline ?? null
  const base = against === null ? -1 : models.indexOf(against)
  const clusters = [...clustersOf(battles, against)]
  const replicates =
    settings.bootstrap > 0
      ? meanReplicates(models.length, clusters, settings.bootstrap, settings.seed)
      : undefined
  const standings = sumsByModel(models.length, clusters).map((sums, i): Standing => {
    const model = models[i]!
    if (i === base) return { model, score: 0.5, ci: [0.5, 0.5], se: 0, rating: 1000, component: 1 }
    const estimate = unevenMean(sums)
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
  return {
    standings,
    against,
    replicatesLeftOut: 0,
    difference: differencesOfMeans(models, clusters, base),
  }
}

/** Each model's games and wins in each of its clusters, ties as halves. */
function sumsByModel(models: number, clusters: readonly Cluster[]): [games: number, share: number][][] {
  const all = Array.from({ length: models }, (): [number, number][] => [])
  for (const { adds } of clusters) for (const [model, sums] of sumsIn(adds)) all[model]!.push(sums)
  return all
}

/** What each cluster adds to the models' means: of all battles, or of those with the baseline. */
function* clustersOf({ models, clusters }: AllBattles, baseline: string | null): Generator<Cluster> {
  const place = new Map(models.map((model, i) => [model, i]))
  for (const { id, pairs } of clusters) {
    const adds = pairs
      .filter(({ a, b }) => baseline === null || a === baseline || b === baseline)
      .flatMap(({ a, b, n, share }): Cluster['adds'] => [
        [place.get(a)!, n, share],
        [place.get(b)!, n, n - share],
      ])
    if (adds.length > 0) yield { id, adds }
  }
}

/**
 * Differences of two models' means: the variance of Σ over the clusters of (eᵢ / nᵢ − eⱼ / nⱼ), e a cluster's sum of residuals.
 * Of few clusters it has the factor G/(G−1), and t of G − 1, G the smaller of their effective numbers.
 * @param base whose score is ½ by definition; −1 for none
 */
function differencesOfMeans(
  models: readonly string[],
  clusters: Iterable<Cluster>,
  base: number,
): (one: string, other: string) => Difference | null {
  const all = [...clusters].map(({ adds }) => sumsIn(adds))
  const k = models.length
  const [games, won] = [new Float64Array(k), new Float64Array(k)]
  for (const sums of all)
    for (const [model, [n, share]] of sums) {
      games[model]! += n
      won[model]! += share
    }
  const [products, squares] = [new Float64Array(k * k), new Float64Array(k)]
  for (const sums of all) {
    const residuals = [...sums].map(
      ([model, [n, share]]) => [model, share - (n * won[model]!) / games[model]!] as const,
    )
    for (const [model, [n]] of sums) squares[model]! += n * n
    for (const [i, x] of residuals) for (const [j, y] of residuals) products[i * k + j]! += x * y
  }
  const place = new Map(models.map((model, i) => [model, i]))
  const covariance = (i: number, j: number) => products[i * k + j]! / (games[i]! * games[j]!)
  return (one, other) => {
    const [i, j] = [place.get(one)!, place.get(other)!]
    const [first, second] = [i, j].map((at) => (at === base ? 0.5 : won[at]! / games[at]!)) as [
      number,
      number,
    ]
    const own = [i, j].filter((at) => at !== base)
    const found = Math.min(...own.map((at) => effectiveClusters(games[at]!, squares[at]!)))
    const variance =
      own.length === 1
        ? varianceAtHalf(first + second - 0.5, covariance(own[0]!, own[0]!), found)
        : covariance(i, i) + covariance(j, j) - 2 * covariance(i, j)
    const freedom = found - 1
    const isFew = found < FEW
    return {
      value: first - second,
      se: Math.sqrt(Math.max(0, isFew ? (variance * found) / freedom : variance)),
      clusters: found,
      ...(isFew && { freedom }),
    }
  }
}

/** What the variance of a mean share would be if it were ½, as Wilson's interval takes it; a share without spread counts a value a cluster. */
const varianceAtHalf = (mean: number, variance: number, clusters: number): number =>
  variance === 0 ? 1 / 4 / clusters : variance / 4 / (mean * (1 - mean))

/** Each model's games and wins in a cluster. */
function sumsIn(adds: Cluster['adds']): Map<number, [games: number, share: number]> {
  const sums = new Map<number, [number, number]>()
  for (const [model, n, share] of adds) {
    const [games, won] = sums.get(model) ?? [0, 0]
    sums.set(model, [games + n, won + share])
  }
  return sums
}
