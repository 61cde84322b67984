/**
 * One row for each item, also if its trials come again after it was written, unless later rows have more of them. As long as
 * an item has a failed trial, its row waits for the end of the input. Of all others a table has the digests of their trials,
 * at most 16 bytes for each.
 */
import { itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import type { TrialResult } from '../../rows/record.ts'
import { decode, encode, type Latin1, type Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { callDigest, failureCode, failureDigest, joinedDigest, mix } from '../../scoring/_digest.ts'
import { hash, hashTrial } from '../../scoring/_item_hash.ts'
import { ItemTable, LOW_BITS } from '../../scoring/_item_table.ts'
import { labelFields } from '../../scoring/_label.ts'
import { addItem, type OpenItem } from '../../scoring/_open_item.ts'
import { identityOf, possibleRuns, type RunIdentity } from '../../scoring/_run_identity.ts'
import { forEachRow } from '../../scoring/_scored_rows.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import { BY_DEFAULT, type ScoreSettings } from '../../scoring/_scoring.ts'
import { isPaid, isTrial, itemKey, trialCount, trialResult } from '../../scoring/_trial.ts'
import { FailedItems, mayBeTriedAgain } from './failed_items.ts'
import { hashRow, keyOf } from './item_key.ts'

/** Rows that are written together at the end. */
const TOGETHER = 256
/** Failed items that wait in memory, which is faster than in a file. */
const IN_MEMORY = 4096

/** The trials of one version of a judge with one model. */
class SeenRun {
  readonly number: number
  readonly identity: RunIdentity
  /** Whose runs it is one of. */
  readonly owner: object
  readonly trials = new ItemTable()
  /** Items whose rows wait. */
  readonly waiting = new ItemTable()
  /** The number of replies. */
  valid = 0
  /** Whether an item has several trials. */
  several = false

  constructor(number: number, identity: RunIdentity, owner: object) {
    this.number = number
    this.identity = identity
    this.owner = owner
  }
}

/** What jb-score writes: as {@link scoredRows}, with one row for each item. */
export async function* scoredOnce(rows: Rows, settings: ScoreSettings, context: Context): Rows {
  const once = new Once(await Scorer.create({ ...settings }, context), settings, context)
  try {
    for await (const batch of rows) {
      const results: Row[] = []
      forEachRow(batch, context, (row) => {
        const result = once.add(row)
        if (result) results.push(result)
      })
      once.scorer.settle()
      if (results.length > 0) yield results
    }
    let together: Row[] = []
    for (const row of once.rest(context.cut())) {
      if (together.push(row) < TOGETHER) continue
      yield together
      together = []
    }
    if (together.length > 0) yield together
  } finally {
    once.failed.close()
  }
}

class Once {
  readonly scorer: Scorer
  readonly failed = new FailedItems()
  private readonly runs = new Map<string, SeenRun>()
  /** The number of failed items. */
  private waiting = 0
  /** Keys of written items that have more trials by a later row, and are open again. */
  private readonly reopened = new Set<string>()
  /** The hash of the row's item. */
  private readonly item = new Uint32Array(2)
  private readonly labels: readonly string[]
  private readonly context: Context

  constructor(scorer: Scorer, { label }: ScoreSettings, context: Context) {
    this.scorer = scorer
    this.labels = labelFields({ label })
    this.context = context
  }

  /** Takes a row; returns that of the item that it completed, or says of a written one what it did not. */
  add(row: Row): Row | undefined {
    const { scorer } = this
    if (!isTrial(row)) return scorer.add(row)
    const one = trialResult(row, row.get('trial') ?? { n: 0, of: 1 })
    const of = trialCount(one.trial)
    // Without an id, a row that comes again cannot be told from another item.
    if (of === 1 && !row.has('item')) return scorer.alone(row, one)
    const run = this.runOf(row, one.model)
    if (!row.has('item')) {
      const key = keyOf(run, row, encode(JSON.stringify(itemId(row))))
      const item = scorer.takeRow(key, row, one, of)
      return item.trials.size < item.of ? undefined : scorer.release(key, item)
    }
    hashRow(row)
    const waits = run.waiting.size > 0 && run.waiting.has
    this.item.set(hash)
    hashTrial(one.trial.n)
    const known = run.trials.digest
    const digest = this.digestOf(row, one)
    const wasReply = known !== 0 && failureCode(known) === undefined
    run.several ||= of > 1
    let result: Row | undefined
    let kept = false
    if (of === 1 && known === 0 && !one.error && !waits && !run.several) result = scorer.alone(row, one)
    else {
      const key = keyOf(run, row, row.itemBytes!)
      const { n } = one.trial
      if (!waits && !scorer.open.has(key) && (n === 0 ? wasReply : this.isReplied(run, 0, n))) {
        // The item was written. If not with all of its trials, it is written again.
        const isSame = one.error !== undefined || (known ^ digest) >>> LOW_BITS === 0
        if (wasReply && (!isSame || this.isReplied(run, of - 1, n)))
          return this.again(row, one, known ^ digest)
        this.reopened.add(key)
      }
      const item = scorer.takeRow(key, row, one, of)
      if (!waits && item.trials.size >= item.of) {
        if (!mayBeTriedAgain(item)) result = scorer.release(key, item)
        else kept = this.waiting++ >= IN_MEMORY && !this.reopened.has(key) && this.failed.add(key, item)
        if (kept) scorer.drop(key, item)
        if (result && this.reopened.delete(key))
          this.context.note(
            `item ${decode(row.itemBytes!)} was written with fewer trials than the ${item.of} of later rows: it is written again`,
            { file: row.file, line: row.line, kind: 'more trials' },
          )
      }
    }
    // Not before: a row that cannot be read comes again as a failed one.
    if (known === 0) run.trials.take(digest)
    else if (!one.error && !wasReply) run.trials.replace(digest)
    if (!one.error) run.valid++
    if (kept) {
      hashRow(row)
      run.waiting.take(1)
    }
    return result
  }

  /** Whether the run has a reply to a trial of the row's item. @param own the row's trial, which is hashed afterwards */
  private isReplied(run: SeenRun, n: number, own: number): boolean {
    hash.set(this.item)
    hashTrial(n)
    const { digest } = run.trials
    hash.set(this.item)
    hashTrial(own)
    return digest !== 0 && failureCode(digest) === undefined
  }

  /** A trial of an item whose row was written. @param difference between the digests of the two */
  private again(row: Row, one: TrialResult, difference: number): Row | undefined {
    const { n } = one.trial
    const { note } = this.context
    const where = { file: row.file, line: row.line }
    const what = `item ${decode(row.itemBytes!)}, trial ${n}`
    if (one.error) return isPaid(one) ? this.scorer.alone(row, one) : undefined
    if (difference === 0)
      note(`${what} was there already, with the same reply: it counts once`, {
        ...where,
        kind: 'same trial again',
      })
    else if (difference >>> LOW_BITS === 0) {
      note(`${what} was there already, with the same reply from another call: a row says what that cost`, {
        ...where,
        kind: 'same reply again',
      })
      return this.scorer.alone(row, one, trialCount(one.trial))
    } else
      return this.scorer.alone(
        row,
        one,
        1,
        `trial ${n} has another reply, label or group than in an earlier row, after which the item was written (--combine takes both replies if the rows of an item stand together)`,
      )
    return undefined
  }

  /** What is left at the end of the input. @param cut see Context.cut: then it is unknown what is incomplete */
  *rest(cut: boolean): Generator<Row> {
    const { scorer } = this
    for (const [key, item] of this.failed.all()) {
      const later = scorer.open.get(key)
      if (later) {
        scorer.takeEarlier(later, item)
        yield scorer.release(key, later)
      } else if (item.model !== undefined || this.possible(key).length === 0 || cut)
        yield scorer.release(key, item)
      else addItem(scorer.open, key, item)
    }
    if (!cut) scorer.joinFailures()
    for (const key of cut ? [] : this.reopened) {
      const item = scorer.open.get(key)
      if (!item) continue
      const [has, of] = [item.trials.size, item.of]
      item.conflict ??= `the item was written with fewer than the ${of} trials that later rows say, and these have ${has} of them`
      item.of = has
    }
    for (const [key, item] of scorer.open)
      if (cut) {
        if (item.trials.size >= item.of) yield scorer.release(key, item)
      } else if (item.model === undefined && this.isTriedAgain(key, item)) scorer.drop(key, item)
    if (!cut) yield* scorer.rest()
  }

  /** The runs that the item may belong to, if its run has no model. */
  private possible(key: string): SeenRun[] {
    const runs = [...this.runs.values()]
    return possibleRuns(runs[Number.parseInt(key, 10)]!, runs) ?? []
  }

  /** Whether all of these runs have its trials. */
  private isTriedAgain(key: string, { row, trials }: OpenItem): boolean {
    const possible = this.possible(key)
    const has = (run: SeenRun) =>
      [...trials.keys()].every((n) => {
        hashRow(row)
        hashTrial(n)
        return run.trials.has
      })
    return possible.length > 0 && possible.every(has)
  }

  private runOf(row: Row, model: string | undefined): SeenRun {
    const { sharedJb } = row
    const known = sharedJb?.run as SeenRun | undefined
    if (known?.owner === this) return known
    const key = itemKey(row, model, () => '' as Latin1)
    const run = getOrInsert(this.runs, key, () => new SeenRun(this.runs.size, identityOf(row, model), this))
    if (sharedJb) sharedJb.run = run
    return run
  }

  /**
   * Digest of a trial: of its failure; or in the high bits of its reply (and for the first trial of the fields that count),
   * in the low ones of its call.
   */
  private digestOf(row: Row, one: TrialResult): number {
    if (one.error) return failureDigest(one.error.code)
    const reply = joinedDigest(one.trial.n === 0 ? this.fieldsDigest(row) : 0, Number(one.digest))
    const call = (joinedDigest(0, callDigest(one)) >>> (33 - LOW_BITS)) | (1 << (LOW_BITS - 1))
    return ((reply >>> 16) << LOW_BITS) | call
  }

  /** Digest of the label and the usual group. */
  private fieldsDigest(row: Row): number {
    let digest = 0
    for (const field of this.labels) {
      const text = row.fieldBytes(field) ?? (field.includes('.') ? row.fieldText(field) : undefined)
      if (text !== undefined) digest = mix(digest, text)
    }
    for (const field of BY_DEFAULT) {
      const text = row.fieldBytes(field)
      if (text !== undefined) return mix(digest, text)
    }
    return digest
  }
}
