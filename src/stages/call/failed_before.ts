import type { StageName } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { skipFailed } from '../../rows/stage.ts'

/** As skipFailed, but not for a row whose reply was not read or scored: it may get another one. */
export const failedBefore = (row: Row, stage: StageName): boolean => !isUnread(row) && skipFailed(row, stage)

function isUnread(row: Row): boolean {
  if (!row.has('error') || !row.has('request')) return false
  try {
    const { stage, code } = row.get('error')!
    return (stage === 'parse' || stage === 'score') && code !== 'bad_row'
  } catch {
    // skipFailed reports an invalid error.
    return false
  }
}
