/** Models that cannot be told apart, and how many battles would tell them. */

import type { Errors } from '../../statistics/bradley_terry.ts'
import { errorsIn } from '../../statistics/clusters.ts'
import { ROUNDING } from '../../statistics/paired.ts'
import { valuesNeeded } from '../../statistics/power.ts'

/** Of two models, what one has more than the other. */
export interface Difference {
  value: number
  se: number
  /** The effective number of clusters. */
  clusters: number
  /** Degrees of freedom of the t distribution; undefined where the normal one does. */
  freedom?: number
}

/** Of two ratings (natural scale) by their covariance: its error is √(vᵢᵢ + vⱼⱼ − 2 vᵢⱼ). */
export function differenceIn(
  ratings: Float64Array,
  { covariance: v, ...clusters }: Errors,
  i: number,
  j: number,
): Difference {
  const size = Math.sqrt(v.length)
  const variance = v[i * size + i]! + v[j * size + j]! - 2 * v[i * size + j]!
  return { value: ratings[i]! - ratings[j]!, se: Math.sqrt(Math.max(0, variance)), ...clusters }
}

/** Whether a difference is beyond chance, by itself: no correction for how many are looked at. */
export const isApart = ({ value, se, freedom }: Difference, level: number): boolean =>
  Math.abs(value) > errorsIn(level, freedom) * se

/**
 * Groups of models of which no two are told apart, none a part of another: two models have a group in common if, and only if,
 * they are not told apart. Mostly they are next to each other; but of three, the first and the last may be alike where
 * little is known of one, and the middle one be told from the last.
 * @param models in the order of the leaderboard
 * @param apart whether two models are told apart
 */
export function groupsOf<Model>(
  models: readonly Model[],
  apart: (one: Model, other: Model) => boolean,
): Model[][] {
  const alike = models.map((one, i) => models.map((other, j) => i === j || !apart(one, other)))
  const alone = [...models.keys()].filter((i) => alike[i]!.every((is, j) => i === j || !is))
  const groups = alone.map((i) => [i])
  const together = models.map(() => models.map(() => false))
  for (let i = 0; i < models.length; i++)
    for (let j = models.length - 1; j > i; j--) {
      if (!alike[i]![j] || together[i]![j]) continue
      const group = extended([i, j], alike)
      for (const one of group) for (const other of group) together[one]![other] = true
      groups.push(group)
    }
  return groups
    .sort((x, y) => x[0]! - y[0]! || x.at(-1)! - y.at(-1)!)
    .map((group) => group.map((at) => models[at]!))
}

/** A group with all others that are alike to each of it, in their order. */
function extended(group: readonly number[], alike: readonly boolean[][]): number[] {
  const all = [...group]
  for (let k = 0; k < alike.length; k++)
    if (!group.includes(k) && all.every((one) => alike[one]![k])) all.push(k)
  return all.sort((x, y) => x - y)
}

/**
 * How many battles each of two models would need for their difference to be beyond chance in four of five cases, were it
 * what it is now: as many clusters as {@link valuesNeeded} says. Null for no difference.
 * @param battles that each has now, the mean of the two
 */
export function battlesToTell(
  { value, se, clusters }: Difference,
  battles: number,
  level: number,
): number | null {
  if (Math.abs(value) <= ROUNDING * se) return null
  const spread = se * Math.sqrt(clusters)
  const needed = valuesNeeded(Math.abs(value) / spread, { alpha: 1 - level, power: 0.8 })
  return Math.ceil((needed * battles) / clusters)
}
