/** jb-render: item → trials, each with the request that asks it. */

import { existsSync } from 'node:fs'
import { folderPath } from '../../files/members.ts'
import { listEntry, roomOf } from '../../formats/_fit.ts'
import { asksNothing, type Judge } from '../../judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge, loadJudges } from '../../judges/_load.ts'
import { noteRendered } from '../../judges/_rendered.ts'
import { ignoredOption, ignoredOptions } from '../../options/ignored.ts'
import { mappedFields } from '../../options/option.ts'
import { isDict } from '../../python/dict.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { type Jb, type Json, RowFailure, type StageName, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, rowFailure, type Stage, skipFailed } from '../../rows/stage.ts'
import { readably } from '../../templates/chat.ts'
import type { Value } from '../../templates/index.ts'
import { loadNunjucks } from '../../templates/index.ts'
import { askingAs } from '../../verdicts/_original.ts'
import { replyFormat } from '../../verdicts/_reply_format.ts'
import { callsBefore, chainOn, checkChain, listedItems } from './chain.ts'
import {
  checkAnswers,
  checkFields,
  checkNames,
  checkOptions,
  checkReading,
  listedAnswers,
  noteFields,
  noteLabels,
  ShownTexts,
} from './checks.ts'
import { type Bindings, bindingsOf } from './context.ts'
import { Copies, kindsOf, shownFields } from './copies.ts'
import { criteriaQuestions, criteriaTogether, listCriteria } from './criteria.ts'
import { digestOf } from './digest.ts'
import { elementsOf, windowSize } from './each.ts'
import type { RenderOptions } from './options.ts'
import { drawnBy, instructionOf, orderedPlaces, ordersOf } from './order.ts'
import {
  compilePrompt,
  mappableNames,
  type Question,
  type RequestMaker,
  type TrialQuestion,
} from './prompt.ts'
import { criteriaOfFile } from './questions.ts'
import { sampled } from './sample.ts'
import { knownItem, shuffled } from './shuffle.ts'
import { originalTemplates } from './templates_dir.ts'
import { usualNames } from './usual_names.ts'

interface CompiledJudge {
  judge: Judge
  digest: string
  name?: string
  map?: Record<string, string>
  ask: RequestMaker
  texts: ShownTexts
  questions(row: Row, item: string): TrialQuestion[]
  copies: Copies
}

/** Adds `jb.judge`, `item`, `trial` and `request`; each item becomes one row a trial. */
export const render: Stage<RenderOptions> = async function* (rows, options, context) {
  if (options.list) return yield await listJudges(context)
  if (options.show) return yield showJudge(context)
  if (options.listCriteria) return yield await listCriteria(roomOf(context))
  if (options.by !== undefined && options.sample === undefined)
    ignoredOption('by', 'it goes with --sample', context)
  if (options.cluster !== undefined && options.shuffle === undefined)
    ignoredOption('cluster', 'it goes with --shuffle', context)
  if (options.shuffle !== undefined && existsSync(options.shuffle))
    throw usageError(`--shuffle ${options.shuffle}: a SEED is expected, and this is a file`)
  const items = options.sample === undefined ? rows : sampled(rows, options, context)
  yield* renderRows(options.shuffle === undefined ? items : shuffled(items, options), options, context)
}

