/** Numbers that stand in a judged row: lengths of its answers, stated probabilities. */
import { codePoints } from '../../python/unicode.ts'
import { ANSWER_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import type { Row } from '../../rows/row.ts'
import type { Scored } from '../../scoring/kind.ts'
import { meanOf } from '../../statistics/clusters.ts'
import type { AuditOptions } from './options.ts'

/** Length of the first answer less that of the second. */
export function longerBy(row: Row, { lengthA, lengthB }: AuditOptions): number | undefined {
  if (lengthA === undefined || lengthB === undefined) {
    const texts = textsIn(row, ANSWER_FIELDS)
    return texts && codePoints(texts[0]) - codePoints(texts[1])
  }
  const [a, b] = [lengthA, lengthB].map((field) => {
    const value = row.field(field)
    return typeof value === 'number' ? value : typeof value === 'string' ? codePoints(value) : undefined
  })
  return a === undefined || b === undefined ? undefined : a - b
}

/** The mean of the confidences that the trials' verdicts state. */
export function statedNumber(trials: readonly Scored[]): number | undefined {
  const stated = trials.flatMap(({ verdict }) => verdict?.confidence ?? [])
  const numbers = stated.filter((one) => typeof one === 'number')
  return numbers.length === 0 ? undefined : meanOf(numbers)
}
