/** The judgments of a row of jb-score: formats with a line for each judgment take its trials apart. */
import type { Reply } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { itemRow } from '../scoring/trial_result.ts'

/** A row for each trial of a result, without reply; any other row as it is. */
export function judgmentsOf(row: Row, note: Context['note']): Row[] {
  const trials = row.get('trials') ?? []
  if (trials.length === 0) return [row]
  const said = 'a result has no replies: their texts are left empty (rows of jb-parse have them)'
  note(`${row.place}: ${said}`, { kind: 'no reply texts' })
  return trials.map(({ trial, verdict, error, model }) => {
    const judgment = itemRow(row)
    judgment.set('trial', trial)
    if (model !== undefined) judgment.set('reply', { model } as Reply)
    if (verdict) judgment.set('verdict', verdict)
    if (error) judgment.set('error', error)
    return judgment
  })
}
