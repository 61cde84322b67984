/** jb-aggregate: results → a report. */

import { printExact } from '../../formats/_exact_rows.ts'
import { noteUnread } from '../../formats/_marks.ts'
import { ignoredOptions, type OptionOrName } from '../../options/ignored.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { refuseScoring } from '../../scoring/_already_scored.ts'
import { deduplicatedText } from '../../scoring/_deduplicated.ts'
import { TREC_OPTIONS, TRUTH_OPTIONS, type TruthSettings } from '../../trec/options.ts'
import { expectedNumber } from './expected.ts'
import { checkPartial } from './gates.ts'
import type { AggregateOptions } from './options.ts'
import { ownReport } from './own_report.ts'
import { writtenAs } from './written_as.ts'

export type { AggregateOptions } from './options.ts'

/** Yields the text of one report over all rows. */
export const aggregate: Stage<AggregateOptions> = async function* (rows, options, context) {
  checkTogether(options, context)
  if (options.truth !== undefined) {
    const { compareWithTruth } = await import('../../trec/truth.ts')
    yield await printExact(await compareWithTruth(options as TruthSettings, context), options, context)
  } else if (options.labels !== undefined) {
    const { agreeWithLabels } = await import('./labels.ts')
    const settings = { ...options, labels: options.labels }
    yield* deduplicatedText(rows, options, context, (sound, within) =>
      agreeWithLabels(sound, settings, within),
    )
  } else if (options.as !== undefined) yield* writtenAs(options.as, rows, options, context)
  else yield* ownReport(noteUnread(rows, context), options, context)
}

/** Reports options that say nothing beside the others. @throws Fatal (usage) as ignoredOption */
function checkIgnored(options: AggregateOptions, context: Context): void {
  const { as, truth, labels } = options
  const ignored = (some: readonly OptionOrName[], why: string) => ignoredOptions(some, options, why, context)
  if (truth !== undefined) ignored(['fail-under', 'by', 'expect'], 'nothing is scored with --truth')
  else {
    if (options.compat === 'autojudge') ignored(['compat'], 'autojudge goes with --truth')
    const read = as === 'spread' ? ['from', 'header'] : []
    ignored(
      TRUTH_OPTIONS.filter(({ name }) => !read.includes(name)),
      'it goes with --truth',
    )
  }
  if ((truth ?? as) === undefined) ignored(TREC_OPTIONS, 'it goes with --as or --truth')
  if (labels !== undefined) ignored(['fail-under'], 'with --labels there is agreement, and no gate for it')
  if (as !== 'mt-bench-results') ignored(['baseline'], 'it goes with --as mt-bench-results')
}

/** @throws Fatal (usage) for options that do not go together, or say nothing together */
function checkTogether(options: AggregateOptions, context: Context): void {
  const { as, truth, merge, partial, save, expect, common, labels } = options
  checkIgnored(options, context)
  const other = truth === undefined ? as && '--as' : '--truth'
  const refuse = (refused: unknown, message: string) => {
    if (refused) throw usageError(message)
  }
  refuse(merge && other, `--merge is for jb's own report, not for ${other}`)
  refuse(partial && other, `--partial is for jb's own report, not for ${other}`)
  refuse(
    labels !== undefined && (merge || partial || other),
    '--labels is for rows and results: it goes with none of --as, --truth, --merge, --partial',
  )
  refuse(save !== undefined && as !== 'lm-eval', '--save goes with --as lm-eval')
  if (expect !== undefined) expectedNumber(expect)
  refuse(common && other, "--common is for jb's own report")
  refuse(
    common && (merge || partial),
    '--common compares items, of which a state has only sums: give it the rows',
  )
  if (merge) refuseScoring(options, '--merge adds up what is scored already: give it to --partial', context)
  if (partial) checkPartial(options, context)
}
