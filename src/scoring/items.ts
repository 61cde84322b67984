/** A ledger that also holds the rows of its items, until they are written: for commands that need more than sums. */
import { Spool } from '../files/spool.ts'
import type { Rows } from '../rows/reader.ts'
import type { TrialResult } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { atRow, type Context } from '../rows/stage.ts'
import { Decider, noteRepeats } from './decider.ts'
import { Intake, type IntakeSettings } from './intake.ts'
import { type ScoreSettings, scoreSettings } from './kind.ts'
import { FieldLeads, ItemLeads } from './leads.ts'
import { lostItems, setRun } from './lost.ts'
import { relabelled } from './relabelled.ts'
import { conflicting } from './result.ts'
import { aboutRow, withResult } from './scored_row.ts'
import { itemRow, withCalls } from './trial_result.ts'

export interface ItemSettings
  extends ScoreSettings,
    Pick<IntakeSettings, 'subject' | 'probes' | 'partOf' | 'idOf'> {
  /** Fields in which rows of an item's first trial may not differ; absent for its label and its usual group. */
  fields?: readonly string[] | 'all'
  /** A row that is a result already. */
  onResult?(): void
}

/** What is held of an item. */
interface Held {
  /** Its row: see itemRow; with the number of what its fields say. */
  row: Row
  lead: number
  trials: Map<number, TrialResult>
  /** Rows that are results, by the number of the result. */
  results?: Map<number, Row>
}

/** Whole items that wait in memory; more wait in a file. */
const IN_MEMORY = 4096
/** The share of the free disk space that they may take, and bytes that are written together. */
const OF_FREE = 1 / 4
const PIECE = 64 * 1024

export class Items {
  readonly intake: Intake
  readonly leads: ItemLeads | FieldLeads
  private readonly settings: ItemSettings
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly decider: Decider
  private readonly held = new Map<number, Held>()
  /** Of the row that is read. */
  private readonly added: [record: number, one: TrialResult][] = []
  private spool: Spool | undefined
  /** Items in the order in which they were parked, and texts that are not in the spool yet. */
  private parts: string[] = []
  private size = 0
  private parked = 0
  private isFull = false

  private constructor(settings: ItemSettings, context: Pick<Context, 'stage' | 'note'>) {
    this.settings = settings
    this.context = context
    const { fields } = settings
    const current = () => this.intake.current
    this.leads = fields ? new FieldLeads(fields, current) : new ItemLeads([], settings, current)
    // Of an item that is written at once, it is not known yet which groups there are.
    if (this.leads instanceof ItemLeads) this.leads.strict = true
    this.intake = new Intake(
      this.leads,
      {
        ...settings,
        whole: true,
        result: (row) => {
          settings.onResult?.()
          return relabelled(row, settings, context)
        },
      },
      context,
    )
    this.decider = new Decider(this.intake, this.leads, settings)
    this.intake.onRecord = (_item, record, trial) => this.added.push([record, trial()])
  }

  static async create(settings: ItemSettings, context: Pick<Context, 'stage' | 'note'>): Promise<Items> {
    return new Items(await scoreSettings(settings), context)
  }

  /** Takes a row. @param take it, with the intake. @returns its item; 0 for one that is left out */
  take(take: (intake: Intake) => number): number {
    this.added.length = 0
    this.leads.taken = 0
    return take(this.intake)
  }

  /** Holds what the row that was taken last says of its item. @param again also where it says nothing new */
  hold(item: number, again = false): void {
    const { intake, leads } = this
    let held = this.held.get(item)
    const isLead = leads.taken !== 0 && leads.taken === leads.from(intake.ledger.leadOf(item))
    if (!held || (isLead && held.lead !== leads.taken)) {
      const row = itemRow(intake.current.row()).detached()
      if (held) Object.assign(held, { row, lead: leads.taken })
      else this.held.set(item, (held = { row, lead: leads.taken, trials: new Map() }))
    }
    for (const [record, one] of this.added) held.trials.set(record, one)
    if (again) held.trials.set(intake.ledger.record, intake.trial())
    const number = intake.ledger.resultOf(item)
    const row = number > 0 ? intake.current.row() : undefined
    if (row?.has('result') || row?.has('trials')) {
      held.results ??= new Map()
      if (!held.results.has(number)) held.results.set(number, row.fork())
    }
  }