async function* renderRows(rows: Rows, options: RenderOptions, context: Context): Rows {
  let uses = await compileAll(context.positional[0]!, options, context)
  const adapt = async (row: Row) => {
    const { map: usual, unasked } = usualNames(row, uses, options)
    for (const [name, { where }] of unasked)
      context.note(
        `${where} is shown the answer alone: no field is called ${name} (--map ${name}=FIELD names one)`,
      )
    if (usual.length === 0) return
    const mapped = { ...options, map: [...options.map, ...usual] }
    uses = await compileAll(context.positional[0]!, mapped, { ...context, note() {} })
    usesOf = byTask(uses)
    const words = usual.map((text) => `--map ${text}`).join(' ')
    context.note(`read as with ${words} (--map names other fields)`)
  }
  let usesOf = byTask(uses)
  const chain = options.chain || uses.some(({ judge }) => judge.chain !== undefined)
  if (chain) ignoredOptions(['probe'], options, 'the first judge of a chain makes the copies', context)
  const read = admitted(rows, options, context, { chain, adapt })
  const isHeld = !chain && kindsOf(options.probe).includes('other')
  const renderRow = ({ row, isItem }: Admitted): Row[] =>
    isItem
      ? usesOf(row).flatMap((use) => trialsOf(row, use, options))
      : [options.chain ? failedBefore(row, uses[0]!) : row]
  for await (const batch of isHeld ? offered(read, (row) => usesOf(row), options) : read) {
    const out: Row[] = []
    for (const one of batch) for (const row of renderRow(one)) out.push(row)
    if (out.length > 0) yield out
  }
  for (const { texts, copies, judge } of uses) {
    texts.tell(context.note)
    copies.tell(context.note, uses.length > 1 ? judge.name : undefined)
  }
}

/** A row, and whether it is an item to ask about: one that failed before is passed on. */
interface Admitted {
  row: Row
  isItem: boolean
}

/** @param how.adapt is called with the first row */
async function* admitted(
  rows: Rows,
  { limit }: RenderOptions,
  context: Context,
  { chain, adapt }: { chain: boolean; adapt(row: Row): Promise<void> },
): AsyncGenerator<Admitted[]> {
  const isRepeat = chain ? () => false : repeats(context)
  const admit = (row: Row): Admitted[] => {
    if (!chain) forgetLaterError(row)
    if (skipFailed(row, context.stage)) return [{ row, isItem: false }]
    return isRepeat(row) ? [] : [{ row, isItem: true }]
  }
  let items = 0
  let isFirst = true
  for await (const batch of rows) {
    const out: Admitted[] = []
    for (const row of batch) {
      if (items === limit) break
      if (isFirst) await adapt(row)
      isFirst = false
      for (const one of admit(row)) {
        if (one.isItem) items++
        out.push(one)
      }
    }
    yield out
    if (items === limit) break
  }
}

/** Yields all rows when all are read, and are known to the copies that get another item's answer. */
async function* offered(
  read: AsyncIterable<Admitted[]>,
  usesOf: (row: Row) => CompiledJudge[],
  options: RenderOptions,
): AsyncGenerator<Admitted[]> {
  const batches: Admitted[][] = []
  for await (const batch of read) {
    batches.push(batch)
    for (const { row, isItem } of batch) {
      const id = isItem && !row.has('probe') ? originalId(row, options) : undefined
      if (id !== undefined) for (const { copies } of usesOf(row)) copies.offer(row, id)
    }
  }
  yield* batches
}

/** With --chain: an item that failed with the judge before is one of this judge that failed. */
function failedBefore(row: Row, { judge, digest }: CompiledJudge): Row {
  return row.fork().set('judge', judge.name).set('judge_digest', digest).set('trial', { n: 0, of: 1 })
}

/** Which judges an item is for: in a group of tasks, those of its own task. */
function byTask(uses: CompiledJudge[]): (row: Row) => CompiledJudge[] {
  const tasks = new Set(uses.map(({ judge }) => judge.task))
  const groups = new Map([...tasks].map((task) => [task, uses.filter(({ judge }) => judge.task === task)]))
  if (groups.size === 1) return () => uses
  return (row) => groups.get(row.field('task') as string | undefined) ?? uses
}

/** Tells the rows to skip where the input is trials: consecutive ones with the same item and user's part are one item. */
function repeats(context: Context): (row: Row) => boolean {
  let before: string | undefined
  let skipped = 0
  context.summary(() => (skipped > 0 ? `${skipped} more trials of the same items skipped` : ''))
  return (row) => {
    const item = row.has('trial') ? `${row.text('item')}\n${row.itemText()}` : undefined
    const isRepeat = item !== undefined && item === before
    if (isRepeat) skipped++
    before = item
    return isRepeat
  }
}

