/**
 * The ledger: what the rows say of each item of each run, and what of it counts once. {@link itemResult} says what an item
 * comes to.
 *
 *     const ledger = new Ledger(settings, context)
 *     for await (const batch of rows) for (const row of batch) ledger.add(row)
 *     for (const result of ledger.results()) …
 *
 * An item is a run and an id; its rows are those of its trials, as jb-call and jb-parse write them, or results of jb-score,
 * whose `trials` are rows of those trials. Of several rows of one trial a reply counts before a failure, equal replies count
 * once, different ones contradict each other, and of failures the one whose code comes first counts. The order of the rows
 * never matters. A row that adds nothing to those before takes no room.
 */
import { itemId } from '../rows/item_id.ts'
import { getOrInsert } from '../rows/maps.ts'
import type {
  Cascade,
  Criterion,
  Jb,
  JsonObject,
  Kind,
  Reply,
  Result,
  RowError,
  Trial,
  TrialResult,
  Verdict,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type Context, rowFailure, salvaged } from '../rows/stage.ts'
import { promptDigest, replyDigest, textDigest } from './digests.ts'
import { type Given, givenIn, precedes, relabelled } from './given.ts'
import { Item, type LedgerSettings, Run } from './item.ts'
import { compareFields, FieldReader, NEVER } from './item_fields.ts'
import { type ItemResult, itemResult } from './item_result.ts'
import { canonical } from './kind.ts'
import { KIND, kindOf } from './kinds.ts'
import { addScoring, seeItem, seeTrial } from './provenance.ts'
import { noteRepeats } from './repeats.ts'
import { identityOf, isHomeOf, runKey, runModel } from './run_identity.ts'
import {
  areSameCall,
  type Call,
  callIn,
  contradictionIn,
  NO_TRIAL,
  saySame,
  spentOn,
  Told,
} from './trial_result.ts'
import { unreadIn } from './unread.ts'

/** How a row stands to earlier rows: its trial is new, or one of the two failed. */
export const FRESH = 0
const KNOWN = 1
/** The same reply of the same call; the same reply of another call; another reply, or a prompt that differs. */
export const SAME = 2
export const CALL = 3
export const OTHER = 4

/** The row that was added last: what it says of its trial, how it stands to earlier rows, and whether it says something new. */
export interface Added {
  told: Told
  /** The earlier row that says the same, of the same call. */
  same: Told | undefined
  stands: number
  isNew: boolean
}

/** What a row of jb-call or jb-parse says. */
interface Said extends Pick<Jb, 'verdict' | 'reply' | 'trial' | 'cascade'> {
  failed: RowError | undefined
}

/** What was asked, and what came of it. */
interface Answered extends Pick<Jb, 'reply' | 'request' | 'cascade'> {
  error: RowError | undefined
  digest: number
}

const RUN = ['judge', 'judge_digest', 'name', 'variant'] as const

export class Ledger {
  readonly runs = new Map<string, Run>()
  /** In the order in which their first rows came. */
  all: Item[] = []
  readonly settings: LedgerSettings
  readonly fields: FieldReader
  /** Rows about changed items, which were left out. */
  probes = 0
  /** The row that was added last; of a result its last trial. */
  last: Added | undefined
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly verdicts: Verdicts
  private readonly shared = new Shared()
  private lastRun: Run | undefined
  private joined = false

  /** @param settings with criteria that are read: see scoreSettings */
  constructor(settings: LedgerSettings, context: Pick<Context, 'stage' | 'note'>) {
    this.settings = settings
    this.context = context
    this.fields = new FieldReader(settings)
    this.verdicts = new Verdicts(settings.reads ?? [])
  }

  /** Takes a row; one that cannot be read as a failed row in its place, which is told. @returns its item; undefined for one that is left out */
  add(row: Row): Item | undefined {
    try {
      return this.addRow(row)
    } catch (error) {
      const failure = rowFailure(error, row)
      const { stage, note } = this.context
      note(`${failure.code}: ${failure.message}`, { file: row.file, line: row.line, kind: failure.code })
      return this.addRow(salvaged(row, stage, failure))
    }
  }

