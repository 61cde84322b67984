/** Rows of trials and results, added up in a report. */
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import type { Report } from '../../scoring/_report.ts'
import { forEachRow, isProbe } from '../../scoring/_scored.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import type { ScoreSettings } from '../../scoring/_scoring.ts'
import { settled } from './already_scored.ts'
import type { AggregateOptions } from './options.ts'
import { Pairs } from './pairs.ts'
import { ResultCache } from './result_cache.ts'

export type Adding = AggregateOptions & Pick<ScoreSettings, 'isHeld' | 'isPart'>

export class Adder {
  readonly report: Report
  /** Has the items that are not complete. */
  readonly scorer: Scorer
  /** Rows about items that jb-render --probe changed: they count for nothing here. */
  probes = 0
  private readonly context: Context
  private readonly cache: ResultCache | undefined
  private readonly pairing: boolean
  private readonly onResult: () => void

  private constructor(
    report: Report,
    scorer: Scorer,
    options: Adding,
    context: Context,
    onResult: () => void,
  ) {
    this.report = report
    this.scorer = scorer
    this.context = context
    this.onResult = onResult
    if (options.combine === undefined && !options.common)
      this.cache = new ResultCache(report, report.modules, options)
    this.pairing = this.cache !== undefined && options.isHeld === undefined
  }

  /** @param onResult told of each row that is a result already */
  static async create(
    report: Report,
    options: Adding,
    context: Context,
    onResult = settled(options, context),
  ): Promise<Adder> {
    return new Adder(report, await Scorer.create({ ...options }, context), options, context, onResult)
  }

  async add(rows: Rows): Promise<void> {
    const { report, scorer, cache, context } = this
    /** What is wrong with a row that was read before is not the next one's fault. */
    const earliest = (row: Row) => this.gather([row])
    const two = (first: Row, second: Row) => {
      earliest(first)
      const result = scorer.add(second)
      if (!result) return pairs!.apart(second)
      const entry = report.add(result, first.itemBytes)
      if (entry?.trials.length !== 2 || entry.error !== undefined) return
      const rows = trialOf(first) <= trialOf(second) ? [first, second] : [second, first]
      cache!.keep(rows[0]!, entry, rows)
    }
    const pairs = this.pairing ? new Pairs(scorer.waiting()) : undefined
    for await (const batch of rows) {
      forEachRow(batch, context, (row) => {
        const known = cache?.find(row)
        if (known && report.alike(known, row)) return
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
          if (!both || !report.alike(both, first, second)) two(earlier, row)
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
    const { report, scorer, context } = this
    if (context.cut()) return
    forEachRow([...scorer.rest()], context, (row) => report.add(row))
  }

  private one(row: Row): void {
    const { cache } = this
    const result = this.scorer.add(row)
    if (!result) return
    // An item without an id of its own is not known again.
    const entry = this.report.add(result, row.itemBytes)
    if (result === row && result.has('result')) this.onResult()
    // A result of several trials depends on rows before this one.
    if (!entry) return
    // One that failed here is told of, each with its place.
    if (entry.error !== undefined && !row.has('error')) return
    if (result === row) cache?.keep(row, entry)
    else if (entry.trials.length === 1) cache?.keep(row, entry, [row])
  }
}

/** The number of a row's trial. */
const trialOf = (row: Row) => (row.sharedJb!.trialNumber ??= row.get('trial')!.n)
