/** Rows of jb-score: their trials are rows of those trials, and their results are compared. */
import {
  type Criterion,
  isObject,
  type Json,
  type Kind,
  type Result,
  type RowError,
  type TrialResult,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { CallReader } from './calls.ts'
import { Interned } from './interned.ts'
import { canonical } from './kind.ts'
import { kindOf } from './kinds.ts'
import { type Entry, FRESH, type Ledger, UNTRIED } from './ledger.ts'
import type { Meanings } from './meanings.ts'
import { identityOf, type RunIdentity, runModel } from './run_identity.ts'
import { isContradiction } from './trial_result.ts'

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

/** What takes the trials of a row, which are set in its entry one after another. */
interface TrialTaker {
  readonly ledger: Ledger
  readonly meanings: Meanings
  readonly calls: CallReader
  readonly entry: Entry
  readonly current: { kind: Kind | undefined }
  begin(identity: RunIdentity, row: Row, more: Pick<Entry, 'plain' | 'lost'>): void
  setTrial(n: number, of: number): void
  fail(code: string, told: () => { stage: string; message: string }): void
  record(item: number, trial: () => TrialResult, made?: boolean): void
  recordCall(item: number): void
  seeResult(result: Result): void
}

export class ResultRows {
  readonly results = new Interned<ItemResult>()
  /** Why items failed that jb-score wrote as conflicts. */
  readonly conflicts = new Map<number, string>()
  private readonly intake: TrialTaker
  private readonly ledger: Ledger
  /** Results are kept with the texts that no figure depends on. */
  private readonly texts: boolean

  constructor(intake: TrialTaker, texts: boolean) {
    this.intake = intake
    this.ledger = intake.ledger
    this.texts = texts
  }

  /** Takes a row with a result, or one of an item that failed. @returns its item */
  take(row: Row): number {
    const { intake, ledger } = this
    const error = row.has('error') ? row.get('error') : undefined
    const result = error ? undefined : row.get('result')
    const trials = row.get('trials') ?? []
    const cascaded = row.has('cascade')
    const criteria = row.get('criteria') ?? []
    const model = runModel(row)
    intake.begin(identityOf(row, model), row, { plain: false, lost: model === undefined && !result })
    const item = ledger.itemOf(intake.entry)
    let stands = FRESH
    for (const one of trials) {
      // One that failed before it had a model was given to this run, and made nothing of it.
      const made = model === undefined || one.model !== undefined || !one.error
      this.addTrial(one, criteria, { item, made, cascaded })
      stands = Math.max(stands, ledger.stands)
    }
    if (trials.length === 0) this.addUntried(result, error, item)
    if (result) intake.seeResult(result)
    if (error && isContradiction(error)) {
      ledger.setConflict(item)
      this.conflicts.set(item, error.message)
    } else this.takeResult(item, result, error, trials)
    ledger.stands = stands
    return item
  }

  private addTrial(
    one: TrialResult,
    criteria: readonly Criterion[],
    { item, made, cascaded }: { item: number; made: boolean; cascaded: boolean },
  ): void {
    const { intake, ledger } = this
    const { entry, meanings, calls } = intake
    const { n = 0, of = 1, ...trial } = one.trial
    const named = criteria.find(({ name }) => name === trial.criterion)
    intake.setTrial(n, of)
    entry.ask = meanings.ask(trial, named ?? (criteria.length === 1 ? criteria[0] : undefined))
    const { verdict, digest } = one
    if (verdict && !one.error) {
      intake.current.kind = kindOf(verdict)
      entry.value = typeof verdict.score === 'number' ? verdict.score : Number.NaN
      entry.said = meanings.saying(verdict)
      entry.reply =
        typeof digest === 'number' ? digest : meanings.digest(entry.said, entry.value, 0, entry.ask)
    } else this.setFailure(one.error, digest)
    calls.take(one, cascaded ? one.model : undefined)
    intake.record(item, () => one, made)
    const { stands } = ledger
    for (const call of one.calls ?? []) {
      if (call.error) this.setFailure(call.error, call.digest)
      else {
        entry.said = UNTRIED
        entry.reply = Number(call.digest ?? 0)
      }
      calls.take(call, cascaded ? call.model : undefined)
      intake.recordCall(item)
    }
    ledger.stands = stands
  }

  private setFailure(error: RowError | undefined, digest: unknown): void {
    const { code = 'no_verdict', stage = 'score', message = '' } = error ?? {}
    this.intake.current.kind = undefined
    this.intake.fail(code, () => ({ stage, message }))
    this.intake.entry.reply = typeof digest === 'number' ? digest : 0
  }

  /** A result without its trials, which stands for them; or an item that failed before it had any. */
  private addUntried(result: Result | undefined, error: RowError | undefined, item: number): void {
    const { intake } = this
    const { entry, meanings, calls } = intake
    intake.setTrial(0, 1)
    entry.ask = meanings.ask({}, undefined)
    if (result) {
      intake.current.kind = result.kind ?? 'grade'
      entry.said = UNTRIED
      entry.value = Number.NaN
      entry.reply = 0
    } else this.setFailure(error, undefined)
    calls.take({})
    intake.record(item, () => ({ trial: { n: 0, of: 1 }, ...(error && { error }) }))
  }

  /** Of two results of an item the one with more trials counts; two of the same trials that differ contradict each other. */
  private takeResult(
    item: number,
    result: Result | undefined,
    error: RowError | undefined,
    trials: readonly TrialResult[],
  ): void {
    const derived = error?.code === 'incomplete' || trials.some((one) => one.error)
    if (!result && (derived || trials.length === 0)) return
    const { ledger } = this
    if (error) this.intake.fail(error.code, () => error)
    const kept = result && (this.texts ? result : withoutTexts(result))
    const one: ItemResult = {
      result: kept,
      code: error ? ledger.code(error.code) : 0,
      trials: trials.length,
      counts: result ? countedOf(result) : '',
    }
    const number = this.results.number(canonical([kept ?? error!.code, one.trials]), () => one)
    const known = ledger.resultOf(item)
    if (known === number) return
    const other = known === 0 ? undefined : this.results.values[known]!
    if (other?.result && kept && one.trials === other.trials && one.counts !== other.counts)
      ledger.setConflict(item)
    if (!other || this.precedes(one, other)) ledger.setResult(item, number)
  }

  private precedes(one: ItemResult, other: ItemResult): boolean {
    if (!one.result !== !other.result) return one.result !== undefined
    if (!one.result) return this.ledger.compareCodes(one.code, other.code) < 0
    return one.trials > other.trials || (one.trials === other.trials && one.counts < other.counts)
  }
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
  const { explanation: _1, feedback: _2, reason: _3, items, ...kept } = result
  if (Array.isArray(items))
    kept.items = items.map((one) => (isObject(one) ? withoutTexts(one as Result) : one)) as Json[]
  return kept
}
