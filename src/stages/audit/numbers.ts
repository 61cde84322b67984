/** Numbers that stand in a judged row: lengths of its answers, stated probabilities. */
import { optionRange } from '../../criteria/_multi.ts'
import { codePoints } from '../../python/unicode.ts'
import { count, grouped } from '../../rows/maps.ts'
import { ANSWER_FIELDS, textsIn } from '../../rows/pair_fields.ts'
import { type Criterion, EXIT, Fatal, type Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { verdictValue } from '../../scoring/jury_agreement.ts'
import type { Scored } from '../../scoring/kind.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import type { Label } from '../../statistics/agreement.ts'
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

/**
 * How sure an item's trials are of what it came to: the mean of the confidences of those that said so, where the others count 0.
 * Of a score it is that of the likeliest one; of several parts, such as criteria, the least. Undefined where a trial has no confidence
 * (votes are no probabilities), for a tie that no trial said, and of a jury.
 */
export function itemConfidence(trials: readonly Scored[], judged: Label | undefined): number | undefined {
  const parts = grouped(trials, ({ trial }) =>
    JSON.stringify([trial.criterion, trial.pair, trial.nugget, trial.window]),
  )
  const sure: number[] = []
  for (const of of parts.values()) {
    const mean = new Map<string, number>()
    for (const { verdict, trial } of of) {
      const { confidence } = verdict ?? {}
      if (typeof confidence !== 'number' || trial.member !== undefined) return undefined
      count(mean, String(verdictValue(verdict)), confidence / of.length)
    }
    const own = parts.size === 1 ? mean.get(String(judged)) : undefined
    if (own === undefined && parts.size === 1 && (judged === 'A=B' || judged === 'tie')) return undefined
    const decided = own ?? Math.max(...mean.values())
    sure.push(decided)
  }
  return sure.length === 0 ? undefined : Math.min(...sure)
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
