/** Results by criterion. */
import type { Result } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** Names of the criteria that a scored row was judged by. */
export const criterionNames = (row: Row): string[] => (row.get('criteria') ?? []).map(({ name }) => name)

/** The result by one criterion of these; the whole result if it was the only one. */
export function byCriterion(
  result: Result | undefined,
  criteria: readonly { name: string }[],
  criterion: string,
): Result | undefined {
  const parts = result?.items as (Result & { criterion?: string })[] | undefined
  return parts?.find((one) => one.criterion === criterion) ?? (criteria.length === 1 ? result : undefined)
}
