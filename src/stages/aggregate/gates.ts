/** Gates: --max-error-rate and --fail-under, for jb's own report and for what --as writes. */
import type { Rows } from '../../rows/reader.ts'
import { EXIT, type Json, type JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, unheard } from '../../rows/stage.ts'
import { Report, type Run } from '../../scoring/_report.ts'
import { Scorer, scoringModules } from '../../scoring/_scorer.ts'
import type { ScoreSettings } from '../../scoring/_scoring.ts'
import { LEADERBOARD_FORMATS } from '../../trec/columns.ts'
import { runReport } from './print.ts'

export interface GateSettings {
  as?: string
  ci: number
  maxErrorRate?: number
  failUnder?: number
}

type Value = Json | undefined

/** What --fail-under looks at: its name in messages, and the number. */
type Overall = (report: JsonObject) => [name: string, value: Value]

/** In jb's own report. */
const ownOverall: Overall = ({ accuracy, score }) =>
  accuracy === undefined ? ['score', score] : ['accuracy', accuracy]

/** Formats that print a number over all, and what that is for one judge and model. */
const OVERALL: Record<string, Overall> = {
  // Failed items are not correct there.
  judgebench: ({ correct, items }) => ['accuracy', share(correct, items)],
  // A tie is worth nothing there, whatever --tie says.
  'rm-gallery': ({ correct, valid }) => ['accuracy', share(correct, valid)],
  'lm-eval': ({ score }) => ['score', score],
  'mt-bench': ({ score }) => ['score', score],
}

const share = (count: Value, of: Value) => (of ? Number(count ?? 0) / Number(of) : undefined)

/** Their writers count the values that are missing, failed or not there, and hold --max-error-rate themselves. */
const COUNT_MISSING: ReadonlySet<string> = new Set(['trec', 'spread', ...LEADERBOARD_FORMATS])

/** Ends the run with exit code 1 where a run has missed a gate. */
export function checkGates(runs: Run[], options: GateSettings, context: Context): void {
  for (const run of runs) {
    const who = [run.judge, run.name, run.model].filter(Boolean).join(' ') || 'the run'
    const { items, failed } = run.all
    if (options.maxErrorRate !== undefined && failed / Math.max(1, items) > options.maxErrorRate)
      context.finish(
        EXIT.gate,
        `${who}: ${failed} of ${items} items failed, more than --max-error-rate ${options.maxErrorRate}`,
      )
    // Where nothing came in, whatever stands before this failed.
    if (options.maxErrorRate !== undefined && items === 0)
      context.finish(EXIT.gate, `${who}: no items, where --max-error-rate looks at them`)
    if (options.failUnder === undefined) continue
    const [name, value] = (OVERALL[options.as ?? ''] ?? ownOverall)(runReport(run, options))
    if (typeof value !== 'number' || value < options.failUnder)
      context.finish(
        EXIT.gate,
        `${who}: ${name} ${value ?? 'of no valid item'} is below --fail-under ${options.failUnder}`,
      )
  }
}

/** Whether --fail-under is to be held. @throws Fatal (usage) where it has no meaning */
export function holdsFailUnder({ as = '', failUnder }: GateSettings, context: Context): boolean {
  if (failUnder === undefined) return false
  if (OVERALL[as]) return true
  const those = Object.keys(OVERALL).join(', ')
  unheard('fail-under', `--as ${as} has no accuracy or mean score over all (${those} have)`, context)
  return false
}

/** A shard's sums miss no gate: the whole does. @throws Fatal (usage) where the command line has one */
export function checkPartial({ maxErrorRate, failUnder }: GateSettings, context: Context): void {
  const why = 'a gate is for the whole: give it to --merge'
  if (maxErrorRate !== undefined) unheard('max-error-rate', why, context)
  if (failUnder !== undefined) unheard('fail-under', why, context)
}

/** Rows on their way to a format's writer, added up beside it for the gates. */
export class Watch {
  private readonly scorer: Scorer
  private readonly report: Report

  private constructor(scorer: Scorer, report: Report) {
    this.scorer = scorer
    this.report = report
  }

  /** Undefined where no gate asks for it. */
  static async create(options: GateSettings & ScoreSettings, { stage }: Context): Promise<Watch | undefined> {
    const { as = '', maxErrorRate, failUnder } = options
    const counts = maxErrorRate !== undefined && !COUNT_MISSING.has(as)
    if (!counts && failUnder === undefined) return undefined
    const report = new Report(await scoringModules(), ['none'])
    return new Watch(await Scorer.create({ ...options }, stage), report)
  }

  /** The same rows; trials are scored for the sums alone. */
  async *rows(rows: Rows): Rows {
    for await (const batch of rows) {
      for (const row of batch) this.add(row)
      yield batch
    }
    for (const row of this.scorer.rest()) this.report.add(row)
  }

  private add(row: Row): void {
    // A length or a grade of people's needs no judge.
    if (!(['judge', 'trial', 'verdict', 'result', 'error'] as const).some((key) => row.has(key))) return
    const result = this.scorer.add(row)
    if (result) this.report.add(result)
  }

  check(options: GateSettings, context: Context): void {
    checkGates(this.report.finish(), options, context)
  }
}
