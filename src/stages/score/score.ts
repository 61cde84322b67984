/** jb-score: the trials of an item → one result. */
import { noteUnread } from '../../formats/_marks.ts'
import type { Rows } from '../../rows/reader.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { followed } from '../../scoring/followed.ts'
import { onResults } from '../../scoring/options.ts'
import type { JuryMode } from './jury.ts'
import type { ScoreOptions } from './options.ts'
import { releasedItems } from './release.ts'

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (rows, options, context) {
  const { jury, quorum, save } = options
  if (quorum !== undefined && jury === undefined) throw usageError('--quorum goes with --jury')
  if (save !== undefined && jury !== 'learned') throw usageError('--save goes with --jury learned')
  const asked = jury === undefined ? undefined : await juryMode(jury)
  const { rows: trials, options: settings } = await followed(noteUnread(rows, context), options, context)
  for await (const batch of await scored(trials, settings, asked, context)) {
    for (const row of batch) if (row.has('compat') || settings.compat) row.set('compat', settings.compat)
    yield batch
  }
}

const juryMode = async (jury: string): Promise<JuryMode> => (await import('./jury.ts')).juryMode(jury)

/** The items' rows. */
async function scored(
  trials: Rows,
  options: ScoreOptions,
  jury: JuryMode | undefined,
  context: Context,
): Promise<Rows> {
  const { pass } = options
  if (jury) return (await import('./jury.ts')).juryItems(trials, options, jury, context)
  if (pass === undefined) return releasedItems(trials, options, context, onResults(options, context))
  const { gradeSettings, passedRows } = await import('./pass.ts')
  return passedRows(releasedItems(trials, gradeSettings(options), context), { ...options, pass }, context)
}
