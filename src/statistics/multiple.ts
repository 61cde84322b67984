/** Several tests at once: adjusted p values, in the order given. As statsmodels' multipletests. */

/** Holm (1979): the chance of one false discovery among all stays below the level. */
export function holm(p: readonly number[]): number[] {
  const order = sortedPlaces(p)
  const out = new Array<number>(p.length)
  let most = 0
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, p[i]! * (p.length - rank))
    out[i] = Math.min(1, most)
  }
  return out
}

/** Benjamini and Hochberg (1995): the expected share of false discoveries stays below the level. */
export function benjaminiHochberg(p: readonly number[]): number[] {
  const order = sortedPlaces(p)
  const out = new Array<number>(p.length)
  let least = 1
  for (let rank = p.length; rank > 0; rank--) {
    const i = order[rank - 1]!
    least = Math.min(least, (p[i]! * p.length) / rank)
    out[i] = least
  }
  return out
}

const sortedPlaces = (p: readonly number[]) => [...p.keys()].sort((a, b) => p[a]! - p[b]!)
