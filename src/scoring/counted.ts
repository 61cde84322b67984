/** The rows that count, as they came: for writers of other programs' files, which need replies and any field. */
import { Spool } from '../files/spool.ts'
import type { Rows } from '../rows/reader.ts'
import { RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Context, forget } from '../rows/stage.ts'
import type { Item, LedgerSettings } from './item.ts'
import { countedTrials, whyConflict } from './item_result.ts'
import { Ledger } from './ledger.ts'
import { noteRepeats } from './repeats.ts'
import { setRun, together } from './scored_rows.ts'

export interface CountedSettings extends Pick<LedgerSettings, 'subject' | 'probes' | 'combine'> {
  /** Fields in which rows of an item's first trial may not differ. */
  fields: readonly string[] | 'all'
}

/** A row that counts: its place in the spool, what its item says of it, and whether rows of its trial contradict each other. */
interface Left extends Pick<Item, 'of' | 'run'> {
  piece: number
  isConflict: boolean
}

/**
 * One row for each trial, or the result that stands for them, when all rows are in, in the order of the input: of failures
 * and replies the one that counts. Of rows that contradict each other one is left, which fails.
 */
export async function* countedRows(rows: Rows, settings: CountedSettings, context: Context): Rows {
  const spool = new Spool()
  try {
    const left = await leftOf(rows, settings, spool, context)
    yield* together(leftRows(left, spool, context))
  } finally {
    spool.close()
  }
}

/** Puts the rows into the spool. The ledger is gone when it returns: what reads the rows that count may need room for its own. */
async function leftOf(
  rows: Rows,
  settings: CountedSettings,
  spool: Spool,
  context: Context,
): Promise<Left[]> {
  let last: Row | undefined
  // A row of jb-score has several trials.
  const store = (row: Row): number => {
    if (last !== row) spool.add(`${JSON.stringify([row.file, row.line])}\n${row.toText()}`)
    last = row
    return spool.pieces - 1
  }
  const ledger = new Ledger({ ...settings, keepTrial: store, keepResult: store }, context)
  for await (const batch of rows) for (const row of batch) ledger.add(row)
  if (context.cut()) return []
  const left: Left[] = []
  const conflicts = new Set<Item>()
  for (const item of ledger.items()) {
    const { of, run } = item
    const { kept, differing } = countedTrials(item)
    const isConflict = item.isWhole && whyConflict(item, differing) !== undefined
    if (isConflict) conflicts.add(item)
    if (item.given && !item.plain) left.push({ piece: item.given.kept as number, of, run, isConflict })
    else
      for (const [piece, n] of new Map(kept.map(({ told }) => [told.kept as number, told.trial.n])))
        left.push({ piece, of, run, isConflict: differing.includes(n) })
  }
  noteRepeats(ledger.all, conflicts, context.note)
  return left.sort((a, b) => a.piece - b.piece)
}

function* leftRows(left: readonly Left[], spool: Spool, context: Context): Generator<Row> {
  for (const one of left) {
    const text = spool.read(one.piece).toString()
    const end = text.indexOf('\n')
    const [file, line] = JSON.parse(text.slice(0, end)) as [string, number]
    yield counted(Row.read(text.slice(end + 1), file, line), one, context)
  }
}

/** A row as it counts. */
function counted(row: Row, { of, run, isConflict }: Left, { stage }: Context): Row {
  const trial = row.get('trial')
  if (trial && of > (trial.of ?? 1)) row.set('trial', { ...trial, of })
  if (isConflict) {
    const model = row.get('result')?.model ?? row.get('reply')?.model
    // Which of its replies counts is unknown.
    forget(row, ['result', 'verdict', 'reply', 'trials'])
    const words = 'several rows of it differ in reply, prompt or fields'
    row.fail(stage, new RowFailure('conflict', words, model === undefined ? {} : { model }))
  }
  return setRun(row, run.identity)
}
