/** What has to be known before a leaderboard is believed. */
import { clusterField } from '../../options/common.ts'
import { identityTitle } from '../../scoring/run_identity.ts'
import {
  fewClusters,
  fewDisagreements,
  fewItems,
  fewLabels,
  oneOrder,
  ownModel,
  raised,
  severalVersions,
  type Warning,
} from '../../scoring/warnings.ts'
import { sampleOf } from './by_labels.ts'
import type { PairCells } from './cells.ts'
import type { BattleGroup } from './gather.ts'
import type { ResolvedOptions } from './resolve_options.ts'
import type { JudgedBattle } from './truth.ts'

export function boardWarnings(
  { battles, judged, judging }: BattleGroup,
  { models, clusters }: PairCells,
  options: ResolvedOptions,
): Warning[] {
  const judges = [...judging.judges.values()].map(({ identity }) => identity)
  const digests = (judge: string) =>
    judges.filter((one) => identityTitle(one) === judge).map(({ judge_digest }) => judge_digest ?? 'unknown')
  return raised(
    clusterField(options) === undefined ? fewItems(clusters.length) : fewClusters(clusters.length),
    ...(options.truth.length > 0 ? byLabels(judged, models) : []),
    oneOrder([...judging.orders], battles),
    ...[...new Set(judges.map(({ model }) => model))].map((model) => ownModel(model, models)),
    ...[...new Set(judges.map((one) => identityTitle(one)))].map((judge) =>
      severalVersions('versions of the judge', [...new Set(digests(judge))].sort()),
    ),
  )
}

/** Of scores by labels: these may be few, or few of them show that the judge puts a model too high, or too low. */
function byLabels(judged: readonly JudgedBattle[], models: readonly string[]) {
  const labelled = judged.filter(({ people }) => !Number.isNaN(people)).length
  const found = models.map((model) => {
    const { y, f } = sampleOf(model, judged)
    const higher = f.filter((one, i) => one > y[i]!).length
    const lower = f.filter((one, i) => one < y[i]!).length
    return { model, higher, lower, least: Math.min(higher, lower) }
  })
  // The model of which the fewest are known.
  const [worst] = found.sort((one, other) => one.least - other.least)
  const isCorrected = worst && labelled < judged.length
  return [
    fewLabels(labelled),
    isCorrected &&
      fewDisagreements(worst.higher, worst.lower, `the judge puts ${worst.model} above people’s verdict`),
  ]
}