  /** What each item comes to, when all rows are in. @param all also those that are given to other runs: see {@link items} */
  *results(all = false): Generator<ItemResult> {
    const conflicts = new Set<Item>()
    for (const item of this.items(all)) {
      const result = itemResult(item, this.context.note)
      if (result.failure?.code === 'conflict') conflicts.add(item)
      if (result.result) seeItem(item.run.provenance, result.trials)
      yield result
    }
    noteRepeats(this.all, conflicts, this.context.note)
  }

  /**
   * The items, when all rows are in. Those that failed before they had a model are given to the runs that they may be of, as
   * trials that have no row there.
   * @param all they are there, too
   */
  *items(all = false): Generator<Item> {
    this.join()
    const isOne = (run: Run) => run.named || this.homesOf(run).length === 0
    const ones = new Set([...this.runs.values()].filter((run) => all || isOne(run)))
    for (const item of this.all) if (ones.has(item.run)) yield item
  }

  private addRow(row: Row): Item | undefined {
    if (!this.settings.probes && row.has('probe')) {
      this.probes++
      return undefined
    }
    // Checked before the row is anything's.
    row.get('probe')
    const failed = row.has('error')
    return row.has('result') || (failed && row.has('trials'))
      ? this.addResult(row)
      : this.addTrial(row, failed ? row.get('error') : undefined)
  }

  private addTrial(row: Row, failed: RowError | undefined): Item {
    // Each is checked whenever it is asked for.
    const verdict = failed ? undefined : row.get('verdict')
    const reply = row.get('reply')
    const trial = row.get('trial')
    const cascade = row.get('cascade')
    const told = this.toldBy(row, { failed, verdict, reply, trial, cascade })
    const model = cascade?.name ?? reply?.model ?? verdict?.model ?? failed?.model
    const run = this.runOf(row, typeof model === 'string' ? model : undefined)
    // One of several trials is known by its fields, if it has no id.
    const isNamed = this.settings.idOf !== undefined || row.has('item') || told.trial.of > 1
    const item = this.itemOf(run, row, isNamed)
    this.take(item, told, row, verdict && kindOf(verdict))
    if (trial?.of !== undefined) item.seeOf(told)
    if (verdict) {
      item.plain = true
      run.named = true
    }
    seeProvenance(run, told)
    if (cascade) seeCascade(item, cascade)
    return item
  }

  /** What a row of jb-call or jb-parse says of its trial. */
  private toldBy(row: Row, { failed, verdict, reply, trial, cascade }: Said): Told {
    const criterion = row.get('criterion')
    const together = trial?.window?.criterion === undefined ? undefined : row.get('criteria')
    const criteria = this.shared.value(criterion ? [criterion] : together)
    const said = verdict && this.verdicts.read(verdict)
    const error = failed ?? (verdict ? undefined : unreadIn(row))
    const digest = said
      ? replyDigest(said.digest, reply?.text, verdict!.score, criterion?.name)
      : reply
        ? textDigest(reply.text)
        : 0
    const request = row.get('request')
    return new Told({
      trial: this.shared.trial(trialOf(trial)),
      criteria,
      verdict: said?.verdict,
      error,
      call: this.callOf(row, { reply, error, digest, request, cascade }),
      more: earlierCalls(row),
      digest,
      asked: row.has('chain') || !request ? 0 : promptDigest(request),
      file: row.file,
      line: row.line,
    })
  }

