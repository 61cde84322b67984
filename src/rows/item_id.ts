/** What tells items apart. */
import { RowFailure } from './record.ts'
import type { Row } from './row.ts'

/** Fields that name an item, in the order in which they are looked for. */
export const ID_FIELDS = ['pair_id', 'question_id', 'id', 'uid', 'idx']

/** How many fields a message names, and how long their names may be: rows are data. */
const LISTED = 12
const LONGEST = 60

/** Names of a row's fields that a message may contain. */
export const fieldNames = (row: Row) => Object.keys(row.item).filter((name) => name.length <= LONGEST)

/** `: there are a, b, …`; empty without names. */
export function thereAre(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => JSON.stringify(name).slice(1, -1))
  return names.length === 0 ? '' : `: there are ${shown.join(', ')}${names.length > LISTED ? ', …' : ''}`
}

/**
 * The item's id: the field named; where none is, the first of {@link ID_FIELDS} present, else a hash of the line.
 * @throws RowFailure missing_field
 */
export function itemId(row: Row, field?: string): string {
  for (const name of field === undefined ? ID_FIELDS : [field]) {
    const value = row.field(name)
    if (value === undefined || value === null) continue
    if (typeof value === 'string') return value
    // As it stands in the row: two 20-digit ids must not become one by being read as numbers.
    return row.fieldText(name)!
  }
  if (field !== undefined)
    throw new RowFailure(
      'missing_field',
      `field "${field}" is missing${thereAre(fieldNames(row))} (--id tells items apart by it)`,
    )
  const { createHash } = process.getBuiltinModule('node:crypto')
  // Of a bad row that was passed on, only its text tells it apart.
  return createHash('sha256')
    .update(row.get('raw') ?? row.itemText())
    .digest('hex')
    .slice(0, 16)
}
