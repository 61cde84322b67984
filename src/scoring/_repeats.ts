/**
 * Trials and results that occur more than once, whatever the order of the rows. An exact repeat counts once; a failure that
 * was tried again counts as the later try; different replies, or fields that a report depends on, are a failure (`conflict`).
 */
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { RowFailure } from '../rows/record.ts'
import { decode, type Latin1, type Row } from '../rows/row.ts'
import { type Context, forget } from '../rows/stage.ts'
import { CONFLICT, digestBits, failureCode, itemDigest, joinedDigest, mix, trialDigest } from './_digest.ts'
import { digestOfFields, type FieldsDigest, withResult } from './_item_fields.ts'
import { hashItem, hashTrial } from './_item_hash.ts'
import { ItemTable, LOW_BITS } from './_item_table.ts'
import { identityOf, possibleRuns, type RunIdentity, runModel } from './_run_identity.ts'
import type { Subject } from './_scoring.ts'
import { trialCount, trialResult } from './_trial.ts'

/** The trials and results of a run, with a digest of what each counts as when all rows are in. */
class RunDigests {
  /** First trials that were never asked, as the item failed before it had a model. */
  readonly unasked = new ItemTable()
  readonly identity: RunIdentity
  /** Replies and results. */
  valid = 0
  readonly results = new ItemTable()
  readonly trials = new ItemTable()
  /** Of each item, in place of a digest, the number of its trials: the largest that any of its rows gives. */
  readonly counts = new ItemTable()
  /** The least digest of the fields of all rows of a result or trial that count or conflict: that row is kept. */
  readonly leastFields = new ItemTable()
  /** Results and trials that the second pass has kept. */
  readonly kept = new ItemTable()

  constructor(identity: RunIdentity) {
    this.identity = identity
  }
}

/** What a row is: a result (or the failure of an item), or one of its trials. */
interface RowDigest {
  run: RunDigests
  /** JSON text of the item's id, or of that and its {@link Subject}. */
  item: Latin1
  /** Undefined for a result. */
  n: number | undefined
  digest: number
  /** Digest of the fields, with the message of a failure. */
  fieldsDigest: number
}

/** The most trials of an item that a table keeps apart, whose low bits are not 0. */
const MOST_TRIALS = 2 ** LOW_BITS - 1

/** Keys of `jb`: a row has one of them if a judge was asked about its item. */
const ASKED = ['result', 'verdict', 'error', 'trial'] as const

export class Repeats {
  private differ = false
  private readonly runs = new Map<string, RunDigests>()
  private last: { key: string; run: RunDigests } | undefined
  private readonly context: Pick<Context, 'stage' | 'note'>
  private readonly subject: Subject | undefined
  private readonly fieldsDigest: FieldsDigest | undefined

  constructor(context: Pick<Context, 'stage' | 'note'>, subject?: Subject, fieldsDigest?: FieldsDigest) {
    this.context = context
    this.subject = subject
    this.fieldsDigest = fieldsDigest
  }

  /** Whether rows conflict: a second pass must keep what {@link deduplicated} gives. */
  get conflict(): boolean {
    return this.differ || this.retried
  }

  /** Whether an item or trial that failed before it had a model occurs again with each model that it may belong to. */
  private get retried(): boolean {
    let found = false
    for (const modelless of this.runs.values()) {
      const possible = this.possibleRuns(modelless)
      if (possible.length === 0) continue
      for (const table of [modelless.unasked, modelless.trials])
        table.forEachItem(() => {
          found ||= possible.every(({ trials }) => trials.has)
        })
    }
    return found
  }

  /** The runs that these failures may belong to; none if they have a model. */
  private possibleRuns(modelless: RunDigests): RunDigests[] {
    return possibleRuns(modelless, [...this.runs.values()]) ?? []
  }

  /** The rows of the first pass without exact repeats. */
  async *withoutRepeats(rows: Rows): AsyncGenerator<Row[]> {
    for await (const batch of rows) yield batch.filter((row) => this.isNew(row))
  }

