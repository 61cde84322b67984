/** A judge against people: agreement, annotators, calibration. */

import { getOrInsert } from '../../rows/maps.ts'
import {
  cohenKappa,
  kappaOfPlaces,
  krippendorffAlpha,
  type Label,
  sortedLabels,
} from '../../statistics/agreement.ts'
import { alternativeAnnotator } from '../../statistics/alternative_annotator.ts'
import { addSeededWeights, percentileInterval, seedKeys } from '../../statistics/bootstrap.ts'
import { calibration } from '../../statistics/calibration.ts'
import { clusteredKappa, gwet, kappaError, manyRaters, scottPi } from '../../statistics/chance_agreement.ts'
import { clusteredInterval } from '../../statistics/clusters.ts'
import { pearson, spearman } from '../../statistics/correlation.ts'
import { normalQuantile } from '../../statistics/interval.ts'
import { aboutOf, type JudgedItem, type Section } from './collect.ts'
import type { AuditOptions } from './options.ts'
import { clusterCount, clustersOf, Shares } from './shares.ts'

/** What most annotators said; where several labels lead, the least of them. */
export function truthOf({ truth }: JudgedItem): Label | undefined {
  if (truth.length === 1) return truth[0] ?? undefined
  const said = truth.filter((one): one is Label => one !== null)
  if (said.length < 2) return said[0]
  const times = (label: Label) => said.filter((one) => one === label).length
  return sortedLabels(said).sort((x, y) => times(y) - times(x))[0]
}

/** Items with a verdict and a label, in the order of their ids. */
export function labelled(items: readonly JudgedItem[]) {
  return items.flatMap((item) => {
    const truth = truthOf(item)
    return truth === undefined || item.said === undefined ? [] : [{ item, truth, said: item.said }]
  })
}

const isNumbers = (labels: readonly Label[]): labels is number[] =>
  labels.every((one) => typeof one === 'number')

/** Pairs of labels that differ, how often each is there, and the place of each item's pair among them. */
interface Cells {
  truth: Label[]
  said: Label[]
  counts: number[]
  of: Int32Array
}

function cellsOf(pairs: readonly { truth: Label; said: Label }[]): Cells {
  const [truth, said, counts]: [Label[], Label[], number[]] = [[], [], []]
  const places = new Map<Label, Map<Label, number>>()
  const of = Int32Array.from(pairs, (pair) => {
    const row = getOrInsert(places, pair.truth, () => new Map<Label, number>())
    const at = getOrInsert(row, pair.said, () => {
      truth.push(pair.truth)
      said.push(pair.said)
      return counts.push(0) - 1
    })
    counts[at]!++
    return at
  })
  return { truth, said, counts, of }
}

export const agreement: Section = ({ items }, options) => {
  const pairs = labelled(items)
  const n = pairs.length
  if (n === 0) return undefined
  const cells = cellsOf(pairs)
  const { truth, said, counts } = cells
  const labels = sortedLabels([...truth, ...said])
  const ordered = isNumbers(truth) && isNumbers(said)
  const mean = (of: (truth: Label, said: Label) => number) =>
    counts.reduce((sum, times, i) => sum + times * of(truth[i]!, said[i]!), 0) / n
  const clusters = clustersOf(
    pairs.map(({ item }) => item),
    options,
  )
  const same = new Shares(clusters !== undefined)
  for (const [i, pair] of pairs.entries()) same.add(pair.truth === pair.said, clusters?.[i])
  const apart = (one: Label, other: Label) => (other as number) - (one as number)
  const units = truth.map((one, i) => [one, said[i]!])
  return {
    items: n,
    unlabelled: items.filter((item) => truthOf(item) === undefined).length,
    failed: items.filter(({ said }) => said === undefined).length,
    ...clusterCount(clusters),
    po: same.share,
    ci: same.interval(options.ci),
    kappa: cohenKappa(truth, said, 'none', { counts }),
    kappa_ci: kappaInterval(pairs, cells, clusters, options),
    scott_pi: scottPi(truth, said, counts),
    ac1: gwet(truth, said, 'none', counts),
    alpha: krippendorffAlpha(units, 'nominal', { counts }),
    ...(ordered && {
      kappa_linear: cohenKappa(truth, said, 'linear', { counts }),
      kappa_quadratic: cohenKappa(truth, said, 'quadratic', { counts }),
      ac2: gwet(truth, said, 'quadratic', counts),
      alpha_interval: krippendorffAlpha(units, 'interval', { counts }),
      within_1: mean((one, other) => Number(Math.abs(apart(one, other)) <= 1)),
      mae: mean((one, other) => Math.abs(apart(one, other))),
      bias: mean(apart),
      pearson: pearson(truth, said, counts),
      spearman: spearman(truth, said, counts),
    }),
    ...(labels.length <= MOST_LABELS && tables(cells, labels, n)),
  }
}

/** Labels of which there are tables. */
const MOST_LABELS = 50