  holds(item: number): boolean {
    return this.held.has(item)
  }

  /** How many of an item's trials are held. */
  trialsOf(item: number): number {
    return new Set([...(this.held.get(item)?.trials.values() ?? [])].map(({ trial }) => trial.n)).size
  }

  /** Whether an item fails, and will not if trials that failed are tried again: not for replies that were never read. */
  mayBeTriedAgain(item: number): boolean {
    this.intake.ledger.decide(item)
    const { trials } = this.held.get(item)!
    return this.intake.ledger.kept.some((record) => {
      const error = trials.get(record)?.error
      return error !== undefined && error.stage !== 'score'
    })
  }

  /** The row of an item, which is not held any more. @param conflict why it fails, whatever its rows say */
  release(item: number, conflict?: string): Row {
    const held = this.held.get(item)!
    this.held.delete(item)
    return this.rowOf(item, held, conflict)
  }

  private rowOf(item: number, { row, trials, results }: Held, conflict?: string): Row {
    const { intake, settings, context } = this
    const { ledger } = intake
    const about = aboutRow(row, settings, context)
    try {
      const trial = (record: number) => (trials.has(record) ? this.withCalls(record, trials) : undefined)
      const judged = this.decider.decide(item, { trial, of: ledger.countOf(item), ...about })
      const given = judged.isGiven && conflict === undefined && results?.get(ledger.resultOf(item))
      if (given) return given
      const { trials: all, asked } = judged
      const found = conflict === undefined ? judged : { ...conflicting(conflict), trials: all, asked }
      return setRun(withResult(row, found, settings, context), intake.runs.values[ledger.runOf(item)]!)
    } catch (error) {
      throw atRow(error, row)
    }
  }

  /** A trial that counts, with the calls of its other rows. */
  private withCalls(record: number, trials: Held['trials']): TrialResult {
    const { kept } = this.intake.ledger
    const one = trials.get(record)!
    const others = [...trials]
      .filter(([other, { trial }]) => other !== record && trial.n === one.trial.n && !kept.includes(other))
      .sort(([a], [b]) => a - b)
    return withCalls(
      one,
      others.map(([, other]) => other),
    )
  }

  /** Notes items of which there are several rows: to be called when all were released. */
  noteRepeats(): void {
    noteRepeats(this.intake, this.decider.conflicts, this.context.note)
  }

  /** Puts an item into a file. @returns false if there is no room for it */
  park(item: number): boolean {
    const { row, lead, trials, results } = this.held.get(item)!
    // One without a model may be one of another run.
    const hasModel = this.intake.runs.values[this.intake.ledger.runOf(item)]!.model !== undefined
    if (this.isFull || results || !hasModel) return false
    const stored = { item, file: row.file, line: row.line, lead, trials: [...trials] }
    const add = (text: string) => {
      this.parts.push(text)
      this.size += text.length
    }
    add(`${JSON.stringify(stored)}\n`)
    add(`${row.toText()}\n`)
    this.held.delete(item)
    this.parked++
    if (this.size >= PIECE) this.flush()
    return true
  }

  private flush(): void {
    try {
      this.spool ??= new Spool()
      this.spool.add(this.parts.join(''))
    } catch {
      // Without room for temporary files, these and all further ones stay in memory.
      this.isFull = true
      return
    }
    const { size, free } = this.spool
    this.isFull = size > free * OF_FREE
    this.parts = []
    this.size = 0
  }

  /** Items that were parked, in that order, with what later rows have of them: each is released. */
  *releaseParked(): Generator<Row> {
    if (this.parked === 0) return
    for (let i = 0; i < (this.spool?.pieces ?? 0); i++) yield* this.releaseIn(this.spool!.read(i).toString())
    yield* this.releaseIn(this.parts.join(''))
  }

