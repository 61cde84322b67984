/** Online Elo, as in the first Chatbot Arena: it depends on the order of the battles. */

export interface EloBattle {
  a: string
  b: string
  /** 1, ½ or 0 for a. */
  score: number
}

/** Ratings from 1000 in the order given, base 10, scale 400. */
export function onlineElo(battles: Iterable<EloBattle>, k: number): Map<string, number> {
  const ratings = new Map<string, number>()
  for (const { a, b, score } of battles) {
    const [ra, rb] = [ratings.get(a) ?? 1000, ratings.get(b) ?? 1000]
    const expected = 1 / (1 + 10 ** ((rb - ra) / 400))
    ratings.set(a, ra + k * (score - expected))
    ratings.set(b, rb - k * (score - expected))
  }
  return ratings
}
