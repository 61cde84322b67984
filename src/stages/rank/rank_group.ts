/** Ranks a group of battles: chooses the method and makes one leaderboard. */

import { someNames } from '../../options/nearest.ts'
import { grouped } from '../../rows/maps.ts'
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { Warning } from '../../scoring/warnings.ts'
import type { AllBattles } from './battle_sums.ts'
import { rankControlled } from './control.ts'
import { featuresOf } from './features.ts'
import type { BattleGroup } from './gather.ts'
import { battlesToTell, groupsOf, isApart } from './groups.ts'
import { type LengthRow, lengthControlled, readGamedAnswers } from './length_control.ts'
import { commonModel, rankByMean } from './mean.ts'
import { controlsLength, type ResolvedOptions } from './resolve_options.ts'
import {
  type BattleCounts,
  type Coefficient,
  checkSize,
  countBattles,
  type RankedModel,
  type Ranking,
  type RankSettings,
  ranked,
  type Standing,
  type TopStatement,
} from './standing.ts'
import { rankByStrength } from './strength.ts'
import { boardWarnings } from './warnings.ts'

export interface Ranked {
  by: JsonObject
  method: 'mean' | 'bt'
  strong: number
  against: string | null
  standings: RankedModel[]
  controls: Coefficient[]
  replicatesLeftOut: number
  /** Models that cannot be told apart, see groups.ts; at the level of the intervals. */
  groups: RankedModel[][]
  /** How many battles of each would tell two models; null for none. */
  battlesToTell(one: RankedModel, other: RankedModel): number | null
  warnings: Warning[]
  /** --top */
  top?: TopStatement
}

/** The model to which Chatbot Arena anchors its ratings, and its rating. */
const ANCHOR = ['mixtral-8x7b-instruct-v0.1', 1114] as const

export async function rankGroup(
  group: BattleGroup,
  options: ResolvedOptions,
  context: Context,
): Promise<Ranked> {
  const battles = group.sums.all()
  const { models } = battles
  checkSize(models.length)
  const { baseline } = options
  if (baseline !== undefined && models.length > 0 && !models.includes(baseline))
    throw usageError(`--baseline: no battle has "${baseline}" (there are: ${someNames(models, 20)})`)
  const common = commonModel(battles, group.sums.firsts, baseline)
  const method = options.method ?? usualMethod(common, options)
  const against = baseline ?? common
  const onlyAgainst = method === 'mean' ? against : undefined
  if (onlyAgainst !== undefined) noteOthers(battles, onlyAgainst, context)
  const counts = countBattles(battles, onlyAgainst)
  const ranking = rankingOf(group, battles, counts, method, against, options)
  const anchor = ranking.standings.find(({ model }) => model === ANCHOR[0])?.rating
  if (options.compat === 'chatbot-arena' && typeof anchor === 'number') shift(ranking, ANCHOR[1] - anchor)
  const counted = ranking.standings
    .map((one, i) => ({ ...one, ...(counts[i]!.clusters < 2 && withoutErrors(one, ranking)), ...counts[i]! }))
    .filter(({ n }) => n > 0)
  const places = ranked(counted)
  const standings = counted.map((one, i): RankedModel => {
    const tokens = group.sums.tokens.get(one.model)
    return {
      ...one,
      ...places[i]!,
      items: group.sums.items(one.model) ?? one.clusters,
      failed: group.sums.failed.get(one.model) ?? 0,
      ...(tokens && { tokens: tokens[0] / tokens[1] }),
    }
  })
  if (group.lengths.length > 0) await addLengthControl(standings, group.lengths, options, context)
  else if (controlsLength(options) && group.battles > 0)
    context.note(
      'no length-controlled win rate: no row has output_1 and output_2, or their lengths in length_1 and length_2',
    )
  const order = (one: RankedModel) => one.rank ?? Number.POSITIVE_INFINITY
  standings.sort((x, y) => x.component - y.component || order(x) - order(y) || (x.model < y.model ? -1 : 1))
  const { replicatesLeftOut, controls = [] } = ranking
  const { strong = options.strong } = group.sums
  // Battles of a single cluster do not show how much they vary.
  const told = standings.filter(({ rank, se, ratingSe }) => rank !== null && (ratingSe ?? se) !== null)
  const apart = (one: RankedModel, other: RankedModel) => {
    const found = ranking.difference(one.model, other.model)
    return found === null || isApart(found, options.ci)
  }
  const warnings = boardWarnings(group, battles, standings, options)
  return {
    by: group.by,
    method,
    strong,
    against: ranking.against,
    standings,
    controls,
    replicatesLeftOut,
    groups: groupsOf(told, apart),
    battlesToTell(one, other) {
      const found = ranking.difference(one.model, other.model)
      return found && battlesToTell(found, (one.n + other.n) / 2, options.ci)
    },
    warnings,
  }
}

