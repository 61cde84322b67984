/** A row that was never read has no verdict. */
import type { RowError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

/** Why a row without a verdict has none: the filters that it lacks; sums of a shard are no row. */
export function unreadIn(row: Row): RowError {
  return { stage: 'score', code: 'no_verdict', message: lack(row) }
}

function lack(row: Row): string {
  if (row.field('state') === 1 && row.field('all') !== undefined)
    return 'this is what --partial wrote: add it up with --merge'
  if (row.has('reply')) return 'no jb.verdict: run jb-parse first'
  if (row.has('request')) return 'a trial that no model has answered: run jb-call -m MODEL, then jb-parse'
  return 'an item that no judge has seen: run jb-render JUDGE, jb-call -m MODEL, then jb-parse'
}
