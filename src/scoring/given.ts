/** Results that rows have already: those of jb-score. */
import {
  Fatal,
  isObject,
  type Json,
  type Result,
  type RowError,
  RowFailure,
  type TrialResult,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { canonical, type ScoreSettings } from './kind.ts'
import { KIND, kindIn } from './kinds.ts'
import { firstOf, labelFields, labelIn } from './label.ts'
import { compareCodes } from './trial_result.ts'

/** A result, or the failure of an item none of whose trials failed. */
export interface Given {
  result: Result | undefined
  error: RowError | undefined
  /** The number of its trials. */
  trials: number
  /** What counts of it: see {@link countedOf}. */
  counts: string
  /** Rows with the same have the same result. */
  key: string
  /** What the command keeps of its row. */
  kept?: unknown
}

/** @param whole it is kept with the texts that no figure depends on */
export function givenIn(
  result: Result | undefined,
  error: RowError | undefined,
  trials: readonly TrialResult[],
  whole: boolean,
): Given | undefined {
  const isDerived = error?.code === 'incomplete' || trials.some((one) => one.error)
  if (!result && (isDerived || trials.length === 0)) return undefined
  const kept = result && (whole ? result : withoutTexts(result))
  return {
    result: kept,
    error,
    trials: trials.length,
    counts: result ? countedOf(result) : '',
    key: canonical([kept ?? error!.code, trials.length]),
  }
}

/** Whether a result counts before another one of the same item: that of more trials. */
export function precedes(one: Given, other: Given): boolean {
  if (!one.result !== !other.result) return one.result !== undefined
  if (!one.result) return compareCodes(one.error!.code, other.error!.code) < 0
  return one.trials > other.trials || (one.trials === other.trials && one.counts < other.counts)
}

/** What counts of a result: the same trials give another one with other options (--combine, --tie, --criteria, --label). */
export function countedOf({
  correct,
  credit,
  label,
  score,
  decision,
  winner,
  option,
}: Partial<Result>): string {
  const worth = credit ?? (typeof correct === 'boolean' ? Number(correct) : undefined)
  return `${correct} ${worth} ${typeof label === 'object' ? '' : label} ${score} ${decision} ${winner} ${option}`
}

/** A result as far as figures depend on it. */
function withoutTexts(result: Result): Result {
  const { explanation: _1, feedback: _2, reason: _3, items, ...kept } = result
  if (Array.isArray(items))
    kept.items = items.map((one) => (isObject(one) ? withoutTexts(one as Result) : one)) as Json[]
  return kept
}

/**
 * The row of a result; a conflict, with a note, if the item's label has changed since it was scored: jb-score would give
 * another one.
 */
export function relabelled(
  row: Row,
  { isLabelled }: ScoreSettings,
  { stage, note }: Pick<Context, 'stage' | 'note'>,
): Row {
  const result = row.get('result')
  if (!result || isLabelled?.(row) === false || !hasOtherLabel(row, result)) return row
  const message =
    "the item's label has changed since it was scored: jb-score over the rows of jb-parse takes the new one"
  note(`conflict: ${message}`, { file: row.file, line: row.line, kind: 'label changed' })
  return row.fork().fail(stage, new RowFailure('conflict', message))
}

/** Whether the row's label is another than that of its result. */
function hasOtherLabel(row: Row, result: Result): boolean {
  const settings = settingsIn(result)
  if (result.kind === 'list' || (result.kind === 'grade' && settings.label === undefined)) return false
  if (firstOf(row, labelFields(settings)) === undefined) return false
  const trials = row.get('trials')
  if (!trials?.every(({ verdict, error }) => verdict && !error)) return false
  try {
    const kind = KIND[kindIn(result, trials)]
    const about = { ...labelIn(row, kind, settings), asked: row.get('criteria') ?? [] }
    return !haveSameLabel(kind.score(trials, about, settings), result)
  } catch (error) {
    // Only a label that cannot be read is another; trials may also have no result with these options, as those of a jury.
    if (error instanceof RowFailure) return error.code === 'missing_field'
    if (error instanceof Fatal) return false
    throw error
  }
}

/** Whether two results of the same trials have the same label, whatever else they come to. */
function haveSameLabel(one: Result, other: Result): boolean {
  const [items, others] = [one, other].map((result) => (result.items ?? []) as Result[])
  return (
    (one.label ?? null) === (other.label ?? null) &&
    one.label_error === other.label_error &&
    items!.every((item, i) => haveSameLabel(item, others![i] ?? {}))
  )
}

/** The options that a result was scored with; criteria of files are in the row. */
function settingsIn({ scored_with }: Result): ScoreSettings {
  const { criteria: _, label_map, ...options } = (scored_with ?? {}) as ScoreSettings
  return { ...options, ...(typeof label_map === 'string' && { labelMap: label_map }) }
}
