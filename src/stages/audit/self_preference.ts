/** Does a judge favour its own model's answers? Against people, else against most of the other judges. */
import { meanOf } from '../../statistics/clusters.ts'
import { mostOfOthers } from './alone.ts'
import { type AuditedJudge, aboutOf, type Section } from './collect.ts'
import { amountOf } from './corrected.ts'
import { labelled } from './people.ts'
import { clusterCount, clustersOf, sureMean } from './shares.ts'

/** Items with a verdict and what it is compared with: people's labels; where there are none, the other judges' majority. */
function referenced(judge: AuditedJudge, all: readonly AuditedJudge[]) {
  const people = labelled(judge.items)
  if (people.length > 0) return { reference: 'people', pairs: people }
  const most = mostOfOthers(judge, all)
  const pairs = judge.items.flatMap((item) => {
    const truth = most(aboutOf(item))
    return truth === undefined || item.said === undefined ? [] : [{ item, truth, said: item.said }]
  })
  return { reference: 'judges', pairs }
}

/** How much better its own model's answers fare with the judge than with the reference, on the same items. */
export const selfPreference: Section = (judge, options, all) => {
  const { own, ci } = options
  if (own === undefined) return undefined
  const { reference, pairs } = referenced(judge, all)
  const used = pairs.flatMap(({ item, truth, said }) => {
    const { models } = item
    if (!models || models[0] === models[1] || !models.includes(own)) return []
    const share = (label: typeof said) => {
      const amount = amountOf(label)
      return amount === undefined ? undefined : models[0] === own ? amount : 1 - amount
    }
    const [byJudge, byOthers] = [share(said), share(truth)]
    return byJudge === undefined || byOthers === undefined ? [] : [{ item, byJudge, byOthers }]
  })
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
    ...sureMean(differences, clusters, ci),
    equal_opportunity: kept === null || refused === null ? null : kept - refused,
  }
}
