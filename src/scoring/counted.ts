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

interface CountedSettings extends Pick<LedgerSettings, 'subject' | 'probes' | 'combine'> {
  /** Fields in which rows of an item's first trial may not differ. */
  fields: readonly string[] | 'all'
}

/** A row that came, in a file. */
interface Stored {
  piece: number
  file: string
  line: number
}

/** A row that counts, and whether rows of its trial contradict each other. */
interface Left {
  stored: Stored
  item: Item
  isConflict: boolean
}

/**
 * One row for each trial, or the result that stands for them, when all rows are in, in the order of the input: of failures
 * and replies the one that counts. Of rows that contradict each other one is left, which fails.
 */
export async function* countedRows(rows: Rows, settings: CountedSettings, context: Context): Rows {
  const spool = new Spool()
  let last: { row: Row; stored: Stored } | undefined
  // A row of jb-score has several trials.
  const store = (row: Row): Stored => {
    if (last?.row === row) return last.stored
    spool.add(row.toText())
    last = { row, stored: { piece: spool.pieces - 1, file: row.file, line: row.line } }
    return last.stored
  }
  const ledger = new Ledger({ ...settings, keepTrial: store, keepResult: store }, context)
  try {
    for await (const batch of rows) for (const row of batch) ledger.add(row)
    if (!context.cut()) yield* together(leftRows(ledger, spool, context))
  } finally {
    spool.close()
  }
}

function* leftRows(ledger: Ledger, spool: Spool, context: Context): Generator<Row> {
  const left: Left[] = []
  const conflicts = new Set<Item>()
  for (const item of ledger.items()) {
    const { kept, differing } = countedTrials(item)
    const isConflict = item.isWhole && whyConflict(item, differing) !== undefined
    if (isConflict) conflicts.add(item)
    if (item.given && !item.plain) left.push({ stored: item.given.kept as Stored, item, isConflict })
    else
      for (const [stored, n] of new Map(kept.map(({ told }) => [told.kept as Stored, told.trial.n])))
        left.push({ stored, item, isConflict: differing.includes(n) })
  }
  noteRepeats(ledger.all, conflicts, context.note)
  left.sort((a, b) => a.stored.piece - b.stored.piece)
  for (const { stored, item, isConflict } of left) {
    const text = spool.read(stored.piece).toString()
    yield counted(Row.read(text, stored.file, stored.line), item, isConflict, context)
  }
}

/** A row as it counts. */
function counted(row: Row, { of, run }: Item, isConflict: boolean, { stage }: Context): Row {
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
