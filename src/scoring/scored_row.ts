/** The row of an item: its result, or why it has none, and its trials. */
import { type Criterion, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { atRow, type Context } from '../rows/stage.ts'
import { type JudgeKind, type ScoreSettings, scoredWith } from './kind.ts'
import { KIND } from './kinds.ts'
import { labelIn } from './label.ts'
import {
  type AboutItem,
  conflicting,
  decideItem,
  type ItemDecision,
  incomplete,
  trialsApart,
} from './result.ts'

/** An item of which all rows are known that there are. */
interface GivenItem extends Pick<AboutItem, 'of'> {
  /** The item's row so far: see itemRow. */
  row: Row
  /** Those that count, in their order. */
  trials: readonly TrialResult[]
  /** The criteria that they asked about. */
  asked: readonly Criterion[]
  /** Why it fails although all trials are there. */
  conflict?: string | undefined
}

/** The row of an item that is in no ledger. */
export function scoredRow(
  { row, trials: tried, of, asked, conflict }: GivenItem,
  settings: ScoreSettings,
  context: Pick<Context, 'stage' | 'note'>,
): Row {
  const trials = tried.flatMap(trialsApart)
  const there = new Set(tried.map(({ trial }) => trial.n)).size
  const given = { of, ...aboutRow(row, settings, context) }
  const found = () => {
    if (there < of) return incomplete(there, of)
    return conflict === undefined ? decideItem(trials, asked, given, settings) : conflicting(conflict)
  }
  try {
    return withResult(row, { ...found(), trials, asked }, settings, context)
  } catch (error) {
    throw atRow(error, row)
  }
}

/** What an item's row says of it. */
export const aboutRow = (
  row: Row,
  settings: ScoreSettings,
  { stage, note }: Pick<Context, 'stage' | 'note'>,
): Pick<AboutItem, 'about' | 'tell'> => ({
  about(kind: JudgeKind) {
    const criteria = kind === KIND.choice ? settings.criteriaSource?.of(row) : undefined
    if (criteria) row.set('criteria', criteria)
    return { ...labelIn(row, kind, settings), criteria }
  },
  // Rows of jb-score are written, and their failures told as they are.
  tell(words, kind) {
    if (stage !== 'score' || kind === 'label') note(words, { file: row.file, line: row.line, kind })
  },
})

/** Sets what the item came to, and the trials. */
export function withResult(
  row: Row,
  found: ItemDecision & { trials: readonly TrialResult[]; asked: readonly Criterion[] },
  settings: ScoreSettings,
  { stage }: Pick<Context, 'stage'>,
): Row {
  const { trials, asked, result, failure, error } = found
  if (asked.length > 0 && !row.has('criteria')) row.set('criteria', [...asked])
  if (result) {
    const [{ model } = {}] = trials
    const options = scoredWith(settings)
    row.set('result', {
      ...result,
      ...(model !== undefined && { model }),
      ...(options && { scored_with: options }),
    })
  } else if (error && error.stage !== 'score') row.set('error', { ...error, message: failure!.message })
  else row.fail(stage, new RowFailure(failure!.code, failure!.message, failure!.detail))
  return row.set('trials', [...trials])
}
