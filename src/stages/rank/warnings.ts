/** What has to be known before a leaderboard is believed. */
import { clusterField } from '../../options/common.ts'
import { identityTitle } from '../../scoring/run_identity.ts'
import {
  fewClusters,
  fewItems,
  oneOrder,
  ownModel,
  raised,
  severalVersions,
  type Warning,
} from '../../scoring/warnings.ts'
import type { PairCells } from './cells.ts'
import type { BattleGroup } from './gather.ts'
import type { ResolvedOptions } from './resolve_options.ts'

export function boardWarnings(
  { battles, judging }: BattleGroup,
  { models, clusters }: PairCells,
  options: ResolvedOptions,
): Warning[] {
  const judges = [...judging.judges.values()].map(({ identity }) => identity)
  const digests = (judge: string) =>
    judges.filter((one) => identityTitle(one) === judge).map(({ judge_digest }) => judge_digest ?? 'unknown')
  return raised(
    clusterField(options) === undefined ? fewItems(clusters.length) : fewClusters(clusters.length),
    oneOrder([...judging.orders], battles),
    ...[...new Set(judges.map(({ model }) => model))].map((model) => ownModel(model, models)),
    ...[...new Set(judges.map((one) => identityTitle(one)))].map((judge) =>
      severalVersions('versions of the judge', [...new Set(digests(judge))].sort()),
    ),
  )
}
