/** Adds up the rows that a format's writer reads: for the gates, and for what is missing. */
import type { Format } from '../../formats/_format.ts'
import { append } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { Report, type Run } from '../../scoring/_report.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import { scoringModules } from '../../scoring/_scoring.ts'
import {
  countMissing,
  type ExpectOptions,
  expectedItems,
  expectedNumber,
  lacks,
  mismatches,
} from './expected.ts'
import { checkGates, type Gates } from './gates.ts'
import { checkMeasured } from './measured.ts'
import type { AggregateOptions } from './options.ts'

/** Keys of `jb` that a row has once a judge was asked about it. */
const JUDGED = ['judge', 'trial', 'verdict', 'result', 'error'] as const
export const isJudged = (row: Row) => JUDGED.some((key) => row.has(key))

export class Watch {
  /** A message for each run that has other items than those expected. */
  mismatches: string[] = []
  private readonly format: Format
  private readonly gates: Gates
  private readonly scorer: Scorer
  private readonly report: Report
  private readonly context: Context
  private runs: Run[] = []
  private rowsSeen = 0

  private constructor(format: Format, gates: Gates, scorer: Scorer, report: Report, context: Context) {
    this.format = format
    this.gates = gates
    this.scorer = scorer
    this.report = report
    this.context = context
  }

  /** Undefined where the format counts what is missing itself and there is no gate. */
  static async create(
    format: Format,
    gates: Gates,
    options: AggregateOptions,
    context: Context,
  ): Promise<Watch | undefined> {
    const { maxErrorRate, failUnder } = gates
    if (format.measured && (maxErrorRate ?? failUnder ?? options.expect) === undefined) return undefined
    const report = new Report(await scoringModules(), ['none'], { once: true })
    // What the writer says of its rows is not said again.
    const quiet = { stage: context.stage, note() {} }
    return new Watch(format, gates, await Scorer.create({ ...options }, quiet), report, context)
  }

  /** The same rows, then a failed one for each item that is missing. Trials are scored for the sums alone. */
  async *rows(rows: Rows, options: AggregateOptions): Rows {
    for await (const batch of rows) {
      for (const row of batch) this.add(row)
      yield batch
    }
    if (this.context.cut()) return
    for (const row of this.scorer.rest()) this.report.add(row)
    this.runs = this.report.finish()
    if (options.expect === undefined) return
    if (expectedNumber(options.expect) === undefined) yield* this.missingRows(options.expect, options)
    else this.mismatches = await countMissing(options.expect, this.runs, this.report, options, this.context)
  }

  private add(row: Row): void {
    this.rowsSeen++
    // A text's length, a nugget bank and a grade that a person gave need no judge.
    const needsNone = this.format.converts || this.format.measured
    if (needsNone && !isJudged(row)) return
    const result = this.scorer.add(row)
    if (result) this.report.add(result, this.scorer.idOf(result, row))
  }

  private async *missingRows(path: string, options: ExpectOptions): Rows {
    const named = new Map<Run, string[]>()
    let all = 0
    for await (const batch of expectedItems(path, options, this.context)) {
      const missing: Row[] = []
      for (const { id, row } of batch) {
        all++
        for (const run of this.runs.filter((one) => lacks(one, id))) {
          run.all.addMissing(1)
          append(named, run, id)
          missing.push(missingRow(row, run, id))
        }
      }
      if (missing.length > 0) yield missing
    }
    this.mismatches = mismatches(path, this.runs, named, all)
  }

  check(settings: { ci: number }): void {
    if (this.rowsSeen === 0 || this.runs.some(({ all }) => all.items > 0))
      checkMeasured(this.runs, this.report.firstFailure, this.context)
    checkGates(this.runs, this.gates, settings, this.context)
  }
}

/** An item of which there is nothing, as a row that failed. */
function missingRow(row: Row, { identity }: Run, id: string): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name'] as const) {
    const value = identity[key]
    if (value !== undefined) made.set(key, value)
  }
  const detail = identity.model === undefined ? {} : { model: identity.model }
  return made
    .set('item', id)
    .fail('aggregate', new RowFailure('missing', 'there is no row of this item', detail))
}
