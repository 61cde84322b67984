/** The rows that count, as they came: for writers of other programs' files, which need replies and any field. */
import { Spool } from '../files/spool.ts'
import type { Rows } from '../rows/reader.ts'
import { RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Context, forget } from '../rows/stage.ts'
import { noteRepeats } from './decider.ts'
import { Intake, type IntakeSettings } from './intake.ts'
import { together } from './items.ts'
import { FieldLeads } from './leads.ts'
import { giveLost, lostItems, setRun } from './lost.ts'

export interface CountedSettings extends Pick<IntakeSettings, 'subject' | 'probes'> {
  combine?: string | undefined
  /** Fields in which rows of an item's first trial may not differ. */
  fields: readonly string[] | 'all'
}

/**
 * One row for each trial, or the result that stands for them, when all rows are in, in the order of the input: of failures
 * and replies the one that counts. Of rows that contradict each other one is left, which fails.
 */
export async function* countedRows(rows: Rows, settings: CountedSettings, context: Context): Rows {
  const counted = new CountedRows(settings, context)
  try {
    for await (const batch of rows) for (const row of batch) counted.take(row)
    if (!context.cut()) yield* together(counted.rows())
  } finally {
    counted.close()
  }
}

/** A stored row that is left of an item, and whether rows of its trial differ. */
interface Left {
  stored: number
  run: number
  of: number
  conflict: boolean
}

class CountedRows {
  private readonly intake: Intake
  private readonly leads: FieldLeads
  private readonly spool = new Spool()
  /** Of each stored row. */
  private readonly places: { file: string; line: number }[] = []
  /** The stored row of each record, and of each item's results by their number. */
  private readonly byRecord: number[] = []
  private readonly byLead: number[] = []
  private readonly byResult = new Map<string, number>()
  private readonly context: Context
  private records = 0
  private isResult = false

  constructor(settings: CountedSettings, context: Context) {
    this.context = context
    this.leads = new FieldLeads(settings.fields, () => this.intake.current)
    const result = (row: Row) => {
      this.isResult = true
      return row
    }
    this.intake = new Intake(this.leads, { ...settings, result }, context)
  }

  take(row: Row): void {
    const { intake, leads } = this
    this.isResult = false
    leads.taken = 0
    const item = intake.addRow(row)
    if (item === 0) return
    const { ledger } = intake
    const key = `${item} ${ledger.resultOf(item)}`
    const isNewResult = this.isResult && !this.byResult.has(key)
    // Of rows that say the same of a trial, the one whose fields count.
    const isLead =
      leads.taken !== 0 &&
      leads.taken === leads.from(ledger.leadOf(item)) &&
      leads.taken !== this.byLead[item]
    const isNew = ledger.records > this.records
    if (!isNew && !isNewResult && !isLead) return
    const stored = this.store(intake.current.row())
    if (isNewResult) this.byResult.set(key, stored)
    if (isLead) this.byLead[item] = leads.taken
    if (isLead && !isNew) this.byRecord[ledger.record] = stored
    while (this.records < ledger.records) this.byRecord[++this.records] = stored
  }

  private store(row: Row): number {
    this.spool.add(row.toText())
    return this.places.push({ file: row.file, line: row.line }) - 1
  }

  *rows(): Generator<Row> {
    const { intake } = this
    const { ledger } = intake
    const lost = new Map(lostItems(intake))
    giveLost(intake, (copy, record) => {
      this.byRecord[copy] = this.byRecord[record]!
    })
    const left: Left[] = []
    const conflicts = new Set<number>()
    for (let item = 1; item <= ledger.size; item++) {
      if ((lost.get(item)?.length ?? 0) > 0) continue
      left.push(...this.leftOf(item))
      if (ledger.decide(item) === ledger.conflict) conflicts.add(item)
    }
    noteRepeats(intake, conflicts, this.context.note)
    for (const one of left.sort((a, b) => a.stored - b.stored)) yield this.read(one)
  }

  /** The rows of an item that count. */
  private leftOf(item: number): Iterable<Left> {
    const { ledger } = this.intake
    const code = ledger.decide(item)
    const more = { run: ledger.runOf(item), of: ledger.countOf(item) }
    const result = this.byResult.get(`${item} ${ledger.resultOf(item)}`)
    if (result !== undefined && !ledger.isPlain(item))
      return [{ stored: result, ...more, conflict: code === ledger.conflict }]
    const left = new Map<number, Left>()
    for (const record of ledger.kept) {
      const stored = this.byRecord[record]!
      const conflict = ledger.differing.includes(ledger.trialOf(record))
      left.set(stored, { stored, ...more, conflict })
    }
    return left.values()
  }

  private read({ stored, run, conflict, of }: Left): Row {
    const { file, line } = this.places[stored]!
    const row = Row.read(this.spool.read(stored).toString(), file, line)
    const trial = row.get('trial')
    if (trial && of > (trial.of ?? 1)) row.set('trial', { ...trial, of })
    if (conflict) this.fail(row)
    setRun(row, this.intake.runs.values[run]!)
    return row
  }

  private fail(row: Row): void {
    const model = row.get('result')?.model ?? row.get('reply')?.model
    // Which of its replies counts is unknown.
    forget(row, ['result', 'verdict', 'reply', 'trials'])
    row.fail(
      this.context.stage,
      new RowFailure(
        'conflict',
        'several rows of it differ in reply, prompt or fields',
        model === undefined ? {} : { model },
      ),
    )
  }

  close(): void {
    this.spool.close()
  }
}
