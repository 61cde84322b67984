/** jb-aggregate: results → a report. */

import { formatOf } from '../../formats/_format.ts'
import type { OptionsOf } from '../../options/option.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, type Stage, unheard } from '../../rows/stage.ts'
import { Report, type Run } from '../../scoring/_report.ts'
import { forEachRow, scoredRows } from '../../scoring/_scored.ts'
import { Scorer, scoringModules } from '../../scoring/_scorer.ts'
import type { TruthSettings } from '../../trec/truth.ts'
import { checkMerge, settled } from './already_scored.ts'
import { checkGates, checkPartial, gatesOf, ownGates, Watch } from './gates.ts'
import type { spec } from './options.ts'
import { printCsv, printJson } from './print.ts'
import { ResultCache } from './result_cache.ts'
import { printMarkdown, printTable } from './table.ts'

export type AggregateOptions = OptionsOf<typeof spec>

/** Yields the text of one report over all rows. */
export const aggregate: Stage<AggregateOptions> = async function* (rows, options, context) {
  checkTogether(options, context)
  if (options.truth !== undefined) {
    const { compareWithTruth } = await import('../../trec/truth.ts')
    yield* compareWithTruth(options as TruthSettings, context)
    return
  }
  if (options.labels !== undefined) {
    const { agreeWithLabels } = await import('./labels.ts')
    yield* agreeWithLabels(rows, { ...options, labels: options.labels }, context)
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
    const cache = new ResultCache(report, modules, options)
    const late = settled(options, context)
    for await (const batch of rows) forEachRow(batch, (row) => count(row, scorer, report, cache, late))
    forEachRow([...scorer.rest()], (row) => report.add(row))
    for (const field of report.lacking()) context.note(`--by ${field}: no row has this field`)
  }
  if (options.partial) {
    for (const state of report.states()) yield `${JSON.stringify(state)}\n`
    return
  }
  const runs = report.finish()
  yield await print(runs, options, context)
  checkGates(runs, ownGates(options), options, context)
}

function count(row: Row, scorer: Scorer, report: Report, cache: ResultCache, late: () => void): void {
  const known = cache.find(row)
  if (known) {
    report.again(known)
    return
  }
  const result = scorer.add(row)
  // A result of several trials depends on rows that were before this one.
  const entry = result && report.add(result)
  if (entry && !entry.result) refuseState(row)
  else if (result === row) late()
  if (entry && (result === row || entry.trials.length === 1)) cache.keep(row, entry)
}

/** What another format makes of the rows; its gates are held beside it. */
async function* writeAs(
  name: string,
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): AsyncGenerator<string> {
  const format = await formatOf(name, 'write', context.stage)
  const gates = await gatesOf(format, options, context)
  const watch = await Watch.create(gates, options, context)
  const checked = unspent(rows, options, context)
  const taken = format.unscored ? checked : scoredRows(checked, options, context)
  yield* format.write(watch?.rows(taken) ?? taken, options, context)
  watch?.check(options, context)
}

/** Rows as they come, of which none is a shard's sums, nor scored where options for scoring are given. */
async function* unspent(rows: Rows, options: AggregateOptions, context: Context): Rows {
  const late = settled(options, context)
  for await (const batch of rows) {
    forEachRow(batch, (row) => {
      if (row.has('result')) late()
      else if (!row.has('item')) refuseState(row)
    })
    yield batch
  }
}

/** @throws Fatal (usage) for options that do not go together, or say nothing together */
function checkTogether(options: AggregateOptions, context: Context): void {
  const { as, truth, merge, partial, save, failUnder, labels } = options
  if (truth !== undefined && failUnder !== undefined)
    unheard('fail-under', 'nothing is scored with --truth', context)
  for (const [name, given] of Object.entries({ merge, partial }))
    if (given && (truth ?? as) !== undefined)
      throw usageError(`--${name} is for jb's own report, not for --${truth === undefined ? 'as' : 'truth'}`)
  if (labels !== undefined && (merge || partial || (truth ?? as) !== undefined))
    throw usageError(
      '--labels is for rows and results: it goes with none of --as, --truth, --merge, --partial',
    )
  if (labels !== undefined && failUnder !== undefined)
    unheard('fail-under', 'with --labels there is agreement, and no gate for it', context)
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
