/** A judge against people: agreement, annotators, calibration. */

import { count, countEach } from '../../rows/maps.ts'
import { amountOf } from '../../scoring/amount.ts'
import { ALPHA, unevenWeights } from '../../scoring/warnings.ts'
import {
  cohenKappa,
  krippendorffAlpha,
  type Label,
  type LabelPairs,
  labelPairs,
  sortedLabels,
} from '../../statistics/agreement.ts'
import { alternativeAnnotator } from '../../statistics/alternative_annotator.ts'
import {
  calibration,
  calibrationSays,
  calibrationTest,
  confidenceScale,
} from '../../statistics/calibration.ts'
import { type Distance, gwet, kappaInterval, manyRaters, scottPi } from '../../statistics/chance_agreement.ts'
import { meanOf, varianceOf } from '../../statistics/clusters.ts'
import { pearson, spearman } from '../../statistics/correlation.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { weightedSample } from '../../statistics/label_sample.ts'
import type { JudgedItem, JudgedItems } from './items.ts'
import type { AuditOptions } from './options.ts'
import { clusterCount, clustersOf, Share } from './shares.ts'
import type { Section } from './votes.ts'

const isNumbers = (labels: readonly Label[]): labels is number[] =>
  labels.every((one) => typeof one === 'number')

const labelsOf = ({ truth }: JudgedItem) => truth.filter((one) => one !== null)

/** The label of most annotators. If several labels lead: of numbers other than 0 and 1 the median, else none. */
export function truthOf(item: JudgedItem): Label | undefined {
  const labels = labelsOf(item)
  if (labels.length < 2) return labels[0]
  const [[label, times], second] = [...countEach(labels)].sort(([, x], [, y]) => y - x) as [
    [Label, number],
    [Label, number]?,
  ]
  if (!second || times > second[1]) return label
  return isNumbers(labels) && labels.some((one) => one !== 0 && one !== 1)
    ? histogramOf(labels).median!
    : undefined
}

/** Items with a verdict and a label, in the order of their ids. */
export const labelled = (
  items: JudgedItems,
  labelOf: (item: JudgedItem) => Label | undefined = truthOf,
): JudgedItems => items.filter((item) => item.judged !== undefined && labelOf(item) !== undefined)

export const agreement: Section = ({ items }, options) => {
  const pairs = labelled(items)
  const n = pairs.length
  if (n === 0) return undefined
  const cells = labelPairs(
    pairs.map((item) => truthOf(item)!),
    pairs.map((item) => item.judged!),
  )
  const { a: truth, b: judged } = cells
  const weights = weightsOf(pairs, options)
  const all = items.filter(({ judged }) => judged !== undefined).length
  const sample = weights && weightedSample(weights, all, ALPHA)
  const hasIntervals = !unevenWeights(sample)
  const scaled = weights && scaledTo(n, weights)
  const counts = scaled ? weightedCounts(cells, scaled) : cells.counts
  const labels = sortedLabels([...truth, ...judged])
  const areNumbers = isNumbers(truth) && isNumbers(judged)
  const mean = (of: (truth: Label, judged: Label) => number) =>
    counts.reduce((sum, times, i) => sum + times * of(truth[i]!, judged[i]!), 0) / n
  const clusters = clustersOf(pairs, options)
  const same = new Share(clusters)
  for (const [i, cell] of cells.of.entries()) same.add(truth[cell] === judged[cell], i, scaled?.[i])
  const apart = (one: Label, other: Label) => (other as number) - (one as number)
  const isSplit = (item: JudgedItem) => labelsOf(item).length > 0 && truthOf(item) === undefined
  const split = items.filter(isSplit).length
  const units = truth.map((one, i) => [one, judged[i]!])
  const sameIn = hasIntervals ? same.interval(options.ci) : null
  const kappa = (distance: Distance, name: string) => ({
    [name]: cohenKappa(truth, judged, distance, { counts }),
    [`${name}_ci`]: hasIntervals
      ? kappaInterval({ ...cells, counts, clusters, weights: scaled }, distance, options.ci, sameIn)
      : null,
  })
  const share = (of: Label) => {
    const found = new Share(clusters)
    for (const [i, cell] of cells.of.entries())
      if (truth[cell] === of) found.add(judged[cell] === of, i, scaled?.[i])
    return found
  }
  return {
    ...(labels.length === 2 && seenOf(labels, share, hasIntervals ? options.ci : undefined)),
    items: n,
    unlabelled: items.filter((item) => labelsOf(item).length === 0).length,
    ...(split > 0 && { split }),
    failed: items.filter(({ judged }) => judged === undefined).length,
    ...clusterCount(clusters),
    po: same.value,
    ci: sameIn,
    ...kappa('none', 'kappa'),
    scott_pi: scottPi(truth, judged, counts),
    ac1: gwet(truth, judged, 'none', counts),
    alpha: krippendorffAlpha(units, 'nominal', { counts }),
    ...(areNumbers && {
      ...kappa('linear', 'kappa_linear'),
      ...kappa('quadratic', 'kappa_quadratic'),
      ac2: gwet(truth, judged, 'quadratic', counts),
      alpha_interval: krippendorffAlpha(units, 'interval', { counts }),
      within_1: mean((one, other) => Number(Math.abs(apart(one, other)) <= 1)),
      mae: mean((one, other) => Math.abs(apart(one, other))),
      bias: mean(apart),
      pearson: pearson(truth, judged, counts),
      spearman: spearman(truth, judged, counts),
    }),
    people_commonest: commonest(truth, cells.counts),
    judge_commonest: commonest(judged, cells.counts),
    ...(sample && { weights: 'hájek', sample }),
    ...(labels.length <= MOST_LABELS && tables(cells, counts, labels)),
  }
}

