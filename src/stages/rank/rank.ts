/** jb-rank: battles → a leaderboard. */
import { writtenReport } from '../../formats/_report.ts'
import { someNames } from '../../options/nearest.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { Marks } from '../../scoring/followed.ts'
import { scoredRows } from '../../scoring/scored_rows.ts'
import { notAState } from '../../scoring/states.ts'
import { judgedByJb, subjectIn } from './battles.ts'
import { type BattleGroup, gather, groupingFields } from './gather.ts'
import type { RankOptions } from './options.ts'
import { boardForms } from './print.ts'
import { printAs } from './print_as.ts'
import { type Ranked, rankGroup } from './rank_group.ts'
import { type ResolvedOptions, resolveOptions } from './resolve_options.ts'
import { pairs, recordForms } from './show.ts'
import { nextRows, topBoard } from './top.ts'

/** Yields one leaderboard for each group of battles; nothing if the input was cut short. */
export const rank: Stage<RankOptions> = async function* (rows, given, context) {
  const options = resolveOptions(given, context)
  if (options.merge) return yield* leaderboards(rows, options, context)
  const { rows: known, compat } = await new Marks({ compat: given.compat && 'none' }, context).of(rows)
  const settings = { subject: subjectIn(options), fields: groupingFields(options), probes: true, compat }
  const judged = scoredRows(known, settings, context, { isTrial: judgedByJb })
  if (options.next !== undefined) yield* nextRows(judged, options, context)
  else if (options.top !== undefined) yield* knownBoard(judged, options, context)
  else yield* leaderboards(judged, options, context)
}

async function* knownBoard(rows: Rows, options: ResolvedOptions, context: Context): AsyncGenerator<string> {
  const board = await topBoard(rows, options, context)
  if (board) yield await writtenReport(boardForms([board], options), options, context)
}

async function* leaderboards(rows: Rows, options: ResolvedOptions, context: Context): AsyncGenerator<string> {
  const groups = await gather(rows, options, context)
  if (context.cut()) return
  if (options.partial) {
    for (const { by, sums } of groups) yield* sums.states(by)
    return
  }
  if (options.show === 'pairs')
    return yield await writtenReport(recordForms(groups.flatMap(pairs)), options, context)
  if (groups.every(({ battles }) => battles === 0)) context.finish(EXIT.gate, whyNothing(groups))
  const ranked: Ranked[] = []
  const failed = (error: unknown) => {
    throw options.merge ? notAState('--merge', error) : error
  }
  for (const group of groups) ranked.push(await rankGroup(group, options, context).catch(failed))
  context.summary(() => summaryOf(groups, ranked))
  if (options.as !== undefined) yield await printAs(options.as, ranked, options, context)
  else yield await writtenReport(boardForms(ranked, options), options, context)
}

function whyNothing(groups: readonly BattleGroup[]): string {
  const { featureless, sums } = wholeOf(groups)
  const why =
    featureless > 0
      ? 'no battle has what --control needs'
      : sums.failedGames > 0
        ? 'all games failed'
        : sums.selfBattles > 0
          ? 'each model only met itself'
          : 'the input has no battles'
  return `nothing was ranked: ${why}`
}

/** The group of all battles, which those of --by are parts of. */
const wholeOf = (groups: readonly BattleGroup[]) => groups.find(({ by }) => by.by === undefined)!

/** What the figures include and leave out. */
function summaryOf(groups: readonly BattleGroup[], ranked: readonly Ranked[]): string {
  const { battles, sums } = wholeOf(groups)
  const unsolved = ranked.flatMap(({ by: { group }, standings }) =>
    standings
      .filter(({ why }) => why !== undefined)
      .map(({ model, why }) => `${model}${group === undefined ? '' : ` in ${group}`} (${why})`),
  )
  const left = ranked.reduce((total, { replicatesLeftOut }) => total + replicatesLeftOut, 0)
  const components = ranked
    .flatMap(({ standings }) => standings)
    .reduce((most, { component }) => Math.max(most, component), 1)
  return [
    `${battles} ${battles === 1 ? 'battle' : 'battles'}`,
    ...(sums.failedGames > 0 ? [`${sums.failedGames} failed`] : []),
    ...(sums.selfBattles > 0 ? [`${sums.selfBattles} of a model against itself`] : []),
    ...(components > 1 ? [`${components} components, whose ratings cannot be compared`] : []),
    ...(unsolved.length > 0 ? [`no finite rating for ${someNames(unsolved)}`] : []),
    ...(left > 0 ? [`${left} replicates without a solution left out`] : []),
  ].join(', ')
}
