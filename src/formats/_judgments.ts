/** The judgments of an item: formats with a line for each of them take its trials apart. */
import type { Reply } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { rowOfTrial } from '../scoring/scored_rows.ts'
import { itemRow } from '../scoring/trial_result.ts'

/** The rows of its trials; where they are not known, because it came in scored, or contradict each other, one without reply. */
export function judgmentsOf(row: Row, note: Context['note']): Row[] {
  const trials = row.get('trials') ?? []
  if (trials.length === 0) return [row]
  const failure = row.get('error')
  const conflict = failure?.code === 'conflict' ? failure : undefined
  const rows = trials.map((one) => {
    const known = rowOfTrial(one)
    if (known) return known
    const { trial, verdict, error = conflict, model } = one
    const judgment = itemRow(row)
    judgment.set('trial', trial)
    if (model !== undefined) judgment.set('reply', { model } as Reply)
    if (error) judgment.set('error', error)
    else if (verdict) judgment.set('verdict', verdict)
    if (!conflict) {
      const said = 'a result has no replies: their texts are left empty (rows of jb-parse have them)'
      note(`${row.place}: ${said}`, { kind: 'no reply texts' })
    }
    return judgment
  })
  // Several trials may have been asked together.
  return [...new Set(rows)]
}
