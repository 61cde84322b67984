/** Items in the order of jb-render --shuffle. */
import { shuffleKey } from '../../src/rows/shuffle.ts'

/** Ids with their marks, in the order that the seed gives. */
export function shuffledIds(count: number, seed = '7'): { id: string; shuffle: object }[] {
  return Array.from({ length: count }, (_, i) => `i${i}`)
    .sort((a, b) => (shuffleKey(seed, a) < shuffleKey(seed, b) ? -1 : 1))
    .map((id, n) => ({ id, shuffle: { seed, n, of: count } }))
}
