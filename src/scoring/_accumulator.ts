/** Adds up the results of rows of trials and results. Of similar rows, only the first is scored. */
import type { Rows } from '../rows/reader.ts'
import type { Latin1, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { Modules } from './_group.ts'
import { hashItem, hashItemOf } from './_item_hash.ts'
import { ItemTable } from './_item_table.ts'
import { type Known, ResultCache } from './_result_cache.ts'
import { RowPartitions } from './_row_partitions.ts'
import { forEachRow, isProbe } from './_scored_rows.ts'
import { Scorer } from './_scorer.ts'
import type { ScoreSettings } from './_scoring.ts'
import { TrialPairs } from './_trial_pairs.ts'
import { hasCalls } from './_undecided.ts'

/** Where results are added up. */
export interface Sums<T extends Known> {
  readonly modules: Modules
  /**
   * Adds a row of jb-score, or one that failed.
   * @param item JSON text of the item's id; undefined if the row has none
   * @returns what to pass to {@link addSimilar} for a row like this one, if that is possible
   */
  add(result: Row, item?: Latin1): T | undefined
  /** Counts items of which all rows were added. */
  settle?(): void
  /**
   * Adds a known result for a row, or two rows of one item, like those it was computed from.
   * @returns false if the rows must be added one by one
   */
  addSimilar(known: T, row: Row, second?: Row): boolean
  /** Fields of the user's part that decide in which groups a row's result counts. */
  reads(row: Row): readonly string[]
}

interface AccumulatorSettings extends ScoreSettings {
  /** Score every row. */
  each?: boolean
  /** Results may be added in another order than that of their rows. */
  setsAside?: boolean
}

export class Accumulator<T extends Known, S extends Sums<T> = Sums<T>> {
  readonly sums: S
  /** Holds the incomplete items. */
  readonly scorer: Scorer
  /** The number of rows about items that jb-render --probe changed, which are left out. */
  probes = 0
  private readonly context: Context
  private readonly cache: ResultCache<T> | undefined
  private readonly pairing: boolean
  private readonly onResult: () => void
  private readonly settings: AccumulatorSettings
  /** Rows of items whose trials are far apart in the input, or that are in doubt. */
  private aside: RowPartitions | undefined
  /** Items that were in the scorer when the first row was set aside: all their rows go to the scorer. */
  private inScorer: ItemTable | undefined

  private constructor(
    sums: S,
    scorer: Scorer,
    settings: AccumulatorSettings,
    context: Context,
    onResult: () => void,
  ) {
    this.sums = sums
    this.scorer = scorer
    this.context = context
    this.onResult = onResult
    this.settings = settings
    if (!settings.each) this.cache = new ResultCache(sums.modules, settings)
    const { isHeld, subject, sampled } = settings
    this.pairing = this.cache !== undefined && !isHeld && !subject && !sampled
  }

  /** @param onResult called for each row that is a result already */
  static async create<T extends Known, S extends Sums<T>>(
    sums: S,
    settings: AccumulatorSettings,
    context: Context,
    onResult = () => {},
  ): Promise<Accumulator<T, S>> {
    return new Accumulator<T, S>(
      sums,
      await Scorer.create({ ...settings }, context),
      settings,
      context,
      onResult,
    )
  }

  async add(rows: Rows): Promise<void> {
    await this.addRows(rows, this.pairing ? new TrialPairs(this.scorer.waiting()) : undefined)
  }

  /** @param together whether all rows of an item are among these */
  private async addRows(rows: Rows, pairs: TrialPairs | undefined, together = false): Promise<void> {
    const { sums, scorer, cache, context } = this
    const { isHeld } = this.settings
    /** Scores a row on its own, so that its errors are not reported for a later row. */
    const alone = (row: Row) => this.gather([row])
    const add = (row: Row) => {
      // Millions of items may be in doubt, and each takes kilobytes in the scorer.
      if (isHeld?.(row) && !isProbe(row)) return together ? this.one(row) : this.putAside(row)
      const known = cache?.find(row)
      if (known && sums.addSimilar(known, row)) return
      if (isProbe(row)) {
        this.probes++
        return
      }
      if (pairs?.off && this.setAside(row)) return
      const earlier = pairs?.take(row, alone)
      if (earlier === undefined) this.one(row)
      else if (earlier !== 'waits') this.addPair(earlier, row, pairs!)
    }
    for await (const batch of rows) {
      forEachRow(batch, context, add)
      pairs?.keep()
      scorer.settle()
    }
    if (!context.cut()) pairs?.end(alone)
  }

  /** Adds an item by its two rows. */
  private addPair(earlier: Row, later: Row, pairs: TrialPairs): void {
    const { sums } = this
    const cache = this.cache!
    // An item's fields are those of the row of its first trial, whichever row came first.
    const inOrder = trialOf(earlier) <= trialOf(later)
    const [first, second] = inOrder ? [earlier, later] : [later, earlier]
    const known = cache.find(first, second)
    if (known && sums.addSimilar(known, first, second)) return
    this.gather([earlier])
    const result = this.scorer.add(later)
    if (!result) {
      pairs.leaveToScorer(later)
      return
    }
    const entry = sums.add(result, earlier.itemBytes)
    if (entry?.trials.length === 2 && entry.error === undefined)
      cache.keep(first, entry, sums.reads(first), [first, second])
  }

  /**
   * Sets a trial's row aside if the trials of items are far apart, as after `cat ab.ndjson ba.ndjson`, because an item
   * in the scorer takes kilobytes. @returns false if the scorer must take the row, because it has the item
   */
  private setAside(row: Row): boolean {
    const { settings, scorer } = this
    const line = row.unchanged
    if (!settings.setsAside || !line || line.item < 0) return false
    if (row.has('result') || (row.get('trial')?.of ?? 1) < 2) return false
    if (!this.inScorer) {
      this.inScorer = new ItemTable()
      for (const { row } of scorer.waiting()) {
        hashItem(row.itemBytes!)
        this.inScorer.take(1)
      }
    }
    hashItemOf(line)
    if (this.inScorer.has) return false
    this.putAside(row)
    return true
  }

  /** The row's item was hashed last. */
  private putAside(row: Row): void {
    this.aside ??= new RowPartitions(this.context)
    this.aside.add(row)
  }

  /** Adds rows one by one. */
  gather(rows: readonly Row[]): void {
    forEachRow(rows, this.context, (row) => this.one(row))
  }

  /** To be called after all rows: adds the items that are still incomplete. */
  async end(): Promise<void> {
    try {
      this.addIncomplete()
      for await (const group of this.aside?.groups() ?? []) {
        await this.addRows(group, this.pairing ? new TrialPairs([], true) : undefined, true)
        this.addIncomplete()
        this.sums.settle?.()
      }
    } finally {
      this.aside?.close()
    }
  }

  private addIncomplete(): void {
    const { sums, scorer, context } = this
    if (!context.cut()) forEachRow([...scorer.rest()], context, (row) => sums.add(row))
  }

  private one(row: Row): void {
    const { cache, sums } = this
    const result = this.scorer.add(row)
    if (!result) return
    const entry = sums.add(result, this.scorer.idOf(result, row))
    const wasResult = row.has('result')
    if (wasResult) this.onResult()
    // A result of several trials depends on rows before this one.
    if (!entry) return
    // An item that failed here is reported with its place, each time.
    if (entry.error !== undefined && !row.has('error')) return
    if (hasCalls(entry)) return
    if (result === row) cache?.keep(row, entry, sums.reads(row))
    else if (!wasResult && entry.trials.length === 1) cache?.keep(row, entry, sums.reads(row), [row])
  }
}

/** The number of a row's trial. */
const trialOf = (row: Row) => (row.sharedJb!.trialNumber ??= row.get('trial')!.n)