  /** The same rows in the second pass: one of each item and trial. */
  async *deduplicated(rows: Rows): Rows {
    for await (const batch of rows) {
      yield batch.filter((row) => {
        const rowDigest = this.rowDigest(row)
        return rowDigest === undefined || this.counts(row, rowDigest)
      })
    }
  }

  /** Undefined for a row without an item, or if no judge was asked about it. */
  private rowDigest(row: Row): RowDigest | undefined {
    const item = row.itemBytes
    if (item === undefined || !ASKED.some((key) => row.has(key))) return undefined
    const result = row.get('result')
    const trials = row.get('trials')
    const trial = row.get('trial')
    const whole = result !== undefined || trials !== undefined || (row.has('error') && trial === undefined)
    const one = whole ? undefined : trialResult(row, trial ?? { n: 0, of: 1 })
    const error = one ? one.error : row.get('error')
    const model = one?.model ?? runModel(row)
    const fields = withResult(this.fieldsOf(row, one?.trial.n), result)
    // Of failures with the same code the one with the least reply and message counts.
    const fieldsDigest = error
      ? mix(joinedDigest(fields, one?.digest ?? 0), row.text('error') ?? error.message)
      : fields
    return {
      fieldsDigest,
      run: this.runOf(row, model),
      item: this.subject?.(row, item) ?? item,
      n: one?.trial.n,
      digest: one
        ? trialDigest(one, fieldsDigest)
        : itemDigest(trials ?? [], result ? undefined : error?.code, fieldsDigest),
    }
  }

  private fieldsOf(row: Row, trial = 0): number {
    return this.fieldsDigest?.(row, trial) ?? digestOfFields(row, {}, [])
  }

  private runOf(row: Row, model: string | undefined): RunDigests {
    // The judge is usually that of the row before.
    const key = `${row.text('judge')}\n${row.text('judge_digest')}\n${row.text('name')}\n${row.text('variant')}\n${model}`
    if (key === this.last?.key) return this.last.run
    const run = getOrInsert(this.runs, key, () => new RunDigests(identityOf(row, model)))
    this.last = { key, run }
    return run
  }

  /** Whether the row is not an exact repeat. */
  private isNew(row: Row): boolean {
    const rowDigest = this.rowDigest(row)
    if (!rowDigest) return true
    const { run, item, n, digest, fieldsDigest } = rowDigest
    hashItem(item)
    if (n === undefined) {
      const same = this.add(run, run.results, digest, fieldsDigest)
      for (const one of row.get('trials') ?? []) {
        hashItem(item)
        hashTrial(one.trial.n)
        // Trials of an item whose result is there as well: which rows are left out is known at the end.
        if (!same && run.trials.has) this.differ = true
        if (typeof one.digest === 'number' || one.error)
          this.add(run, run.trials, trialDigest(one, this.fieldsOf(row, one.trial.n)))
      }
      if (run.identity.model === undefined && run.valid === 0) {
        hashItem(item)
        hashTrial(0)
        run.unasked.take(1)
      }
      return !same || this.repeated(row, 'the item')
    }
    const hasResult = run.results.has
    this.countTrials(row, run)
    hashTrial(n)
    if (this.add(run, run.trials, digest, fieldsDigest)) return this.repeated(row, `trial ${n}`)
    if (hasResult) this.differ = true
    return true
  }

  /**
   * Adds a digest of the item or trial hashed last.
   * @param fieldsDigest undefined for a trial in a result
   * @returns whether the same digest was there already
   */
  private add(run: RunDigests, table: ItemTable, digest: number, fieldsDigest?: number): boolean {
    const known = table.take(digest)
    if (failureCode(digest) === undefined) run.valid++
    const same = known === digest
    const counting = known === 0 || same ? digest : decide(known, digest)
    if (this.fieldsDigest && fieldsDigest !== undefined) {
      const bits = digestBits(fieldsDigest)
      const before = run.leastFields.take(bits)
      const ends = counting === digest && !same
      const joins = same || (counting === CONFLICT && failureCode(digest) === undefined)
      if (before !== 0 && (ends || (joins && bits < before))) {
        run.leastFields.replace(bits)
        this.differ = true
      }
    }
    if (known === 0 || same) return same
    this.differ = true
    table.replace(counting)
    return false
  }

