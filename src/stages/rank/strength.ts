/** Bradley–Terry: ratings of models that met in any pairing. */
import { percentileInterval, seededWeights, seedKeys } from '../../statistics/bootstrap.ts'
import {
  clusteredCovariance,
  components,
  ELO_SCALE,
  type Fit,
  fitBradleyTerry,
  type Games,
  refit,
  type Score,
  strongComponents,
} from '../../statistics/bradley_terry.ts'
import { normalQuantile } from '../../statistics/interval.ts'
import { quadraticForm, sigmoid } from '../../statistics/matrix.ts'
import type { Entry } from './ledger.ts'
import type { Ranking, Settings, Standing } from './standing.ts'

/** Entries as columns: pair, games and a's wins, in the order of their clusters. */
interface Table {
  models: string[]
  games: Games
  /** Where each cluster's entries begin; the last is the end of all. */
  starts: number[]
  clusters: string[]
  pair: Int32Array
  n: Float64Array
  wins: Float64Array
}

export function rankByStrength(entries: readonly Entry[], settings: Settings): Ranking {
  const names = [...new Set(entries.flatMap(({ a, b }) => [a, b]))].sort()
  const place = new Map(names.map((name, i) => [name, i]))
  const whole = tableOf(entries, names)
  const { weak, strong } = components(whole.games)
  const largestFirst = [...weak].sort((x, y) => y.length - x.length || x[0]! - y[0]!)
  const standings: Standing[] = names.map((model) => ({
    model,
    score: null,
    ci: null,
    se: null,
    rating: null,
    ratingCi: null,
    ratingSe: null,
    component: 1 + largestFirst.findIndex((of) => of.includes(place.get(model)!)),
    n: 0,
    wins: 0,
    ties: 0,
    losses: 0,
    clusters: 0,
  }))
  countBattles(entries, standings, place)
  let leftOut = 0
  for (const group of largestFirst) {
    // Within a component that falls apart, the largest part has ratings.
    const parts = strong.filter((part) => group.includes(part[0]!)).sort((x, y) => y.length - x.length)
    const rated = settings.ridge > 0 || parts.length === 1 ? group : parts[0]!.length > 1 ? parts[0]! : []
    for (const i of group) if (!rated.includes(i)) standings[i]!.why = reasonOf(standings[i]!)
    if (rated.length > 1)
      leftOut += rate(
        entries,
        rated.map((i) => names[i]!),
        standings,
        place,
        settings,
      )
  }
  return { standings, against: settings.baseline ?? null, replicatesLeftOut: leftOut }
}

const reasonOf = ({ wins, ties, losses }: Standing) =>
  ties > 0 ? 'one_way' : losses === 0 ? 'never_lost' : wins === 0 ? 'never_won' : 'one_way'

/** Games, wins and clusters of each model; entries come in the order of their clusters. */
function countBattles(
  entries: readonly Entry[],
  standings: Standing[],
  place: ReadonlyMap<string, number>,
): void {
  const last = new Array<string | undefined>(standings.length)
  for (const { cluster, a, b, n, wins, ties } of entries)
    for (const [model, won, lost] of [
      [a, wins, n - wins - ties],
      [b, n - wins - ties, wins],
    ] as const) {
      const i = place.get(model)!
      const of = standings[i]!
      of.n += n
      of.wins += won
      of.ties += ties
      of.losses += lost
      if (last[i] !== cluster) of.clusters++
      last[i] = cluster
    }
}

function tableOf(entries: readonly Entry[], models: string[]): Table {
  const place = new Map(models.map((name, i) => [name, i]))
  const used = entries.filter(({ a, b }) => place.has(a) && place.has(b))
  const pairs = new Map<number, number>()
  const [pair, n, wins] = [
    new Int32Array(used.length),
    new Float64Array(used.length),
    new Float64Array(used.length),
  ]
  const [as, bs, totals, won]: number[][] = [[], [], [], []]
  const [starts, clusters]: [number[], string[]] = [[], []]
  for (const [i, entry] of used.entries()) {
    const [x, y] = [place.get(entry.a)!, place.get(entry.b)!]
    const key = x * models.length + y
    let at = pairs.get(key)
    if (at === undefined) {
      at = as!.push(x) - 1
      bs!.push(y)
      totals!.push(0)
      won!.push(0)
      pairs.set(key, at)
    }
    pair[i] = at
    n[i] = entry.n
    wins[i] = entry.share
    totals![at]! += entry.n
    won![at]! += entry.share
    if (clusters.at(-1) !== entry.cluster) {
      clusters.push(entry.cluster)
      starts.push(i)
    }
  }
  starts.push(used.length)
  return {
    models,
    games: {
      models: models.length,
      a: Int32Array.from(as!),
      b: Int32Array.from(bs!),
      n: Float64Array.from(totals!),
      wins: Float64Array.from(won!),
    },
    starts,
    clusters,
    pair,
    n,
    wins,
  }
}

