/** Names of groups. */

import { exactJson, writtenJson } from '../rows/exact_json.ts'
import type { Row } from '../rows/row.ts'

/** The group of the items that lack the field of --by, where others have it. */
export const NONE = '(none)'

/** The name of a group: a string itself, else the value as it is written, so that two 20-digit ids are two groups. */
export function groupName(row: Row, field: string): string {
  const value = row.field(field)
  if (typeof value === 'string') return value
  const text = row.fieldText(field)!
  if (typeof value !== 'object' || value === null) return text
  try {
    return writtenJson(exactJson(text) as object)
  } catch {
    // It is nested too deeply.
    return text
  }
}
