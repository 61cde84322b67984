/** A row that was never read has no verdict. */
import type { RowError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

const UNREAD: RowError = {
  stage: 'score',
  code: 'no_verdict',
  message: 'no jb.verdict: run jb-parse first',
}

const SPENT: RowError = { ...UNREAD, message: 'this is what --partial wrote: add it up with --merge' }

/** Why a row without a verdict has none; sums of a shard are no row. */
export const unreadIn = (row: Row): RowError =>
  row.field('state') === 1 && row.field('all') !== undefined ? SPENT : UNREAD