/** Of two labels: on which share of the items of each, by people, the judge says so, too. */
function seenOf(labels: readonly Label[], share: (of: Label) => Share, level: number | undefined) {
  const [positive, negative] = positiveFirst(labels as [Label, Label])
  const [yes, no] = [share(positive), share(negative)]
  const interval = (of: Share) => (level === undefined ? null : of.interval(level))
  return {
    positive,
    sensitivity: yes.value,
    sensitivity_ci: interval(yes),
    positives: yes.n,
    negative,
    specificity: no.value,
    specificity_ci: interval(no),
    negatives: no.n,
  }
}

/** The label that means more (1, yes, A>B) before the other; of other words the last one. */
function positiveFirst([one, other]: readonly [Label, Label]): readonly [Label, Label] {
  const [x, y] = [amountOf(one), amountOf(other)]
  return x !== undefined && y !== undefined && x > y ? [one, other] : [other, one]
}

/** The label that most items have, of equally frequent ones the first. */
function commonest(labels: readonly Label[], counts: readonly number[]) {
  const sums = new Map<Label, number>()
  for (const [i, label] of labels.entries()) count(sums, label, counts[i]!)
  const [label, items] = [...sums].sort(
    ([x, m], [y, n]) => n - m || (sortedLabels([x, y])[0] === x ? -1 : 1),
  )[0]!
  return { label, items }
}

/** The most labels for which prevalence and confusion are printed. */
const MOST_LABELS = 50

/** With --weight: of each item 1 / the probability with which it was taken. */
const weightsOf = (items: JudgedItems, { weight }: AuditOptions): number[] | undefined =>
  weight === undefined ? undefined : items.map(({ chance = 1 }) => 1 / chance)

function scaledTo(n: number, weights: readonly number[]): number[] {
  const mean = meanOf(weights)
  return weights.map((one) => (one * n) / (mean * weights.length))
}

function weightedCounts({ of, counts }: LabelPairs, weights: readonly number[]): number[] {
  const sums = counts.map(() => 0)
  for (const [i, cell] of Array.from(of).entries()) sums[cell]! += weights[i]!
  return sums
}

/** Shares of people's labels (by weight), and on how many items each goes with each of the judge's. */
function tables(
  { a: truth, b: judged, counts }: LabelPairs,
  weighted: readonly number[],
  labels: readonly Label[],
) {
  const total = weighted.reduce((sum, one) => sum + one, 0)
  const rows = labels.map((label) =>
    labels.map((other) => counts[truth.findIndex((one, i) => one === label && judged[i] === other)] ?? 0),
  )
  const named = <T>(of: (i: number) => T) => Object.fromEntries(labels.map((label, i) => [label, of(i)]))
  return {
    prevalence: named(
      (i) => weighted.reduce((sum, one, cell) => (truth[cell] === labels[i] ? sum + one : sum), 0) / total,
    ),
    confusion: named((i) => named((j) => rows[i]![j]!)),
  }
}

/** Several people: how they agree with each other, and whether the judge may replace one of them. */
export const annotators: Section = ({ items }, options) => {
  const used = items.filter(({ truth }) => truth.some((one) => one !== null))
  let most = 0
  for (const { truth } of used) most = Math.max(most, truth.length)
  if (most < 2) return undefined
  const { po, ac1, fleiss } = manyRaters(used.map(({ truth }) => truth))
  const both = used.filter(({ judged }) => judged !== undefined)
  const clusters = clustersOf(both, options)
  const labels: Label[] = []
  for (const { judged, truth } of both) labels.push(judged!, ...truth.filter((one) => one !== null))
  const similarity = isNumbers(labels)
    ? (a: Label, b: Label) => -(((a as number) - (b as number)) ** 2)
    : undefined
  const people = used.map(({ truth }) => truth)
  const level = similarity ? 'interval' : 'nominal'
  const alpha = krippendorffAlpha(people)
  const ofTest = similarity ? krippendorffAlpha(people, level) : alpha
  return {
    annotators: most,
    items: used.length,
    ...clusterCount(clusters),
    people: { po, ac1, fleiss, alpha, ...(similarity && { alpha_interval: ofTest }) },
    alternative_annotator: replacement(both, { similarity, clusters, most, alpha: ofTest }),
  }
}

