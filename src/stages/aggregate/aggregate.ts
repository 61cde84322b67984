/** jb-aggregate: results → a report. */

import { formatOf } from '../../formats/_format.ts'
import type { OptionsOf } from '../../options/option.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context, type Stage, unheard } from '../../rows/stage.ts'
import { Report, type Run } from '../../scoring/_report.ts'
import { Scorer, scoringModules } from '../../scoring/_scorer.ts'
import type { TruthSettings } from '../../trec/truth.ts'
import { checkGates, checkPartial, holdsFailUnder, Watch } from './gates.ts'
import { checkMerge, settled } from './late.ts'
import type { spec } from './options.ts'
import { printCsv, printJson } from './print.ts'
import { printMarkdown, printTable } from './table.ts'
import { Twins } from './twins.ts'

export type AggregateOptions = OptionsOf<typeof spec>

/** Yields the text of one report over all rows. */
export const aggregate: Stage<AggregateOptions> = async function* (rows, options, context) {
  checkTogether(options, context)
  if (options.truth !== undefined) {
    const { compareWithTruth } = await import('../../trec/truth.ts')
    yield* compareWithTruth(options as TruthSettings, context)
    return
  }
  if (options.as !== undefined) {
    yield* writeAs(options.as, rows, options, context)
    return
  }
  const modules = await scoringModules()
  const report = new Report(modules, options.by)
  if (options.merge) {
    for await (const batch of rows) for (const row of batch) report.merge(stateOf(row.item, row.place))
    for (const field of report.lacking())
      context.note(`--by ${field}: no state has sums by it, --partial --by ${field} makes them`)
  } else {
    const scorer = await Scorer.create({ ...options }, context.stage)
    const twins = new Twins(report, modules, options)
    const late = settled(options, context)
    for await (const batch of rows) each(batch, (row) => count(row, scorer, report, twins, late))
    each([...scorer.rest()], (row) => report.add(row))
    for (const field of report.lacking()) context.note(`--by ${field}: no row has this field`)
  }
  if (options.partial) {
    for (const state of report.states()) yield `${JSON.stringify(state)}\n`
    return
  }
  const runs = report.finish()
  yield await print(runs, options, context)
  checkGates(runs, options, context)
}

function count(row: Row, scorer: Scorer, report: Report, twins: Twins, late: () => void): void {
  const known = twins.find(row)
  if (known) {
    report.again(known)
    return
  }
  const result = scorer.add(row)
  // A result of several trials depends on rows that were before this one.
  const entry = result && report.add(result)
  if (entry && !entry.result) refuseState(row)
  else if (result === row) late()
  if (entry && (result === row || entry.trials.length === 1)) twins.keep(row, entry)
}

/** What another format makes of the rows; its gates are held beside it. */
async function* writeAs(
  name: string,
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): AsyncGenerator<string> {
  const format = await formatOf(name, 'write', context.stage)
  const failUnder = holdsFailUnder(options, context) ? options.failUnder : undefined
  const gates = { ...options, failUnder }
  const watch = await Watch.create(gates, context)
  const checked = unspent(rows, options, context)
  const taken = format.unscored ? checked : scored(checked, options, context)
  yield* format.write(watch?.rows(taken) ?? taken, options, context)
  watch?.check(gates, context)
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

/** Rows as they come, of which none is a shard's sums, nor scored where options for scoring are given. */
async function* unspent(rows: Rows, options: AggregateOptions, context: Context): Rows {
  const late = settled(options, context)
  for await (const batch of rows) {
    each(batch, (row) => {
      if (row.has('result')) late()
      else if (!row.has('item')) refuseState(row)
    })
    yield batch
  }
}

/** @throws Fatal (usage) for options that do not go together, or say nothing together */
function checkTogether(options: AggregateOptions, context: Context): void {
  const { as, truth, merge, partial, save, failUnder } = options
  if (truth !== undefined && failUnder !== undefined)
    unheard('fail-under', 'nothing is scored with --truth', context)
  for (const [name, given] of Object.entries({ merge, partial }))
    if (given && (truth ?? as) !== undefined)
      throw usageError(`--${name} is for jb's own report, not for --${truth === undefined ? 'as' : 'truth'}`)
  if (save !== undefined && as !== 'lm-eval') throw usageError('--save goes with --as lm-eval')
  if (merge) checkMerge(options, context)
  if (partial) checkPartial(options, context)
}

/** @throws Fatal (data) for sums of a shard, where rows are expected */
function refuseState(row: Row): void {
  if (row.field('state') === 1 && row.field('all') && !row.has('error'))
    throw new Fatal(EXIT.data, `${row.place}: this is what --partial wrote: add it up with --merge`)
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
