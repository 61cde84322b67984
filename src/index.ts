/**
 * The filters as functions.
 *
 * @example
 * import { aggregate, call, parse, render, rowsOf } from 'jb-filters'
 * const trials = render('arena_hard', rowsOf(pairs), { order: 'both' })
 * const report = aggregate(parse(call(trials, { model: 'baseline:longer' })), { format: 'json' })
 * for await (const text of report) console.log(JSON.parse(text).accuracy)
 */

import { Readable } from 'node:stream'
import { didYouMean } from './options/nearest.ts'
import { camel, type FilterSpec, type Option, type OptionsOf, readOption } from './options/option.ts'
import type { Rows, Source } from './rows/reader.ts'
import { Fatal, type Jb, type StageName, usageError } from './rows/record.ts'
import { Row } from './rows/row.ts'
import type { Context, Stage } from './rows/stage.ts'
import { type AggregateOptions, aggregate as aggregateStage } from './stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from './stages/aggregate/options.ts'
import { audit as auditStage } from './stages/audit/audit.ts'
import { type AuditOptions, spec as auditSpec } from './stages/audit/options.ts'
import { call as callStage } from './stages/call/call.ts'
import { type CallOptions, spec as callSpec } from './stages/call/options.ts'
import { compare as compareStage } from './stages/compare/compare.ts'
import { type CompareOptions, spec as compareSpec } from './stages/compare/options.ts'
import { type ParseOptions, spec as parseSpec } from './stages/parse/options.ts'
import { parse as parseStage } from './stages/parse/parse.ts'
import { type RankOptions, spec as rankSpec } from './stages/rank/options.ts'
import { rank as rankStage } from './stages/rank/rank.ts'
import { type RenderOptions, spec as renderSpec } from './stages/render/options.ts'
import { render as renderStage } from './stages/render/render.ts'
import { type ScoreOptions, spec as scoreSpec } from './stages/score/options.ts'
import { score as scoreStage } from './stages/score/score.ts'
import { type ViewOptions, spec as viewSpec } from './stages/view/options.ts'
import { view as viewStage } from './stages/view/view.ts'
import { spec as writeSpec } from './stages/write/options.ts'
import { type WriteOptions, write as writeStage } from './stages/write/write.ts'

export { checkJudge } from './judges/_check.ts'
export type { Judge, JudgeFile } from './judges/_judge.ts'
export { loadJudge } from './judges/_load.ts'
export { type ReadOptions, type Rows, readRows, type Source } from './rows/reader.ts'
export * from './rows/record.ts'
export { Row } from './rows/row.ts'
export { type Context, eachRow, type Stage } from './rows/stage.ts'
export { compileTemplate, TemplateError, type TemplateOptions } from './templates/index.ts'
export { readerOf } from './verdicts/_read.ts'
export type { Read } from './verdicts/_rule.ts'

/** Rows of plain objects, a batch each. An object's `jb` is taken over as it is. */
export async function* rowsOf(items: Iterable<object> | AsyncIterable<object>): Rows {
  let line = 0
  for await (const item of items) yield [Row.read(JSON.stringify(item), '(items)', ++line)]
}

/** The other way round: each row as a plain object with its `jb`. Long integers lose digits, as in JSON.parse. */
export async function* objectsOf(rows: Rows): AsyncGenerator<{ [field: string]: unknown; jb: Jb }> {
  for await (const batch of rows)
    for (const row of batch) yield { ...row.item, jb: JSON.parse(row.jbText()) as Jb }
}

/** Item rows → trial rows. @throws Fatal where the judge file is wrong */
export const render = (
  judge: string,
  items: Rows,
  options: Given<RenderOptions> = {},
  context: Partial<Context> = {},
) =>
  inContext('render', { positional: [judge], ...context }, (context) =>
    renderStage(items, complete(renderSpec, options), context),
  ) as Rows

/** A filter as a function: options by the command's names in camel case, and what it has to know of its run. */
const filter =
  <O, T extends Row[] | string>(name: StageName, stage: Stage<O>, spec: FilterSpec) =>
  (rows: Rows, options: Given<O> = {}, context: Partial<Context> = {}): AsyncIterable<T> =>
    inContext(
      name,
      context,
      (within) => stage(rows, complete(spec, options) as O, within) as AsyncIterable<T>,
    )

/** Trial rows → rows with replies. Keys come from `context.env`, by default this process's environment. */
export const call = filter<CallOptions, Row[]>('call', callStage, callSpec)

/** Rows with replies → rows with verdicts. */
export const parse = filter<ParseOptions, Row[]>('parse', parseStage, parseSpec)

