/** jb-score: the trials of an item → one result. */
import { formatOf } from '../../formats/_format.ts'
import { checkSpreadsheet } from '../../options/ignored.ts'
import { firstRows } from '../../rows/first.ts'
import { usageError } from '../../rows/record.ts'
import { type Stage, soundRows } from '../../rows/stage.ts'
import { scoredRows } from '../../scoring/_scored.ts'
import type { ScoreOptions } from './options.ts'

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (rows, options, context) {
  checkSpreadsheet(options, context)
  if (options.format !== 'ndjson') {
    const { itemLines } = await import('./spreadsheet.ts')
    yield* itemLines(rows, options, context)
  } else if (options.as !== undefined) {
    const format = await formatOf(options.as, 'write', context.stage)
    const sound = soundRows(rows, context)
    if (format.unscored && options.limit !== undefined)
      throw usageError(`--limit counts results, and --as ${options.as} is made of verdicts`)
    const scored = () => firstRows(scoredRows(sound, options, context), options.limit)
    yield* format.write(format.unscored ? sound : scored(), options, context)
  } else yield* firstRows(scoredRows(rows, options, context), options.limit)
}
