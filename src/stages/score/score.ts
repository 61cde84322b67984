/** jb-score: the trials of an item → one result. */
import { noteUnread } from '../../formats/_marks.ts'
import { usageError } from '../../rows/record.ts'
import type { Stage } from '../../rows/stage.ts'
import { onResults } from '../../scoring/options.ts'
import type { ScoreOptions } from './options.ts'
import { releasedItems } from './release.ts'

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (rows, options, context) {
  const { jury, quorum, pass, save } = options
  if (quorum !== undefined && jury === undefined) throw usageError('--quorum goes with --jury')
  if (save !== undefined && jury !== 'learned') throw usageError('--save goes with --jury learned')
  if (jury === undefined) {
    if (pass === undefined)
      return yield* releasedItems(noteUnread(rows, context), options, context, onResults(options, context))
    const { gradeSettings, passedRows } = await import('./pass.ts')
    const grades = releasedItems(noteUnread(rows, context), gradeSettings(options), context)
    return yield* passedRows(grades, { ...options, pass }, context)
  }
  const { juryItems } = await import('./jury.ts')
  yield* juryItems(noteUnread(rows, context), { ...options, jury }, context)
}
