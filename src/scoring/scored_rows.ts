/** Rows of jb-score: of each item one, with its result, or why it has none, and its trials. */
import type { Rows } from '../rows/reader.ts'
import { type Criterion, type Result, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { atRow, type Context } from '../rows/stage.ts'
import { itemConfidence } from './confidence.ts'
import type { Item, LedgerSettings } from './item.ts'
import {
  conflicting,
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
import { IN_MEMORY, Parked } from './parked.ts'
import { noteRepeats } from './repeats.ts'
import { type RunIdentity, runModel } from './run_identity.ts'
import { itemRow, trialResult } from './trial_result.ts'

/** What a ledger keeps for rows of jb-score: of an item its row so far, see {@link itemRow}; of a result its row as it came. */
const KEPT = {
  reads: 'all',
  own: (row: Row) => itemRow(row),
  keepResult: (row: Row) => row.fork(),
} as const satisfies Partial<LedgerSettings>

/** The ledger of a command that writes rows of jb-score. @throws Fatal (configuration) for bad criteria */
export async function ledgerOfRows(
  settings: LedgerSettings,
  context: Pick<Context, 'stage' | 'note'>,
): Promise<Ledger> {
  // Of an item that is written at once, it is not known yet which groups there are.
  return new Ledger(
    { ...(await scoreSettings(settings)), ...KEPT, strict: settings.fields === undefined },
    context,
  )
}

/** The row of an item. @param conflict why it fails, whatever its rows say */
export function rowOf(item: Item, { stage, note }: Pick<Context, 'stage' | 'note'>, conflict?: string): Row {
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
        trials: trialResults(result),
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
const trialResults = ({ counted, run }: ItemResult): TrialResult[] =>
  counted.flatMap(({ told, calls }) =>
    trialsApart(trialResult(told, calls, modelOf(told.error, run.identity))),
  )

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
const isTold = (stage: string, kind: string | undefined) =>
  stage !== 'score' || kind === 'label' || kind === 'spelling'

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
    row.set('result', {
      ...result,
      ...(confidence !== undefined && { confidence }),
      ...(model !== undefined && { model }),
      ...(options && { scored_with: options }),
    })
  } else {
    const { code, message, detail, error } = failure!
    if (error && error.stage !== 'score') row.set('error', { ...error, message })
    else row.fail(stage, new RowFailure(code, message, detail))
  }
  return row.set('trials', [...trials])
}

/** Rows that are read or written together. */
const TOGETHER = 256

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

/**
 * One row for each item, with `jb.result` and `jb.trials`, when all rows are in: whole items in the order in which they were
 * whole, then the others. Results among the rows count as they are.
 * @param isTrial which rows are scored; the others pass as they are
 */
export async function* scoredRows(
  rows: Rows,
  settings: LedgerSettings,
  context: Context,
  isTrial: (row: Row) => boolean = () => true,
): Rows {
  const ledger = await ledgerOfRows(settings, context)
  const parked = new Parked()
  const whole = new Set<Item>()
  try {
    for await (const batch of rows) {
      const passed = batch.filter((row) => !isTrial(row))
      for (const row of batch) {
        const item = isTrial(row) ? ledger.add(row) : undefined
        if (!item?.isWhole || whole.has(item)) continue
        if (whole.size < IN_MEMORY || !parked.add(item)) whole.add(item)
      }
      if (passed.length > 0) yield passed
    }
    if (!context.cut()) yield* together(allRows(ledger, whole, parked, context))
  } finally {
    parked.close()
  }
}

/** The rows of all items, of these first, then of those that are parked. */
function* allRows(
  ledger: Ledger,
  whole: Iterable<Item>,
  parked: Parked,
  context: Pick<Context, 'stage' | 'note'>,
): Generator<Row> {
  const conflicts = new Set<Item>()
  const rest = new Set(ledger.items())
  function* ones(): Generator<Item> {
    yield* whole
    yield* parked.restored()
    yield* rest
  }
  for (const item of ones()) {
    if (!rest.delete(item)) continue
    const row = rowOf(item, context)
    item.own = undefined
    if (row.get('error')?.code === 'conflict') conflicts.add(item)
    yield row
  }
  noteRepeats(ledger.all, conflicts, context.note)
}
