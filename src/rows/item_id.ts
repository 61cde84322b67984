/** What tells items apart. */
import { sha256 } from './crypto.ts'
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

const isThere = (row: Row, field: string) => (row.field(field) ?? null) !== null

/** The first of {@link ID_FIELDS} that the row has, in capital letters too, as spreadsheets write them. */
export function idField(row: Row): string | undefined {
  const usual = ID_FIELDS.find((name) => isThere(row, name))
  if (usual !== undefined) return usual
  const names = Object.keys(row.item).filter((name) => isThere(row, name))
  return ID_FIELDS.flatMap((id) => names.find((name) => name.toLowerCase() === id) ?? [])[0]
}

/**
 * The item's id: the field named; where none is, {@link idField}, else a hash of the line.
 * @throws RowFailure missing_field
 */
export function itemId(row: Row, field?: string): string {
  const name = field === undefined ? idField(row) : isThere(row, field) ? field : undefined
  if (name !== undefined) {
    const value = row.field(name)
    // As it stands in the row: two 20-digit ids must not become one by being read as numbers.
    return typeof value === 'string' ? value : row.fieldText(name)!
  }
  if (field !== undefined)
    throw new RowFailure(
      'missing_field',
      `field "${field}" is missing${thereAre(fieldNames(row))} (--id tells items apart by it)`,
    )
  return lineHash(row)
}

// Of a bad row that was passed on, only its text tells it apart.
const lineHash = (row: Row) => sha256(row.get('raw') ?? row.itemText()).slice(0, 16)

/** Whether a hash of its line names the row's item, as {@link itemId} has it of rows without an id. */
export const isNamedByLine = (row: Row): boolean => row.get('item') === lineHash(row)
