/** jb-aggregate: results → a report. */

import { printExact } from '../../formats/_exact_rows.ts'
import { noteUnread } from '../../formats/_marks.ts'
import { ignoredOption, ignoredOptions } from '../../options/ignored.ts'
import type { Rows } from '../../rows/reader.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { refuseScoring } from '../../scoring/_already_scored.ts'
import { deduplicatedText } from '../../scoring/_deduplicated.ts'
import { TREC_OPTIONS, TRUTH_OPTIONS, type TruthSettings } from '../../trec/options.ts'
import { expectedNumber } from './expected.ts'
import { checkPartial } from './gates.ts'
import type { AggregateOptions } from './options.ts'
import { ownReport } from './own_report.ts'
import { partOf } from './parts.ts'
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

aggregate.split = {
  part: partOf,
  async *whole(parts, options, context) {
    checkTogether(options, context)
    yield* ownReport(of(), options, context, parts)
  },
}

async function* of(): Rows {}

/** @throws Fatal (usage) for options that do not go together, or say nothing together */
function checkTogether(options: AggregateOptions, context: Context): void {
  const { as, truth, merge, partial, save, failUnder, expect, common, labels, baseline } = options
  if (options.compat === 'autojudge' && truth === undefined)
    ignoredOption('compat', 'autojudge goes with --truth', context)
  const unread = TRUTH_OPTIONS.filter(({ name }) => as !== 'spread' || !/^(from|header)$/.test(name))
  if (truth === undefined) ignoredOptions(unread, options, 'it goes with --truth', context)
  if ((truth ?? as) === undefined)
    ignoredOptions(TREC_OPTIONS, options, 'it goes with --as or --truth', context)
  if (truth !== undefined && failUnder !== undefined)
    ignoredOption('fail-under', 'nothing is scored with --truth', context)
  if (truth !== undefined && options.by.length > 0)
    ignoredOption('by', 'nothing is scored with --truth', context)
  for (const [name, given] of Object.entries({ merge, partial }))
    if (given && (truth ?? as) !== undefined)
      throw usageError(`--${name} is for jb's own report, not for --${truth === undefined ? 'as' : 'truth'}`)
  if (labels !== undefined && (merge || partial || (truth ?? as) !== undefined))
    throw usageError(
      '--labels is for rows and results: it goes with none of --as, --truth, --merge, --partial',
    )
  if (labels !== undefined && failUnder !== undefined)
    ignoredOption('fail-under', 'with --labels there is agreement, and no gate for it', context)
  if (baseline !== undefined && as !== 'mt-bench-results')
    ignoredOption('baseline', 'it goes with --as mt-bench-results', context)
  if (save !== undefined && as !== 'lm-eval') throw usageError('--save goes with --as lm-eval')
  if (expect !== undefined && truth !== undefined)
    ignoredOption('expect', 'nothing is scored with --truth', context)
  if (expect !== undefined) expectedNumber(expect)
  if (common && (truth ?? as) !== undefined) throw usageError("--common is for jb's own report")
  if (common && (merge || partial))
    throw usageError('--common compares items, of which a state has only sums: give it the rows')
  if (merge) refuseScoring(options, '--merge adds up what is scored already: give it to --partial', context)
  if (partial) checkPartial(options, context)
}
