/** Numbers that stand in a judged row: lengths of its answers, stated probabilities. */
import { optionRange } from '../../criteria/_multi.ts'
import { codePoints } from '../../python/unicode.ts'
import { ANSWER_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import { type Criterion, EXIT, Fatal, type Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
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

/** The least and the largest score that there can be; undefined where that is not known. */
export function rangeOf(
  { range, option }: Result,
  criteria: readonly Criterion[],
  criterion: string | undefined,
): readonly [number, number] | undefined {
  if (option === undefined) return range as [number, number] | undefined
  const asked = criteria.length === 1 ? criteria[0] : criteria.find(({ name }) => name === criterion)
  return asked && optionRange(asked)
}
