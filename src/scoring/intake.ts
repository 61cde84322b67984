/**
 * The door of the ledger: what is read of a row, and the numbers it becomes. Values are found in the bytes by the scanner;
 * where one is of another type than expected, the row is read whole, and what is wrong with it is told.
 */
import { itemId } from '../rows/item_id.ts'
import { type Lines, linesOf } from '../rows/lines.ts'
import { Plan, scan } from '../rows/plan.ts'
import type { Rows } from '../rows/reader.ts'
import {
  type Cascade,
  type ErrorCode,
  type Kind,
  type Result,
  type RowError,
  RowFailure,
  type StageName,
  type TrialResult,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { SHAPED } from '../rows/shapes.ts'
import { type Context, rowFailure, salvaged } from '../rows/stage.ts'
import { Combinations, Doubt, RowValues } from '../rows/values.ts'
import { CALL_PATHS, CallReader } from './calls.ts'
import { digestOfString, hashInto } from './digest.ts'
import { Interned } from './interned.ts'
import { kindOf } from './kinds.ts'
import { type Entry, FAILED, type Leads, Ledger, OTHER, SAME, UNTRIED } from './ledger.ts'
import { ASKS, Meanings, READS } from './meanings.ts'
import { addScoring, type ProvenanceSums, provenanceSums, seeTrial } from './provenance.ts'
import type { Tried } from './result.ts'
import { ResultRows } from './result_rows.ts'
import { type RunIdentity, runKey } from './run_identity.ts'
import { trialResult } from './trial_result.ts'
import { unreadIn } from './unread.ts'

/** What tells runs apart, besides the model. */
const RUN = ['judge', 'judge_digest', 'name', 'variant'] as const
/** Where the model may stand; the first one counts. */
const MODELS = ['cascade.name', 'reply.model', 'verdict.model', 'error.model']
/** What jb-score keeps of a row. */
const KEPT = ['trial', 'criterion', 'chain', 'reply', 'verdict', 'error'] as const

export interface IntakeSettings {
  combine?: string | undefined
  /** What calls cost is kept, in money and tokens; as it is without this. */
  costs?: boolean | undefined
  /** Further members of a verdict that the command reads. */
  reads?: readonly string[] | undefined
  /** What a row is about besides its item, as text: of battles the models. */
  subject?: ((row: Row) => string | undefined) | undefined
  /** The part of the input that a row is of, whose runs are kept apart. */
  partOf?: ((row: Row) => string) | undefined
  /** A row's id, in place of `jb.item`. */
  idOf?: ((row: Row) => string) | undefined
  /** Results are kept with the texts that no figure depends on. */
  texts?: boolean
  /** All of what jb-score keeps of a row is read, and checked. */
  whole?: boolean
  /** Rows about changed items (jb-render --probe) count. */
  probes?: boolean
  /** A row that has a result: as it counts. */
  result?: (row: Row) => Row
}

/** Items that messages may name: of one kind only a few are printed. */
const TOLD = 1000

/** The most trials of an item that are told apart. */
const MOST = 2 ** 32 - 2

/** The row that is read, as far as the fields of an item depend on it. */
export interface Current {
  lines: Pick<Lines, 'file' | 'line' | 'bytes' | 'begin' | 'end' | 'userEnd'> | undefined
  row(): Row
  /** The kind of its verdict or result; undefined for a failure. */
  kind: Kind | undefined
}

/** Why a row failed. */
type Told = Pick<RowFailure, 'message'> & { stage: string }

export class Intake {
  readonly ledger: Ledger
  readonly runs = new Interned<RunIdentity>()
  readonly meanings: Meanings
  readonly calls: CallReader
  readonly resultRows: ResultRows
  /** What made the trials of each run, and whether it has a reply, by its number. */
  readonly provenance: ProvenanceSums[] = []
  readonly replied: boolean[] = []
  /** By code, why the first row failed with it. */
  readonly messages = new Map<string, Told>()
  /** Called for each row that says something new of a trial. */
  onRecord: ((item: number, record: number, trial: () => TrialResult) => void) | undefined
  /** Items of which rows came again, some of them: the id, and the place of the last such row. */
  readonly repeats = new Map<number, { id: string; same: boolean; file: string; line: number }>()
  /** Of items of a cascade: which of its models decided them. */
  readonly cascades = new Map<number, Cascade>()
  /** Rows about changed items, which were left out. */
  probes = 0
  /** The row that is read, and what the ledger takes of it. */
  readonly current: Current = { lines: undefined, row: () => this.row!, kind: undefined }
  readonly entry: Entry = {
    run: 0,
    key: new Uint32Array(2),
    named: false,
    ...{ n: 0, of: 1, ask: 0, said: 0, value: Number.NaN, reply: 0, asked: 0, call: 0 },
    amounts: [],
    plain: true,
    lost: false,
  }

  private readonly settings: IntakeSettings
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly plan: Plan
  private readonly values: RowValues
  private readonly slots: Record<(typeof SLOTS)[number], number>
  private readonly models: readonly number[]
  private readonly askSlots: readonly number[]
  private readonly saidSlots: readonly number[]
  /** Slots of what tells runs apart; the last is that of the model in the row that is read. */
  private readonly runSlots: number[]
  private readonly runsIn = new Combinations(RUN.length + 1)
  private readonly runNumbers: number[] = []
  /** Combinations of a run, an ask, a served model and parameters; those that {@link made} has. */
  private readonly combinations = new Combinations(0)
  private readonly seen: boolean[] = []
  private row: Row | undefined
  private file = ''
  private line = 0

  constructor(leads: Leads, settings: IntakeSettings, context: Pick<Context, 'stage' | 'note'>) {
    this.settings = settings
    this.context = context
    this.ledger = new Ledger(leads, settings)
    const reads = [...READS, ...(settings.reads ?? [])]
    this.plan = new Plan(
      ...SLOTS,
      ...RUN,
      ...MODELS,
      ...ASKS.map((key) => `trial.${key}`),
      ...reads.map((key) => `verdict.${key}`),
      ...CALL_PATHS,
    )
    const slotOf = (path: string) => this.plan.slot(path)
    this.slots = Object.fromEntries(SLOTS.map((path) => [path, slotOf(path)])) as typeof this.slots
    this.models = MODELS.map(slotOf)
    this.runSlots = [...RUN, ''].map((path) => (path === '' ? -1 : slotOf(path)))
    this.askSlots = [...ASKS.map((key) => slotOf(`trial.${key}`)), this.slots.criterion]
    this.saidSlots = [...reads.map((key) => slotOf(`verdict.${key}`)), this.slots['verdict.label']]
    this.values = new RowValues(this.plan)
    this.meanings = new Meanings(settings.reads ?? [])
    this.calls = new CallReader(this.plan, this.values, this.entry)
    this.resultRows = new ResultRows(this, settings.texts === true)
  }

  /** Takes all rows. @param each is called after each, with its item; not for those of changed items */
  async read(rows: Rows, each: (item: number, row: () => Row) => void = () => {}): Promise<void> {
    for await (const lines of this.lines(rows))
      while (lines.next()) {
        const item = this.take(lines)
        if (item > 0) each(item, this.current.row)
      }
  }

  /** Lines to {@link take}. */
  lines(rows: Rows): AsyncIterable<Lines> {
    return linesOf(rows, this.plan)
  }

  /** Takes a line. @returns its item; 0 for a row that is left out */
  take(lines: Lines): number {
    this.values.bytes = lines.bytes
    this.row = undefined
    this.current.lines = lines
    this.current.row = () => (this.row ??= lines.row())
    return this.sound(lines.file, lines.line)
  }

  /** Takes a row that was made in this process. */
  addRow(row: Row): number {
    this.setRow(row)
    return this.sound(row.file, row.line)
  }

  private setRow(row: Row): void {
    this.row = row
    this.current.lines = undefined
    this.current.row = () => row
    const { values } = this
    values.bytes = Buffer.from(`${row.jbText()}\n`)
    scan(values.bytes, 0, values.bytes.length - 1, this.plan)
  }

  /** Takes the row that is read; one that cannot be read as a failed row in its place. */
  private sound(file: string, line: number): number {
    this.file = file
    this.line = line
    try {
      return this.add()
    } catch (error) {
      const row = this.current.row()
      const failure = error instanceof Doubt ? faultOf(row) : rowFailure(error, row)
      const { stage, note } = this.context
      // Rows of jb-score are written, and their failures told as they are.
      if (stage !== 'score')
        note(`${failure.code}: ${failure.message}`, { file: row.file, line: row.line, kind: failure.code })
      this.setRow(salvaged(row, stage, failure))
      return this.add()
    }
  }

  private add(): number {
    const { settings, values, slots } = this
    if (!settings.probes && values.has(slots.probe)) {
      this.probes++
      return 0
    }
    const failed = values.hasObject(slots.error)
    if (settings.whole) for (const key of KEPT) this.current.row().get(key)
    const isResult = values.has(slots.result) || (failed && values.has(slots.trials))
    const item = isResult ? this.addResult() : this.addTrial(failed)
    this.noteRepeat(item)
    return item
  }

  private addResult(): number {
    const row = this.current.row()
    this.row = row.has('error') ? row : (this.settings.result?.(row) ?? row)
    this.current.row = () => this.row!
    const item = this.resultRows.take(this.row)
    if (this.row.has('cascade')) this.seeCascade(item, this.row.get('cascade')!)
    return item
  }

  private addTrial(failed: boolean): number {
    const { entry, values, slots, current, meanings } = this
    values.hasObject(slots.trial)
    this.setTrial(values.count(slots['trial.n'], 0), values.count(slots['trial.of'], 1))
    const replied = values.hasObject(slots.reply)
    const hasVerdict = !failed && values.hasObject(slots.verdict)
    entry.plain = true
    entry.run = this.run()
    entry.lost = this.runSlots[RUN.length] === -1 && !hasVerdict
    this.setItem()
    entry.ask = meanings.askIn(values, this.askSlots, current.row)
    const text = replied ? this.replyDigest() : 0
    if (hasVerdict) this.setVerdict(text)
    else this.setFailure(failed, text)
    current.kind = hasVerdict ? kindOf(meanings.verdict(entry.said)!) : undefined
    const cascade = values.has(slots.cascade) ? current.row().get('cascade') : undefined
    this.calls.takeRow(replied, current.row, cascade && modelOfStage(cascade))
    const item = this.ledger.itemOf(entry)
    this.record(item, () => this.trial())
    if (cascade) {
      this.seeCascade(item, cascade)
      this.addEarlier(item)
    }
    return item
  }

  /** All trials of an item were decided by one model. */
  private seeCascade(item: number, cascade: Cascade): void {
    const { stage } = this.cascades.get(item) ?? cascade
    if (stage !== cascade.stage) this.ledger.setConflict(item)
    if (stage <= cascade.stage) this.cascades.set(item, cascade)
  }

  /** Adds the calls of earlier models, of which only the cost counts. */
  private addEarlier(item: number): void {
    const { entry, calls, ledger } = this
    const { stands } = ledger
    for (const { reply, error } of this.current.row().get('earlier') ?? []) {
      const call = (reply ?? error ?? {}) as Partial<TrialResult>
      entry.said = UNTRIED
      entry.reply = 0
      calls.take(call, call.model)
      this.recordCall(item)
    }
    ledger.stands = stands
  }

  /** Adds what the entry says of an item, to the ledger and, if it `counts`, to the provenance of its run. */
  record(item: number, trial: () => TrialResult, counts = true): void {
    const { entry, ledger } = this
    if (counts) this.seeProvenance()
    if (entry.said < FAILED) this.replied[entry.run] = true
    ledger.add(entry, this.file, this.line, item)
    if (ledger.added > 0) this.onRecord?.(item, ledger.added, trial)
  }

  /** Adds a call, of which only the cost counts. */
  recordCall(item: number): void {
    this.seeProvenance()
    this.ledger.addCall(this.entry, this.file, this.line, item)
  }

  private seeProvenance(): void {
    const { entry, calls } = this
    const { run, ask } = entry
    const { served, parameters } = calls
    const { combinations: all } = this
    const number = all.step(all.step(all.step(all.step(0, 0, run), 1, ask), 2, served), 3, parameters)
    if (this.seen[number]) return
    this.seen[number] = true
    seeTrial(
      (this.provenance[entry.run] ??= provenanceSums()),
      this.meanings.asked(entry.ask).trial,
      calls.servedModel(calls.served),
      calls.sentParameters(calls.parameters),
    )
  }

  /** Notes a result of the entry's run. */
  seeResult(result: Result): void {
    const { run } = this.entry
    this.replied[run] = true
    addScoring((this.provenance[run] ??= provenanceSums()), result)
  }

  /** What jb-score keeps of the row of a trial that was taken last. */
  trial(): TrialResult {
    return trialResult(this.current.row(), this.entry.reply, this.calls.sentParameters(this.calls.parameters))
  }

  /** Keeps the id of an item of which a row came again. */
  private noteRepeat(item: number): void {
    const { ledger, repeats, file, line } = this
    if (ledger.stands < SAME || (repeats.size >= TOLD && !repeats.has(item))) return
    const row = this.current.row()
    const same = ledger.stands !== OTHER || repeats.get(item)?.same === true
    repeats.set(item, { id: JSON.stringify(row.get('item') ?? itemId(row)), same, file, line })
  }

  setTrial(n: number, of: number): void {
    this.entry.n = Math.min(n, MOST)
    this.entry.of = Math.min(of > 1 ? Math.max(of, n + 1) : 1, MOST)
  }

  private run(): number {
    const { values, runSlots, models } = this
    const last = RUN.length
    runSlots[last] = models.find((slot) => values.hasString(slot)) ?? -1
    for (const slot of runSlots) if (slot >= 0) values.hasString(slot)
    const node = this.runsIn.number(values, runSlots)
    const { partOf } = this.settings
    const known = partOf ? undefined : this.runNumbers[node]
    if (known !== undefined) return known
    const textOf = (slot: number) =>
      slot >= 0 && values.has(slot) ? (values.parsed(slot) as string) : undefined
    const [judge, judge_digest, name, variant, model] = runSlots.map(textOf)
    const part = partOf?.(this.current.row())
    return (this.runNumbers[node] = this.runNumber({ judge, judge_digest, name, model, variant }, part))
  }

  private runNumber(identity: RunIdentity, part: string | undefined): number {
    const whole = part === undefined ? identity : { ...identity, part }
    return this.runs.number(JSON.stringify([runKey(identity), part]), () => whole)
  }

  /** Begins the entry of a row of jb-score. */
  begin(identity: RunIdentity, row: Row, more: Pick<Entry, 'plain' | 'lost'>): void {
    const { entry, settings } = this
    entry.run = this.runNumber(identity, settings.partOf?.(row))
    entry.named = settings.idOf !== undefined || row.has('item')
    Object.assign(entry, more)
    this.current.kind = undefined
    if (entry.named) this.setKey(settings.idOf?.(row) ?? row.get('item')!)
    else entry.key.fill(0)
  }

  private setItem(): void {
    const { entry, settings, values, slots } = this
    const has = values.hasString(slots.item)
    // One of several trials is known by its fields, if it has no id.
    entry.named = has || settings.idOf !== undefined || entry.of > 1
    if (!entry.named) entry.key.fill(0)
    else if (has && !settings.idOf && !settings.subject)
      hashInto(entry.key, values.bytes, values.from(slots.item), values.to(slots.item))
    else {
      const row = this.current.row()
      this.setKey(settings.idOf?.(row) ?? row.get('item') ?? itemId(row))
    }
  }

  private setKey(id: string): void {
    const subject = this.settings.subject?.(this.current.row())
    const text = JSON.stringify(id)
    const bytes = Buffer.from(subject === undefined ? text : `[${text},${subject}]`)
    hashInto(this.entry.key, bytes, 0, bytes.length)
  }

  private setVerdict(text: number): void {
    const { entry, values, slots, meanings } = this
    entry.value = values.number(slots['verdict.score'], Number.NaN)
    const hasScore = values.from(slots['verdict.score']) >= 0
    entry.said = meanings.sayingIn(values, this.saidSlots, hasScore, this.current.row)
    entry.reply = meanings.digest(entry.said, entry.value, text, entry.ask)
  }

  private replyDigest(): number {
    const { values, slots } = this
    const slot = slots['reply.text']
    if (!values.hasString(slot)) throw new Doubt()
    return digestOfString(values.bytes, values.from(slot), values.to(slot))
  }

  private setFailure(failed: boolean, text: number): void {
    const { entry, values, slots } = this
    if (failed && !values.hasString(slots['error.code'])) throw new Doubt()
    const code = failed ? (values.parsed(slots['error.code']) as string) : 'no_verdict'
    this.fail(code, () => {
      const { stage, message } = failed ? this.current.row().get('error')! : unreadIn(this.current.row())
      return { stage, message: entry.of > 1 ? `trial ${entry.n}: ${message}` : message }
    })
    entry.reply = text >>> 0
  }

  /** Sets that the row failed. */
  fail(code: string, told: () => Told): void {
    if (!this.messages.has(code)) this.messages.set(code, told())
    this.entry.said = FAILED + this.ledger.code(code)
    this.entry.value = Number.NaN
  }

  /** The trial of a record, as far as results and figures depend on it. */
  tried(record: number): Tried {
    const { ledger, meanings } = this
    const { trial } = meanings.asked(ledger.askOf(record))
    const said = ledger.saidOf(record)
    if (said >= FAILED) return { trial, error: this.errorOf(ledger.codes.values[said - FAILED] as ErrorCode) }
    const verdict = meanings.verdict(said)
    const value = ledger.valueOf(record)
    if (!verdict) return { trial }
    return { trial, verdict: Number.isNaN(value) ? verdict : { ...verdict, score: value } }
  }

  /** The error of a row that failed with a code: what the first such row says. */
  private errorOf(code: ErrorCode): RowError {
    const { stage = 'score', message = '' } = this.messages.get(code) ?? {}
    return { stage: stage as StageName, code, message }
  }
}

/** Paths that are read one by one. */
const SLOTS = [
  ...([
    'item',
    'probe',
    'cascade',
    'criterion',
    'result',
    'trials',
    'trial',
    'reply',
    'verdict',
    'error',
  ] as const),
  ...(['trial.n', 'trial.of', 'reply.text', 'verdict.score', 'verdict.label', 'error.code'] as const),
]

const modelOfStage = ({ name, stage }: Cascade) => name.split(' > ')[stage - 1]

/** What is wrong with a row. */
function faultOf(row: Row): RowFailure {
  try {
    for (const key of SHAPED) row.get(key)
  } catch (error) {
    return rowFailure(error, row)
  }
  return new RowFailure('bad_record', 'jb has a value that is not of its type')
}
