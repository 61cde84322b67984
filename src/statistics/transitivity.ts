/** Rock, paper, scissors among answers or models. */

export interface Transitivity {
  /** Triples in which each beats another. */
  cyclic: number
  /** Triples there are. */
  triads: number
  /** 1 − cyclic / most possible, for complete tournaments; null elsewhere, and where no triple exists. */
  zeta: number | null
}

/**
 * Cyclic triads, and the coefficient of consistence of Kendall and Babington Smith, "On the method of paired
 * comparisons" (1940).
 * @param beats `[winner, loser]`, each decided pair once
 */
export function transitivity(n: number, beats: readonly (readonly [number, number])[]): Transitivity {
  const wins = new Uint8Array(n * n)
  for (const [winner, loser] of beats) wins[winner * n + loser] = 1
  const over = (a: number, b: number) => wins[a * n + b] === 1
  let cyclic = 0
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++) {
      if (!over(a, b) && !over(b, a)) continue
      for (let c = b + 1; c < n; c++) {
        if (!(over(b, c) || over(c, b)) || !(over(a, c) || over(c, a))) continue
        if (over(a, b) === over(b, c) && over(b, c) === over(c, a)) cyclic++
      }
    }
  const complete = beats.length === (n * (n - 1)) / 2
  const most = n % 2 === 1 ? (n ** 3 - n) / 24 : (n ** 3 - 4 * n) / 24
  return {
    cyclic,
    triads: (n * (n - 1) * (n - 2)) / 6,
    zeta: complete && most > 0 ? 1 - cyclic / most : null,
  }
}

/** Threes of n of which each beats the next, and the last the first: the first `most` of them. */
export function cyclesOf(
  n: number,
  beats: (a: number, b: number) => boolean,
  most: number,
): [number, number, number][] {
  const found: [number, number, number][] = []
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++)
      for (let c = b + 1; c < n && found.length < most; c++) {
        if (beats(a, b) && beats(b, c) && beats(c, a)) found.push([a, b, c])
        else if (beats(a, c) && beats(c, b) && beats(b, a)) found.push([a, c, b])
      }
  return found
}
