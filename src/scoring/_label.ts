/** What an item says is right. */
import { nearest } from '../options/nearest.ts'
import { type Json, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** Fields that a message names. */
const LISTED = 20

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
  const fields = Object.keys(row.item)
  const near = nearest(named, fields)
  const hint = near === undefined ? '' : `: did you mean ${near}?`
  throw new RowFailure(
    'missing_field',
    `the label "${named}" is missing${hint} (fields: ${fields.slice(0, LISTED).join(', ') || 'none'})`,
  )
}
