/** Results by criterion. */
import type { Result } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** Names of the criteria that a scored row was judged by. */
export const criterionNames = (row: Row): string[] => (row.get('criteria') ?? []).map(({ name }) => name)

/** The result by one criterion; the whole result if it was the only one. */
export function byCriterion(row: Row, criterion: string): Result | undefined {
  const result = row.get('result')
  const parts = result?.items as (Result & { criterion?: string })[] | undefined
  return (
    parts?.find((one) => one.criterion === criterion) ??
    (criterionNames(row).length === 1 ? result : undefined)
  )
}
