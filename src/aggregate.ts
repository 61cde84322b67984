/** jb-aggregate: results → a report. */
import { printCsv, printJson, runReport } from './aggregate/print.ts'
import { printMarkdown, printTable } from './aggregate/table.ts'
import { Report, type Run } from './aggregate/tally.ts'
import { Twins } from './aggregate/twins.ts'
import { formatOf } from './formats/_format.ts'
import type { Rows } from './lines.ts'
import type { spec } from './options/aggregate.ts'
import type { OptionsOf } from './options.ts'
import { EXIT, Fatal, type JsonObject, usageError } from './record.ts'
import type { Row } from './row.ts'
import { Scorer, scoringModules } from './scoring/_scorer.ts'
import { atRow, type Context, type Stage } from './stage.ts'
import type { TruthSettings } from './trec/truth.ts'

export type AggregateOptions = OptionsOf<typeof spec>

/** Yields the text of one report over all rows. */
export const aggregate: Stage<AggregateOptions> = async function* (rows, options, context) {
  if (options.truth !== undefined) {
    const { compareWithTruth } = await import('./trec/truth.ts')
    yield* compareWithTruth(options as TruthSettings, context)
    return
  }
  if (options.save !== undefined && options.as !== 'lm-eval')
    throw usageError('--save goes with --as lm-eval')
  const format = options.as === undefined ? undefined : await formatOf(options.as, 'write')
  if (format) {
    yield* format.write(format.unscored ? rows : scored(rows, options, context), options, context)
    return
  }
  const modules = await scoringModules()
  const report = new Report(modules, options.by)
  if (options.merge)
    for await (const batch of rows) for (const row of batch) report.merge(stateOf(row.item, row.place))
  else {
    const scorer = await Scorer.create({ ...options }, context.stage)
    const twins = new Twins(report, modules, options)
    for await (const batch of rows) each(batch, (row) => count(row, scorer, report, twins))
    each([...scorer.rest()], (row) => report.add(row))
  }
  if (options.partial) {
    for (const state of report.states()) yield `${JSON.stringify(state)}\n`
    return
  }
  const runs = report.finish()
  yield await print(runs, options, context)
  checkGates(runs, options, context)
}

function count(row: Row, scorer: Scorer, report: Report, twins: Twins): void {
  const known = twins.find(row)
  if (known) {
    report.again(known)
    return
  }
  const result = scorer.add(row)
  // A result of several trials depends on rows that were before this one.
  const entry = result && report.add(result)
  if (entry && (result === row || entry.trials.length === 1)) twins.keep(row, entry)
}

/** Names the row in an unexpected error. */
function each(batch: Row[], work: (row: Row) => unknown): void {
  let i = 0
  try {
    for (; i < batch.length; i++) work(batch[i]!)
  } catch (error) {
    throw atRow(error, batch[i]!)
  }
}

/** Results, whether the rows are results already or trials that have to be scored. */
async function* scored(rows: Rows, options: AggregateOptions, context: Context): Rows {
  const scorer = await Scorer.create({ ...options }, context.stage)
  for await (const batch of rows) {
    const out: Row[] = []
    each(batch, (row) => {
      const result = scorer.add(row)
      if (result) out.push(result)
    })
    if (out.length > 0) yield out
  }
  const rest = [...scorer.rest()]
  if (rest.length > 0) yield rest
}

function stateOf(item: JsonObject, place: string): JsonObject {
  if (item.state !== 1 || !item.all)
    throw new Fatal(EXIT.data, `${place}: --merge reads what --partial wrote, this is another row`)
  return item
}

async function print(runs: Run[], options: AggregateOptions, { terminal }: Context): Promise<string> {
  const settings = { ci: options.ci, color: terminal.color }
  switch (options.format ?? (terminal.output ? 'table' : 'json')) {
    case 'table':
      return printTable(runs, settings)
    case 'csv':
      return printCsv(runs, settings, ',')
    case 'tsv':
      return printCsv(runs, settings, '\t')
    case 'markdown':
      return printMarkdown(runs, settings)
    default:
      return printJson(runs, settings)
  }
}

function checkGates(runs: Run[], options: AggregateOptions, context: Context): void {
  for (const run of runs) {
    const who = [run.judge, run.name, run.model].filter(Boolean).join(' ') || 'the run'
    const { items, failed } = run.all
    if (options.maxErrorRate !== undefined && failed > options.maxErrorRate * items)
      context.finish(
        EXIT.gate,
        `${who}: ${failed} of ${items} items failed, more than --max-error-rate ${options.maxErrorRate}`,
      )
    if (options.failUnder === undefined) continue
    const report = runReport(run, options)
    const value = report.accuracy ?? report.score
    if (typeof value !== 'number' || value < options.failUnder)
      context.finish(
        EXIT.gate,
        `${who}: ${report.accuracy === undefined ? 'score' : 'accuracy'} ${value ?? 'of no valid item'} is below --fail-under ${options.failUnder}`,
      )
  }
}
