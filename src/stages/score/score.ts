/** jb-score: the trials of an item → one result. */
import { formatOf } from '../../formats/_format.ts'
import { type Stage, soundRows } from '../../rows/stage.ts'
import { scoredRows } from '../../scoring/_scored.ts'
import type { ScoreOptions } from './options.ts'

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (rows, options, context) {
  if (options.format !== 'ndjson') {
    const { spreadsheet } = await import('./spreadsheet.ts')
    yield* spreadsheet(rows, options, context)
  } else if (options.as !== undefined) {
    const format = await formatOf(options.as, 'write', context.stage)
    const sound = soundRows(rows, context)
    yield* format.write(format.unscored ? sound : scoredRows(sound, options, context), options, context)
  } else yield* scoredRows(rows, options, context)
}
