/** Self-preference: whether a judge favours its own model's answers, against people or the majority of other judges. */
import { amountOf } from '../../scoring/amount.ts'
import type { Label } from '../../statistics/agreement.ts'
import { meanOf } from '../../statistics/clusters.ts'
import type { AuditedJudge } from './collect.ts'
import type { JudgedItem } from './items.ts'
import { labelled, truthOf } from './people.ts'
import { clusterCount, clustersOf, meanFigures } from './shares.ts'
import type { Section, Votes } from './votes.ts'

/** Items with a verdict and a reference: people's labels, or without any the majority of the other judges. */
function withReference(judge: AuditedJudge, votes: Votes) {
  const people = labelled(judge.items)
  if (people.length > 0) return { reference: 'people', pairs: people, labelOf: truthOf }
  const most = votes.ofOthers(judge)
  return { reference: 'judges', pairs: labelled(judge.items, most), labelOf: most }
}

/** How much better its own model's answers fare with the judge than with the reference, on the same items. */
export const selfPreference: Section = (judge, options, votes) => {
  const { own, ci } = options
  if (own === undefined) return undefined
  const { reference, pairs, labelOf } = withReference(judge, votes)
  const used: { item: JudgedItem; byJudge: number; byOthers: number }[] = []
  for (const item of pairs) {
    const { models } = item
    if (!models || models[0] === models[1] || !models.includes(own)) continue
    const share = (label: Label) => {
      const amount = amountOf(label)
      return amount === undefined ? undefined : models[0] === own ? amount : 1 - amount
    }
    const [byJudge, byOthers] = [share(item.judged!), share(labelOf(item)!)]
    if (byJudge !== undefined && byOthers !== undefined) used.push({ item, byJudge, byOthers })
  }
  if (used.length === 0)
    return {
      own,
      items: 0,
      reason:
        'no item has the own model’s answer, a verdict, and a label or most of two other judges: the raw win rate alone says nothing',
    }
  const differences = used.map(({ byJudge, byOthers }) => byJudge - byOthers)
  const clusters = clustersOf(
    used.map(({ item }) => item),
    options,
  )
  const rate = (value: number) => {
    const of = used.filter(({ byOthers }) => byOthers === value)
    return of.length === 0 ? null : of.filter(({ byJudge }) => byJudge === value).length / of.length
  }
  const [kept, refused] = [rate(1), rate(0)]
  return {
    own,
    items: used.length,
    ...clusterCount(clusters),
    win_rate_judge: meanOf(used.map(({ byJudge }) => byJudge)),
    [`win_rate_${reference}`]: meanOf(used.map(({ byOthers }) => byOthers)),
    difference: meanOf(differences),
    ...meanFigures(differences, clusters, ci),
    equal_opportunity: kept === null || refused === null ? null : kept - refused,
  }
}
