/** What has to be known before a leaderboard is believed. */
import { clusterField } from '../../options/common.ts'
import { grouped } from '../../rows/maps.ts'
import { identityTitle } from '../../scoring/run_identity.ts'
import {
  failuresByGroup,
  fewBattles,
  fewClusters,
  fewItems,
  oneOrder,
  ownModel,
  raised,
  severalVersions,
  type Warning,
} from '../../scoring/warnings.ts'
import { clusterFigures, countClusters } from '../../statistics/clusters.ts'
import type { AllBattles, ClusterSums, Tried } from './battle_sums.ts'
import type { BattleGroup } from './gather.ts'
import type { ResolvedOptions } from './resolve_options.ts'
import { FEW_BATTLES, type RankedModel } from './standing.ts'

export function boardWarnings(
  { battles, judging, sums }: BattleGroup,
  { models, clusters }: AllBattles,
  standings: readonly RankedModel[],
  options: ResolvedOptions,
): Warning[] {
  const judges = [...judging.judges.values()].map(({ identity }) => identity)
  const few = standings.filter(({ n }) => n > 0 && n < FEW_BATTLES).map(({ model }) => model)
  return raised(
    clusterField(options) === undefined
      ? fewItems(clusters.length)
      : fewClusters(clusterFigures(countClusters(clusters.map(gamesIn)))),
    fewBattles(few.sort(), FEW_BATTLES),
    failuresByGroup(
      failuresOf(sums.models, (model) => `${model} is one of the two`),
      'battles',
      sums.tried,
    ),
    failuresByGroup(
      failuresOf(sums.orders, (order) => `the order is ${order}`),
      'games',
    ),
    oneOrder([...judging.orders], battles),
    ...[...new Set(judges.map(({ model }) => model))].map((model) => ownModel(model, models)),
    ...[...grouped(judges, (one) => identityTitle(one)).values()].map((same) =>
      severalVersions(
        'versions of the judge',
        [...new Set(same.map(({ judge_digest }) => judge_digest ?? 'unknown'))].sort(),
      ),
    ),
  )
}

const gamesIn = ({ pairs }: ClusterSums) => pairs.reduce((sum, { n }) => sum + n, 0)

const failuresOf = (tried: ReadonlyMap<string, Tried>, where: (name: string) => string) =>
  [...tried].map(([name, of]) => ({ where: where(name), ...of }))