/** Rows with verdicts → one row an item, with its result. */
export const score = filter<ScoreOptions, Row[]>('score', scoreStage, scoreSpec)

/** Results or verdicts → the text of a report. */
export const aggregate = filter<AggregateOptions, string>('aggregate', aggregateStage, aggregateSpec)

/** Runs on the same items, by their names, or one stream that holds several → the text of a report; with --show flips or missing, items. */
export const compare = (
  runs: Record<string, Rows> | Rows,
  options: Given<CompareOptions> = {},
  context: Partial<Context> = {},
) => {
  const named = Symbol.asyncIterator in runs ? { '(rows)': runs as Rows } : (runs as Record<string, Rows>)
  const several = named === runs
  const open = () => Readable.from([])
  const sources = Object.keys(named).map((name): Source => ({ name, ...(several && { label: name }), open }))
  const rows = async function* (of: Source[]): Rows {
    for (const { name } of of) yield* named[name]!
  }
  return inContext('compare', { sources, rows, ...context }, (context) =>
    compareStage(rows([]), complete(compareSpec, options), context),
  )
}

/** Results or verdicts → the text of another program's file, of Parquet its bytes. @param options also those of the format */
export const write = (
  format: string,
  rows: Rows,
  options: Given<WriteOptions> & Record<string, unknown> = {},
  context: Partial<Context> = {},
) =>
  inContext('write', { positional: [format], ...context }, async function* (within): AsyncGenerator<
    string | Uint8Array
  > {
    const own = (await writeSpec.members.named(format))?.options ?? []
    const all = { ...writeSpec, options: [...writeSpec.options, ...own] }
    yield* writeStage(rows, complete(all, options) as unknown as WriteOptions, within) as AsyncIterable<
      string | Uint8Array
    >
  })

/** Battles or verdicts → the text of a leaderboard. */
export const rank = filter<RankOptions, string>('rank', rankStage, rankSpec)

/** Verdicts → the text of a judge's card. */
export const audit = filter<AuditOptions, string>('audit', auditStage, auditSpec)

/** Rows of any stage → the text of an HTML page, in pieces. */
export const view = filter<ViewOptions, string>('view', viewStage, viewSpec)

/** For the command alone: texts on stdout, and where they go. */
const COMMANDS_OWN = ['output', 'list', 'listCriteria', 'listProviders'] as const
type CommandsOwn<O> =
  | (typeof COMMANDS_OWN)[number]
  | (O extends { show: boolean | undefined } ? 'show' : never)
/** Of a list one value may be given alone. */
type Given<O> = {
  [K in Exclude<keyof O, CommandsOwn<O>>]?:
    | (O[K] extends string[] ? string | readonly string[] : O[K])
    | undefined
}

/** jb-render's --show prints a judge, jb-compare's and jb-rank's says what is reported. */
const commandsOwn = (name: string, type: string | undefined) =>
  (COMMANDS_OWN as readonly string[]).includes(name) || (name === 'show' && type === 'boolean')

/** Options checked by the filter's table, with its defaults. @throws Fatal (usage) as the command does */
function complete<S extends FilterSpec>(spec: S, given: object): OptionsOf<S> {
  const table = new Map(spec.options.map((option) => [camel(option.name), option]))
  const names = [...table.keys()].filter((name) => !commandsOwn(name, table.get(name)!.type))
  for (const name of Object.keys(given)) {
    if (commandsOwn(name, table.get(name)?.type))
      throw usageError(`option ${name} is for the command ${spec.name} alone`)
    if (!table.has(name)) throw usageError(`unknown option ${name}${didYouMean(name, names)}`)
  }
  const read = (name: string, option: Option) => {
    const value = (given as Record<string, unknown>)[name]
    return readOption(option, [value ?? []].flat(), name)
  }
  return Object.fromEntries([...table].map(([name, option]) => [name, read(name, option)])) as OptionsOf<S>
}

/** Runs a stage in a context that says nothing. What ends a command with another exit code (a missed gate, an abort) is thrown at the end. */
async function* inContext<T>(
  stage: StageName,
  given: Partial<Context>,
  run: (context: Context) => AsyncIterable<T>,
): AsyncGenerator<T> {
  let ending: Fatal | undefined
  yield* run({
    stage,
    positional: [],
    sources: [],
    rows: async function* () {},
    env: process.env,
    stop: new AbortController().signal,
    cut: () => given.stop?.aborted ?? false,
    note() {},
    badRow() {},
    finish(exitCode, message) {
      ending ??= new Fatal(exitCode, message)
    },
    summary() {},
    progress() {},
    terminal: { output: false, color: false },
    ...given,
  })
  if (ending) throw ending
}
