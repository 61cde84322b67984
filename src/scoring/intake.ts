/**
 * The door of the ledger: what is read of a row, and the numbers it becomes. Values are found in the bytes by the scanner;
 * where one is of another type than expected, the row is read whole, and what is wrong with it is told.
 */
import { itemId } from '../rows/item_id.ts'
import type { Lines } from '../rows/lines.ts'
import { getOrInsert } from '../rows/maps.ts'
import { Plan, scan } from '../rows/plan.ts'
import { linesOf, type Rows } from '../rows/reader.ts'
import {
  type Criterion,
  isObject,
  type Json,
  type JsonObject,
  type Kind,
  type Result,
  RowFailure,
  type Trial,
  type TrialResult,
  type Usage,
  type Verdict,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { LARGEST, SHAPED } from '../rows/shapes.ts'
import { type Context, rowFailure, salvaged } from '../rows/stage.ts'
import { Codes, integerAt, jsonNumber } from '../rows/value.ts'
import { digestOfString, digestOfStrings, hashInto, mixed, mixedNumber, textDigest } from './digest.ts'
import { Interned } from './interned.ts'
import { canonical, type Scored } from './kind.ts'
import { KIND, kindOf } from './kinds.ts'
import { type Entry, FAILED, FRESH, type Leads, Ledger, OTHER, SAME, UNTRIED } from './ledger.ts'
import { addMade, addScoring, type MadeSums, madeSums } from './made.ts'
import { identityOf, type RunIdentity, runKey, runModel } from './run_identity.ts'
import { trialResult } from './trial_result.ts'
import { unreadIn } from './unread.ts'

/** Numbers of a call that are added up, by their names in a reply; those of its usage are added up as well. */
export const AMOUNTS = ['cost'] as const

/** What a trial asks, besides its number. */
const ASKS = [
  'order',
  'sample',
  'seed',
  'criterion',
  'nugget',
  'nuggets',
  'pair',
  'answers',
  'turn',
  'shown',
  'options',
] as const

/** What counts of a verdict, whatever its kind; a decision that is no plain one is read with its label. */
const READS = [...new Set(Object.values(KIND).flatMap(({ reads }) => reads))].filter(
  (key) => key !== 'score' && key !== 'label',
)
const PLAIN = ['A>B', 'B>A', 'A=B']

const RUN = ['judge', 'judge_digest', 'name', 'variant'] as const

/** What the trials of a number asked. */
interface Question {
  trial: Partial<Trial>
  criterion: Criterion | undefined
}

/** What a reply means: of verdicts with a score, without it. */
interface Said {
  verdict: Verdict
  digest: number
}

/** A result that a row has, or the failure of an item none of whose trials failed. */
export interface ItemResult {
  result: Result | undefined
  /** Number of the code of its failure. */
  code: number
  /** The number of its trials. */
  trials: number
  /** What counts of it. */
  counts: string
}

export interface IntakeSettings {
  combine?: string | undefined
  /** Further members of a verdict that the command reads. */
  reads?: readonly string[] | undefined
  /** What a row is about besides its item, as text: of battles the models. */
  subject?: ((row: Row) => string | undefined) | undefined
  /** The part of the input that a row is of, whose runs are kept apart. */
  partOf?: ((row: Row) => string) | undefined
  /** A row's id, in place of `jb.item`. */
  idOf?: ((row: Row) => string) | undefined
  /** Each row of an item's only trial is an item of its own. */
  each?: boolean
  /** Results are kept with the texts that no figure depends on. */
  texts?: boolean
  /** Rows about changed items (jb-render --probe) count. */
  probes?: boolean
  /** A row that has a result: as it counts. */
  result?: (row: Row) => Row
}

/** A value is of another type than expected. */
class Doubt extends Error {}

/** Items that messages may name: of one kind only a few are printed. */
const TOLD = 1000

/** The most trials of an item that are told apart. */
const MOST = 2 ** 32 - 2

const NULL = 0x6e
const STRING = 0x22
const NOTHING = new Uint32Array(2)

/** The row that is read, as far as the fields of an item depend on it. */
export interface Current {
  lines: Pick<Lines, 'bytes' | 'begin' | 'end'> | undefined
  row(): Row
  /** The kind of its verdict or result; undefined for a failure. */
  kind: Kind | undefined
}

export class Intake {
  readonly ledger: Ledger
  readonly runs = new Interned<RunIdentity>()
  readonly asks = new Interned<Question>()
  readonly results = new Interned<ItemResult>()
  /** Names of amounts, by number. */
  readonly amounts: string[] = [...AMOUNTS]
  /** Runs with a reply, by number. */
  readonly replied: boolean[] = []
  /** By code, the first message of a failure with it. */
  readonly messages = new Map<string, { stage: string; message: string }>()
  /** Called for each row that says something new of a trial. */
  onRecord: ((item: number, record: number, trial: () => TrialResult) => void) | undefined
  /** Items of which rows came again, some of them: the id, and the place of the last such row. */
  readonly repeats = new Map<number, { id: string; same: boolean; file: string; line: number }>()
  /** Rows about changed items, which were left out. */
  probes = 0
  /** What made the trials of each run, by its number. */
  readonly made: MadeSums[] = []
  /** The row that is read. */
  readonly current: Current = { lines: undefined, row: () => this.row!, kind: undefined }

  private readonly said = new Interned<Said>()
  /** Numbers by JSON text. */
  private readonly saidNumbers = new Map<string, number>()
  private readonly askNumbers = new Map<string, number>()
  private readonly plan: Plan
  private readonly codes: Record<string, Codes> = {}
  private readonly runNumbers = new Map<string, number>()
  private lastRun = { key: '', number: 0 }
  private readonly parameters = new Interned<JsonObject | undefined>()
  private readonly parameterNumbers = new Map<string, number>()
  private readonly usageNumbers: number[][] = [[], []]
  private readonly reads: readonly string[]
  private readonly settings: IntakeSettings
  private readonly context: Pick<Context, 'stage' | 'note'>
  /** The number of the parameters of the row that was taken last. */
  private sent = 0
  private bytes: Buffer = Buffer.alloc(0)
  private row: Row | undefined
  private readonly entry: Entry = {
    run: 0,
    key: new Uint32Array(2),
    named: false,
    ...{ n: 0, of: 1, ask: 0, said: 0, value: Number.NaN, reply: 0, asked: 0, call: 0 },
    amounts: [],
    plain: true,
    lost: false,
  }

  constructor(leads: Leads, settings: IntakeSettings, context: Pick<Context, 'stage' | 'note'>) {
    this.ledger = new Ledger(leads, settings)
    this.settings = settings
    this.context = context
    this.reads = [...READS, ...(settings.reads ?? [])]
    const parts = ['model', 'served_model', 'text', 'parameters', 'usage.*', ...AMOUNTS]
    this.plan = new Plan(
      ...[
        ...RUN,
        'item',
        'probe',
        'criterion',
        'chain',
        'result',
        'trials',
        'request.messages',
        'request.prompt',
      ],
      ...['trial.n', 'trial.of', ...ASKS.map((key) => `trial.${key}`)],
      ...parts.map((key) => `reply.${key}`),
      ...['model', 'label', 'score', ...this.reads].map((key) => `verdict.${key}`),
      ...['code', 'stage', 'model', 'usage.*', ...AMOUNTS].map((key) => `error.${key}`),
    )
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
    this.bytes = lines.bytes
    this.row = undefined
    this.current.lines = lines
    this.current.row = () => (this.row ??= lines.row())
    return this.sound(lines.file, lines.line)
  }

  /** Takes the row that is read; one that cannot be read as a failed row in its place. */
  private sound(file: string, line: number): number {
    try {
      return this.add(file, line)
    } catch (error) {
      const row = this.current.row()
      const failure = error instanceof Doubt ? faultOf(row) : rowFailure(error, row)
      const { stage, note } = this.context
      // Rows of jb-score are written, and their failures told as they are.
      if (stage !== 'score')
        note(`${failure.code}: ${failure.message}`, { file: row.file, line: row.line, kind: failure.code })
      this.setRow(salvaged(row, stage, failure))
      return this.add(file, line)
    }
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
    this.bytes = Buffer.from(`${row.jbText()}\n`, 'latin1')
    scan(this.bytes, 0, this.bytes.length - 1, this.plan)
  }

  private has(slot: number): boolean {
    const from = this.plan.at[2 * slot]!
    return from >= 0 && this.bytes[from] !== NULL
  }

  private slot(path: string): number {
    return this.plan.slot(path)
  }

  /** The number of the JSON text at a path, which must be a string; 0 for none. Paths of one name have numbers in common. */
  private text(path: string, name = path): number {
    const slot = this.slot(path)
    if (!this.has(slot)) return 0
    const [from, to] = this.placeOf(slot)
    if (this.bytes[from] !== STRING) throw new Doubt()
    return (this.codes[name] ??= new Codes()).code(this.bytes, from, to)
  }

  private placeOf(slot: number): [from: number, to: number] {
    const { at } = this.plan
    return [at[2 * slot]!, at[2 * slot + 1]!]
  }

  /** The JSON text at a slot; empty for none. */
  private json(slot: number): string {
    const [from, to] = this.placeOf(slot)
    return from < 0 ? '' : this.bytes.latin1Slice(from, to)
  }

  private parsed(path: string): Json {
    const [from, to] = this.placeOf(this.slot(path))
    return JSON.parse(this.bytes.utf8Slice(from, to)) as Json
  }

  private number(path: string, otherwise: number): number {
    const slot = this.slot(path)
    if (!this.has(slot)) return otherwise
    const number = jsonNumber(this.bytes, ...this.placeOf(slot))
    if (!(Math.abs(number) <= LARGEST)) throw new Doubt()
    return number
  }

  private count(path: string, otherwise: number): number {
    const slot = this.slot(path)
    if (!this.has(slot)) return otherwise
    const number = integerAt(this.bytes, ...this.placeOf(slot))
    if (number < 0) throw new Doubt()
    return number
  }

  private add(file: string, line: number): number {
    const { settings, entry } = this
    if (!settings.probes && this.has(this.slot('probe'))) {
      this.probes++
      return 0
    }
    const failed = this.has(this.slot('error'))
    const whole = this.has(this.slot('result')) || (failed && this.has(this.slot('trials')))
    if (whole) return this.addResult(this.current.row(), file, line)
    entry.plain = true
    this.setTrial(this.count('trial.n', 0), this.count('trial.of', 1))
    const reply = this.has(this.slot('reply'))
    const hasVerdict = !failed && this.has(this.slot('verdict'))
    const model =
      this.text('reply.model', 'model') ||
      this.text('verdict.model', 'model') ||
      this.text('error.model', 'model')
    entry.run = this.run(model)
    entry.lost = model === 0 && !hasVerdict
    this.setItem(entry.of > 1)
    entry.ask = this.ask()
    const text = reply ? this.replyTextDigest() : 0
    if (hasVerdict) this.setVerdict(text)
    else this.setFailure(failed, text)
    const asked = this.parameterNumber(reply)
    entry.asked = this.askedDigest()
    this.setCall(reply ? 0 : 1, this.text('reply.served_model'), asked)
    this.current.kind = hasVerdict ? kindOf(this.said.values[entry.said]!.verdict) : undefined
    this.addMade(this.asks.values[entry.ask]!.trial, this.served(), this.parameters.values[asked])
    if (hasVerdict) this.replied[entry.run] = true
    const item = this.ledger.add(entry, file, line)
    this.noteRepeat(item, file, line)
    this.sent = asked
    if (this.ledger.added > 0) this.onRecord?.(item, this.ledger.added, () => this.trial())
    return item
  }

  /** What jb-score keeps of the row of a trial that was taken last. */
  trial(): TrialResult {
    return trialResult(this.current.row(), this.entry.reply, this.parameters.values[this.sent])
  }

  /** Keeps the id of an item of which a row came again. */
  private noteRepeat(item: number, file: string, line: number): void {
    if (this.ledger.stands < SAME || (this.repeats.size >= TOLD && !this.repeats.has(item))) return
    const row = this.current.row()
    const same = this.ledger.stands !== OTHER || this.repeats.get(item)?.same === true
    this.repeats.set(item, { id: JSON.stringify(row.get('item') ?? itemId(row)), same, file, line })
  }

  private setTrial(n: number, of: number): void {
    this.entry.n = Math.min(n, MOST)
    this.entry.of = Math.min(of > 1 ? Math.max(of, n + 1) : 1, MOST)
  }

  private run(model: number): number {
    const part = this.settings.partOf?.(this.current.row())
    const key = `${RUN.map((name) => this.text(name)).join()},${model},${part ?? ''}`
    if (key === this.lastRun.key) return this.lastRun.number
    let number = this.runNumbers.get(key)
    if (number === undefined) {
      const textOf = (name: string, code: number) =>
        code === 0
          ? undefined
          : (JSON.parse(Buffer.from(this.codes[name]!.texts[code - 1]!, 'latin1').toString()) as string)
      const [judge, judge_digest, name, variant] = RUN.map((name) => textOf(name, this.text(name)))
      number = this.runNumber({ judge, judge_digest, name, model: textOf('model', model), variant }, part)
      this.runNumbers.set(key, number)
    }
    this.lastRun = { key, number }
    return number
  }

  private runNumber(identity: RunIdentity, part: string | undefined): number {
    const whole = part === undefined ? identity : { ...identity, part }
    return this.runs.number(JSON.stringify([runKey(identity), part]), () => whole)
  }

  /** @param several the item has several trials: without an id it is known by its fields */
  private setItem(several: boolean): void {
    const { entry, settings } = this
    const slot = this.slot('item')
    const has = this.has(slot)
    const [from, to] = this.placeOf(slot)
    if (has && this.bytes[from] !== STRING) throw new Doubt()
    entry.named = settings.idOf !== undefined || several || (has && !settings.each)
    if (!entry.named) entry.key.set(NOTHING)
    else if (has && !settings.idOf && !settings.subject) hashInto(entry.key, this.bytes, from, to)
    else {
      const row = this.current.row()
      this.setKey(settings.idOf?.(row) ?? row.get('item') ?? itemId(row))
    }
  }

  private setKey(id: string): void {
    const { entry, settings } = this
    const subject = settings.subject?.(this.current.row())
    const text = JSON.stringify(id)
    const bytes = Buffer.from(subject === undefined ? text : `[${text},${subject}]`)
    hashInto(entry.key, bytes, 0, bytes.length)
  }

  /** The number of what the trial asks. */
  private ask(): number {
    let key = ''
    for (const name of ASKS) {
      const slot = this.slot(`trial.${name}`)
      if (this.has(slot)) key += `${name}${this.json(slot)}`
    }
    const criterion = this.slot('criterion')
    const [from, to] = this.placeOf(criterion)
    if (this.has(criterion)) key += `\n${((this.codes.criterion ??= new Codes())).code(this.bytes, from, to)}`
    return getOrInsert(this.askNumbers, key, () => {
      const row = this.current.row()
      const { n: _n, of: _of, ...trial } = row.get('trial') ?? { n: 0, of: 1 }
      return this.askNumber(trial, row.get('criterion'))
    })
  }

  /** The number by value: the same however its JSON was written. */
  private askNumber(trial: Partial<Trial>, criterion: Criterion | undefined): number {
    const known = Object.fromEntries(ASKS.filter((name) => name in trial).map((name) => [name, trial[name]]))
    return this.asks.number(canonical([known, criterion ?? null]), () => ({ trial: known, criterion }))
  }

  private setVerdict(text: number): void {
    const { entry } = this
    let key = ''
    let plain = true
    for (const name of this.reads) {
      const slot = this.slot(`verdict.${name}`)
      if (this.plan.at[2 * slot]! < 0) continue
      const json = this.json(slot)
      key += `${name}${json}`
      if (name === 'decision') plain = PLAIN.includes(json.slice(1, -1))
    }
    if (!plain) key += `label${this.json(this.slot('verdict.label'))}`
    const score = this.slot('verdict.score')
    entry.value = this.number('verdict.score', Number.NaN)
    if (this.plan.at[2 * score]! >= 0) key += Number.isNaN(entry.value) ? 'null' : 'score'
    entry.said = getOrInsert(this.saidNumbers, key, () => this.saidNumber(this.current.row().get('verdict')!))
    entry.reply = this.replyDigest(
      entry.said,
      entry.value,
      text,
      this.asks.values[entry.ask]!.criterion?.name,
    )
  }

  private saidNumber(verdict: Verdict): number {
    const read = readOf(verdict)
    // A score stands in a column of its own.
    if ('score' in read) read.score = null
    const more = (this.settings.reads ?? []).filter((name) => name in verdict)
    const known = { ...read, ...Object.fromEntries(more.map((name) => [name, verdict[name]])) }
    return this.said.number(canonical(known), () => ({ verdict: known, digest: textDigest(canonical(read)) }))
  }

  private replyDigest(said: number, value: number, text: number, criterion: string | undefined): number {
    let digest = mixed(this.said.values[said]!.digest, text)
    if (!Number.isNaN(value)) digest = mixedNumber(digest, value)
    if (criterion !== undefined) digest = mixed(digest, textDigest(criterion))
    return digest >>> 0
  }

  private replyTextDigest(): number {
    const [from, to] = this.placeOf(this.slot('reply.text'))
    if (this.bytes[from] !== STRING) throw new Doubt()
    return digestOfString(this.bytes, from, to)
  }

  private setFailure(failed: boolean, text: number): void {
    const { entry } = this
    const known = this.slot('error.code')
    if (failed && !this.has(known)) throw new Doubt()
    const code = failed ? (JSON.parse(this.json(known)) as string) : 'no_verdict'
    if (typeof code !== 'string') throw new Doubt()
    this.fail(code, () => {
      const { stage, message } = failed ? this.current.row().get('error')! : unreadIn(this.current.row())
      return { stage, message: entry.of > 1 ? `trial ${entry.n}: ${message}` : message }
    })
    entry.reply = text >>> 0
  }

  private fail(code: string, told: () => { stage: string; message: string }): void {
    if (!this.messages.has(code)) this.messages.set(code, told())
    this.entry.said = FAILED + this.ledger.code(code)
    this.entry.value = Number.NaN
  }

  private askedDigest(): number {
    if (this.has(this.slot('chain'))) return 0
    for (const path of ['request.messages', 'request.prompt']) {
      const slot = this.slot(path)
      if (this.has(slot)) return digestOfStrings(this.bytes, ...this.placeOf(slot))
    }
    return 0
  }

  private addMade(
    trial: Partial<Trial>,
    served: string | undefined,
    parameters: JsonObject | undefined,
  ): void {
    addMade((this.made[this.entry.run] ??= madeSums()), trial, served, parameters)
  }

  private served(): string | undefined {
    const slot = this.slot('reply.served_model')
    return this.has(slot) ? (this.parsed('reply.served_model') as string) : undefined
  }

  /** The number of the parameters that were sent; 0 where they are not known. */
  private parameterNumber(reply: boolean): number {
    const [request, given] = [this.slot('request'), this.slot('reply.parameters')]
    if (!this.has(request) && !(reply && this.has(given))) return 0
    // Of a call that failed only jb-call knew them.
    if (!reply && this.json(this.slot('error.stage')) === '"call"') return 0
    let key = this.has(given) ? `${this.json(given)}\n` : ''
    const [from, to] = this.placeOf(request)
    if (from >= 0) {
      let at = from
      const parts = ['request.messages', 'request.prompt'].map((path) => this.placeOf(this.slot(path)))
      for (const [begin, end] of parts.filter(([begin]) => begin >= 0).sort(([a], [b]) => a - b)) {
        key += this.bytes.latin1Slice(at, begin)
        at = end
      }
      key += this.bytes.latin1Slice(at, to)
    }
    let number = this.parameterNumbers.get(key)
    if (number === undefined) {
      const asked = this.has(request) ? this.parsed('request') : {}
      number = this.numberOfParameters(asked, this.has(given) ? this.parsed('reply.parameters') : {})
      this.parameterNumbers.set(key, number)
    }
    return number
  }

  private numberOfParameters(asked: Json | undefined, given: Json = {}): number {
    if (!isObject(asked) || !isObject(given)) throw new Doubt()
    const { messages: _messages, prompt: _prompt, ...rest } = asked
    const sent = Object.entries({ ...rest, ...given }).filter(([, value]) => value !== null)
    if (sent.length === 0) return 0
    return this.parameters.number(canonical(Object.fromEntries(sent)), () => Object.fromEntries(sent))
  }

  /** @param of 0: the amounts of the reply, 1: those of the failure */
  private setCall(of: 0 | 1, served: number, parameters: number): void {
    const { entry, plan } = this
    const place = of === 0 ? 'reply' : 'error'
    entry.amounts.fill(0)
    for (const [i, name] of AMOUNTS.entries()) entry.amounts[i] = this.number(`${place}.${name}`, 0)
    const { first, names } = plan.every(`${place}.usage`)
    const usage = this.slot(`${place}.usage`)
    if (this.has(usage) && this.bytes[this.placeOf(usage)[0]] !== 0x7b) throw new Doubt()
    for (let i = 0; i < names.length; i++) {
      if (!this.has(first + i)) continue
      const number = jsonNumber(this.bytes, ...this.placeOf(first + i))
      if (Math.abs(number) <= LARGEST)
        this.setAmount((this.usageNumbers[of]![i] ??= this.amount(names[i]!)), number)
    }
    if (this.has(this.slot('chain'))) this.addChain()
    this.mixCall(served, parameters)
  }

  private amount(name: Uint8Array | string): number {
    const text = typeof name === 'string' ? name : Buffer.from(name).toString()
    const known = this.amounts.indexOf(text, AMOUNTS.length)
    return known >= 0 ? known : this.amounts.push(text) - 1
  }

  private setAmount(number: number, value: number): void {
    const { amounts } = this.entry
    while (amounts.length <= number) amounts.push(0)
    amounts[number]! += value
  }

  /** Adds the tokens of the calls that a trial continues. */
  private addChain(): void {
    for (const { reply } of this.current.row().get('chain') ?? []) this.addUsage(reply.usage)
  }

  private addUsage(usage: Usage | undefined): void {
    for (const [name, value] of Object.entries(usage ?? {}))
      if (typeof value === 'number' && Math.abs(value) <= LARGEST) this.setAmount(this.amount(name), value)
  }

  private mixCall(served: number, parameters: number): void {
    const { entry } = this
    let call = mixed(mixed(mixed(entry.reply, entry.said < FAILED ? 0 : entry.said), served), parameters)
    for (const [i, amount] of entry.amounts.entries())
      if (amount !== 0) call = mixedNumber(mixed(call, i), amount)
    entry.call = call >>> 0
  }

  /** Takes a row of jb-score: its trials are rows of those trials. */
  private addResult(given: Row, file: string, line: number): number {
    const { entry, settings } = this
    const row = given.has('error') ? given : (settings.result?.(given) ?? given)
    this.row = row
    const result = row.has('error') ? undefined : row.get('result')
    const error = row.has('error') ? row.get('error') : undefined
    const trials = row.get('trials')
    const criteria = row.get('criteria') ?? []
    entry.run = this.runNumber(identityOf(row, runModel(row)), settings.partOf?.(row))
    entry.named = settings.idOf !== undefined || row.has('item')
    entry.plain = false
    if (entry.named) this.setKey(settings.idOf?.(row) ?? row.get('item')!)
    else entry.key.set(NOTHING)
    entry.lost = runModel(row) === undefined && !result
    const item = this.ledger.itemOf(entry)
    let stands = FRESH
    for (const one of trials ?? []) {
      this.addTrial(one, criteria, file, line, item)
      stands = Math.max(stands, this.ledger.stands)
    }
    if (trials === undefined || trials.length === 0) this.addUntried(result, error?.code, file, line, item)
    if (result) {
      this.replied[entry.run] = true
      addScoring((this.made[entry.run] ??= madeSums()), result)
    }
    if (error?.code === 'conflict') this.ledger.setConflict(item)
    else this.takeResult(item, result, error?.code, trials ?? [])
    this.ledger.stands = stands
    this.noteRepeat(item, file, line)
    return item
  }

  private addTrial(
    one: TrialResult,
    criteria: readonly Criterion[],
    file: string,
    line: number,
    item: number,
  ): void {
    const { entry } = this
    const { n = 0, of = 1, ...trial } = one.trial
    this.setTrial(n, of)
    entry.asked = 0
    const criterion =
      criteria.find(({ name }) => name === trial.criterion) ??
      (criteria.length === 1 ? criteria[0] : undefined)
    entry.ask = this.askNumber(trial, criterion)
    this.current.kind = one.verdict && !one.error ? kindOf(one.verdict) : undefined
    if (one.verdict && !one.error) {
      const { score } = one.verdict
      entry.value = typeof score === 'number' ? score : Number.NaN
      entry.said = this.saidNumber(one.verdict)
      entry.reply =
        typeof one.digest === 'number'
          ? one.digest
          : this.replyDigest(entry.said, entry.value, 0, criterion?.name)
      this.replied[entry.run] = true
    } else this.setTrialFailure(one)
    this.setCallOf(one)
    this.addMade(trial, one.served_model, one.parameters)
    this.ledger.add(entry, file, line, item)
    const { stands, added } = this.ledger
    if (added > 0) this.onRecord?.(item, added, () => one)
    for (const call of one.calls ?? []) {
      if (call.error) this.setTrialFailure(call)
      else entry.reply = Number(call.digest ?? 0)
      if (!call.error) entry.said = UNTRIED
      this.setCallOf(call)
      this.addMade(trial, call.served_model, call.parameters)
      this.ledger.addCall(entry, file, line, item)
    }
    this.ledger.stands = stands
  }

  private setTrialFailure({ error, digest }: Partial<TrialResult>): void {
    this.fail(error?.code ?? 'no_verdict', () => ({
      stage: error?.stage ?? 'score',
      message: error?.message ?? '',
    }))
    this.entry.reply = typeof digest === 'number' ? digest : 0
  }

  private setCallOf({ usage, cost, served_model, parameters }: Partial<TrialResult>): void {
    const { entry } = this
    entry.amounts.fill(0)
    if (cost !== undefined) this.setAmount(0, cost)
    this.addUsage(usage)
    const text = served_model === undefined ? undefined : Buffer.from(JSON.stringify(served_model))
    const served = text ? (this.codes['reply.served_model'] ??= new Codes()).code(text, 0, text.length) : 0
    this.mixCall(served, parameters === undefined ? 0 : this.numberOfParameters(parameters))
  }

  /** A result without its trials, which stands for them; or an item that failed before it had any. */
  private addUntried(
    result: Result | undefined,
    code: string | undefined,
    file: string,
    line: number,
    item: number,
  ): void {
    const { entry } = this
    Object.assign(entry, { n: 0, of: 1, asked: 0, ask: this.askNumber({}, undefined) })
    entry.amounts.fill(0)
    this.current.kind = result && (result.kind ?? 'grade')
    entry.reply = 0
    if (result) {
      entry.said = UNTRIED
      entry.value = Number.NaN
    } else {
      const { stage, message } = this.current.row().get('error')!
      this.fail(code!, () => ({ stage, message }))
    }
    this.mixCall(0, 0)
    this.ledger.add(entry, file, line, item)
  }

  /** Of two results of an item the one with more trials counts; two of the same trials that differ contradict each other. */
  private takeResult(
    item: number,
    result: Result | undefined,
    code: string | undefined,
    trials: readonly TrialResult[],
  ): void {
    const derived = code === 'incomplete' || trials.some(({ error }) => error)
    if (!result && (derived || trials.length === 0)) return
    const { ledger, settings } = this
    const known = ledger.resultOf(item)
    const counts = result ? countedOf(result) : ''
    const one: ItemResult = { result, code: result ? 0 : ledger.code(code!), trials: trials.length, counts }
    if (code !== undefined)
      this.fail(code, () => this.current.row().get('error') as { stage: string; message: string })
    const kept = result && (settings.texts ? result : withoutTexts(result))
    const number = this.results.number(canonical([kept ?? code!, one.trials]), () => ({
      ...one,
      result: kept,
    }))
    if (known === 0) ledger.setResult(item, number)
    if (known === 0 || known === number) return
    const other = this.results.values[known]!
    if (one.result && other.result && one.trials === other.trials && counts !== other.counts)
      ledger.setConflict(item)
    if (this.precedes(one, other)) ledger.setResult(item, number)
  }

  private precedes(one: ItemResult, other: ItemResult): boolean {
    if (!one.result !== !other.result) return one.result !== undefined
    if (!one.result) return this.ledger.compareCodes(one.code, other.code) < 0
    return one.trials > other.trials || (one.trials === other.trials && one.counts < other.counts)
  }

  /** A trial that counts. */
  scored(record: number): Scored {
    const { ledger } = this
    const said = ledger.saidOf(record)
    const { trial } = this.asks.values[ledger.askOf(record)]!
    const known = this.said.values[said]
    if (!known) return { trial }
    const value = ledger.valueOf(record)
    return { trial, verdict: Number.isNaN(value) ? known.verdict : { ...known.verdict, score: value } }
  }
}

/** The digest of a reply: of what was read from it, its text, and the criterion that was asked about. */
export function replyDigest(
  verdict: Verdict,
  text: string | undefined,
  criterion: string | undefined,
): number {
  const read = readOf(verdict)
  const { score } = read
  if ('score' in read) read.score = null
  let digest = mixed(textDigest(canonical(read)), text === undefined ? 0 : textDigest(text))
  if (typeof score === 'number') digest = mixedNumber(digest, score)
  if (criterion !== undefined) digest = mixed(digest, textDigest(criterion))
  return digest >>> 0
}

/** The members of a verdict that count. */
function readOf(verdict: Verdict): Verdict {
  const plain = verdict.decision === undefined || PLAIN.includes(verdict.decision as string)
  const names = [...READS, 'score', ...(plain ? [] : ['label'])]
  return Object.fromEntries(
    names.filter((name) => name in verdict).map((name) => [name, verdict[name]]),
  ) as Verdict
}

/** What is wrong with a row. */
function faultOf(row: Row): RowFailure {
  try {
    for (const key of SHAPED) row.get(key)
  } catch (error) {
    return rowFailure(error, row)
  }
  return new RowFailure('bad_record', 'jb has a value that is not of its type')
}

/** What counts of a result: the same trials give another one with other options (--combine, --tie, --criteria, --label). */
export function countedOf({
  correct,
  credit,
  label,
  score,
  decision,
  winner,
  option,
}: Partial<Result>): string {
  const worth = credit ?? (typeof correct === 'boolean' ? Number(correct) : undefined)
  return `${correct} ${worth} ${typeof label === 'object' ? '' : label} ${score} ${decision} ${winner} ${option}`
}

/** A result as far as figures depend on it. */
function withoutTexts(result: Result): Result {
  const { explanation: _1, feedback: _2, reason: _3, answers, items, ...rest } = result
  const kept: Result = { ...rest }
  if (Array.isArray(items))
    kept.items = items.map((one) => (isObject(one) ? withoutTexts(one as Result) : one)) as Json[]
  if (answers !== undefined) kept.answers = answers
  return kept
}
