/** Drawn by item and trial, never by position in the stream, so that the same item always gets the same answer. */
import type { Baseline } from './_baseline.ts'

export const baseline: Baseline = {
  weight: (_, { index, draw }) => draw(String(index)),
  level: (_, { draw }) => draw('level'),
}