/** What a judge makes of a row: its next request in a chain, else the trials of its item and of that one's copies. */
function trialsOf(row: Row, use: CompiledJudge, options: RenderOptions): Row[] {
  if (use.judge.chain !== undefined) return [chained(row, use)]
  const trials = itemTrials(row, use, options)
  if (options.probe.length === 0 || options.chain || row.has('probe')) return trials
  const id = originalId(row, options)
  if (id === undefined) return trials
  for (const { kind, item, copy } of use.copies.of(
    row,
    id,
    trials.some(({ failure }) => failure),
  ))
    if (copy instanceof RowFailure) {
      const failed = row.fork().set('judge', use.judge.name).set('judge_digest', use.digest)
      if (use.name !== undefined) failed.set('name', use.name)
      failed.set('item', item).set('probe', { kind, of: id })
      trials.push(failed.fail('render', copy))
    } else trials.push(...itemTrials(copy, use, options))
  return trials
}

/** The id of an item of which copies are made; undefined without one, which its own row reports. */
function originalId(row: Row, options: RenderOptions): string | undefined {
  try {
    return knownItem(row, options) ?? itemId(row, options.id)
  } catch {
    return undefined
  }
}

const LATER: readonly (StageName | undefined)[] = ['call', 'parse', 'score']

/** Removes an error of a later stage, as the item is rendered again. */
function forgetLaterError(row: Row): void {
  if (!row.has('error')) return
  try {
    const error = row.get('error')
    if (LATER.includes(error?.stage) && error?.code !== 'bad_row') row.set('error', undefined)
  } catch {
    // skipFailed reports an invalid error.
  }
}

/** The row with the next request of its trial, or failed. */
function chained(row: Row, use: CompiledJudge): Row {
  try {
    return chainOn(row, use)
  } catch (error) {
    return row.fail('render', rowFailure(error, row))
  }
}

/** Keys of an earlier trial. */
const OF_A_TRIAL: ReadonlySet<string> = new Set<keyof Jb & string>([
  'own_endpoint',
  'name',
  'compat',
  'map',
  'criterion',
  'criteria',
  'request',
  'chain',
  'reply',
  'verdict',
  'result',
  'trials',
])

/** The trials of an item; an item that cannot be rendered becomes one failed row. */
function itemTrials(row: Row, use: CompiledJudge, options: RenderOptions): Row[] {
  const untried = withoutTrial(row, use, options)
  let item: string | undefined
  try {
    item = (options.chain ? row.get('item') : knownItem(row, options)) ?? itemId(row, options.id)
    // A copy of the user's own must say so as ours do.
    row.get('probe')
    const empty = use.texts.allEmptyIn(row)
    if (empty) throw new RowFailure('missing_field', `nothing to judge: ${empty.join(', ')} are empty`)
    const before = options.chain ? callsBefore(row) : undefined
    const questions = use.questions(row, item)
    use.texts.see(
      row,
      questions.flatMap(({ criterion }) => criterion?.to_evaluate_field ?? []),
    )
    const { samples = 1, maxTrials } = options
    const of = questions.length * samples
    if (of > maxTrials)
      throw new RowFailure('bad_record', `this item has ${of} trials, more than ${maxTrials} (--max-trials)`)
    const trials: Row[] = []
    for (const question of questions) {
      for (let sample = 0; sample < samples; sample++) {
        const numbered = {
          n: trials.length,
          of,
          ...question.trial,
          ...(options.samples !== undefined && { sample }),
          ...drawnBy(options),
        }
        const made = untried.fork().set('item', item).set('trial', numbered)
        if (before && numbered.n === 0) made.set('chain', before)
        trials.push(ask(made, row, { ...question, trial: numbered }, use))
      }
    }
    return trials
  } catch (error) {
    const failure = rowFailure(error, row)
    untried.set('item', item ?? itemId(row)).set('trial', { n: 0, of: 1 })
    return [untried.fail('render', failure)]
  }
}

/** Adds the criteria and the request of a trial. */
function ask(
  made: Row,
  row: Row,
  { criterion, criteria, ...question }: Question & Pick<TrialQuestion, 'criterion' | 'criteria'>,
  { ask, judge }: CompiledJudge,
): Row {
  if (criterion) made.set('criterion', criterion)
  const typed = ask.typed?.(row, question)
  if (!typed) return made.set('request', ask(row, question))
  const together = criteria ?? (question.trial.criteria ? criteriaOfFile(judge, typed) : undefined)
  if (together) made.set('criteria', [...together])
  return made.set('request', ask(row, { ...question, request: { questions: typed as unknown as Json } }))
}

