/**
 * One row for each item, as soon as its trials are there. As long as an item has a failed trial, its row waits for the end of
 * the input; of items that were written the ledger knows what a row adds to them.
 */

import { shortId } from '../../rows/controls.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { MODEL_FIELDS } from '../../rows/pair_fields.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import type { Item } from '../../scoring/item.ts'
import { haveOtherFields, whyConflict } from '../../scoring/item_result.ts'
import { type ScoreSettings, scoreSettings } from '../../scoring/kind.ts'
import { type Added, CALL, FRESH, Ledger, OTHER, SAME } from '../../scoring/ledger.ts'
import { forEachRow } from '../../scoring/rows.ts'
import { rowOf, scoredRow, together } from '../../scoring/scored_rows.ts'
import { callsOf, isPaid, itemRow, type Told, trialResult } from '../../scoring/trial_result.ts'
import { IN_MEMORY, Parked } from './parked.ts'

/** What jb-score writes. @param onResult is called for each row that is a result already */
export async function* releasedItems(
  rows: Rows,
  settings: ScoreSettings,
  context: Context,
  onResult: () => void = () => {},
): Rows {
  const all = { ...settings, subject: modelsOf, probes: true }
  const kept = { reads: 'all', own: (row: Row) => itemRow(row), strict: true } as const
  // Of an item that is written at once, it is not known yet which groups there are.
  const ledger = new Ledger({ ...(await scoreSettings(all)), ...kept }, context)
  const releaser = new Releaser(ledger, settings, context)
  try {
    for await (const batch of rows) {
      forEachRow(batch, context, (row) => row.has('result') && onResult())
      const results = batch.flatMap((row) => releaser.take(row) ?? [])
      if (results.length > 0) yield results
    }
    yield* together(releaser.rest(context.cut()))
  } finally {
    releaser.close()
  }
}

/** The models of a battle: several battles may have one id, as in jb-rank. */
export function modelsOf(row: Row): string | undefined {
  for (const [first, second] of MODEL_FIELDS) {
    const one = row.fieldText(first)
    const other = one === undefined ? undefined : row.fieldText(second)
    if (other !== undefined) return `${one},${other}`
  }
  return undefined
}

/** Results, and failures without a trial, are passed on. */
const isTrial = (row: Row): boolean =>
  !row.has('result') && !(row.has('error') && (row.has('trials') || !row.has('trial')))

/** Whether another try may come of a trial that failed: not for replies that were never read. */
const mayBeTriedAgain = (trials: readonly Told[]): boolean =>
  trials.some((one) => [one, ...(one.others ?? [])].every(({ error }) => error && error.stage !== 'score'))

class Releaser {
  private readonly ledger: Ledger
  private readonly settings: ScoreSettings
  private readonly context: Context
  private readonly parked = new Parked()
  private readonly isParked = new Set<Item>()
  /** Items that were written, and have more trials by a later row: by trial what rows said since. */
  private readonly reopened = new Map<Item, Map<number, Told>>()
  /** How many items were whole with failed trials. */
  private failures = 0

  constructor(ledger: Ledger, settings: ScoreSettings, context: Context) {
    this.ledger = ledger
    this.settings = settings
    this.context = context
  }

  /** Takes a row; returns that of the item that it completed, or says of a written one what it did not. */
  take(row: Row): Row | undefined {
    if (!isTrial(row)) return row
    const { ledger } = this
    const item = ledger.add(row)!
    const added = ledger.last!
    if (item.released) return this.again(item, row, added)
    this.noteSame(item, row, added)
    return item.isWhole && !this.isParked.has(item) ? this.finish(item) : undefined
  }

  /** The row of an item whose trials are all there; undefined if it waits, as those that failed may be tried again. */
  private finish(item: Item): Row | undefined {
    if (!mayBeTriedAgain(item.trials)) return this.release(item)
    if (this.failures++ >= IN_MEMORY && this.parked.add(item)) this.isParked.add(item)
    return undefined
  }

  /** The row of an item, of which only what tells its replies and calls apart is kept. */
  private release(item: Item, conflict?: string): Row {
    const row = rowOf(item, this.context, conflict)
    item.released = true
    item.own = undefined
    for (const told of item.rows()) told.verdict = undefined
    return row
  }

