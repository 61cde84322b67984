/** An item's label: the right verdict. */
import { didYouMean } from '../options/nearest.ts'
import { type Json, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** The most fields that a message lists. */
const LISTED = 20

/**
 * The value of the field that `--label` names, else of the first of the usual ones that the item has.
 * @throws RowFailure missing_field if the item lacks the field of `--label`
 */
export function labelOf(row: Row, named: string | undefined, ...usual: string[]): Json | undefined {
  for (const field of named === undefined ? usual : [named]) {
    const value = row.field(field)
    if (value !== undefined && value !== null) return value
  }
  if (named === undefined) return undefined
  const fields = Object.keys(row.item)
  const hint = didYouMean(named, fields)
  throw new RowFailure(
    'missing_field',
    `the label "${named}" is missing${hint} (fields: ${fields.slice(0, LISTED).join(', ') || 'none'})`,
  )
}