/** The row for this use of the judge, without what an earlier trial left in it. */
function withoutTrial(row: Row, { judge, digest, name, map }: CompiledJudge, { compat }: RenderOptions): Row {
  const made = row.fork().set('judge', judge.name).set('judge_digest', digest)
  for (const key of row.keys)
    if (OF_A_TRIAL.has(key) && row.has(key)) made.set(key as keyof Jb & string, undefined)
  if (judge.endpoint) made.set('own_endpoint', true)
  if (name !== undefined) made.set('name', name)
  if (compat !== undefined) made.set('compat', compat)
  if (map) made.set('map', map)
  return made
}

async function compileAll(name: string, options: RenderOptions, context: Context): Promise<CompiledJudge[]> {
  const judges = await loadJudges(name)
  if (options.name !== undefined && judges.length > 1)
    throw usageError(`--name ${options.name}: ${name} has ${judges.length} judges with names of their own`)
  const uses = await Promise.all(judges.map((judge) => compileJudge(judge, options, context)))
  checkNames(name, uses, options, context)
  for (const { judge } of uses) for (const note of judge.notes ?? []) context.note(note)
  // A judge of nunjucks templates is code, as a `.mjs` judge is: rows can't name it.
  const isCode = judges.some(({ syntax }) => syntax === 'nunjucks')
  if (!judges[0]!.builtin && !isCode)
    noteRendered(existsSync(name) ? name : name.replace(/#[^#]*$/s, ''), context.env)
  return uses
}

async function compileJudge(judge: Judge, options: RenderOptions, context: Context): Promise<CompiledJudge> {
  if (asksNothing(judge))
    throw usageError(`${judge.where} asks no model: jb-parse --judge ${judge.name} reads the items`)
  checkOptions(judge, options)
  if (judge.chain !== undefined) checkChain(judge)
  const original =
    options.templates === undefined ? undefined : await originalTemplates(judge, options.templates)
  for (const note of original?.notes ?? []) context.note(note)
  const { compat } = options
  const own = original?.judge ?? judge
  const asking = compat === undefined ? own : await askingAs(own, compat)
  const effective = judge.criteria === undefined && !options.noSchema ? withSchema(asking) : asking
  const bindings = bindingsOf(judge, options.map, options.set, original?.vars)
  if ((options.syntax ?? effective.syntax) === 'nunjucks') await loadNunjucks()
  const ask = compilePrompt(effective, bindings, {
    // lm-eval has Jinja2's default: an undefined name prints nothing.
    undefined: compat === 'lm-eval' && judge.inner !== undefined ? 'empty' : (options.undefined as 'error'),
    syntax: options.syntax as 'jinja' | undefined,
    template: original?.template,
    readable: judge.builtin && !original ? readablyOrTold(context.note) : printedAsIs(context.note),
    compat,
  })
  await checkReading(judge)
  checkAnswers(effective, ask, options.order)
  if (!original) checkFields(effective, ask)
  noteFields(effective, ask, bindings, context.note)
  const map = options.map.length > 0 ? Object.fromEntries(mappedFields(options.map)) : undefined
  noteLabels(effective, ask, bindings, context.note)
  const questions =
    judge.criteria === undefined
      ? ownQuestions(judge, options, map)
      : await aboutCriteria(judge, ask, options, bindings, context)
  return {
    judge,
    digest: digestOf(judge, asking, options),
    name: options.name ?? judge.use,
    map,
    ask,
    texts: new ShownTexts(judge, ask, bindings),
    questions,
    copies: new Copies(judge, {
      kinds: kindsOf(options.probe),
      seed: options.seed,
      shown: shownFields(effective, ask.variables, bindings),
      questions,
    }),
  }
}

/** The questions of a judge with criteria, typed ones as many as go into a request. */
async function aboutCriteria(
  judge: Judge,
  ask: RequestMaker,
  options: RenderOptions,
  bindings: Bindings,
  context: Context,
): Promise<CompiledJudge['questions']> {
  const alone = await criteriaQuestions(judge, options, bindings, context)
  if (!judge.questions) return alone
  const size = windowSize(judge, options.set)
  const shown = mappableNames(judge, ask) && ask.shown
  return (row, item) => criteriaTogether(judge, alone(row, item), size, shown)
}

/** Prints a conversation as a transcript, and says once of another list or object that no text stands in its place. */
function readablyOrTold(note: Context['note']): (value: Value) => string | undefined {
  let told = false
  return (value) => {
    const text = readably(value)
    if (text === undefined && !told && (Array.isArray(value) || isDict(value))) {
      told = true
      note(
        'a field holds a list or an object, which is printed as Python prints it: --map NAME=FIELD.0 takes a part of it',
      )
    }
    return text
  }
}

/** Prints a conversation as the template's language does, and says once that there is a transcript of it. */
function printedAsIs(note: Context['note']): (value: Value) => undefined {
  let told = false
  return (value) => {
    if (told || readably(value) === undefined) return
    told = true
    note(
      'a list of messages is printed as the template’s language prints a list: {{ messages | transcript }} prints a conversation',
    )
  }
}

/** The judge with the schema of its replies in its request. */
function withSchema(judge: Judge): Judge {
  const response_format = replyFormat(judge)
  return response_format ? { ...judge, request: { ...judge.request, response_format } } : judge
}

/** The questions of a judge without criteria: about each element of a list, if it has `each`, in each order of the answers. */
function ownQuestions(
  judge: Judge,
  { order = 'ab', seed, set, chain }: RenderOptions,
  map: CompiledJudge['map'],
): CompiledJudge['questions'] {
  const elements = elementsOf(judge, windowSize(judge, set), map, chain ? listedItems : undefined)
  const answers = listedAnswers(judge)
  const shownIn = (row: Row, item: string): TrialQuestion['trial'][] => {
    if (answers > 1)
      return orderedPlaces(order, item, seed, answers).map((shown) => (shown ? { answers, shown } : {}))
    if (judge.kind !== 'pairwise') return [{}]
    const instruction = order === 'alpaca_eval' ? instructionOf(row, judge, map) : ''
    return ordersOf(order, item, seed, instruction).map((order) => ({ order }))
  }
  const own = typedOfFile(judge)
  return (row, item) =>
    shownIn(row, item).flatMap((shown) =>
      elements(row).map(({ trial, ...one }) => ({
        ...one,
        ...(own && { asks: own.asks }),
        trial: { ...shown, ...trial, ...own?.trial },
      })),
    )
}

/** The typed questions of a file that asks them of the whole item: several stand in one request. */
function typedOfFile({ questions, each }: Judge): Pick<TrialQuestion, 'trial' | 'asks'> | undefined {
  if (!questions || each !== undefined) return undefined
  const names = Object.keys(questions)
  return {
    asks: names.map((name) => ({ name, of: name, extra: new Map() })),
    trial: names.length > 1 ? { window: { criterion: 'criteria' }, criteria: names } : {},
  }
}

async function listJudges(context: Context): Promise<string> {
  const names = BUILTIN_JUDGES.names()
  const width = Math.max(...names.map(({ length }) => length))
  const judges = await Promise.all(names.map(loadJudge))
  return judges
    .map(({ name, kind, about }) =>
      listEntry(`${name.padEnd(width)}  ${kind.padEnd(8)}  `, about, roomOf(context)),
    )
    .join('')
}

/** The judge file, after the line by which an editor finds its schema. */
async function showJudge(context: Context): Promise<string> {
  const [name] = context.positional
  if (name === undefined) throw usageError('--show needs a judge: jb-render NAME --show')
  await loadJudge(name)
  if (!BUILTIN_JUDGES.has(name)) throw usageError(`${name} is not a built-in judge: --show prints only those`)
  return `# yaml-language-server: $schema=${folderPath('../schema')}judge.json\n${BUILTIN_JUDGES.text(name)}`
}
