/** Fills in the settings of --compat, and refuses options that do not go together. */
import type { Option } from '../../options/option.ts'
import { usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { type RankOptions, spec } from './options.ts'

/** An original's settings, and how they differ from jb's own, in words. */
interface Original {
  options: Partial<RankOptions>
  /** If a game fails, the item's others are left out, too. */
  whole: boolean
  oddities: string
}

/** Rounds of an original's bootstrap; with its own 100, bounds vary by half a point between runs. */
const ROUNDS = 1000

const ORIGINALS: Record<NonNullable<RankOptions['compat']>, Original> = {
  'arena-hard': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities:
      'a strong verdict is 3 votes, votes are resampled one by one (items would give wider intervals), of a failed game the other still counts',
  },
  'arena-hard-v2': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS, ci: 0.9, features: 'arena-hard-v2' },
    whole: true,
    oddities:
      'a strong verdict is 3 votes, votes are resampled one by one (items would give wider intervals), intervals of 90 %, if a game fails the other is left out, too',
  },
  'chatbot-arena': {
    options: { method: 'bt', cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities: 'battles are resampled one by one; mixtral-8x7b-instruct-v0.1, if present, is rated 1114',
  },
  alpaca_eval: {
    options: { method: 'mean' },
    whole: true,
    oddities:
      'difficulties are joined by row number, and the standard error of the length-controlled win rate is the spread over instructions',
  },
  rewardbench: { options: {}, whole: true, oddities: 'a reply that cannot be read counts ½' },
}

/** The options, with --compat's settings in place of defaults. */
export interface ResolvedOptions extends RankOptions {
  whole: boolean
  baselineModel: string | undefined
}

/** @throws Fatal (usage) for options that do not go together */
export function resolveOptions(given: RankOptions, context: Context): ResolvedOptions {
  const original = given.compat && ORIGINALS[given.compat]
  const options: ResolvedOptions = {
    ...given,
    whole: original?.whole ?? true,
    baselineModel: given.baseline ?? given.against,
    bootstrap: given.rounds ?? given.bootstrap,
  }
  if (original) {
    for (const [name, value] of Object.entries(original.options))
      if (options[name as keyof RankOptions] === defaultOf(name)) Object.assign(options, { [name]: value })
    if (given.rounds !== undefined) options.bootstrap = given.rounds
    context.note(`--compat ${given.compat}: ${original.oddities}`)
  }
  checkTogether(options)
  return options
}

const defaultOf = (name: string) =>
  (spec.options as readonly Option[]).find((one) => one.name === name)?.default

/** @throws Fatal (usage) for options that do not go together */
function checkTogether(options: ResolvedOptions): void {
  const { partial, merge, control, method, show, difficulty, as } = options
  for (const [name, on] of Object.entries({ partial, merge })) {
    if (!on) continue
    if (control.length > 0) throw usageError(`--${name}: sums of battles hold no features for --control`)
    if (difficulty !== undefined || as === 'alpaca_eval' || as === 'rewardbench')
      throw usageError(
        `--${name}: sums of battles hold no single rows for --${as === undefined ? 'difficulty' : `as ${as}`}`,
      )
    if (method === 'elo') throw usageError(`--${name}: online Elo depends on the order of all battles`)
  }
  if (options.compat === 'rewardbench' && as !== 'rewardbench')
    throw usageError('--compat rewardbench goes with --as rewardbench')
  if (show === 'controls' && control.length === 0) throw usageError('--show controls goes with --control')
  const lengths = control.filter((what) => what.startsWith('length_controlled'))
  if (lengths.length > 0 && control.length > 1) throw usageError(`--control ${lengths[0]} goes alone`)
  const needs = lengths.some((what) => what !== 'length_controlled_minimal')
  if (needs && difficulty === undefined)
    throw usageError(
      `--control ${lengths[0]} needs --difficulty FILE, alpaca_eval’s df_gamed.csv (data set tatsu-lab/alpaca_eval on Hugging Face); length_controlled_minimal does without, but may be many points off`,
    )
  if (control.length > 0 && (method === 'elo' || (method === 'mean' && lengths.length === 0)))
    throw usageError(
      `--control ${control[0]} does not go with --method ${method}: it is a Bradley–Terry model (--method bt)`,
    )
}
