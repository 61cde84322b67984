/** Numbers that stand in a judged row: lengths of its answers, stated probabilities. */
import { codePoints } from '../../python/unicode.ts'
import { ANSWER_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Scored } from '../../scoring/kind.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
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

/** The probability in the field of --weight; undefined where there is none. @throws Fatal (data) for what is no probability */
export function chanceIn(row: Row, field: string): number | undefined {
  const value = row.field(field) ?? null
  if (value === null || value === '') return undefined
  const p = labelNumber(value)
  if (typeof value !== 'boolean' && p !== undefined && p > 0 && p <= 1) return p
  throw new Fatal(
    EXIT.data,
    `${row.place}: ${field} is ${JSON.stringify(value)}, expected the probability with which the item was taken, above 0 and at most 1`,
  )
}
