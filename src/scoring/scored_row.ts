/** The row of an item: its result, or why it has none, and its trials. */
import { type Criterion, type RowError, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type Context, rowFailure } from '../rows/stage.ts'
import { windowOf } from '../verdicts/_window.ts'
import { type ScoreSettings, scoredWith } from './kind.ts'
import { KIND, kindOf } from './kinds.ts'
import { labelIn, unreadLabelIn } from './label.ts'

/** An item of which all rows are known that there are. */
export interface GivenItem {
  /** The item's row so far: see itemRow. */
  row: Row
  /** Those that count, in their order. */
  trials: readonly TrialResult[]
  /** How many trials it has. */
  of: number
  /** Those that the trials asked about. */
  criteria: readonly Criterion[]
  /** Why it fails although all trials are there. */
  conflict?: string | undefined
}

/** Sets the result, or the error, and the trials. */
export function scoredRow(
  { row, trials: asked, of, criteria, conflict }: GivenItem,
  settings: ScoreSettings,
  context: Pick<Context, 'stage' | 'note'>,
): Row {
  const { stage, note } = context
  if (criteria.length > 0) row.set('criteria', [...criteria])
  const trials = asked.flatMap(eachElement)
  const failed = trials.find(({ error }) => error)
  try {
    const there = new Set(asked.map(({ trial }) => trial.n)).size
    if (there < of) throw new RowFailure('incomplete', `${there} of ${of} trials are there`)
    if (conflict !== undefined) throw new RowFailure('conflict', conflict)
    if (failed) setFailure(row, failed, of, stage)
    else setResult(row, trials, criteria, settings, note)
  } catch (error) {
    const failure = rowFailure(error, row)
    const { code, message } = failure
    // Rows of jb-score are written, and their failures told as they are.
    if (stage !== 'score' && code !== 'incomplete' && code !== 'conflict')
      note(`${code}: ${message}`, { file: row.file, line: row.line, kind: code })
    row.fail(stage, failure)
  }
  return row.set('trials', trials)
}

function setResult(
  row: Row,
  trials: readonly TrialResult[],
  asked: readonly Criterion[],
  settings: ScoreSettings,
  note: Context['note'],
): void {
  const { verdict, model } = trials[0]!
  const kind = KIND[kindOf(verdict!)]
  const criteria = kind === KIND.choice ? settings.criteriaSource?.of(row) : undefined
  if (criteria) row.set('criteria', criteria)
  const result = kind.score(trials, { ...labelIn(row, kind, settings), asked, criteria }, settings)
  const unread = unreadLabelIn(result)
  if (unread) note(unread, { file: row.file, line: row.line, kind: 'label' })
  if (model !== undefined) result.model = model
  const options = scoredWith(settings)
  if (options) result.scored_with = options
  row.set('result', result)
}

/** The item gets the error of its failed trial, with the stage in which it failed. */
function setFailure(row: Row, { trial, error }: TrialResult, of: number, stage: Context['stage']): void {
  const { message: said, stage: failedIn, code, ...detail } = error!
  const message = of === 1 ? said : `trial ${trial.n}: ${said}`
  if (failedIn === 'score') row.fail(stage, new RowFailure(code, message, detail))
  else row.set('error', { ...error!, message })
}

/** Of a window a result for every element; one that no line could be read for fails alone. Usage is that of the first. */
function eachElement(one: TrialResult): TrialResult[] {
  const window = windowOf(one.trial)
  if (!window) return [one]
  const each = (one.verdict?.each ?? []) as unknown as (TrialResult['verdict'] | null)[]
  return window.trials.map((trial, place) => {
    const { usage, cost, calls, verdict: _verdict, ...rest } = one
    const verdict = each[place]
    const error: RowError = {
      stage: 'score',
      code: 'no_verdict',
      message: `no line for ${window.name} ${window.ids[place]}`,
    }
    return {
      ...rest,
      trial: trial as TrialResult['trial'],
      ...(place === 0 && usage && { usage }),
      ...(place === 0 && cost !== undefined && { cost }),
      ...(place === 0 && calls && { calls }),
      ...(verdict ? { verdict } : !one.error && { error }),
    }
  })
}
