/** jb-score: the trials of an item → one result. */
import { formatOf } from '../../formats/_format.ts'
import { noteUnread } from '../../formats/_marks.ts'
import { checkSpreadsheet, ignoredOptions } from '../../options/ignored.ts'
import { firstRows } from '../../rows/first.ts'
import { usageError } from '../../rows/record.ts'
import type { Stage } from '../../rows/stage.ts'
import { unscored } from '../../scoring/_already_scored.ts'
import { deduplicatedText } from '../../scoring/_deduplicated.ts'
import { fieldsDigestOf } from '../../scoring/_item_fields.ts'
import { scoredRows } from '../../scoring/_scored_rows.ts'
import { BANK_OPTIONS } from '../../trec/options.ts'
import { scoredOnce } from './once.ts'
import type { ScoreOptions } from './options.ts'

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (given, options, context) {
  checkSpreadsheet(options, context)
  if (options.as === undefined) ignoredOptions(BANK_OPTIONS, options, 'it goes with --as', context)
  const rows = unscored(given, options, context)
  if (options.format !== 'ndjson') {
    const { itemLines } = await import('./spreadsheet.ts')
    yield* itemLines(rows, options, context)
  } else if (options.as !== undefined) {
    const format = await formatOf(options.as, 'write', context.stage)
    if (format.unscored && options.limit !== undefined)
      throw usageError(`--limit counts results, and --as ${options.as} is made of verdicts`)
    yield* deduplicatedText(
      rows,
      { ...options, fieldsDigest: fieldsDigestOf(options, format.whole) },
      context,
      (sound, within) => {
        const scored = () => firstRows(scoredRows(sound, options, within), options.limit)
        return format.write(format.unscored ? sound : scored(), { ...options }, within)
      },
    )
  } else yield* firstRows(scoredOnce(noteUnread(rows, context), options, context), options.limit)
}