  private callOf(row: Row, { reply, error, digest, request, cascade }: Answered): Call {
    const sources = (reply ? (error ? [reply, error] : [reply]) : [error ?? {}]) as Partial<Reply>[]
    const { usage, cost, ms, tries } = spentOn(sources, row.get('chain') ?? [])
    return {
      model: cascade?.name.split(' > ')[cascade.stage - 1],
      served_model: reply?.served_model && this.shared.text(reply.served_model),
      usage,
      cost,
      ms,
      tries,
      digest,
      error,
      parameters: this.parametersOf(request, reply, error),
    }
  }

  /** Takes a row of jb-score: its trials are rows of those trials. */
  private addResult(given: Row): Item {
    const { settings } = this
    settings.onResult?.()
    const row = given.has('error') ? given : relabelled(given, settings, this.context)
    const error = row.has('error') ? row.get('error') : undefined
    const result = error ? undefined : row.get('result')
    const trials = row.get('trials') ?? []
    const cascade = row.get('cascade')
    const criteria = row.get('criteria') ?? []
    const model = runModel(row)
    const all = trials.map((one, place) => this.toldIn(one, place, row, criteria, cascade !== undefined))
    const run = this.runOf(row, model)
    const item = this.itemOf(run, row, settings.idOf !== undefined || row.has('item'))
    for (const [i, told] of all.entries()) {
      this.take(item, told, row, told.verdict && kindOf(told.verdict))
      item.seeOf(told)
      // One that failed before it had a model was given to this run, and made nothing of it.
      if (model === undefined || trials[i]!.model !== undefined || !told.error) seeProvenance(run, told)
    }
    run.named ||= all.some(({ verdict }) => verdict !== undefined)
    if (trials.length === 0) this.addUntried(item, result, error, row)
    if (result) {
      run.named = true
      addScoring(run.provenance, result)
    }
    const conflict = error && contradictionIn(error)
    if (conflict !== undefined) item.conflict ??= conflict
    else this.takeGiven(item, givenIn(result, error, trials, settings.reads === 'all'), row)
    if (cascade) seeCascade(item, cascade)
    return item
  }

  /** Adds a result without its trials, which stands for them; or an item that failed before it had any. */
  private addUntried(item: Item, result: Result | undefined, error: RowError | undefined, row: Row): void {
    const told = new Told({
      ...{ trial: NO_TRIAL, error, digest: 0, file: row.file, line: row.line },
      call: { digest: 0, error },
    })
    this.take(item, told, row, result && (result.kind ?? 'grade'))
  }

  /** What a row of jb-score says of a trial. @param place that of the trial among those of the row */
  private toldIn(
    one: TrialResult,
    place: number,
    row: Row,
    criteria: readonly Criterion[],
    cascaded: boolean,
  ): Told {
    const named = criteria.find(({ name }) => name === one.trial.criterion)
    const criterion = named ?? (criteria.length === 1 ? criteria[0] : undefined)
    const said = one.verdict && !one.error ? this.verdicts.read(one.verdict) : undefined
    const error: RowError | undefined = said
      ? undefined
      : (one.error ?? { stage: 'score', code: 'no_verdict', message: '' })
    const digest =
      one.digest ?? (said ? replyDigest(said.digest, undefined, one.verdict!.score, criterion?.name) : 0)
    const call = (of: Partial<TrialResult>): Call => ({
      ...callIn(of, cascaded ? of.model : undefined),
      parameters: of.parameters && this.shared.parameters(of.parameters),
    })
    return new Told({
      trial: this.shared.trial(trialOf(one.trial)),
      criteria: this.shared.value(criterion && [criterion]),
      verdict: said?.verdict,
      error,
      call: { ...call(one), digest, error },
      more: one.calls && one.calls.length > 0 ? one.calls.map(call) : undefined,
      digest,
      file: row.file,
      line: row.line,
      place,
    })
  }

  /** Of two results of an item the one with more trials counts; two of the same trials that differ contradict each other. */
  private takeGiven(item: Item, given: Given | undefined, row: Row): void {
    const other = item.given
    if (!given || given.key === other?.key) return
    if (given.result && other?.result && given.trials === other.trials && given.counts !== other.counts)
      item.conflict ??= 'several results of the same trials differ'
    if (other && !precedes(given, other)) return
    item.given = given
    given.kept = this.settings.keepResult?.(row)
  }