  /** Notes how many trials the item hashed last has by this row. */
  private countTrials(row: Row, { counts }: RunDigests): void {
    const of = Math.min(trialCount(row.get('trial') ?? {}), MOST_TRIALS)
    const before = counts.take(of)
    if (before !== 0 && before !== of) this.differ = true
    if (before !== 0 && before < of) counts.replace(of)
  }

  private repeated(row: Row, what: string): false {
    this.context.note(
      `item ${decode(row.itemBytes!)}: ${what} was there already, with the same reply: it counts once`,
      { file: row.file, line: row.line, kind: 'same again' },
    )
    return false
  }

  /** Whether the row is the one that counts; of those that conflict the first, which fails. */
  private counts(row: Row, { run, item, n, digest, fieldsDigest }: RowDigest): boolean {
    const conflict = n === undefined ? this.trialsConflict(row, run, item) : false
    if (failureCode(digest) !== undefined && this.isRetried(run, item, n)) return false
    hashItem(item)
    // The result of an item stands for its trials.
    if (n !== undefined && run.results.has) return false
    if (n !== undefined) hashTrial(n)
    const table = n === undefined ? run.results : run.trials
    const counting = conflict ? CONFLICT : table.digest
    if (counting !== digest && counting !== CONFLICT) return false
    // One of the different replies says more than a failure.
    if (table.digest === CONFLICT && failureCode(digest) !== undefined) return false
    if (this.fieldsDigest && run.leastFields.digest !== digestBits(fieldsDigest)) return false
    if (run.kept.take(1) !== 0) return false
    if (counting === CONFLICT) this.fail(row, n)
    hashItem(item)
    const trial = row.get('trial') ?? { n: 0, of: 1 }
    const of = run.counts.digest
    if (n !== undefined && of > (trial.of ?? 1)) row.set('trial', { ...trial, of })
    return true
  }

  private isRetried(run: RunDigests, item: Latin1, n: number | undefined): boolean {
    const possible = this.possibleRuns(run)
    return (
      possible.length > 0 &&
      possible.every(({ trials }) => {
        hashItem(item)
        hashTrial(n ?? 0)
        return trials.has
      })
    )
  }

  /** Whether trials of the item, in rows of their own, have other verdicts. */
  private trialsConflict(row: Row, run: RunDigests, item: Latin1): boolean {
    return (row.get('trials') ?? []).some(({ trial }) => {
      hashItem(item)
      hashTrial(trial.n)
      return run.trials.digest === CONFLICT
    })
  }

  private fail(row: Row, n: number | undefined): void {
    const { stage, note } = this.context
    const what = n === undefined ? 'the item' : `trial ${n}`
    const all = stage === 'rank' ? '' : '; --combine takes all replies'
    note(
      `item ${decode(row.itemBytes!)}: ${what} occurs twice with different replies or fields: it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD${all})`,
      { file: row.file, line: row.line, kind: 'conflict again' },
    )
    const model =
      row.get('result')?.model ??
      row.get('trials')?.find((one) => one.model)?.model ??
      row.get('reply')?.model
    const detail = model === undefined ? {} : { model }
    // Which of its replies counts is unknown.
    forget(row, ['result', 'verdict', 'reply', 'trials'])
    row.fail(
      stage,
      new RowFailure(
        'conflict',
        `${what} is there several times, with replies or fields that differ`,
        detail,
      ),
    )
  }
}

/** Which of two different digests counts: a reply before a failure, and the failure with the lower code. */
function decide(known: number, digest: number): number {
  if (known === CONFLICT || digest === CONFLICT) return CONFLICT
  const [failedBefore, fails] = [failureCode(known), failureCode(digest)]
  if (failedBefore === undefined && fails === undefined) return CONFLICT
  if (failedBefore !== undefined && fails !== undefined) return Math.min(known, digest)
  return failedBefore === undefined ? known : digest
}
