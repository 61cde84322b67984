/** Items in the order of jb-render --shuffle. */
import { shuffleKey } from '../../src/rows/shuffle.ts'
import { type AnyRow, game } from './rows.ts'

/** Ids with their marks, in the order that the seed gives. */
export function shuffledIds(count: number, seed = '7'): { id: string; shuffle: object }[] {
  return Array.from({ length: count }, (_, i) => `i${i}`)
    .sort((a, b) => (shuffleKey(seed, a) < shuffleKey(seed, b) ? -1 : 1))
    .map((id, n) => ({ id, shuffle: { seed, n, of: count } }))
}

/** Right, wrong, or failed with a code. */
export type Outcome = 1 | 0 | string

/** Items of two games each, in their random order, with these outcomes. */
export const judged = (outcomes: readonly Outcome[], of = outcomes.length, more: object = {}): AnyRow[] =>
  shuffledIds(of)
    .slice(0, outcomes.length)
    .flatMap(({ id, shuffle }, i) =>
      [0, 1].map((n) => {
        const one = outcomes[i]!
        const error = typeof one === 'string' && {
          verdict: undefined,
          error: { stage: 'call', code: one, message: 'm', model: 'm' },
        }
        return game(id, n, 2, one === 1 ? 'A>B' : 'B>A', { jb: { shuffle, ...error }, ...more })
      }),
    ) as unknown as AnyRow[]
