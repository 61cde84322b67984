/** jb-score: the trials of an item → one result. */
import { formatOf } from '../../formats/_format.ts'
import type { OptionsOf } from '../../options/option.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import type { spec } from './options.ts'

export type ScoreOptions = OptionsOf<typeof spec>

/** Yields an item's row, with `jb.result` and `jb.trials`, as soon as its last trial is in. */
export const score: Stage<ScoreOptions> = async function* (rows, options, context) {
  if (options.as !== undefined) {
    const format = await formatOf(options.as, 'write', context.stage)
    yield* format.write(format.unscored ? rows : results(rows, options, context), options, context)
  } else yield* results(rows, options, context)
}

async function* results(rows: Rows, options: ScoreOptions, context: Context): Rows {
  const scorer = await Scorer.create({ ...options }, context.stage)
  for await (const batch of rows) {
    const out: Row[] = []
    for (const row of batch) {
      const result = scorer.add(row)
      if (result) out.push(result)
    }
    if (out.length > 0) yield out
  }
  for (const row of scorer.rest()) yield [row]
}