  /** Adds what a row says of a trial. */
  private take(item: Item, told: Told, row: Row, kind: Kind | undefined): void {
    const first = item.trial(told.trial.n)
    const isLead = this.takeFields(item, told, row, kind)
    const added = compareWith(told, first)
    this.last = added
    if (!first) item.addTrial(told)
    else if (added.isNew) first.others = [...(first.others ?? []), told]
    const { keepTrial } = this.settings
    if (keepTrial && (added.isNew || isKeptFor(added.same!, told, isLead))) {
      const one = added.isNew ? told : added.same!
      one.kept = keepTrial(row)
      one.place = told.place
    }
    if (added.stands >= SAME)
      item.repeat = {
        same: added.stands !== OTHER || item.repeat?.same === true,
        ...{ file: row.file, line: row.line },
      }
  }

  /** What an item's fields say is said by the rows of its lowest trial: by those with a reply, if there is one. @returns whether this row's count now */
  private takeFields(item: Item, { trial: { n }, error }: Told, row: Row, kind: Kind | undefined): boolean {
    const isReply = !error
    if (n > item.fieldsOf || (n === item.fieldsOf && item.fieldsReplied && !isReply)) return false
    const fields = this.fields.of(row, kind)
    if (n === item.fieldsOf && isReply === item.fieldsReplied) {
      if (fields === item.fields) return false
      if (isReply) item.apart = Math.min(item.apart, this.fields.apart(fields, item.fields!))
      if (compareFields(fields, item.fields!) >= 0) return false
    } else {
      item.apart = NEVER
      item.fieldsOf = n
      item.fieldsReplied = isReply
    }
    item.fields = fields
    item.own = this.settings.own?.(row)
    return true
  }

  private itemOf(run: Run, row: Row, isNamed: boolean): Item {
    if (!isNamed) return this.newItem(run, undefined, undefined)
    const { idOf, subject } = this.settings
    const id = idOf ? idOf(row) : (row.get('item') ?? itemId(row))
    const about = subject?.(row)
    // JSON text, which has no line end; what `join` makes is one piece, a template's result two and what holds them together.
    const key = about === undefined ? id : [about, id].join('\n')
    return run.items.get(key) ?? this.newItem(run, id, key)
  }

  private newItem(run: Run, id: string | undefined, key: string | undefined): Item {
    const item = new Item(run, id, key)
    this.all.push(item)
    if (key !== undefined) run.items.set(key, item)
    return item
  }

  private runOf(row: Row, model: string | undefined): Run {
    const part = this.settings.partOf?.(row)
    const { lastRun } = this
    if (lastRun && lastRun.identity.model === model && lastRun.identity.part === part) {
      const { identity } = lastRun
      if (RUN.every((key) => row.get(key) === identity[key])) return lastRun
    }
    const identity = identityOf(row, model)
    const key = part === undefined ? runKey(identity) : JSON.stringify([runKey(identity), part])
    let run = this.runs.get(key)
    if (!run)
      this.runs.set(
        key,
        (run = new Run(part === undefined ? identity : { ...identity, part }, this.settings, this.fields)),
      )
    return (this.lastRun = run)
  }

  /** What was sent besides the prompt. Of a call that failed only jb-call knew it. */
  private parametersOf(
    request: Jb['request'],
    reply: Reply | undefined,
    error: RowError | undefined,
  ): JsonObject | undefined {
    const given = reply?.parameters
    if ((!request && !given) || (!reply && error?.stage === 'call')) return undefined
    const { messages: _messages, prompt: _prompt, questions: _questions, ...rest } = request ?? {}
    return this.shared.parameters({ ...rest, ...given } as JsonObject)
  }

