/** What an item's own fields say (label, groups): where its rows differ in them, figures must not depend on which came first. */
import type { Result } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { mix } from './_digest.ts'
import { groupName } from './_run.ts'
import { BY_DEFAULT } from './_scoring.ts'

/** Fields of --by; undefined where nothing was said. */
export const givenFields = (by: readonly string[] = []) =>
  by.includes('none') ? [] : by.length > 0 ? by : undefined

/**
 * A digest of how right the result is (of a failed item nothing), and of the item's groups.
 * @param by fields of --by; where nothing was said, the first of the usual ones that the row has
 */
export function toldBy(
  row: Row,
  { correct, credit, label }: Partial<Result>,
  by: readonly string[] | undefined,
): number {
  let digest = mix(0, `${correct} ${credit} ${typeof label === 'object' ? '' : label}`)
  const usual = by ? undefined : BY_DEFAULT.find((field) => row.field(field) !== undefined)
  for (const field of by ?? (usual === undefined ? [] : [usual])) {
    const value = row.field(field)
    digest = mix(digest, value === undefined ? '' : groupName(value, row, field))
  }
  return digest
}
