/** Adds up the results of rows of trials and results. */
import type { Rows } from '../rows/reader.ts'
import type { Latin1, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { CountedItem, Modules } from './_group.ts'
import { hashItem } from './_item_hash.ts'
import { ItemTable } from './_item_table.ts'
import { RowPartitions } from './_row_partitions.ts'
import { forEachRow, isProbe } from './_scored_rows.ts'
import { Scorer } from './_scorer.ts'
import type { ScoreSettings } from './_scoring.ts'

/** Where results are added up. */
export interface Sums<T extends CountedItem> {
  readonly modules: Modules
  /**
   * Adds a row of jb-score, or one that failed.
   * @param item JSON text of the item's id; undefined if the row has none
   */
  add(result: Row, item?: Latin1): T | undefined
  /** Counts items of which all rows were added. */
  settle?(): void
}

/** Incomplete items from which on the rows of others are set aside. */
const WAITING = 4096

interface AccumulatorSettings extends ScoreSettings {
  /** Results may be added in another order than that of their rows. */
  setsAside?: boolean
}

export class Accumulator<T extends CountedItem, S extends Sums<T> = Sums<T>> {
  readonly sums: S
  /** Holds the incomplete items. */
  readonly scorer: Scorer
  /** The number of rows about items that jb-render --probe changed, which are left out. */
  probes = 0
  private readonly context: Context
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
  }

  /** @param onResult called for each row that is a result already */
  static async create<T extends CountedItem, S extends Sums<T>>(
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
    await this.addRows(rows)
  }

  /** @param together whether all rows of an item are among these */
  private async addRows(rows: Rows, together = false): Promise<void> {
    const { scorer, context } = this
    const { isHeld } = this.settings
    const add = (row: Row) => {
      // Millions of items may be in doubt, and each takes kilobytes in the scorer.
      if (isHeld?.(row) && !isProbe(row)) return together ? this.one(row) : this.putAside(row)
      if (isProbe(row)) {
        this.probes++
        return
      }
      if (scorer.open.size >= WAITING && this.setAside(row)) return
      this.one(row)
    }
    for await (const batch of rows) {
      forEachRow(batch, context, add)
      scorer.settle()
    }
  }

  /**
   * Sets a trial's row aside if the trials of items are far apart, as after `cat ab.ndjson ba.ndjson`, because an item
   * in the scorer takes kilobytes. @returns false if the scorer must take the row, because it has the item
   */
  private setAside(row: Row): boolean {
    const { settings, scorer } = this
    const item = row.itemBytes
    if (!settings.setsAside || item === undefined) return false
    if (row.has('result') || (row.get('trial')?.of ?? 1) < 2) return false
    if (!this.inScorer) {
      this.inScorer = new ItemTable()
      for (const { row } of scorer.waiting()) {
        hashItem(row.itemBytes!)
        this.inScorer.take(1)
      }
    }
    hashItem(item)
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
        await this.addRows(group, true)
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
    const result = this.scorer.add(row)
    if (!result) return
    this.sums.add(result, this.scorer.idOf(result, row))
    if (row.has('result')) this.onResult()
  }
}