  /** The known runs that a run of failures without a model may be of: those of its judge, or all if it names no judge. */
  homesOf({ identity: lost }: Run): Run[] {
    return [...this.runs.values()].filter(({ named, identity }) => named && isHomeOf(identity, lost))
  }

  private join(): void {
    if (this.joined) return
    this.joined = true
    const homes = new Map<Run, Run[]>()
    for (const run of this.runs.values()) if (!run.named) homes.set(run, this.homesOf(run))
    if (homes.size > 0) {
      const { all } = this
      this.all = []
      for (const item of all) {
        this.all.push(item)
        for (const home of homes.get(item.run) ?? []) this.give(item, home)
      }
    }
    for (const { fields } of this.all)
      if (fields && fields.usual >= 0 && fields.usual < this.fields.best) this.fields.best = fields.usual
  }

  /** Gives the failures of an item without a model to a run: each trial that has no row there. @returns the item there; undefined where there are all */
  give(item: Item, run: Run): Item | undefined {
    const known = item.key === undefined ? undefined : run.items.get(item.key)
    const given = item.trials.filter(({ trial }) => !known?.trial(trial.n))
    if (given.length === 0) return undefined
    const home = known ?? this.newItem(run, item.id, item.key)
    if (!known) home.isGiven = true
    const isLead = item.fieldsOf < home.fieldsOf && given.some(({ trial }) => trial.n === item.fieldsOf)
    for (const told of given) {
      home.addTrial(told)
      for (const one of [told, ...(told.others ?? [])]) if (one.trial !== NO_TRIAL) home.seeOf(one)
    }
    if (isLead) {
      const { fields, fieldsOf, own } = item
      Object.assign(home, { fields, fieldsOf, fieldsReplied: false, apart: NEVER, own })
    }
    return home
  }
}

/** Whether a row is kept in place of one that says the same: a row of its own has a reply, one of jb-score none. */
const isKeptFor = (one: Told, told: Told, isLead: boolean): boolean =>
  one.place === undefined ? told.place === undefined && isLead : told.place === undefined || isLead

/** How a row stands to earlier rows of its trial. */
function compareWith(told: Told, first: Told | undefined): Added {
  if (!first) return { told, same: undefined, stands: FRESH, isNew: true }
  const isReply = !told.error
  let [stands, isPaid] = [FRESH, false]
  let same: Told | undefined
  for (const one of first.others ? [first, ...first.others] : [first]) {
    const isApart = one.asked !== 0 && told.asked !== 0 && one.asked !== told.asked
    const isAlike = one.rank === told.rank
    const isSame = isAlike && one.digest === told.digest && one.error?.code === told.error?.code
    const isCall = areSameCall(one.call, told.call)
    isPaid ||= isCall
    if (isApart || (isAlike && isReply && !isSame)) stands = OTHER
    else stands = Math.max(stands, isAlike && isReply ? CALL : KNOWN)
    if (isApart || !isCall || !saySame(one, told)) continue
    same = one
    one.asked ||= told.asked
  }
  if (isReply && stands === CALL && isPaid) stands = SAME
  return { told, same, stands, isNew: !same || told.more !== undefined }
}

function seeProvenance({ provenance }: Run, { trial, call, more = [] }: Told): void {
  for (const { served_model, parameters } of [call, ...more])
    seeTrial(provenance, trial, served_model, parameters)
}

/** All trials of an item were decided by one model. */
function seeCascade(item: Item, cascade: Cascade): void {
  const { stage } = item.cascade ?? cascade
  if (stage !== cascade.stage) item.conflict ??= 'several models of the cascade decided its trials'
  if (stage <= cascade.stage) item.cascade = cascade
}

/** The calls of earlier models of a cascade, of which only what they took counts. */
function earlierCalls(row: Row): Call[] | undefined {
  const earlier = row.get('earlier')
  return earlier?.map(({ reply, error }): Call => {
    const { model, usage, cost, ms, tries } = { ...(reply ?? error) } as Partial<Reply>
    return { model, usage, cost, ms, tries, digest: 0 }
  })
}

