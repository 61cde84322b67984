/**
 * One row for each item, as soon as its trials are there. As long as an item has a failed trial, its row waits for the end of
 * the input; of items that were written the ledger knows what a row adds to them.
 */

import type { Lines } from '../../rows/lines.ts'
import { MODEL_FIELDS } from '../../rows/pair_fields.ts'
import type { Rows } from '../../rows/reader.ts'
import type { TrialResult } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { Items, together } from '../../scoring/items.ts'
import type { ScoreSettings } from '../../scoring/kind.ts'
import { CALL, FRESH, OTHER, SAME } from '../../scoring/ledger.ts'
import { scoredRow } from '../../scoring/scored_row.ts'
import { isPaid, itemRow } from '../../scoring/trial_result.ts'

/** What jb-score writes. */
export async function* releasedItems(rows: Rows, settings: ScoreSettings, context: Context): Rows {
  const items = await Items.create({ ...settings, subject: modelsOf, probes: true }, context)
  const releaser = new Releaser(items, settings, context)
  try {
    for await (const lines of items.intake.lines(rows)) {
      const results: Row[] = []
      while (lines.next()) {
        const row = releaser.take(lines)
        if (row) results.push(row)
      }
      if (results.length > 0) yield results
    }
    yield* together(releaser.rest(context.cut()))
  } finally {
    items.close()
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

class Releaser {
  private readonly items: Items
  private readonly settings: ScoreSettings
  private readonly context: Context
  /** Items that were written, and have more trials by a later row. */
  private readonly reopened = new Set<number>()
  private readonly parked = new Set<number>()
  /** How many items were whole with failed trials. */
  private failures = 0

  constructor(items: Items, settings: ScoreSettings, context: Context) {
    this.items = items
    this.settings = settings
    this.context = context
  }

  /** Takes a row; returns that of the item that it completed, or says of a written one what it did not. */
  take(lines: Lines): Row | undefined {
    const { items } = this
    const { ledger } = items.intake
    const row = lines.row()
    if (!isTrial(row)) return row
    const item = items.take((intake) => intake.take(lines))
    const one = items.intake.trial()
    if (ledger.isReleased(item)) return this.again(item, one)
    this.noteSame(one)
    items.hold(item)
    return ledger.isWhole(item) && !this.parked.has(item) ? this.close(item) : undefined
  }

  /** The row of an item whose trials are all there; undefined if it waits, as those that failed may be tried again. */
  private close(item: number): Row | undefined {
    const { items } = this
    if (items.mayBeTriedAgain(item)) {
      if (this.failures++ >= items.fullAt && items.park(item)) this.parked.add(item)
      return undefined
    }
    items.intake.ledger.release(item)
    return items.release(item)
  }

  /** A row of an item that was written. */
  private again(item: number, one: TrialResult): Row | undefined {
    const { items, reopened } = this
    const { ledger } = items.intake
    const { stands } = ledger
    const differs = items.leads.taken !== 0 && items.leads.differs(ledger.leadOf(item))
    if (stands === OTHER || (!one.error && differs))
      return this.alone(
        one,
        1,
        `trial ${one.trial.n} has another ${one.error ? 'prompt' : 'reply, prompt, label or group'} than in an earlier row, after which the item was written (--combine takes both replies if the rows of an item stand together)`,
      )
    if (stands === FRESH || !ledger.isWhole(item) || reopened.has(item)) return this.reopen(item, one)
    if (one.error) return ledger.added > 0 && isPaid(one) ? this.alone(one, 1) : undefined
    this.noteSame(one, ledger.added > 0 ? ' from another call: a row says what that cost' : undefined)
    return ledger.added > 0 ? this.alone(one, one.trial.of) : undefined
  }

  /** Later rows say that a written item has more trials: with all of them it is written again. */
  private reopen(item: number, one: TrialResult): Row | undefined {
    const { items, reopened } = this
    const { ledger } = items.intake
    if (one.error && ledger.stands !== FRESH) return undefined
    reopened.add(item)
    items.hold(item, true)
    if (items.trialsOf(item) < ledger.countOf(item) || items.mayBeTriedAgain(item)) return undefined
    reopened.delete(item)
    this.note(
      `was written with fewer trials than the ${ledger.countOf(item)} of later rows: it is written again`,
      'more trials',
    )
    return items.release(item)
  }

  /** A row of one trial of an item that was written. */
  private alone(one: TrialResult, of: number, conflict?: string): Row {
    const { intake } = this.items
    const row = intake.current.row()
    const criterion = row.get('criterion')
    const given = { row: itemRow(row), trials: [one], of, asked: criterion ? [criterion] : [], conflict }
    return scoredRow(given, this.settings, this.context)
  }

  private noteSame(one: TrialResult, more = ': it counts once'): void {
    const { stands } = this.items.intake.ledger
    if (stands < SAME || stands === OTHER || one.error) return
    const kind = stands === CALL && more.startsWith(' ') ? 'same reply again' : 'same trial again'
    this.note(`, trial ${one.trial.n} was there already, with the same reply${more}`, kind)
  }

  private note(words: string, kind: string): void {
    const row = this.items.intake.current.row()
    const space = words.startsWith(',') ? '' : ' '
    this.context.note(`item ${JSON.stringify(row.get('item'))}${space}${words}`, {
      file: row.file,
      line: row.line,
      kind,
    })
  }

  /** What is left at the end of the input. @param cut see Context.cut: then it is unknown what is incomplete */
  *rest(cut: boolean): Generator<Row> {
    const { items, reopened } = this
    const { ledger } = items.intake
    if (!cut) items.giveLost(true)
    yield* items.releaseParked()
    if (cut) {
      for (const item of items.waiting())
        if (ledger.isWhole(item) && !reopened.has(item)) yield items.release(item)
      return
    }
    for (const item of reopened) {
      if (!items.holds(item)) continue
      const [has, of] = [items.trialsOf(item), ledger.countOf(item)]
      const conflict = `the item was written with fewer than the ${of} trials that later rows say, and these have ${has} of them`
      yield items.release(item, conflict)
    }
    yield* items.releaseHeld()
  }
}
