/** Fields of items, by the names they usually have. */
import type { Row } from './row.ts'

/** Fields of the first and of the second answer. */
type PairFields = readonly [first: string, second: string]

/** Fields with what the answers are about, in order of preference. */
export const QUESTION_FIELDS = [
  'question',
  'prompt',
  'instruction',
  'query',
  'input',
  'turns',
  'conversation',
  'text',
] as const

/** Fields with the names of the two models, in order of preference. */
export const MODEL_FIELDS: readonly PairFields[] = [
  ['model_a', 'model_b'],
  ['model_1', 'model_2'],
  ['generator_1', 'generator_2'],
]

/** Fields with the texts of the two answers, in order of preference. */
export const ANSWER_FIELDS: readonly PairFields[] = [
  ['response_A', 'response_B'],
  ['output_1', 'output_2'],
  ['answer_a', 'answer_b'],
]

/** The texts of the first pair of fields that are both strings. */
export function textsIn(row: Row, fields: readonly PairFields[]): [string, string] | undefined {
  for (const [first, second] of fields) {
    const [a, b] = [row.field(first), row.field(second)]
    if (typeof a === 'string' && typeof b === 'string') return [a, b]
  }
  return undefined
}
