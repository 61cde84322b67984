/** What has to be known before a card is believed. */

import { getOrInsert } from '../../rows/maps.ts'
import type { JsonObject } from '../../rows/record.ts'
import { amountOf } from '../../scoring/amount.ts'
import {
  ALPHA,
  ceiling,
  failuresByGroup,
  fewClusters,
  fewDisagreements,
  fewItems,
  fewLabels,
  longerBias,
  oneClass,
  oneOrder,
  ownModel,
  raised,
  severalVersions,
  slotBias,
  unevenWeights,
  unlikeLabels,
  type Warning,
  wordsApart,
  worseThanChance,
} from '../../scoring/warnings.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { LabelDifference, WeightedSample } from '../../statistics/label_sample.ts'
import { longerChoices } from './biases.ts'
import type { AuditedJudge } from './collect.ts'
import { labelled, truthOf } from './people.ts'
import { isBiased } from './tests.ts'

interface Agreement {
  items?: number
  po?: number
  kappa?: number | null
  kappa_ci?: [number, number] | null
  prevalence?: Record<string, number>
  judge_commonest?: { label: Label; items: number }
}

/** @param sections of its card, as printed */
export function cardWarnings(judge: AuditedJudge, sections: readonly JsonObject[]): Warning[] {
  const figures = (name: string): JsonObject => sections.find(({ section }) => section === name) ?? {}
  const [agreement, position, length, corrected] = ['agreement', 'position', 'length', 'corrected'].map(
    figures,
  )
  const { items, po, kappa, kappa_ci, prevalence, judge_commonest: said } = agreement as Agreement
  const counts = Object.entries(prevalence ?? {}).map(([label, share]) => [label, Math.round(share * items!)])
  // The section that has the fewest.
  const [clusters] = sections
    .filter((one) => one.clusters !== undefined)
    .toSorted((one, other) => effectiveIn(one) - effectiveIn(other))
  const models = new Set<string>()
  for (const item of judge.items) for (const model of item.models ?? []) models.add(model)
  const { decisive, first, reason } = position as { decisive?: number; first: number; reason?: string }
  return raised(
    fewItems(items ?? judge.items.filter(({ judged }) => judged !== undefined).length),
    clusters && fewClusters(clusters),
    failuresByGroup(byLabel(judge)),
    po === 1 && ceiling(items!, items!),
    oneClass(Object.fromEntries(counts), 'people'),
    said !== undefined && said.items === items && oneClass({ [said.label]: said.items }, 'the judge'),
    apart(judge),
    unevenWeights((agreement!.sample ?? corrected!.sample) as WeightedSample | undefined),
    worseThanChance(kappa ?? null, kappa_ci ?? null),
    ...(/^ppi/.test(String(corrected!.method))
      ? [
          unlikeLabels(corrected!.unlike as LabelDifference | undefined),
          fewLabels(Number(corrected!.n)),
          disagreements(judge),
        ]
      : []),
    decisive !== undefined && reason !== undefined && oneOrder(['AB'], decisive),
    isBiased('position', position!, 1 - ALPHA) && reason === undefined && slotBias(first, decisive!),
    isBiased('length', length!, 1 - ALPHA) && longerBias(longerChoices(judge)),
    ownModel(judge.model, models),
    severalVersions('versions of the judge', judge.versions ?? []),
  )
}

const effectiveIn = ({ clusters, effective_clusters }: JsonObject) => Number(effective_clusters ?? clusters)

/** Words of people and of a judge whose options are not known. */
function apart({ items }: AuditedJudge): Warning | undefined {
  const open = labelled(items).filter(({ isOpen }) => isOpen)
  const words = (of: readonly (Label | undefined)[]) => of.filter((one) => typeof one === 'string')
  return wordsApart(words(open.map(truthOf)), words(items.map(({ judged }) => judged)))
}

/** How many items have each label, and how many of these failed. */
function byLabel({ items }: AuditedJudge) {
  const groups = new Map<Label, { where: string; items: number; failed: number }>()
  for (const item of items) {
    const label = truthOf(item)
    if (label === undefined) continue
    const group = getOrInsert(groups, label, () => ({ where: `people said ${label}`, items: 0, failed: 0 }))
    group.items++
    if (item.judged === undefined) group.failed++
  }
  return [...groups.values()]
}

function disagreements({ items }: AuditedJudge): Warning | undefined {
  let [higher, lower] = [0, 0]
  for (const item of labelled(items)) {
    const more = (amountOf(item.judged!) ?? 0) - (amountOf(truthOf(item)!) ?? 0)
    if (more > 0) higher++
    else if (more < 0) lower++
  }
  return fewDisagreements(higher, lower)
}
