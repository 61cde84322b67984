/** jb-aggregate: results → a report. */

import { noteBare, noteUnread } from '../../formats/_marks.ts'
import { ignoredOptions } from '../../options/ignored.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { expectedNumber } from '../../scoring/expected.ts'
import { followed } from '../../scoring/followed.ts'
import { refuseScoring } from '../../scoring/options.ts'
import { checkPartial } from './gates.ts'
import type { AggregateOptions } from './options.ts'
import { ownReport } from './own_report.ts'
import { checkGate } from './until.ts'

export type { AggregateOptions } from './options.ts'

/** Yields the text of one report over all rows. */
export const aggregate: Stage<AggregateOptions> = async function* (rows, options, context) {
  checkTogether(options, context)
  const seen = options.labels === undefined ? noteBare(noteUnread(rows, context), context) : rows
  const { rows: known, options: settings } = await followed(seen, options, context)
  if (settings.labels === undefined) return yield* ownReport(known, settings, context)
  const { agreeWithLabels } = await import('./labels.ts')
  yield* agreeWithLabels(known, { ...settings, labels: settings.labels }, context)
}

/** @throws Fatal (usage) for options that do not go together, or say nothing together */
function checkTogether(options: AggregateOptions, context: Context): void {
  const { merge, partial, expect, common, labels, cluster, until } = options
  checkGate(options, context)
  if (labels !== undefined) {
    ignoredOptions(['fail-under'], options, 'with --labels there is agreement, and no gate for it', context)
    if (merge || partial)
      throw usageError('--labels is for rows and results: it goes with neither --merge nor --partial')
  }
  if (labels === undefined)
    ignoredOptions(['item', 'rescale'], options, 'it is for the labels of --labels', context)
  if (expect !== undefined) expectedNumber(expect)
  if (common && (merge || partial))
    throw usageError('--common compares items, of which a state has only sums: give it the rows')
  if (cluster !== undefined && merge)
    throw usageError('--cluster: sums are by cluster already, or not: give it to --partial')
  if (cluster !== undefined && labels !== undefined)
    throw usageError(
      '--cluster does not go with --labels: jb-audit --truth FILE --cluster FIELD has such intervals',
    )
  if (cluster !== undefined && until !== undefined)
    throw usageError(
      '--cluster does not go with --until: jb-render --shuffle --cluster FIELD keeps clusters together',
    )
  if (merge) refuseScoring(options, '--merge adds up what is scored already: give it to --partial', context)
  if (partial) checkPartial(options, context)
}
