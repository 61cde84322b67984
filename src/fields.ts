/** Finding things in the user's part of a row: fields by dotted path, and the item's id. */
import type { Json, JsonObject } from './record.ts'
import type { Row } from './row.ts'

/** The value at a dotted path (`choices.0.turns`); undefined where there is none. A key with dots in it wins. */
export function valueAt(item: Json | undefined, path: string): Json | undefined {
  if (item === null || typeof item !== 'object') return undefined
  if (Object.hasOwn(item, path)) return (item as JsonObject)[path]
  const dot = path.indexOf('.')
  if (dot < 0) return Array.isArray(item) ? elementAt(item, path) : undefined
  const head = path.slice(0, dot)
  const inner = Array.isArray(item)
    ? elementAt(item, head)
    : Object.hasOwn(item, head)
      ? (item as JsonObject)[head]
      : undefined
  return valueAt(inner, path.slice(dot + 1))
}

/** A negative index counts from the end, as in jq. */
const elementAt = (list: Json[], index: string): Json | undefined =>
  /^-?\d+$/.test(index) ? list.at(Number(index)) : undefined

/** Fields that name an item, in the order in which they are looked for. */
export const ID_FIELDS = ['pair_id', 'question_id', 'id', 'uid', 'idx']

/** The item's id: the field named, else the first of {@link ID_FIELDS} present, else a hash of the line. */
export function itemId(row: Row, field?: string): string {
  for (const name of field === undefined ? ID_FIELDS : [field]) {
    const value = row.field(name)
    if (value === undefined || value === null) continue
    if (typeof value === 'string') return value
    // As it stands in the row: two 20-digit ids must not become one by being read as numbers.
    return row.fieldText(name) ?? JSON.stringify(value)
  }
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(row.itemText()).digest('hex').slice(0, 16)
}
