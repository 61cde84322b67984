/** jb-rank: battles → a leaderboard. */
import type { OptionsOf } from '../../options/option.ts'
import { type JsonObject, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { type Group, gather } from './gather.ts'
import type { spec } from './options.ts'
import { print } from './print.ts'
import { type Ranked, rankGroup } from './rank_group.ts'
import { show } from './show.ts'

export type RankOptions = OptionsOf<typeof spec>

/** Settings of an original, and the oddities that make them. */
interface Original {
  options: Partial<RankOptions>
  /** A failed game takes its item's others with it. */
  whole: boolean
  oddities: string
}

/** Rounds of an original's bootstrap: its own 100 let bounds move by half a point from run to run. */
const ROUNDS = 1000

const ORIGINALS: Record<NonNullable<RankOptions['compat']>, Original> = {
  'arena-hard': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities:
      'a strong verdict is 3 votes, votes are resampled one by one (items would give wider intervals), a failed game alone is left out',
  },
  'arena-hard-v2': {
    options: { strong: 3, cluster: 'none', bootstrap: ROUNDS, ci: 0.9, features: 'arena-hard-v2' },
    whole: true,
    oddities:
      'a strong verdict is 3 votes, votes are resampled one by one (items would give wider intervals), intervals of 90 %, a failed game takes the other with it',
  },
  'chatbot-arena': {
    options: { method: 'bt', cluster: 'none', bootstrap: ROUNDS },
    whole: false,
    oddities: 'battles are resampled one by one; mixtral-8x7b-instruct-v0.1 is 1114 where it is there',
  },
  alpaca_eval: {
    options: { method: 'mean' },
    whole: true,
    oddities:
      'difficulties are joined by row number, and the standard error of the length-controlled win rate is the spread over instructions',
  },
}

/** Options as they count: what --compat sets where nothing was said. */
export interface Settled extends RankOptions {
  whole: boolean
  baselineModel: string | undefined
}

/** Yields one leaderboard for each group of battles. */
export const rank: Stage<RankOptions> = async function* (rows, given, context) {
  const options = settle(given, context)
  const groups = await gather(rows, options, context)
  if (options.partial) {
    for (const { by, ledger } of groups)
      for (const state of ledger.states(by)) yield `${JSON.stringify(state)}\n`
    return
  }
  if (options.show === 'pairs' || options.show === 'cycles') {
    yield await show(options.show, groups, options, context)
    return
  }
  const ranked: Ranked[] = []
  for (const group of groups) ranked.push(await rankGroup(group, options, context))
  context.summary(() => summaryOf(groups, ranked))
  yield await print(ranked, options, context)
}

function settle(given: RankOptions, context: Context): Settled {
  const original = given.compat && ORIGINALS[given.compat]
  const options: Settled = {
    ...given,
    whole: original?.whole ?? true,
    baselineModel: given.baseline ?? given.against,
    bootstrap: given.rounds ?? given.bootstrap,
  }
  if (original) {
    const said = (name: keyof RankOptions, value: unknown) =>
      given[name] !== undefined && given[name] !== DEFAULTS[name] ? given[name] : value
    for (const [name, value] of Object.entries(original.options))
      Object.assign(options, { [name]: said(name as keyof RankOptions, value) })
    if (given.rounds !== undefined) options.bootstrap = given.rounds
    context.note(`--compat ${given.compat}: ${original.oddities}`)
  }
  checkTogether(options)
  return options
}

const DEFAULTS: Partial<RankOptions> = { cluster: 'item', bootstrap: 0, ci: 0.95, features: 'arena-hard' }

/** @throws Fatal (usage) for options that do not go together */
function checkTogether(options: Settled): void {
  const { partial, merge, control, method, show, difficulty } = options
  for (const [name, on] of Object.entries({ partial, merge })) {
    if (!on) continue
    if (control.length > 0) throw usageError(`--${name}: sums of battles hold no features for --control`)
    if (method === 'elo') throw usageError(`--${name}: online Elo depends on the order of all battles`)
  }
  if (show === 'controls' && control.length === 0) throw usageError('--show controls goes with --control')
  const lengths = control.filter((what) => what.startsWith('length_controlled'))
  if (lengths.length > 0 && control.length > 1) throw usageError(`--control ${lengths[0]} goes alone`)
  const needs = lengths.some((what) => what !== 'length_controlled_minimal')
  if (needs && difficulty === undefined)
    throw usageError(
      `--control ${lengths[0]} needs --difficulty FILE, alpaca_eval’s df_gamed.csv (data set tatsu-lab/alpaca_eval on Hugging Face); length_controlled_minimal does without, and may be many points off`,
    )
  if (control.length > 0 && method === 'elo') throw usageError('--control does not go with --method elo')
}

/** What stands in the figures and what does not, in words. */
function summaryOf(groups: readonly Group[], ranked: readonly Ranked[]): string {
  const sum = (of: (group: Group) => number) => groups.reduce((total, group) => total + of(group), 0)
  const unsolved = ranked.flatMap(({ standings }) => standings).filter(({ why }) => why !== undefined)
  const left = ranked.reduce((total, { replicatesLeftOut }) => total + replicatesLeftOut, 0)
  const components = Math.max(
    1,
    ...ranked.flatMap(({ standings }) => standings.map(({ component }) => component)),
  )
  return [
    `${sum(({ battles }) => battles)} battles`,
    `${sum(({ ledger }) => ledger.failedGames)} failed`,
    `${sum(({ ledger }) => ledger.selfBattles)} of a model against itself`,
    ...(components > 1 ? [`${components} components, whose ratings cannot be compared`] : []),
    ...(unsolved.length > 0
      ? [`no finite rating for ${unsolved.map(({ model, why }) => `${model} (${why})`).join(', ')}`]
      : []),
    ...(left > 0 ? [`${left} replicates left out, which have no solution`] : []),
  ].join(', ')
}

export type { JsonObject }
