/** Cyclic triads: three answers or models that beat each other in turn, like rock, paper and scissors. */

interface Transitivity {
  cyclic: number
  /** Triples of the n. */
  triads: number
  /** 1 − cyclic / the most possible, for complete tournaments; null for others, and where there is no triple. */
  zeta: number | null
}

/**
 * Cyclic triads among n, and the coefficient of consistence of Kendall and Babington Smith, "On the method of paired
 * comparisons" (1940).
 * @param beats `[winner, loser]` of each pair that one of the two won, once a pair
 */
export function transitivity(n: number, beats: readonly (readonly [number, number])[]): Transitivity {
  const wins = new Uint8Array(n * n)
  for (const [winner, loser] of beats) wins[winner * n + loser] = 1
  let cyclic = 0
  for (const _ of cyclicTriads(n, (a, b) => wins[a * n + b] === 1)) cyclic++
  const most = n % 2 === 1 ? (n ** 3 - n) / 24 : (n ** 3 - 4 * n) / 24
  const complete = beats.length === (n * (n - 1)) / 2
  return {
    cyclic,
    triads: (n * (n - 1) * (n - 2)) / 6,
    zeta: complete && most > 0 ? 1 - cyclic / most : null,
  }
}

/** The first `most` cyclic triads: each beats the next, and the last beats the first. */
export function cyclesOf(
  n: number,
  beats: (a: number, b: number) => boolean,
  most: number,
): [number, number, number][] {
  const found: [number, number, number][] = []
  for (const triad of cyclicTriads(n, beats)) if (found.push(triad) === most) break
  return found
}

function* cyclicTriads(
  n: number,
  beats: (a: number, b: number) => boolean,
): Generator<[number, number, number]> {
  for (let a = 0; a < n; a++)
    for (let b = a + 1; b < n; b++) {
      const [ab, ba] = [beats(a, b), beats(b, a)]
      if (!ab && !ba) continue
      for (let c = b + 1; c < n; c++) {
        if (ab && beats(b, c) && beats(c, a)) yield [a, b, c]
        else if (ba && beats(a, c) && beats(c, b)) yield [a, c, b]
      }
    }
}
