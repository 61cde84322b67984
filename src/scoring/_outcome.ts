/** One number for an item's result, for comparing runs. */
import type { Result } from '../rows/record.ts'

/** What a number is, the most telling first: right by a label, a grade, or the first answer's share. */
export const MEASURES = ['correct', 'score', 'share'] as const
export type Measure = (typeof MEASURES)[number]

export interface Outcome {
  measure: Measure
  value: number
  /** How far two values can be apart; undefined where nothing bounds them. */
  width: number | undefined
}

/** Undefined where the result holds no number. */
export function outcomeOf({ correct, credit, score, range, scores }: Result): Outcome | undefined {
  if (typeof correct === 'boolean')
    return { measure: 'correct', value: typeof credit === 'number' ? credit : Number(correct), width: 1 }
  if (typeof score === 'number') {
    const bounds = range as [number, number] | undefined
    return { measure: 'score', value: score, width: bounds && bounds[1] - bounds[0] }
  }
  const share = scores?.[0]
  return typeof share === 'number' ? { measure: 'share', value: share, width: 1 } : undefined
}
