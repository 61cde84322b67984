/** Rows of jb-score: of each item one, with its result, or why it has none, and its trials. */
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { type Criterion, type Result, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { atRow, type Context } from '../rows/stage.ts'
import { itemConfidence } from './confidence.ts'
import type { Item, LedgerSettings } from './item.ts'
import {
  conflicting,
  countedTrials,
  decidedBy,
  type ItemFailure,
  type ItemResult,
  incomplete,
  itemResult,
  trialsApart,
} from './item_result.ts'
import { type ScoreSettings, scoredWith, scoreSettings } from './kind.ts'
import { KIND, kindOf } from './kinds.ts'
import { labelIn } from './label.ts'
import { Ledger } from './ledger.ts'
import { noteRepeats } from './repeats.ts'
import { type RunIdentity, runModel } from './run_identity.ts'
import { StoredRows } from './stored_rows.ts'
import { itemRow, type Told, trialResult } from './trial_result.ts'

/**
 * The row of an item, whose `own` is its row so far: see itemRow.
 * @param conflict why it fails, whatever its rows say @param see is told of each trial that is written which row says it
 */
export function rowOf(
  item: Item,
  { stage, note }: Pick<Context, 'stage' | 'note'>,
  conflict?: string,
  see: (trial: TrialResult, told: Told) => void = () => {},
): Row {
  const row = (item.own as Row).fork()
  try {
    const result = itemResult(item, (words, where) => {
      if (isTold(stage, where?.kind)) note(words, where)
    })
    if (result.isGiven && conflict === undefined) return item.given!.kept as Row
    const { settings } = item.run
    const written = withResult(
      row,
      {
        ...(conflict === undefined
          ? result
          : { ...result, result: undefined, failure: conflicting(conflict) }),
        trials: trialResults(result, see),
      },
      settings,
      { stage },
    )
    return setRun(written, item.run.identity)
  } catch (error) {
    throw atRow(error, row)
  }
}

/** The trials of an item, as jb-score writes them. */
const trialResults = (
  { counted, run }: ItemResult,
  see: (trial: TrialResult, told: Told) => void,
): TrialResult[] =>
  counted.flatMap(({ told, calls }) => {
    const trials = trialsApart(trialResult(told, calls, modelOf(told.error, run.identity)))
    for (const trial of trials) see(trial, told)
    return trials
  })

/** The model of a trial: not of one that failed before it had a model. */
const modelOf = (error: TrialResult['error'], { model }: RunIdentity): string | undefined =>
  error && error.model === undefined && error.stage !== 'parse' && error.stage !== 'score' ? undefined : model

/** Makes the row of a failure without a model one of the run that it was given to. */
export function setRun(row: Row, run: RunIdentity): Row {
  if (run.model === undefined || !row.has('error') || runModel(row) !== undefined) return row
  for (const key of ['judge', 'judge_digest', 'name', 'variant'] as const)
    if (run[key] !== undefined && row.get(key) === undefined) row.set(key, run[key])
  return row.set('error', { ...row.get('error')!, model: run.model })
}

/** An item that is in no ledger, of which all rows are known that there are. */
export interface GivenItem {
  /** The item's row so far: see itemRow. */
  row: Row
  /** How many trials there are, and those that count, in their order. */
  of: number
  trials: readonly TrialResult[]
  /** The criteria that they asked about. */
  asked: readonly Criterion[]
  /** Why it fails although all trials are there. */
  conflict?: string | undefined
}

/** Failures are told of all but jb-score, in whose rows they are. */
const isTold = (stage: string, kind = '') =>
  stage !== 'score' || ['label', 'spelling', 'no effect'].includes(kind)

/** The row of an item that is in no ledger. */
export function scoredRow(
  { row, trials: tried, of, asked, conflict }: GivenItem,
  settings: ScoreSettings,
  { stage, note }: Pick<Context, 'stage' | 'note'>,
): Row {
  const trials = tried.flatMap(trialsApart)
  const there = new Set(tried.map(({ trial }) => trial.n)).size
  const about = () => {
    const kind = KIND[kindOf(trials[0]!.verdict!)]
    const criteria = kind === KIND.choice ? settings.criteriaSource?.of(row) : undefined
    return { ...labelIn(row, kind, settings), criteria }
  }
  const tell = (words: string, kind: string) => {
    if (isTold(stage, kind)) note(words, { file: row.file, line: row.line, kind })
  }
  const found = () => {
    if (there < of) return { failure: incomplete(there, of) }
    if (conflict !== undefined) return { failure: conflicting(conflict) }
    return decidedBy({ of, trials, asked, about }, settings, tell)
  }
  try {
    const { result, failure, criteria = asked } = found() as Partial<ItemResult>
    return withResult(row, { result, failure, criteria, trials }, settings, { stage })
  } catch (error) {
    throw atRow(error, row)
  }
}

/** What an item came to, as its row has it. */
interface Written {
  result?: Result | undefined
  failure?: ItemFailure | undefined
  criteria: readonly Criterion[]
  trials: readonly TrialResult[]
}

/** Sets what the item came to, and the trials. */
function withResult(
  row: Row,
  { result, failure, criteria, trials }: Written,
  settings: ScoreSettings,
  { stage }: Pick<Context, 'stage'>,
): Row {
  if (criteria.length > 0) row.set('criteria', [...criteria])
  if (result) {
    const [{ model } = {}] = trials
    const options = scoredWith(settings)
    const confidence = result.confidence ?? itemConfidence(result, trials)
    row.set(
      'result',
      Object.assign(
        {},
        result,
        confidence !== undefined && { confidence },
        model !== undefined && { model },
        options && { scored_with: options },
      ),
    )
  } else {
    const { code, message, detail, error } = failure!
    if (error && error.stage !== 'score') row.set('error', { ...error, message })
    else row.fail(stage, new RowFailure(code, message, detail))
  }
  return row.set('trials', [...trials])
}

/** Rows that are read or written together. */
const TOGETHER = 16

/** Rows in batches. */
export function* together(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    if (batch.push(row) < TOGETHER) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** What a command asks of the rows of items, beside the settings of their ledger. */
export interface Asked {
  /** Which rows are scored; the others pass as they are. */
  isTrial?: ((row: Row) => boolean) | undefined
  /** Trials keep the rows that they are from: see {@link rowOfTrial}. */
  keepsRows?: boolean
}

/** In no JSON. */
const FROM = Symbol('the row that it is from')

/** The row that a trial of scored rows is from; undefined if that was one of jb-score, or rows of it contradict each other. */
export const rowOfTrial = (trial: TrialResult): Row | undefined => (trial as { [FROM]?: Row })[FROM]

/**
 * One row for each item, with `jb.result` and `jb.trials`, when all rows are in, in the order of their first rows. Results among
 * the rows count as they are.
 */
export async function* scoredRows(
  rows: Rows,
  settings: LedgerSettings,
  context: Context,
  { isTrial = () => true, keepsRows = false }: Asked = {},
): Rows {
  const stored = new StoredRows()
  const { store } = stored
  const kept = { own: store, keepTrial: store, keepResult: store, strict: settings.fields === undefined }
  const ledger = new Ledger({ ...(await scoreSettings(settings)), ...kept }, context)
  try {
    for await (const batch of rows) {
      const passed = batch.filter((row) => !isTrial(row))
      for (const row of batch) if (isTrial(row)) ledger.add(row)
      if (passed.length > 0) yield passed
    }
    if (!context.cut()) yield* together(allRows(ledger, stored, keepsRows, context))
  } finally {
    stored.close()
  }
}

/** The rows of all items. */
function* allRows(
  ledger: Ledger,
  stored: StoredRows,
  keepsRows: boolean,
  context: Pick<Context, 'stage' | 'note'>,
): Generator<Row> {
  const conflicts = new Set<Item>()
  for (const item of ledger.items()) {
    const rows = restored(item, stored)
    const trials: [TrialResult, Told][] = []
    const row = rowOf(item, context, undefined, (trial, told) => trials.push([trial, told]))
    const isConflict = row.get('error')?.code === 'conflict'
    if (isConflict) conflicts.add(item)
    // Of rows that contradict each other it is unknown which counts.
    const unsure = isConflict ? countedTrials(item).differing : []
    for (const [trial, told] of keepsRows ? trials : [])
      if (told.place === undefined && !unsure.includes(told.trial.n))
        Object.assign(trial, { [FROM]: setRun(rows.get(told.kept as number)!, item.run.identity) })
    // Where rows are that contradict each other is told at the end.
    if (!isConflict) item.letGo()
    yield row
  }
  noteRepeats(ledger.all, conflicts, context.note)
}

/** Gives an item its row so far, and the verdicts as they were read. @returns its rows by their places */
function restored(item: Item, stored: StoredRows): ReadonlyMap<number, Row> {
  const rows = new Map<number, Row>()
  const trials = new Map<number, readonly TrialResult[]>()
  const rowAt = (place: number): Row => getOrInsert(rows, place, () => stored.read(place))
  const trialsAt = (place: number) => getOrInsert(trials, place, () => rowAt(place).get('trials')!)
  item.own = itemRow(rowAt(item.own as number))
  if (item.given) item.given.kept = rowAt(item.given.kept as number)
  for (const told of item.rows()) {
    const place = told.kept as number
    rowAt(place)
    if (told.verdict)
      told.verdict =
        told.place === undefined ? rowAt(place).get('verdict') : trialsAt(place)[told.place]!.verdict
  }
  return rows
}
