/** What tells the items of a run apart: their ids, and of battles the models. */
import { MODEL_FIELDS } from '../../rows/pair_fields.ts'
import type { Latin1, Row } from '../../rows/row.ts'
import { canonical, hashItem, hashItemOf } from '../../scoring/_item_hash.ts'

/** JSON texts of the models of a battle: several battles may have one id, as in jb-rank. */
function modelsOf(row: Row): string | undefined {
  for (const [first, second] of MODEL_FIELDS) {
    const one = row.fieldBytes(first)
    const other = one === undefined ? undefined : row.fieldBytes(second)
    if (other !== undefined) return `${one},${other}`
  }
  return undefined
}

function subjectOf(row: Row, id: Latin1, models = modelsOf(row)): Latin1 {
  return models === undefined ? id : (`[${id},${models}]` as Latin1)
}

/** Sets the hash that item tables use to that of the row's item. */
export function hashRow(row: Row): void {
  const models = modelsOf(row)
  const line = models === undefined ? row.unchanged : undefined
  if (line && line.item >= 0) hashItemOf(line)
  else hashItem(subjectOf(row, row.itemBytes!, models))
}

/** What identifies an item among those of all runs. @param number of its run */
export function keyOf({ number }: { number: number }, row: Row, id: Latin1): string {
  const subject = subjectOf(row, id)
  // `+` would make V8 keep both pieces.
  return [number, subject.includes('\\') ? canonical(subject) : subject].join('\n')
}
