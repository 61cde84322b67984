/** A model's place: what every method says of it. */
import { rankIntervals } from '../../statistics/ranks.ts'

export interface Standing {
  model: string
  /** Share of wins, ties as halves, or the chance to win: in 0 … 1; null where there is none. */
  score: number | null
  ci: [number, number] | null
  se: number | null
  /** 1000 for the baseline or the mean, 400 points for odds of ten to one. */
  rating: number | null
  ratingCi?: [number, number] | null
  ratingSe?: number | null
  /** Why there is no rating. */
  why?: 'never_lost' | 'never_won' | 'one_way'
  /** Battles between different components say nothing of each other; 1 is the largest. */
  component: number
  n: number
  wins: number
  ties: number
  losses: number
  clusters: number
}

export interface RankSettings {
  level: number
  rounds: number
  seed: string
  ridge: number
  baseline: string | undefined
}

/** What a method found, and how many replicates had no solution. */
export interface Ranking {
  standings: Standing[]
  against: string | null
  replicatesLeftOut: number
}

/** Ranks by score or rating, ties sharing the best, and the range that the intervals allow. */
export function ranked(
  standings: readonly Standing[],
): { rank: number | null; ranks: [number, number] | null }[] {
  const by = ({ rating, ratingCi, score }: Standing) => (ratingCi !== undefined ? rating : score)
  const bounds = ({ ratingCi, ci }: Standing) => (ratingCi !== undefined ? ratingCi : ci)
  const out = standings.map(() => ({ rank: null as number | null, ranks: null as [number, number] | null }))
  for (const component of new Set(standings.map((one) => one.component))) {
    const places = [...standings.keys()].filter(
      (i) => standings[i]!.component === component && by(standings[i]!) !== null,
    )
    const values = places.map((i) => by(standings[i]!)!)
    for (const [k, i] of places.entries())
      out[i]!.rank = 1 + values.filter((value) => value > values[k]!).length
    const known = places.filter((i) => bounds(standings[i]!))
    const ranges = rankIntervals(known.map((i) => bounds(standings[i]!)!))
    for (const [k, i] of known.entries()) out[i]!.ranks = ranges[k]!
  }
  return out
}
