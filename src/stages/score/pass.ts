/** `--pass X`: a grade of X or more is the option pass, a lower one fail. */
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type TrialResult, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, failureIn } from '../../rows/stage.ts'
import { type ScoreSettings, scoredWith } from '../../scoring/kind.ts'
import { compared } from '../../scoring/kinds/choice.ts'
import { firstOf, labelFields } from '../../scoring/label.ts'
import { meantBy } from '../../scoring/label_map.ts'
import { PASS } from '../../scoring/label_terms.ts'
import { identityOf } from '../../scoring/run_identity.ts'
import type { GradeScale } from '../../scoring/scale.ts'
import { setRun } from '../../scoring/scored_rows.ts'
import { itemRow } from '../../scoring/trial_result.ts'

interface PassSettings extends ScoreSettings {
  pass: number
}

/** Settings by which trials come to a grade, whatever the label: pass and fail are compared with that. */
export const gradeSettings = <S extends ScoreSettings>(settings: S): S => ({
  ...settings,
  label: undefined,
  labelMap: undefined,
  isLabelled: () => false,
})

/** Results of grades as pass and fail; failures as they are. @throws Fatal (data) for results of other kinds */
export async function* passedRows(rows: Rows, settings: PassSettings, context: Context): Rows {
  for await (const batch of rows) yield batch.map((row) => passed(row, settings, context))
}

/** @throws Fatal (data) for a result that is no grade */
export function passed(row: Row, settings: PassSettings, { stage }: Pick<Context, 'stage'>): Row {
  if (!row.has('result')) return row
  const { pass } = settings
  const { kind = 'grade', score: grade, model, range } = row.get('result')!
  if (kind !== 'grade' || typeof grade !== 'number')
    throw new Fatal(EXIT.data, `--pass: ${row.get('judge')} gives no grade`)
  const [low, high] = (range as GradeScale | undefined) ?? []
  if (low !== undefined && (pass <= low || pass > high!))
    throw usageError(
      `--pass ${pass}: the scores of ${row.get('judge')} are from ${low} to ${high}, and all would ${pass <= low ? 'pass' : 'fail'}`,
    )
  const said = optionOf(grade, pass)
  const label = meantBy(firstOf(row, labelFields(settings)), settings.labelMap)
  const isLabelled = label !== undefined && settings.isLabelled?.(row) !== false
  row.set('criteria', [PASS])
  row.set(
    'trials',
    (row.get('trials') ?? []).map((one) => turned(one, pass)),
  )
  try {
    return row.set('result', {
      ...{ kind: 'choice', ...said, grade },
      ...(isLabelled && compared({ kind: 'choice', ...said }, label, PASS, settings)),
      ...(model !== undefined && { model }),
      scored_with: scoredWith(settings)!,
    })
  } catch (error) {
    const failure = failureIn(error)
    if (!failure) throw error
    const identity = identityOf(row)
    const failed = itemRow(row, identity).set('trials', row.get('trials')!)
    return setRun(failed.fail(stage, failure), identity)
  }
}

const optionOf = (grade: number, pass: number) =>
  grade >= pass ? { option: 'pass', score: 1 } : { option: 'fail', score: 0 }

function turned(one: TrialResult, pass: number): TrialResult {
  const grade = one.verdict?.score
  if (typeof grade !== 'number') return one
  return { ...one, verdict: { label: one.verdict!.label, ...optionOf(grade, pass), grade } }
}
