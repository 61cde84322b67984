/** Results whose items got another label after they were scored: they are out of date, as jb-score would give others. */
import { Fatal, type Result, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { ScoreSettings } from './kind.ts'
import { KIND, kindIn } from './kinds.ts'
import { firstOf, labelFields, labelIn } from './label.ts'

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

/** The row of a result; a conflict, with a note, if the item's label has changed since it was scored. */
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