/** Ratings of models that can all be reached from each other; gives the number of replicates without a solution. */
function rate(
  entries: readonly Entry[],
  models: string[],
  standings: Standing[],
  place: ReadonlyMap<string, number>,
  settings: Settings,
): number {
  const table = tableOf(entries, models)
  const fit = fitBradleyTerry(table.games, settings.ridge)
  if (!fit) return 0
  const size = models.length
  const covariance = clusteredCovariance(fit.factor, size, scoresOf(table, fit))
  const z = normalQuantile((1 + settings.level) / 2)
  const drawn = settings.rounds > 0 ? replicatesOf(table, fit, settings) : undefined
  // More than a twentieth without a solution: what is left is no sample of all.
  const kept = drawn && drawn.ratings.length >= 0.95 * settings.rounds ? drawn.ratings : undefined
  const base = settings.baseline === undefined ? -1 : models.indexOf(settings.baseline)
  const chance = (ratings: ArrayLike<number>, i: number) =>
    sigmoid(ratings[i]! - (base < 0 ? 0 : ratings[base]!))
  for (const [i, model] of models.entries()) {
    const contrast = Float64Array.from(models, (_, j) =>
      base >= 0 ? Number(j === i) - Number(j === base) : Number(j === i),
    )
    const se = Math.sqrt(Math.max(0, covariance[i * size + i]!))
    const apart = Math.sqrt(Math.max(0, quadraticForm(covariance, size, contrast)))
    const [rating, score] = [fit.ratings[i]!, chance(fit.ratings, i)]
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
    Object.assign(standings[place.get(model)!]!, {
      score,
      ci,
      se: score * (1 - score) * apart,
      rating: elo(rating),
      ratingCi,
      ratingSe: ELO_SCALE * se,
    })
  }
  return drawn ? settings.rounds - drawn.ratings.length : 0
}

/** Each cluster's part of the gradient. */
function* scoresOf({ games, starts, pair, n, wins }: Table, { ratings }: Fit): Generator<Score> {
  for (let c = 0; c + 1 < starts.length; c++) {
    const gains = new Map<number, number>()
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const [a, b] = [games.a[pair[i]!]!, games.b[pair[i]!]!]
      const more = wins[i]! - n[i]! * sigmoid(ratings[a]! - ratings[b]!)
      gains.set(a, (gains.get(a) ?? 0) + more)
      gains.set(b, (gains.get(b) ?? 0) - more)
    }
    yield [...gains]
  }
}

/** Rounds whose counts are kept at once. */
const BLOCK = 50

/** Ratings of each replicate that has a solution. */
function replicatesOf(
  table: Table,
  fit: Fit,
  { rounds, seed, ridge }: Settings,
): { ratings: Float64Array[] } {
  const { games, starts, clusters, pair, n, wins } = table
  const keys = clusters.map((cluster) => seedKeys(seed, cluster))
  const pairs = games.a.length
  const ratings: Float64Array[] = []
  const weights = new Uint8Array(BLOCK)
  // Clusters with the same pair after each other: their sums stay in the processor's cache.
  const order = Int32Array.from(keys.keys()).sort((x, y) => pair[starts[x]!]! - pair[starts[y]!]! || x - y)
  for (let first = 0; first < rounds; first += BLOCK) {
    // A pair's rounds stand side by side: a cluster's games add to all of them at once.
    const [totals, won] = [new Float64Array(pairs * BLOCK), new Float64Array(pairs * BLOCK)]
    for (const c of order) {
      seededWeights(keys[c]![0], keys[c]![1], first, weights)
      for (let i = starts[c]!; i < starts[c + 1]!; i++) {
        const [at, more, share] = [pair[i]! * BLOCK, n[i]!, wins[i]!]
        for (let round = 0; round < BLOCK; round++) {
          const times = weights[round]!
          totals[at + round]! += times * more
          won[at + round]! += times * share
        }
      }
    }
    for (let round = 0; round < Math.min(BLOCK, rounds - first); round++) {
      const drawn = { ...games, n: strided(totals, round, pairs), wins: strided(won, round, pairs) }
      if (ridge === 0 && strongComponents(drawn).length > 1) continue
      const found = refit(drawn, fit, ridge)
      if (found) ratings.push(found)
    }
  }
  return { ratings }
}

/** A round's sums, of all rounds of a block. */
function strided(all: Float64Array, round: number, pairs: number): Float64Array {
  const out = new Float64Array(pairs)
  for (let i = 0; i < pairs; i++) out[i] = all[i * BLOCK + round]!
  return out
}
