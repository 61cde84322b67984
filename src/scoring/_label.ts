/** What an item says is right. */
import { type Json, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/**
 * The value of the field that `--label` names, else of the first of the usual ones that is there.
 * @throws RowFailure missing_field where `--label` names one that the item lacks
 */
export function labelOf(row: Row, named: string | undefined, ...usual: string[]): Json | undefined {
  for (const field of named === undefined ? usual : [named]) {
    const value = row.field(field)
    if (value !== undefined && value !== null) return value
  }
  if (named === undefined) return undefined
  throw new RowFailure('missing_field', `the label "${named}" is missing`)
}