  private *releaseIn(text: string): Generator<Row> {
    const lines = text.split('\n')
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const { item, file, line, lead, trials } = JSON.parse(lines[i]!)
      const later = this.held.get(item)
      const row =
        later && later.lead !== lead && later.lead === this.leads.from(this.intake.ledger.leadOf(item))
          ? later.row
          : undefined
      const held: Held = {
        row: row ?? Row.read(lines[i + 1]!, file, line),
        lead,
        trials: new Map([...trials, ...(later?.trials ?? [])]),
      }
      this.held.delete(item)
      yield this.rowOf(item, held)
    }
  }

  /** Items that are held, in the order in which they came. */
  waiting(): number[] {
    return [...this.held.keys()]
  }

  /** Releases them. */
  *releaseHeld(): Generator<Row> {
    for (const item of this.waiting()) yield this.release(item)
  }

  /**
   * Gives failures without a model to the runs that they may be of, as trials that have no row there: to be called once all
   * rows are in. @param known only where a run has the item: otherwise it stays one of its own, for whoever adds up rows knows whose it is
   */
  giveLost(known = false): void {
    const { ledger } = this.intake
    for (const [item, homes] of lostItems(this.intake)) {
      const held = this.held.get(item)
      if (!held) continue
      const given = known ? homes.filter((run) => ledger.has(item, run)) : homes
      for (const run of given) this.give(item, held, run)
      if (homes.length > 0 && given.length === homes.length) this.held.delete(item)
    }
  }

  private give(item: number, held: Held, run: number): void {
    const { ledger, runs } = this.intake
    const [home, records] = ledger.give(item, run)
    if (records.length === 0) return
    const { lead } = held
    const known = this.held.get(home)
    const isLead = !known || (known.lead !== lead && lead === this.leads.from(ledger.leadOf(home)))
    const row = isLead ? itemRow(held.row, runs.values[run]) : known.row
    const trials = known?.trials ?? new Map()
    for (const [copy, record] of records) trials.set(copy, held.trials.get(record)!)
    this.held.set(home, { ...known, row, lead: isLead ? lead : known.lead, trials })
  }

  /** All items: first these, as far as they are held, then those that were parked, then the others. */
  *releaseAll(first: Iterable<number>): Generator<Row> {
    for (const item of first) if (this.holds(item)) yield this.release(item)
    yield* this.releaseParked()
    yield* this.releaseHeld()
  }

  get fullAt(): number {
    return IN_MEMORY
  }

  close(): void {
    this.spool?.close()
  }
}

/** Rows that are read or written together. */
const TOGETHER = 256

/**
 * One row for each item, with `jb.result` and `jb.trials`, when all rows are in: whole items in the order in which they were
 * whole, then the others. Results among the rows count as they are.
 * @param isTrial which rows are scored; the others pass as they are
 */
export async function* scoredRows(
  rows: Rows,
  settings: ItemSettings,
  context: Context,
  isTrial: (row: Row) => boolean = () => true,
): Rows {
  const items = await Items.create(settings, context)
  try {
    const whole = new Set<number>()
    for await (const batch of rows) {
      const passed = batch.filter((row) => !isTrial(row))
      for (const row of batch) if (isTrial(row)) holdRow(items, row, whole)
      if (passed.length > 0) yield passed
    }
    if (context.cut()) return
    items.giveLost()
    yield* together(items.releaseAll(whole))
    items.noteRepeats()
  } finally {
    items.close()
  }
}

function holdRow(items: Items, row: Row, whole: Set<number>): void {
  const item = items.take((intake) => intake.addRow(row))
  if (item === 0) return
  items.hold(item)
  if (!items.intake.ledger.isWhole(item) || whole.has(item)) return
  whole.add(item)
  if (whole.size > items.fullAt) items.park(item)
}

/** Rows in batches. */
export function* together(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    if (batch.push(row) < TOGETHER) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
