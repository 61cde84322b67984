/** Rows of trials and results, as results that are added up: of similar rows the first alone is scored. */
import type { Rows } from '../rows/reader.ts'
import type { Latin1, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { Modules } from './_group.ts'
import { type Known, ResultCache } from './_result_cache.ts'
import { forEachRow, isProbe } from './_scored_rows.ts'
import { Scorer } from './_scorer.ts'
import type { ScoreSettings } from './_scoring.ts'
import { TrialPairs } from './_trial_pairs.ts'
import { hasFailures } from './_undecided.ts'

/** Where results are added up. */
export interface Sums<T extends Known> {
  readonly modules: Modules
  /**
   * Takes a row of jb-score, or one that failed.
   * @param item JSON text of the item's id; undefined where it has none of its own
   * @returns what can be taken again for a row like this one; undefined where there is nothing
   */
  add(result: Row, item?: Latin1): T | undefined
  /**
   * Takes what is known for a row like the one it was made for, or two like these.
   * @returns false where the rows have to be looked at one by one
   */
  addSimilar(known: T, row: Row, second?: Row): boolean
  /** Fields of the user's part that decide where the result of a row counts. */
  reads(row: Row): readonly string[]
}

export interface AccumulatorSettings extends ScoreSettings {
  /** Every row is scored. */
  each?: boolean
}

export class Accumulator<T extends Known, S extends Sums<T> = Sums<T>> {
  readonly sums: S
  /** Has the items that are not complete. */
  readonly scorer: Scorer
  /** Rows about items that jb-render --probe changed: they count for nothing here. */
  probes = 0
  private readonly context: Context
  private readonly cache: ResultCache<T> | undefined
  private readonly isHeld: AccumulatorSettings['isHeld']
  private readonly pairing: boolean
  private readonly onResult: () => void

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
    if (!settings.each) this.cache = new ResultCache(sums.modules, settings)
    this.isHeld = settings.isHeld
    this.pairing = this.cache !== undefined && settings.isHeld === undefined
  }

  /** @param onResult told of each row that is a result already */
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
    const { sums, scorer, cache, context, isHeld } = this
    /** What is wrong with a row that was read before is not the next one's fault. */
    const earliest = (row: Row) => this.gather([row])
    const two = (first: Row, second: Row) => {
      earliest(first)
      const result = scorer.add(second)
      if (!result) return pairs!.apart(second)
      const entry = sums.add(result, first.itemBytes)
      if (entry?.trials.length !== 2 || entry.error !== undefined) return
      const rows = trialOf(first) <= trialOf(second) ? [first, second] : [second, first]
      cache!.keep(rows[0]!, entry, sums.reads(rows[0]!), rows)
    }
    const pairs = this.pairing ? new TrialPairs(scorer.waiting()) : undefined
    for await (const batch of rows) {
      forEachRow(batch, context, (row) => {
        const known = cache?.find(row)
        if (known && !isHeld?.(row, known.trials[0]?.model) && sums.addSimilar(known, row)) return
        if (isProbe(row)) {
          this.probes++
          return
        }
        const earlier = pairs?.take(row, earliest)
        if (earlier === undefined) this.one(row)
        else if (earlier !== 'waits') {
          // What the item says is what the row of its first trial says, whichever came first.
          const inOrder = trialOf(earlier) <= trialOf(row)
          const [first, second] = inOrder ? [earlier, row] : [row, earlier]
          const both = cache!.find(first, second)
          if (!both || !sums.addSimilar(both, first, second)) two(earlier, row)
        }
      })
      pairs?.keep()
      scorer.settle()
    }
    if (!context.cut()) pairs?.end(earliest)
  }

  /** Adds rows one by one. */
  gather(rows: readonly Row[]): void {
    forEachRow(rows, this.context, (row) => this.one(row))
  }

  /** All rows are there: what is not complete never will be. */
  end(): void {
    const { sums, scorer, context } = this
    if (context.cut()) return
    forEachRow([...scorer.rest()], context, (row) => sums.add(row))
  }

  private one(row: Row): void {
    const { cache, sums } = this
    const result = this.scorer.add(row)
    if (!result) return
    const entry = sums.add(result, this.scorer.idOf(result, row))
    if (result === row && result.has('result')) this.onResult()
    // A result of several trials depends on rows before this one.
    if (!entry) return
    // One that failed here is told of, each with its place.
    if (entry.error !== undefined && !row.has('error')) return
    if (hasFailures(entry)) return
    if (result === row) cache?.keep(row, entry, sums.reads(row))
    else if (entry.trials.length === 1) cache?.keep(row, entry, sums.reads(row), [row])
  }
}

/** The number of a row's trial. */
const trialOf = (row: Row) => (row.sharedJb!.trialNumber ??= row.get('trial')!.n)
