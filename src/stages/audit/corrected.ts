/** Estimates of what people would say of all items. */
import { amountOf } from '../../scoring/amount.ts'
import { ALPHA, unevenWeights, unlikeLabels } from '../../scoring/warnings.ts'
import { meanOf } from '../../statistics/clusters.ts'
import {
  areShares,
  type FewLabels,
  type KnownErrors,
  ppiInterval,
  ppiPlus,
  roganGladen,
} from '../../statistics/corrected.ts'
import { labelDifference, type WeightedSample, weightedSample } from '../../statistics/label_sample.ts'
import type { JudgedItems } from './items.ts'
import type { AuditOptions } from './options.ts'
import { labelled, truthOf } from './people.ts'
import { clusterCount, clustersOf } from './shares.ts'
import type { Section } from './votes.ts'

/** What people would say of all items: corrects a judge's mean by people's labels of some, or by its errors on others. */
export const corrected: Section = (judge, options) => {
  const judged = judge.items.filter((item) => item.judged !== undefined)
  // Where all items have labels there is nothing to correct.
  if (!judge.calibration && !judged.some((item) => truthOf(item) === undefined)) return undefined
  const amounts = judged.map((item) => amountOf(item.judged!))
  if (judged.length === 0 || amounts.some((one) => one === undefined)) return undefined
  if (judge.calibration) return byErrors(amounts as number[], judge.calibration, options.ci)
  return byLabels(judged, amounts as number[], options)
}

/** Rogan–Gladen: the share of yes, by the judge's errors on labelled items. */
function byErrors(amounts: readonly number[], calibration: JudgedItems, level: number) {
  const pairs = labelled(calibration).map(
    (item) => [amountOf(item.judged!), amountOf(truthOf(item)!)] as const,
  )
  const errors = errorsIn(pairs)
  const isBinary = (one: number | undefined) => one === 0 || one === 1
  const reason =
    pairs.length === 0
      ? 'no row of --calibration is of this judge and has a label'
      : ![amounts, ...pairs].flat().every(isBinary)
        ? 'some verdicts or labels are neither yes nor no (1 or 0)'
        : errors.m1 === 0 || errors.m0 === 0
          ? `all labels of --calibration are ${errors.m0 === 0 ? 'yes' : 'no'}: the errors on the others are not known`
          : undefined
  const items = amounts.length
  const head = { method: 'rogan-gladen', items, labelled: pairs.length }
  if (reason !== undefined) return { ...head, estimate: null, ci: null, reason }
  const yes = amounts.filter((one) => one === 1).length
  return { ...head, judge_only: yes / items, ...roganGladen(yes, items, errors, level) }
}

/** @param pairs the judge's answer and people's */
function errorsIn(
  pairs: readonly (readonly [said: number | undefined, right: number | undefined])[],
): KnownErrors {
  const count = (of: 0 | 1, same: boolean) =>
    pairs.filter(([said, right]) => right === of && (!same || said === of)).length
  return { tp: count(1, true), m1: count(1, false), tn: count(0, true), m0: count(0, false) }
}

/** PPI++, by labels of some of the items; with --weight by Hájek's weights. */
function byLabels(judged: JudgedItems, amounts: readonly number[], options: AuditOptions) {
  const clusters = clustersOf(judged, options)
  const [y, f, u, weights]: number[][] = [[], [], [], []]
  const [ofY, ofU]: number[][] = [[], []]
  for (const [i, item] of judged.entries()) {
    const truth = truthOf(item)
    const amount = truth === undefined ? undefined : amountOf(truth)
    if (amount === undefined) {
      ofU!.push(i)
      u!.push(amounts[i]!)
    } else {
      ofY!.push(i)
      y!.push(amount)
      f!.push(amounts[i]!)
      weights!.push(1 / (item.chance ?? 1))
    }
  }
  if (y!.length === 0) return undefined
  const byDesign = options.weight !== undefined
  const ordered = clusters && [...ofY!, ...ofU!].map((i) => clusters[i]!)
  const sample: FewLabels = {
    y: y!,
    f: f!,
    u: u!,
    ...(ordered && { clusters: ordered }),
    ...(byDesign && { weights: weights! }),
  }
  const counts = { method: byDesign ? 'ppi++ by hájek' : 'ppi++', n: y!.length, N: u!.length }
  const plus = ppiPlus(sample)
  if (!plus) return { ...counts, estimate: null, ci: null, reason: 'fewer than two items have labels' }
  const design = byDesign ? weightedSample(weights!, judged.length, ALPHA) : undefined
  const human = y!.map((one, i) => (byDesign ? weights![i]! : 1) * one)
  const groups = options.by.map((name, place) => {
    const of = (items: readonly number[]) => items.map((i) => judged[i]!.groups?.[place])
    return { name, labelled: of(ofY!), others: of(ofU!) }
  })
  // Of items that were taken with known probabilities the labelled ones are not like the others, by design.
  const unlike = byDesign
    ? undefined
    : labelDifference([{ name: 'the judge’s mean', labelled: f!, others: u! }], groups, ordered)
  return {
    ...counts,
    ...clusterCount(clusters),
    ...(unlikeLabels(unlike) && { unlike }),
    judge_only: meanOf(u!),
    judge_all: meanOf([...f!, ...u!]),
    human_only: meanOf(human) / (byDesign ? meanOf(weights!) : 1),
    estimate: plus.estimate,
    ci: intervalOf(sample, options.ci, design),
    ...(design && { sample: design }),
    lambda: plus.lambda,
  }
}

/** None where labels that count 1/p are too uneven. */
function intervalOf(sample: FewLabels, level: number, design: WeightedSample | undefined) {
  if (unevenWeights(design)) return null
  const { y, f, u } = sample
  return ppiInterval(sample, level, areShares(y, f, u) ? 'shares' : 'amounts')?.ci ?? null
}