/** The alternative annotator test needs so many annotators, and of each so many items. */
const [ENOUGH_ANNOTATORS, ENOUGH_ITEMS] = [3, 30]
/** By how much the judge may be worse, of the test's authors for experts. */
const EPSILON = 0.2

/** Whether the judge may take the place of an annotator, or why that cannot be told. */
function replacement(
  items: JudgedItems,
  {
    similarity,
    clusters,
    most,
    alpha,
  }: {
    similarity: ((a: Label, b: Label) => number) | undefined
    clusters: readonly string[] | undefined
    most: number
    alpha: number | null
  },
) {
  if (most < ENOUGH_ANNOTATORS) return { reason: `fewer than ${ENOUGH_ANNOTATORS} annotators` }
  const judged = items.map(({ judged }) => judged!)
  const people = items.map(({ truth }) => truth)
  const test = alternativeAnnotator(judged, people, EPSILON, similarity, clusters)
  const fewest = test?.annotators.reduce((least, one) => Math.min(least, one.items), Number.POSITIVE_INFINITY)
  if (!test || fewest! < ENOUGH_ITEMS)
    return { reason: `fewer than ${ENOUGH_ITEMS} items that an annotator and another one labelled` }
  if (!agreeBeyondChance(people, alpha, similarity))
    return { reason: 'people do not agree with each other beyond chance: anyone could take their place' }
  const { winning, advantage, passed, annotators } = test
  return { epsilon: EPSILON, winning_rate: winning, advantage, passed, annotators }
}

/** Whether alpha is above 0 by 1.96 errors: those of the observed disagreement, a mean of the items' own. */
function agreeBeyondChance(
  people: readonly (readonly (Label | null)[])[],
  alpha: number | null,
  alike: (a: Label, b: Label) => number = (a, b) => Number(a === b) - 1,
): boolean {
  if (alpha === null) return false
  const apart = people.flatMap((item) => {
    const labels = item.filter((one) => one !== null)
    const pairs = labels.flatMap((one, i) => labels.slice(i + 1).map((other) => -alike(one, other)))
    return pairs.length === 0 ? [] : [meanOf(pairs)]
  })
  const mean = meanOf(apart)
  if (mean === 0) return true
  const error = ((1 - alpha) / mean) * Math.sqrt(varianceOf(apart) / apart.length)
  return alpha > 1.96 * error
}

/** Of probabilities that the truth is 1 where all truths are 0 or 1, else, and of a verdict's confidence, that it is right. */
export const calibrated: Section = ({ items, whole = items }, options) => {
  const isField = options.p !== undefined
  const numbers = whole.map(({ p }) => p).filter((p) => p !== undefined)
  if (numbers.length === 0) return undefined
  // All labels of items with a probability are 0 or 1.
  const isOther = (item: JudgedItem) => item.p !== undefined && truthOf(item) !== 0 && truthOf(item) !== 1
  const binary = isField && !labelled(whole).some(isOther)
  const known = labelled(items)
  const stated = known.filter(({ p }) => p !== undefined)
  const undecided = isField ? 0 : known.length - stated.length
  if (stated.length === 0) return undefined
  const scale = isField ? 'probability' : confidenceScale(numbers)
  if (scale === undefined) {
    const [least, most] = [numbers.reduce((x, y) => Math.min(x, y)), numbers.reduce((x, y) => Math.max(x, y))]
    const reason = `confidences from ${least} to ${most} are neither probabilities (0 to 1) nor percent: divide them in the judge file`
    return { n: 0, out_of_range: stated.length, reason }
  }
  const shareOf = ({ p }: JudgedItem) => (scale === 'percent' ? p! / 100 : p!)
  const used = stated.filter((item) => shareOf(item) >= 0 && shareOf(item) <= 1)
  const beyond = stated.length - used.length
  if (used.length === 0) return { n: 0, out_of_range: beyond, reason: 'no number from 0 to 1' }
  const p = used.map(shareOf)
  const y = used.map((item) => (binary ? (truthOf(item) as number) : Number(truthOf(item) === item.judged)))
  const clusters = clustersOf(used, options)
  const right = new Share(clusters)
  for (const [i, one] of y.entries()) right.add(one === 1, i)
  const { eceEqualMass, eceByChance, ece, ...rest } = calibration(p, y)!
  const chance = clusters ? null : calibrationTest(p, y, options.seed)
  const interval = right.interval(options.ci)
  const over = interval && ([meanOf(p) - interval[1], meanOf(p) - interval[0]] as [number, number])
  return {
    of: binary ? 'truth' : 'correct',
    ...(beyond > 0 && { out_of_range: beyond }),
    ...(undecided > 0 && { undecided }),
    ...clusterCount(clusters),
    says: over && calibrationSays(chance, over),
    p: chance,
    stated: meanOf(p),
    right: right.value,
    ece,
    ece_by_chance: eceByChance,
    ece_equal_mass: eceEqualMass,
    overconfidence_ci: over,
    ...rest,
  }
}
