/** Fields of items that compare two answers, by the names they usually have. */
import type { Row } from './row.ts'

/** Two fields, the first answer's before the second's. */
export type PairFields = readonly [first: string, second: string]

/** The names of the two models, in the order in which they are looked for. */
export const MODEL_FIELDS: readonly PairFields[] = [
  ['model_a', 'model_b'],
  ['model_1', 'model_2'],
  ['generator_1', 'generator_2'],
]

/** The texts of the two answers. */
export const ANSWER_FIELDS: readonly PairFields[] = [
  ['response_A', 'response_B'],
  ['output_1', 'output_2'],
  ['answer_a', 'answer_b'],
]

/** The texts in the first two of these fields that both hold one. */
export function textsIn(row: Row, fields: readonly PairFields[]): [string, string] | undefined {
  for (const [first, second] of fields) {
    const [a, b] = [row.field(first), row.field(second)]
    if (typeof a === 'string' && typeof b === 'string') return [a, b]
  }
  return undefined
}
