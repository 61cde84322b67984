/** A model's standing, and what it is computed with, the same for every method. */
import { rounded } from '../../formats/_table.ts'
import { grouped } from '../../rows/maps.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import { rankIntervals } from '../../statistics/ranks.ts'
import type { AllBattles } from './battle_sums.ts'
import type { Difference } from './groups.ts'
import type { LengthControlled, LengthRow } from './length_control.ts'
import type { ResolvedOptions } from './resolve_options.ts'

export interface Standing {
  model: string
  /** Share of wins with ties as halves, or the chance to win, from 0 to 1; null if there is none. */
  score: number | null
  ci: [number, number] | null
  se: number | null
  /** 1000 for the baseline or the mean, 400 points for odds of ten to one. */
  rating: number | null
  ratingCi?: [number, number] | null
  ratingSe?: number | null
  /** Why there is no rating. */
  why?: 'never_lost' | 'never_won' | 'one_way'
  /** Where some have no rating: the models of the component above it, by chains of wins that lead to it and none back. */
  above?: string[]
  /** Ratings of different components cannot be compared; 1 is the largest. */
  component: number
}

/** A model's battles. */
export interface BattleCounts {
  n: number
  wins: number
  ties: number
  losses: number
  clusters: number
}

/** A model on the leaderboard. */
export interface RankedModel extends Standing, BattleCounts {
  rank: number | null
  ranks: [number, number] | null
  /** Distinct items of its battles. */
  items: number
  failed: number
  /** Mean tokens of its answers, if known. */
  tokens?: number
  lengthControlled?: LengthControlled | null
  /** alpaca_eval: its annotations. */
  rows?: LengthRow[]
  /** --top: whether it is among the best, and whether that is known. */
  top?: { in: boolean; settled: boolean }
}

/** What a leaderboard says of the best models. */
export interface TopStatement {
  of: number
  margin: number
  decided: boolean
  /** Valid ones. */
  battles: number
  dispersion: number
  pairEffect: number
  sentence: string
}

/** The battles of each model, in their order: all, or those with one of them. */
export function countBattles({ models, clusters }: AllBattles, onlyAgainst?: string): BattleCounts[] {
  const all = new Map(
    models.map((model): [string, BattleCounts] => [
      model,
      { n: 0, wins: 0, ties: 0, losses: 0, clusters: 0 },
    ]),
  )
  for (const { pairs } of clusters) {
    const met = new Set<BattleCounts>()
    for (const { a, b, n, wins, ties } of pairs) {
      if (onlyAgainst !== undefined && a !== onlyAgainst && b !== onlyAgainst) continue
      const losses = n - wins - ties
      const [one, other] = [all.get(a)!, all.get(b)!]
      addCounts(one, n, wins, ties, losses)
      addCounts(other, n, losses, ties, wins)
      met.add(one).add(other)
    }
    for (const of of met) of.clusters++
  }
  return [...all.values()]
}

function addCounts(of: BattleCounts, n: number, wins: number, ties: number, losses: number): void {
  of.n += n
  of.wins += wins
  of.ties += ties
  of.losses += losses
}

export type RankSettings = Pick<ResolvedOptions, 'ci' | 'bootstrap' | 'seed' | 'ridge' | 'baseline'>

export interface Ranking {
  standings: Standing[]
  against: string | null
  /** Replicates without a solution. */
  replicatesLeftOut: number
  /** Of two models by their names; null where they cannot be compared. */
  difference(one: string, other: string): Difference | null
  controls?: Coefficient[]
}

/** Of a feature of --control. */
export interface Coefficient {
  feature: string
  /** Null for a feature that is the same in all battles. */
  coefficient: number | null
  se: number | null
  mean: number
  sd: number
}

/** The most models of a leaderboard: errors and groups are of all pairs of them. */
const MOST_MODELS = 2000

/** @throws Fatal (data) for too many models */
export function checkSize(models: number): void {
  if (models > MOST_MODELS)
    throw new Fatal(
      EXIT.data,
      `${models.toLocaleString('en')} models: a leaderboard has at most ${MOST_MODELS.toLocaleString('en')}, for it compares all pairs (--models FIELD,FIELD: which fields name the models; jq 'select(…)' takes some battles)`,
    )
}

/** Below so many battles a model has no rank of its own: its one win may be luck. */
export const FEW_BATTLES = 10

/**
 * Ranks within a component by who stands above, then by rating or score; equal models share the best rank. `ranks` is the
 * range that the intervals allow. A model of few battles may have any rank, and is not counted in those of others.
 */
export function ranked(
  standings: readonly (Standing & Pick<BattleCounts, 'n'>)[],
): { rank: number | null; ranks: [number, number] | null }[] {
  // As they are printed: a fit leaves models equal but for the last bits.
  const by = ({ rating, ratingCi, score }: Standing) =>
    rounded(ratingCi !== undefined ? rating : score) as number | null
  const bounds = ({ ratingCi, ci }: Standing) => (ratingCi !== undefined ? ratingCi : ci)
  const out = standings.map(() => ({ rank: null as number | null, ranks: null as [number, number] | null }))
  for (const there of grouped(standings.keys(), (i) => standings[i]!.component).values()) {
    const few = new Set(there.filter((i) => standings[i]!.n < FEW_BATTLES))
    const places = there.filter(
      (i) => by(standings[i]!) !== null || standings[i]!.above !== undefined || few.has(i),
    )
    const counted = places.filter((i) => !few.has(i)).map((i) => standings[i]!)
    const names = new Set(counted.map(({ model }) => model))
    const values = counted.map(by).filter((value) => value !== null)
    for (const i of places) {
      if (few.has(i)) continue
      const own = by(standings[i]!)
      const above = (standings[i]!.above ?? []).filter((model) => names.has(model)).length
      out[i]!.rank = 1 + above + (own === null ? 0 : values.filter((value) => value > own).length)
    }
    // A model without an interval may have any rank.
    const known = (i: number) => (few.has(i) ? null : bounds(standings[i]!))
    const ranges = rankIntervals(places.map((i) => known(i) ?? [-Infinity, Infinity]))
    for (const [k, i] of places.entries()) if (few.has(i) || known(i)) out[i]!.ranks = ranges[k]!
  }
  return out
}
