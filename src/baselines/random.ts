/** Random, but seeded by item and trial and not by position in the stream: an item always gets the same answer. */
import type { Baseline } from './_baseline.ts'

export const baseline: Baseline = {
  weight: (_, { index, draw }) => draw(String(index)),
  level: (_, { draw }) => draw('level'),
}
