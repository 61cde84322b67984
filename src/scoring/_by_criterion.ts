/** A result in parts: one for each criterion that the item was judged by. */
import type { Decision, Result } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** Names of the criteria a scored row was asked about. */
export const criterionNames = (row: Row): string[] => (row.get('criteria') ?? []).map(({ name }) => name)

/** What was said by one criterion: the result itself where it was the only one; undefined where there is none. */
export function byCriterion(row: Row, criterion: string): Result | undefined {
  const result = row.get('result')
  const parts = result?.items as (Result & { criterion?: string })[] | undefined
  return (
    parts?.find((one) => one.criterion === criterion) ??
    (criterionNames(row).length === 1 ? result : undefined)
  )
}

/** The best of two answers, as the decision it is. */
export const WINNER_DECISIONS: Record<string, Decision> = { 0: 'A>B', 1: 'B>A', tie: 'A=B' }

/** Whether a person's label is a decision, to be compared with one. */
export const isDecision = (label: unknown): boolean =>
  Object.values<unknown>(WINNER_DECISIONS).includes(label)