  /** A row of an item that was written. */
  private again(item: Item, row: Row, added: Added): Row | undefined {
    const { told, stands, isNew } = added
    if (stands === OTHER || (!told.error && haveOtherFields(item)))
      return this.alone(
        item,
        row,
        told,
        `trial ${told.trial.n} has another ${told.error ? 'prompt' : 'reply, prompt, label or group'} than in an earlier row, after which the item was written (--combine takes both replies if the rows of an item stand together)`,
      )
    if (item.isWhole && told.trial.of < item.of) return this.alone(item, row, told, whyConflict(item, []))
    if (stands === FRESH || !item.isWhole || this.reopened.has(item)) return this.reopen(item, row, added)
    if (told.error) return isNew && isPaid(told.call) ? this.alone(item, row, told) : undefined
    this.noteSame(item, row, added, isNew ? ' from another call: a row says what that cost' : undefined)
    return isNew ? this.alone(item, row, told) : undefined
  }

  /** Later rows say that a written item has more trials: with all of them it is written again. */
  private reopen(item: Item, row: Row, { told, same, stands }: Added): Row | undefined {
    if (told.error && stands !== FRESH) return undefined
    const later = getOrInsert(this.reopened, item, () => new Map<number, Told>())
    if (same) same.verdict = told.verdict
    later.set(told.trial.n, item.trial(told.trial.n)!)
    item.own ??= itemRow(row)
    if (later.size < item.of || mayBeTriedAgain([...later.values()])) return undefined
    this.reopened.delete(item)
    this.note(
      item,
      row,
      ` was written with fewer trials than the ${item.of} of later rows: it is written again`,
      'more trials',
    )
    return this.release(item)
  }

  /** A row of one trial of an item that was written. */
  private alone(item: Item, row: Row, told: Told, conflict?: string): Row {
    const { criteria, trial, error } = told
    const trials = [
      trialResult(told, callsOf(told, [told]), (error?.model as string) ?? item.run.identity.model),
    ]
    const of = conflict === undefined && !error ? trial.of : 1
    const given = { row: itemRow(row), trials, of, asked: criteria ?? [], conflict }
    return scoredRow(given, this.settings, this.context)
  }

  private noteSame(item: Item, row: Row, { told, stands }: Added, more = ': it counts once'): void {
    if (stands < SAME || stands === OTHER || told.error) return
    const kind = stands === CALL && more.startsWith(' ') ? 'same reply again' : 'same trial again'
    this.note(item, row, `, trial ${told.trial.n} was there already, with the same reply${more}`, kind)
  }

  private note(item: Item, { file, line }: Row, words: string, kind: string): void {
    this.context.note(`item ${JSON.stringify(shortId(String(item.id)))}${words}`, { file, line, kind })
  }

  /** What is left at the end of the input. @param cut see Context.cut: then it is unknown what is incomplete */
  *rest(cut: boolean): Generator<Row> {
    const { ledger, reopened } = this
    const rest = cut ? ledger.all.filter((item) => item.isWhole) : this.withoutLost()
    for (const item of this.parked.restored()) yield this.release(item)
    if (!cut)
      for (const [item, later] of reopened)
        yield this.release(
          item,
          `the item was written with fewer than the ${item.of} trials that later rows say, and these have ${later.size} of them`,
        )
    for (const item of rest) if (!item.released) yield this.release(item)
  }

  /**
   * The items, those that failed before they had a model given to the runs that have them, too: where none has, it stays one of
   * its own, for whoever adds up rows knows whose it is.
   */
  private withoutLost(): Item[] {
    const { ledger } = this
    const shared = new Set<Item>()
    for (const item of ledger.all) {
      if (item.run.named) continue
      const homes = ledger.homesOf(item.run)
      const known = homes.filter(({ items }) => item.key !== undefined && items.has(item.key))
      for (const home of known) if (!home.items.get(item.key!)!.released) ledger.give(item, home)
      if (homes.length > 0 && known.length === homes.length) shared.add(item)
    }
    return ledger.all.filter((item) => !shared.has(item))
  }

  close(): void {
    this.parked.close()
  }
}