/** Shares of people's labels, and how often each goes with each of the judge's. */
function tables({ truth, said, counts }: Cells, labels: readonly Label[], n: number) {
  const rows = labels.map((label) =>
    labels.map((other) => counts[truth.findIndex((one, i) => one === label && said[i] === other)] ?? 0),
  )
  const named = <T>(of: (i: number) => T) => Object.fromEntries(labels.map((label, i) => [label, of(i)]))
  return {
    prevalence: named((i) => rows[i]!.reduce((sum, times) => sum + times, 0) / n),
    confusion: named((i) => named((j) => rows[i]![j]!)),
  }
}

/** By resampled items (or clusters); without resamples by the standard error of Fleiss, Cohen and Everitt (or clustered). */
function kappaInterval(
  pairs: readonly { item: JudgedItem }[],
  cells: Cells,
  clusters: readonly string[] | undefined,
  options: AuditOptions,
) {
  const { bootstrap, seed, ci } = options
  const { truth, said, counts } = cells
  const kappa = cohenKappa(truth, said, 'none', { counts })
  if (kappa === null || clusterCount(clusters)?.clusters === 1) return null
  if (bootstrap === 0) {
    if (clusters) return clusteredInterval(clusteredKappa(truth, said, counts, cells.of, clusters)!, ci)
    const reach = normalQuantile((1 + ci) / 2) * kappaError(truth, said, counts)!
    return [kappa - reach, kappa + reach]
  }
  const labels = sortedLabels([...truth, ...said])
  const place = new Map(labels.map((label, i) => [label, i]))
  const [x, y] = [truth, said].map((of) => of.map((label) => place.get(label)!)) as [number[], number[]]
  const nameOf = (item: JudgedItem, i: number) =>
    clusters?.[i] ?? (options.cluster === 'none' ? aboutOf(item) : item.id)
  const keys = new Int32Array(2 * pairs.length)
  for (const [i, { item }] of pairs.entries()) keys.set(seedKeys(seed, nameOf(item, i)), 2 * i)
  const drawn: number[] = []
  const atOnce = Math.max(1, Math.min(AT_ONCE, Math.floor(COUNTS / x.length)))
  const sums = new Int32Array(x.length * atOnce)
  for (let first = 0; first < bootstrap; first += atOnce) {
    const rounds = Math.min(atOnce, bootstrap - first)
    sums.fill(0)
    for (let i = 0; i < pairs.length; i++)
      addSeededWeights(keys[2 * i]!, keys[2 * i + 1]!, first, sums, cells.of[i]! * atOnce, rounds)
    for (let round = 0; round < rounds; round++) {
      const times = x.map((_, cell) => sums[cell * atOnce + round]!)
      const one = kappaOfPlaces(x, y, labels.length, 'none', times)
      if (one !== null) drawn.push(one)
    }
  }
  return percentileInterval(drawn, ci)
}

/** Replicates that are drawn in one pass over the items, at most, and the counts that are held for them. */
const [AT_ONCE, COUNTS] = [100, 2 ** 20]

/** Several people: how they agree with each other, and whether the judge may stand in for one of them. */
export const annotators: Section = ({ items }, options) => {
  const { epsilon } = options
  const used = items.filter(({ truth }) => truth.some((one) => one !== null))
  const most = used.reduce((count, { truth }) => Math.max(count, truth.length), 0)
  if (most < 2) return undefined
  const { po, ac1, fleiss } = manyRaters(used.map(({ truth }) => truth))
  const judged = used.filter(({ said }) => said !== undefined)
  const clusters = clustersOf(judged, options)
  const labels = judged.flatMap(({ truth, said }) => [
    said!,
    ...truth.filter((one): one is Label => one !== null),
  ])
  const alike = isNumbers(labels)
    ? (a: Label, b: Label) => -(((a as number) - (b as number)) ** 2)
    : undefined
  const test = alternativeAnnotator(
    judged.map(({ said }) => said!),
    judged.map(({ truth }) => truth),
    epsilon,
    alike,
    clusters,
  )
  return {
    annotators: most,
    items: used.length,
    ...clusterCount(clusters),
    people: {
      po,
      ac1,
      fleiss,
      alpha: krippendorffAlpha(used.map(({ truth }) => truth)),
      ...(alike && {
        alpha_interval: krippendorffAlpha(
          used.map(({ truth }) => truth as (number | null)[]),
          'interval',
        ),
      }),
    },
    ...(test && {
      alternative_annotator: {
        epsilon,
        winning_rate: test.winning,
        advantage: test.advantage,
        passed: test.passed,
        annotators: test.annotators,
        ...(test.annotators.some((one) => one.items < 30) && {
          reason: 'fewer than 30 items for some: the test is rough',
        }),
      },
    }),
  }
}

/** Where the truth is 0 or 1 a probability of 1; else of the verdict being right. */
export const calibrated: Section = ({ items }) => {
  const used = labelled(items.filter(({ p }) => p !== undefined))
  if (used.length === 0) return undefined
  const binary = used.every(({ truth }) => truth === 0 || truth === 1)
  const all = calibration(
    used.map(({ item }) => item.p!),
    used.map(({ truth, said }) => (binary ? (truth as number) : Number(truth === said))),
  )!
  const { eceEqualMass, ...rest } = all
  return { of: binary ? 'truth' : 'correct', ...rest, ece_equal_mass: eceEqualMass }
}
