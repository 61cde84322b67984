/** p values adjusted for several tests, in the order given. Values agree with statsmodels' multipletests. */

/** Holm (1979): keeps the chance of any false discovery below the level. */
export function holm(p: readonly number[]): number[] {
  const out = new Array<number>(p.length)
  let most = 0
  for (const [rank, i] of byValue(p).entries()) {
    most = Math.max(most, p[i]! * (p.length - rank))
    out[i] = Math.min(1, most)
  }
  return out
}

/** Benjamini and Hochberg (1995): keeps the expected share of false discoveries below the level. */
export const benjaminiHochberg = (p: readonly number[]): number[] => stepUp(p, 1)

/** Benjamini and Yekutieli (2001): the same for tests that depend on each other in any way. */
export const benjaminiYekutieli = (p: readonly number[]): number[] =>
  stepUp(
    p,
    p.reduce((sum, _, i) => sum + 1 / (i + 1), 0),
  )

/** The running minimum of p · count / rank · factor, from the largest p down. */
function stepUp(p: readonly number[], factor: number): number[] {
  const out = new Array<number>(p.length)
  let least = 1
  for (const [rank, i] of [...byValue(p).entries()].reverse()) {
    least = Math.min(least, (p[i]! * p.length * factor) / (rank + 1))
    out[i] = least
  }
  return out
}

/** Indexes, that of the smallest p first. */
const byValue = (p: readonly number[]) => [...p.keys()].sort((a, b) => p[a]! - p[b]!)