/** The mean if one model is in every battle and no other is the baseline. */
function usualMethod(common: string | undefined, options: ResolvedOptions): 'mean' | 'bt' {
  const controlled = options.control.length > 0 && !controlsLength(options)
  const { baseline = common } = options
  return controlled || common === undefined || baseline !== common ? 'bt' : 'mean'
}

function noteOthers({ clusters }: AllBattles, baseline: string, context: Context): void {
  let others = 0
  for (const { pairs } of clusters)
    for (const { a, b, n } of pairs) if (a !== baseline && b !== baseline) others += n
  if (others > 0)
    context.note(
      `${others} ${others === 1 ? 'battle' : 'battles'} without ${baseline} left out: --method mean is against it alone (--method bt takes all)`,
    )
}

function rankingOf(
  group: BattleGroup,
  battles: AllBattles,
  counts: readonly BattleCounts[],
  method: 'mean' | 'bt',
  against: string | undefined,
  options: ResolvedOptions,
): Ranking {
  const settings: RankSettings = { ...options, baseline: against }
  if (group.games.length > 0) {
    const { names, freedom } = featuresOf(options.control, options.features)
    const original = options.compat === 'arena-hard' || options.compat === 'chatbot-arena'
    const controlled = rankControlled(group.games, battles.models, { names, freedom }, settings, original)
    if (controlled) return controlled
    throw new Fatal(
      EXIT.data,
      '--control: no finite optimum: a model never lost, never won or is not connected with the others by battles (--ridge 1 gives it a rating), or a feature decides who wins',
    )
  }
  if (method === 'mean') return rankByMean(battles, settings)
  // Without --baseline, a model that is in every battle is not the measure of the others.
  return rankByStrength(battles, counts, options)
}

/** Battles of a single cluster do not show how much they vary. The baseline's own score is certain. */
const withoutErrors = ({ model, ratingCi }: Standing, { against }: Ranking): Partial<Standing> => ({
  ...(model !== against && { ci: null, se: null }),
  ...(ratingCi !== undefined && { ratingCi: null, ratingSe: null }),
})

function shift({ standings }: Ranking, by: number): void {
  for (const one of standings) {
    if (one.rating !== null) one.rating += by
    if (one.ratingCi) one.ratingCi = [one.ratingCi[0] + by, one.ratingCi[1] + by]
  }
}

/** A model that only met itself, as when a file compares the baseline with itself. */
const UNBATTLED: Omit<RankedModel, 'model'> = {
  score: 0.5,
  ci: [0.5, 0.5],
  se: 0,
  rating: 1000,
  component: 1,
  n: 0,
  wins: 0,
  ties: 0,
  losses: 0,
  clusters: 0,
  rank: null,
  ranks: null,
  items: 0,
  failed: 0,
}

async function addLengthControl(
  standings: RankedModel[],
  rows: readonly LengthRow[],
  options: ResolvedOptions,
  context: Context,
): Promise<void> {
  // Without the length control the rows are kept for --as alpaca_eval.
  const gamed = controlsLength(options) ? await readGamedAnswers(options.difficulty!) : undefined
  for (const [model, own] of grouped(rows, ({ model }) => model)) {
    const note = (what: string) => context.note(`${model}: ${what}`)
    let place = standings.find((one) => one.model === model)
    if (!place) standings.push((place = { ...UNBATTLED, model }))
    place.rows = own
    // In the order of the file: folds and difficulties go by the row's number.
    own.sort((x, y) => (x.index ?? 0) - (y.index ?? 0))
    if (gamed === undefined || own.every(({ baseline }) => baseline === model)) continue
    const places = own.filter(({ index }) => index !== undefined)
    if (new Set(places.map(({ index }) => index)).size < places.length) {
      note('no length-controlled win rate: rows of several files or annotators (--by annotator ranks each)')
      continue
    }
    const joined = gamed.some(({ instruction }) => instruction !== undefined)
    const difficulties = new Set(gamed.map(({ index }) => index)).size
    if (!joined && own.length !== difficulties)
      note(
        `${own.length} rows, ${difficulties} difficulties joined by row number: after the first missing row they belong to other instructions, as in alpaca_eval`,
      )
    const byRowNumber = options.compat === 'alpaca_eval' || !joined
    place.lengthControlled = lengthControlled(own, gamed, { ...options, byRowNumber })
    if (!place.lengthControlled)
      note('no length-controlled win rate: too few rows, or rows without a difficulty')
    else warnFar(place, note)
  }
}

/** Warns, as alpaca_eval does, if the controlled win rate is far from the raw one. */
function warnFar({ score, lengthControlled }: RankedModel, note: (what: string) => void): void {
  if (score === null || !lengthControlled) return
  const [raw, controlled] = [score * 100, lengthControlled.winrate * 100]
  if (
    controlled < Math.min(raw - raw / 4, raw - 10) ||
    controlled > Math.max(raw + (100 - raw) / 4, raw + 10)
  )
    note(
      `the length-controlled win rate, ${controlled.toFixed(1)}, is far from the raw one, ${raw.toFixed(1)}`,
    )
}
