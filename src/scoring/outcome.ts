/** One number for an item's result, for comparisons of runs. */
import type { Result } from '../rows/record.ts'
import type { Scored } from './kind.ts'
import { itemShare } from './share.ts'

/** What the number is, in order of preference: correct by the label, a grade, the first answer's share. */
export const MEASURES = ['correct', 'score', 'share'] as const
type Measure = (typeof MEASURES)[number]

export interface Outcome {
  measure: Measure
  value: number
  /** The least and the largest value there can be; undefined if values are not bounded. */
  range: [number, number] | undefined
}

/** The range of no values. */
export const NO_VALUES: Outcome['range'] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

/** The range that holds both; undefined if one is unknown. */
export const wider = (a: Outcome['range'], b: Outcome['range']): Outcome['range'] =>
  a && b && (a[0] <= b[0] && b[1] <= a[1] ? a : [Math.min(a[0], b[0]), Math.max(a[1], b[1])])

/** What a difference of values of these ranges can be. */
export function limitsOf(a: Outcome['range'], b: Outcome['range']): [number, number] | undefined {
  const range = wider(a, b)
  return range && [range[0] - range[1], range[1] - range[0]]
}

/** Undefined if the result has no number. @param trials of the result, if known */
export function outcomeOf(result: Result, trials: readonly Scored[] = []): Outcome | undefined {
  const { correct, credit, score, range, scores } = result
  if (typeof correct === 'boolean')
    return { measure: 'correct', value: typeof credit === 'number' ? credit : Number(correct), range: [0, 1] }
  if (typeof score === 'number')
    return { measure: 'score', value: score, range: (range as Outcome['range']) ?? rangeOfOptions(result) }
  const share =
    result.decision === undefined ? (scores?.[0] ?? listShare(result, trials)) : itemShare(result, trials)
  return typeof share === 'number' ? { measure: 'share', value: share, range: [0, 1] } : undefined
}

/** The least and the largest score of the options that the result names. */
function rangeOfOptions({ options = {} }: Result): Outcome['range'] {
  const scores = Object.values(options).map((score) => score ?? Number.NaN)
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  return low <= high && Number.isFinite(low) ? [low, high] : undefined
}

/** Of a list: the first answer's win rate in its contests, or whether it won the one trial. */
function listShare({ winner, answers }: Result, [one]: readonly Scored[]): number | undefined {
  const [first] = (answers ?? []) as { winrate: number }[]
  if (first || winner === undefined) return first?.winrate
  return winner === 'tie' ? 1 / (one?.trial.answers ?? 2) : Number(winner === 0)
}
