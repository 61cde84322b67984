/** Models that cannot be told apart, and how many battles would tell them. */

import { normalQuantile } from '../../statistics/interval.ts'
import { ROUNDING } from '../../statistics/paired.ts'
import type { RankedModel } from './standing.ts'

interface Placed {
  value: number
  se: number
  battles: number
  component: number
}

const placed = ({ rating, ratingSe, score, se, n, component }: RankedModel): Placed | undefined => {
  const [value, error] = ratingSe === undefined ? [score, se] : [rating, ratingSe]
  return value === null || error === null ? undefined : { value, se: error, battles: n, component }
}

const errorOf = (x: Placed, y: Placed) => Math.hypot(x.se, y.se)

/** Whether the difference is beyond chance, each two by themselves: common opponents make this cautious. */
const isApart = (x: Placed, y: Placed, level: number) =>
  x.component !== y.component || Math.abs(x.value - y.value) > normalQuantile((1 + level) / 2) * errorOf(x, y)

/**
 * Groups of models next to each other of which no two are told apart, none a part of another.
 * @param standings in the order of the leaderboard
 */
export function groupsOf(standings: readonly RankedModel[], level: number): RankedModel[][] {
  const known = standings.flatMap((one) => {
    const place = placed(one)
    return place ? [{ one, place }] : []
  })
  const groups: RankedModel[][] = []
  let end = 0
  for (let i = 0; i < known.length; i++) {
    let j = Math.max(i + 1, end)
    const fits = (k: number) =>
      known.slice(i, k).every(({ place }) => !isApart(place, known[k]!.place, level))
    while (j < known.length && fits(j)) j++
    if (j <= end) continue
    end = j
    groups.push(known.slice(i, j).map(({ one }) => one))
  }
  return groups
}

/** How many battles each of two models would need for their difference to be beyond chance in four of five cases; null for none. */
export function battlesToTell(one: RankedModel, other: RankedModel, level: number): number | null {
  const [x, y] = [placed(one), placed(other)]
  if (!x || !y) return null
  const [error, difference] = [errorOf(x, y), Math.abs(x.value - y.value)]
  if (difference <= ROUNDING * error) return null
  const needed = ((normalQuantile((1 + level) / 2) + normalQuantile(0.8)) * error) / difference
  return Math.ceil(((x.battles + y.battles) / 2) * needed ** 2)
}
