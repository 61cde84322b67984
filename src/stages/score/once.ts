/**
 * One row for each item, also if its trials come again after it was written, unless later rows have more of them. As long as
 * an item has a failed trial, its row waits for the end of the input. Of all trials a table has the digests, at most 16 bytes
 * for each: they tell what a row adds to an item that is not in memory any more ({@link Place}).
 */
import { itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import type { TrialResult } from '../../rows/record.ts'
import { decode, encode, type Latin1, type Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { callDigest, failureDigest, joinedDigest, mix } from '../../scoring/_digest.ts'
import { LOW_BITS } from '../../scoring/_item_table.ts'
import { labelFields } from '../../scoring/_label.ts'
import { decisionOf } from '../../scoring/_label_terms.ts'
import { addItem, type OpenItem } from '../../scoring/_open_item.ts'
import { identityOf, possibleRuns } from '../../scoring/_run_identity.ts'
import { forEachRow } from '../../scoring/_scored_rows.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import { BY_DEFAULT, type ScoreSettings } from '../../scoring/_scoring.ts'
import { isPaid, isTrial, itemKey, trialCount, trialResult } from '../../scoring/_trial.ts'
import { FailedItems, mayBeTriedAgain } from './failed_items.ts'
import { keyOf } from './item_key.ts'
import { askAbout, isReply, SeenRun } from './seen_run.ts'

/** Rows that are written together at the end. */
const TOGETHER = 256
/** Failed items that wait in memory, which is faster than in a file. */
const IN_MEMORY = 4096

/** Where the item of a row is. */
type Place =
  /** No trial of it was seen, or none with a reply. */
  | 'nowhere'
  /** In memory: it lacks trials, or some failed, which may be tried again. */
  | 'open'
  /** All trials were there and some failed. Later rows open it again, next to what the file has of it. */
  | 'in file'
  /** Its row was written, as all trials were there. */
  | 'written'

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
  /** How many items were complete with failed trials. */
  private failures = 0
  /** Keys of written items that have more trials by a later row, and are open again. */
  private readonly reopened = new Set<string>()
  private readonly labels: readonly string[]
  private readonly isNamed: boolean
  private readonly context: Context

  constructor(scorer: Scorer, { label }: ScoreSettings, context: Context) {
    this.scorer = scorer
    this.labels = labelFields({ label })
    this.isNamed = label !== undefined
    this.context = context
  }

  /** Takes a row; returns that of the item that it completed, or says of a written one what it did not. */
  add(row: Row): Row | undefined {
    const { scorer } = this
    if (!isTrial(row)) return scorer.add(row)
    const one = trialResult(row, row.get('trial') ?? { n: 0, of: 1 })
    const of = trialCount(one.trial)
    if (!row.has('item')) return this.addWithoutId(row, one, of)
    const run = this.runOf(row, one.model)
    run.several ||= of > 1
    askAbout(row)
    const known = run.digest(one.trial.n)
    const digest = this.digestOf(row, one)
    let result: Row | undefined
    // Most rows: a reply to the only trial of a new item.
    if (of === 1 && known === 0 && !one.error && !run.several && !run.isInFile)
      result = scorer.alone(row, one)
    else {
      const key = keyOf(run, row, row.itemBytes!)
      const place = this.placeOf(run, key)
      if (place === 'written') {
        // The row has this reply, or another to the same trial; unless later rows say that the item has more trials.
        const isSame = one.error !== undefined || (known ^ digest) >>> LOW_BITS === 0
        if (isReply(known) && (!isSame || isReply(run.digest(of - 1))))
          return this.again(row, one, known ^ digest)
        this.reopened.add(key)
      }
      const item = scorer.takeRow(key, row, one, of)
      if (place !== 'in file' && item.trials.size >= item.of) result = this.close(run, key, item, row)
    }
    // Not before: a row that cannot be read comes again as a failed one.
    run.remember(one.trial.n, known, digest)
    return result
  }

  /** A row without an id. If it comes again, it cannot be told from another item. */
  private addWithoutId(row: Row, one: TrialResult, of: number): Row | undefined {
    if (of === 1) return this.scorer.alone(row, one)
    const key = keyOf(this.runOf(row, one.model), row, encode(JSON.stringify(itemId(row))))
    const item = this.scorer.takeRow(key, row, one, of)
    return item.trials.size < item.of ? undefined : this.scorer.release(key, item)
  }

  private placeOf(run: SeenRun, key: string): Place {
    if (run.isInFile) return 'in file'
    if (this.scorer.open.has(key)) return 'open'
    return isReply(run.digest(0)) ? 'written' : 'nowhere'
  }

  /** The row of an item whose trials are all there; undefined if it waits, as those that failed may be tried again. */
  private close(run: SeenRun, key: string, item: OpenItem, row: Row): Row | undefined {
    const { scorer } = this
    if (mayBeTriedAgain(item)) {
      if (this.failures++ >= IN_MEMORY && !this.reopened.has(key) && this.failed.add(key, item)) {
        scorer.drop(key, item)
        run.addToFile()
      }
      return undefined
    }
    const result = scorer.release(key, item)
    if (this.reopened.delete(key))
      this.context.note(
        `item ${decode(row.itemBytes!)} was written with fewer trials than the ${item.of} of later rows: it is written again`,
        { file: row.file, line: row.line, kind: 'more trials' },
      )
    return result
  }

  /** A trial of an item whose row was written. @param difference between the digests of the two */
  private again(row: Row, one: TrialResult, difference: number): Row | undefined {
    const { n } = one.trial
    if (one.error) return isPaid(one) ? this.scorer.alone(row, one) : undefined
    if (difference >>> LOW_BITS !== 0)
      return this.scorer.alone(
        row,
        one,
        1,
        `trial ${n} has another reply, label or group than in an earlier row, after which the item was written (--combine takes both replies if the rows of an item stand together)`,
      )
    const isSameCall = difference === 0
    this.context.note(
      `item ${decode(row.itemBytes!)}, trial ${n} was there already, with the same reply${isSameCall ? ': it counts once' : ' from another call: a row says what that cost'}`,
      { file: row.file, line: row.line, kind: isSameCall ? 'same trial again' : 'same reply again' },
    )
    return isSameCall ? undefined : this.scorer.alone(row, one, trialCount(one.trial))
  }

  /** What is left at the end of the input. @param cut see Context.cut: then it is unknown what is incomplete */
  *rest(cut: boolean): Generator<Row> {
    const { scorer } = this
    yield* this.restOfFile(cut)
    if (cut) {
      for (const [key, item] of scorer.open) if (item.trials.size >= item.of) yield scorer.release(key, item)
      return
    }
    scorer.joinFailures()
    for (const key of this.reopened) {
      const item = scorer.open.get(key)
      if (!item) continue
      const [has, of] = [item.trials.size, item.of]
      item.conflict ??= `the item was written with fewer than the ${of} trials that later rows say, and these have ${has} of them`
      item.of = has
    }
    for (const [key, item] of scorer.open)
      if (item.model === undefined && this.isTriedAgain(key, item)) scorer.drop(key, item)
    yield* scorer.rest()
  }

  /** Items that waited in the file, with what later rows have of them. */
  private *restOfFile(cut: boolean): Generator<Row> {
    const { scorer } = this
    for (const [key, item] of this.failed.all()) {
      const later = scorer.open.get(key)
      if (later) scorer.takeEarlier(later, item)
      // A failure without a model may be one of another run.
      else if (item.model === undefined && !cut && this.possible(key).length > 0) {
        addItem(scorer.open, key, item)
        continue
      }
      yield scorer.release(key, later ?? item)
    }
  }

  /** The runs that the item may belong to, if its run has no model. */
  private possible(key: string): SeenRun[] {
    const runs = [...this.runs.values()]
    return possibleRuns(runs[Number.parseInt(key, 10)]!, runs) ?? []
  }

  /** Whether all of these runs have its trials. */
  private isTriedAgain(key: string, { row, trials }: OpenItem): boolean {
    const possible = this.possible(key)
    askAbout(row)
    const has = (run: SeenRun) => [...trials.keys()].every((n) => run.digest(n) !== 0)
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
    const reply = joinedDigest(one.trial.n === 0 ? this.fieldsDigest(row, one) : 0, Number(one.digest))
    const call = (joinedDigest(0, callDigest(one)) >>> (33 - LOW_BITS)) | (1 << (LOW_BITS - 1))
    return ((reply >>> 16) << LOW_BITS) | call
  }

  /** Digest of the label and the usual group. */
  private fieldsDigest(row: Row, { verdict }: TrialResult): number {
    let digest = 0
    // The label of a grade counts only with --label.
    const isGrade = verdict?.score !== undefined && verdict.option === undefined
    for (const field of isGrade && !this.isNamed ? [] : this.labels) {
      const text = row.fieldBytes(field) ?? (field.includes('.') ? row.fieldText(field) : undefined)
      if (text === undefined) continue
      // A decision has several names.
      digest = mix(digest, (verdict?.decision && decisionOf(JSON.parse(text))) || text)
    }
    for (const field of BY_DEFAULT) {
      const text = row.fieldBytes(field)
      if (text !== undefined) return mix(digest, text)
    }
    return digest
  }
}