/** Its number, from 0, and how many there are: at least one more than that, if there are several. */
function trialOf(trial: Trial | undefined): Trial {
  if (!trial) return NO_TRIAL
  const { n = 0, of = 1 } = trial
  const all = of > 1 ? Math.max(of, n + 1) : 1
  return trial.n === n && trial.of === all ? trial : { ...trial, n, of: all }
}

/** What counts of a verdict, whatever its kind. Its label does where no decision is told from it. */
const READS = new Set(Object.values(KIND).flatMap(({ reads }) => reads))
/** Any other decision is read with its label. */
const DECISIONS: unknown[] = [undefined, 'A>B', 'B>A', 'A=B']

const isRead = (name: string, { decision }: Verdict) =>
  name === 'label' ? !DECISIONS.includes(decision) : READS.has(name)

/** The members of a verdict whose names are wanted, in their order. */
function partOf(verdict: Verdict, isWanted: (name: string) => boolean): JsonObject {
  const part: JsonObject = {}
  for (const name in verdict) if (isWanted(name)) part[name] = verdict[name] as JsonObject[string]
  return part
}

/** Verdicts: those that say the same are one object. */
class Verdicts {
  private readonly known = new Map<string, { verdict: Verdict; digest: number }>()
  private readonly more: ReadonlySet<string>
  private readonly all: boolean

  /** @param reads members that are kept, besides those that count */
  constructor(reads: readonly string[] | 'all') {
    this.all = reads === 'all'
    this.more = new Set(reads === 'all' ? [] : reads)
  }

  /** A verdict, as far as it is kept, and the digest of what counts of it without the score. */
  read(verdict: Verdict): { verdict: Verdict; digest: number } {
    const kept = partOf(verdict, (name) => isRead(name, verdict) || name === 'options' || this.more.has(name))
    const key = JSON.stringify(kept)
    let one = this.known.get(key)
    if (!one) {
      const counts = partOf(verdict, (name) => isRead(name, verdict))
      if ('score' in counts) counts.score = null
      one = { verdict: kept as unknown as Verdict, digest: textDigest(canonical(counts)) }
      this.known.set(key, one)
    }
    return this.all ? { verdict, digest: one.digest } : one
  }
}

/** Members of a trial that many items share. */
const SHARED = new Set(['n', 'of', 'order'])

/** Values of which many calls have the same, as one object. */
class Shared {
  private readonly texts = new Map<string, string>()
  private readonly trials = new Map<string, Trial>()
  private readonly values = new Map<string, object>()
  private readonly sent = new Map<string, JsonObject | undefined>()

  text(text: string): string {
    const known = this.texts.get(text)
    if (known === undefined) this.texts.set(text, text)
    return known ?? text
  }

  /** Most trials have a number and an order alone, which many items share. */
  trial(trial: Trial): Trial {
    const { n, of, order } = trial
    if (trial === NO_TRIAL || typeof order === 'object') return trial
    for (const name in trial) if (!SHARED.has(name)) return trial
    return getOrInsert(this.trials, `${n} ${of} ${order}`, () => trial)
  }

  value<T extends object>(value: T | undefined): T | undefined {
    return value && (getOrInsert(this.values, JSON.stringify(value), () => value) as T)
  }

  /** Parameters by value; undefined for none. */
  parameters(all: JsonObject): JsonObject | undefined {
    const key = JSON.stringify(all)
    if (this.sent.has(key)) return this.sent.get(key)
    const sent = Object.entries(all).filter(([, value]) => value !== null)
    const value = canonical(Object.fromEntries(sent))
    const one = sent.length === 0 ? undefined : (this.sent.get(value) ?? Object.fromEntries(sent))
    if (one) this.sent.set(value, one)
    this.sent.set(key, one)
    return one
  }
}
