/** What a reader has to know before a report is believed: alarms, each with what to do. docs/report.md lists the codes. */

import { someNames } from '../options/nearest.ts'
import { byKey } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import { wilson } from '../statistics/interval.ts'
import type { LabelDifference, WeightedSample } from '../statistics/label_sample.ts'
import { mcnemarMidP } from '../statistics/mcnemar.ts'
import { holm } from '../statistics/multiple.ts'
import { fisherTest } from '../statistics/two_samples.ts'

export type Warning = { code: string; sentence: string; do: string }

type Alarm = Warning | undefined

/** Below so many items, tests find little and intervals are wide. */
const FEW_ITEMS = 30

/** Below so many clusters, intervals are rough. */
const FEW_CLUSTERS = 15

/** Below so many disagreements of a kind, so is a correction. */
const FEW_DISAGREEMENTS = 10

/** Below so many items, that all are the same is no surprise: of two equally likely outcomes all of eight are the same in 0.8 %. */
export const ALL_THE_SAME = 8

/** Chance findings are to be rare, because every report looks for all of them. */
export const ALPHA = 0.01

export const raised = (...alarms: (Alarm | false)[]): Warning[] => alarms.filter((one) => !!one)

/** Records for CSV, whose cells hold no sentences. */
export const withoutWarnings = (records: readonly JsonObject[]): JsonObject[] =>
  records.map(({ warnings: _, ...record }) => record)

/** A line each, for people. @param where of several parts of a report, which one */
export const warningLines = (warnings: unknown, where: string | false = false): string[] =>
  ((warnings ?? []) as Warning[]).map(
    ({ code, sentence, do: what }) => `warning: ${where ? `${where}: ` : ''}${sentence} (${code}): ${what}`,
  )

const percent = (share: number) => `${(100 * share).toFixed(0)} %`
const share = (count: number, of: number) => `${count} of ${of} (${percent(count / of)})`
export const pWords = (p: number) => (p < 0.0001 ? 'p below 0.0001' : `p ${p.toFixed(4)}`)

/** @param what where only items of a kind decide: labelled */
export const fewItems = (items: number, what = ''): Alarm =>
  items === 0 || items >= FEW_ITEMS
    ? undefined
    : {
        code: 'few_items',
        sentence: `${items} ${what}${items === 1 ? 'item' : 'items'}: below ${FEW_ITEMS}, intervals are wide and tests find little`,
        do: `${what === '' ? 'judge' : 'label'} at least ${FEW_ITEMS}`,
      }

/** @param anchors of a watch, whose judge varies too much for so few */
export const fewAnchors = (anchors: number): Warning => ({
  code: 'few_anchors',
  sentence: `${anchors} anchors are few for a judge that varies so much: a change of 5 points takes more than ten nights to be found`,
  do: 'begin a new watch with more anchors: 200, or a judge at temperature 0',
})

/** @param differences of two runs on the same items, in words */
export const unlikeRuns = (differences: string): Warning => ({
  code: 'unlike_runs',
  sentence: `the judges judged in other ways: ${differences}`,
  do: 'judge the anchors in the same orders, with as many samples',
})

/** @param repeated of `of` items @param isClustered with --cluster it is known what belongs together */
export const repeatedPrompts = (repeated: number, of: number, isClustered: boolean): Alarm =>
  repeated === 0 || isClustered
    ? undefined
    : {
        code: 'repeated_prompts',
        sentence: `${repeated} of ${of} items ask what another item asks, word for word: they are not independent, and intervals are too narrow`,
        do: 'judge each text once, or name a field that they have in common with --cluster',
      }

export function fewClusters({ clusters, effective_clusters: effective }: ClusterFigures): Alarm {
  if (clusters === undefined || (effective ?? clusters) >= FEW_CLUSTERS) return undefined
  const many =
    effective === undefined
      ? `${clusters} clusters`
      : `${clusters} clusters of unequal size come to ${effective.toFixed(1)} of equal size`
  return {
    code: 'few_clusters',
    sentence:
      clusters < 2
        ? 'one cluster: there is no interval'
        : `${many}: below ${FEW_CLUSTERS}, intervals are rough`,
    do: 'judge items of more clusters',
  }
}

/** Clusters of a report, if it has some; and how many of equal size they come to, where they are not. */
interface ClusterFigures {
  clusters?: number | undefined
  effective_clusters?: number | undefined
}

/** @param right of `of` labelled items */
export const ceiling = (right: number, of: number): Alarm =>
  of < ALL_THE_SAME || right < of
    ? undefined
    : {
        code: 'ceiling',
        sentence: `all ${of} labelled items are right: they cannot tell a better judge from this one`,
        do: 'take harder items; labels that were made of its verdicts say nothing',
      }

/** @param counts how many items have each label, or verdict @param who gives it */
export function oneClass(counts: Readonly<Record<string, number>>, who: 'people' | 'the judge'): Alarm {
  const there = Object.entries(counts).filter(([, n]) => n > 0)
  const [first] = there
  if (there.length !== 1 || first![1] < ALL_THE_SAME) return undefined
  return {
    code: 'one_class',
    // A verdict may come of several: A=B where the two orders of an item contradict each other.
    sentence:
      who === 'people'
        ? `people said ${first![0]} of all ${first![1]} items: agreement beyond chance cannot be measured`
        : `the verdict is ${first![0]} on all ${first![1]} items: it tells none of them apart`,
    do:
      who === 'people'
        ? 'label items of the other classes, too'
        : 'look at replies: the judge may not see what it is to judge',
  }
}

/**
 * Where the judge's options are not known, any word of a label is taken for one of them.
 * @param labels,verdicts the different ones, all of which were read as words
 */
export function wordsApart(labels: Iterable<string>, verdicts: Iterable<string>): Alarm {
  const [people, judge] = [new Set(labels), new Set(verdicts)]
  const only = (of: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...of].filter((word) => !others.has(word)).sort()
  const [given, said] = [only(people, judge), only(judge, people)]
  if (given.length === 0 || said.length === 0) return undefined
  return {
    code: 'words_apart',
    sentence: `no verdict is ${someNames(given)}, as labels are, and no label is ${someNames(said)}, as verdicts are: such pairs count as disagreement`,
    do: "--label-map 'LABEL=VERDICT,…' says which mean the same; verdict.labels of the judge file names all of its words",
  }
}

/** @param right,wrong verdicts of two possible ones that are, and are not, the label */
export const worseThanCoin = (right: number, wrong: number): Alarm =>
  right + wrong === 0 || wilson(right, right + wrong, 1 - ALPHA)![1] >= 0.5
    ? undefined
    : worse(`${right} verdicts are as the label, ${wrong} are its opposite`)

/** @param interval of kappa */
export const worseThanChance = (kappa: number | null, interval: readonly [number, number] | null): Alarm =>
  kappa === null || interval === null || interval[1] >= 0
    ? undefined
    : worse(`κ is ${kappa.toFixed(2)} (${interval.map((one) => one.toFixed(2)).join(' to ')})`)

const worse = (how: string): Warning => ({
  code: 'worse_than_chance',
  sentence: `the judge agrees with labels less than by chance: ${how}`,
  do: 'check what labels mean, and that A and B are not exchanged in them',
})

/** @param orders in which games were shown; empty where that is not known */
export const oneOrder = (orders: readonly string[], games: number): Alarm =>
  games === 0 || orders.length !== 1
    ? undefined
    : {
        code: 'one_order',
        sentence: 'all games were shown in one order: a preference for a slot cannot be told from merit',
        do: 'ask both orders (jb-render --order both)',
      }

/** @param items how many were shown in one order, and how many in several @param run its name, where there are two */
export const mixedOrder = (items: { one: number; several: number } | undefined, run?: string): Alarm =>
  items && {
    code: 'mixed_orders',
    sentence: `${run === undefined ? '' : `${run}: `}${items.one} items were judged in one order and ${items.several} in several: a preference for a slot counts in the ones and not in the others`,
    do: 'judge all items in both orders (jb-render --order both), or all in one',
  }

/** @param items failed ones that have verdicts in one order alone, by that order */
export function unusedOrders(items: ReadonlyMap<string, number>): Alarm {
  const all = [...items.values()].reduce((sum, one) => sum + one, 0)
  if (all === 0) return undefined
  const each = byKey(items).map(([order, n]) => `${order} ${n}`)
  return {
    code: 'unused_orders',
    sentence: `${all === 1 ? 'one item has a verdict' : `${all} items have a verdict`} in one order alone (${each.join(', ')}): ${all === 1 ? 'it' : 'they'} failed, and no figure has ${all === 1 ? 'that verdict' : 'those verdicts'}`,
    do: 'ask the other order again',
  }
}

/** @param first decisive games that the first slot won, in both orders */
export function slotBias(first: number, decisive: number): Alarm {
  if (decisive === 0) return undefined
  const [low, high] = wilson(first, decisive, 1 - ALPHA)!
  if (low <= 0.5 && high >= 0.5) return undefined
  const [slot, won] = first * 2 > decisive ? ['first', first] : ['second', decisive - first]
  return {
    code: 'slot',
    sentence: `the judge chose the ${slot} slot in ${share(won, decisive)} decisive games, where half would be even`,
    do: 'keep judging in both orders, which evens it out, or take a judge or prompt whose verdicts differ less between them',
  }
}

/** Items of unequal length on which the judge chose the longer answer, or the shorter; with people's choice where known. */
export interface LongerChoices {
  longer: number
  decisive: number
  /** Of items with people's choice: both chose the longer, the judge alone, people alone, neither. */
  labelled: { both: number; judge: number; people: number; neither: number }
}

/** The longer answer's share is people's, or, where no item has their choice, a half. */
export function longerBias({ longer, decisive, labelled }: LongerChoices): Alarm {
  const { both, judge, people, neither } = labelled
  const known = both + judge + people + neither
  const words =
    known > 0
      ? judge > people && mcnemarMidP({ both, onlyA: judge, onlyB: people, neither }) <= ALPHA
        ? `in ${share(both + judge, known)} labelled items, people in ${share(both + people, known)}`
        : undefined
      : decisive > 0 && wilson(longer, decisive, 1 - ALPHA)![0] > 0.5
        ? `in ${share(longer, decisive)} decisive items; whether it was better is not known without labels`
        : undefined
  return words === undefined
    ? undefined
    : {
        code: 'longer_answer',
        sentence: `the judge chose the longer answer ${words}`,
        do: `${known > 0 ? '' : 'label some items (--truth), and '}compare at equal length (jb-rank --control length)`,
      }
}

interface GroupFailures {
  /** In words: `source is math`. */
  where: string
  items: number
  failed: number
}

/**
 * The group that failed most beyond chance against the others; p by Holm over all groups.
 * @param unit what failed @param all of which groups that overlap are parts
 */
export function failuresByGroup(
  groups: readonly GroupFailures[],
  unit: 'items' | 'games' | 'battles' = 'items',
  all: Pick<GroupFailures, 'items' | 'failed'> = {
    items: sumOf(groups, 'items'),
    failed: sumOf(groups, 'failed'),
  },
): Alarm {
  const { items, failed } = all
  if (groups.length < 2 || failed === 0) return undefined
  const p = holm(
    groups.map((one) => fisherTest(one.failed, one.items, failed - one.failed, items - one.items)),
  )
  const found = groups
    .map((one, i) => ({ ...one, p: p[i]! }))
    .filter((one) => one.p <= ALPHA && one.failed * items > failed * one.items)
    .sort((x, y) => x.p - y.p || (x.where < y.where ? -1 : 1))[0]
  if (!found) return undefined
  return {
    code: 'failures_by_group',
    sentence: `failures are not at random: ${share(found.failed, found.items)} ${unit} failed where ${found.where}, ${share(failed - found.failed, items - found.items)} elsewhere (${pWords(found.p)})`,
    do: `ask the failed ${unit} again: the figures are of the others alone`,
  }
}

/** @param models that have fewer than `least` battles */
export const fewBattles = (models: readonly string[], least: number): Alarm =>
  models.length === 0
    ? undefined
    : {
        code: 'few_battles',
        sentence: `${someNames(models)} ${models.length === 1 ? 'has' : 'have'} fewer than ${least} battles, and no rank of ${models.length === 1 ? 'its' : 'their'} own`,
        do: `judge at least ${least} battles of each model`,
      }

const sumOf = (groups: readonly GroupFailures[], key: 'items' | 'failed') =>
  groups.reduce((sum, one) => sum + one[key], 0)

/** @param what whether they failed or are missing @param p that items which a run lacks fare in the other as the rest do there; the means are in words */
export const lackingHarder = (
  what: 'failed' | 'are missing',
  run: string,
  other: string,
  p: number | null,
  means: readonly [failed: string, rest: string],
): Alarm =>
  p === null || p > ALPHA
    ? undefined
    : {
        code: what === 'failed' ? 'failures_harder' : 'missing_harder',
        sentence: `items that ${what} in ${run} are not like the others: ${other} has ${means[0]} on them and ${means[1]} on the rest (${pWords(p)})`,
        do: `${what === 'failed' ? 'ask the failed items again' : 'judge the missing items, too'}; \`bounds\` are what they could change`,
      }

/** @param judge its model @param models those whose answers it compares */
export function ownModel(judge: string | undefined, models: Iterable<string>): Alarm {
  const family = familyOf(judge)
  const own = [...models].sort().filter((one) => one === judge || (family && familyOf(one) === family))
  if (judge === undefined || own.length === 0) return undefined
  const isThere = own.includes(judge)
  return {
    code: 'own_model',
    sentence: isThere
      ? `the judge, ${judge}, is one of the models that it compares`
      : `the judge, ${judge}, and ${own[0]}, which it compares, are of one family`,
    do: `measure whether it favours its own (jb-audit --own ${own[0]}), or take another judge`,
  }
}

/** The first word of a model's name without its owner: claude, gpt, llama; undefined for shorter ones such as o1. */
const familyOf = (model: string | undefined) =>
  /^[a-z]{3,}/.exec((model ?? '').replace(/^.*\//, '').toLowerCase())?.[0]

/** @param versions of one judge, or names that its server gave its model */
export const severalVersions = (
  what: 'versions of the judge' | 'models',
  versions: readonly string[],
): Alarm =>
  versions.length < 2
    ? undefined
    : {
        code: what === 'models' ? 'served_models' : 'judge_versions',
        sentence: `verdicts are of ${versions.length} ${what === 'models' ? 'models that the server named' : what}: ${versions.join(', ')}`,
        do: 'judge all items with one',
      }

/** Of labels that count 1/p: without it their intervals hold. */
export function unevenWeights(found: WeightedSample | undefined): Alarm {
  if (!found || (found.effective >= FEW_ITEMS && !found.short)) return undefined
  const { n, effective, stands_for, items } = found
  return {
    code: 'uneven_weights',
    sentence:
      effective < FEW_ITEMS
        ? `${n} labelled items that count 1/p come to ${effective.toFixed(1)} of equal weight: below ${FEW_ITEMS}, no interval holds`
        : `labelled items that count 1/p stand for ${stands_for.toFixed(0)} of ${items} items: those with a small p are missing, and no interval holds`,
    do: 'label more items (jb-audit --next)',
  }
}

/** @param labels of which an estimate over all items is made */
export const fewLabels = (labels: number): Alarm =>
  labels >= FEW_ITEMS
    ? undefined
    : {
        code: 'few_labels',
        sentence: `${labels} labelled items: below ${FEW_ITEMS}, the interval of the corrected estimate is rough`,
        do: `label at least ${FEW_ITEMS}, at random (jb-audit --next)`,
      }

/**
 * @param higher,lower labelled items on which the judge is above, and below, people
 * @param of what is estimated: values of items, or differences of two runs on them
 */
export const fewDisagreements = (higher: number, lower: number, what = 'the judge is above people'): Alarm =>
  Math.min(higher, lower) >= FEW_DISAGREEMENTS
    ? undefined
    : {
        code: 'few_disagreements',
        sentence: `${what} on ${higher} labelled items and below on ${lower}: the corrected estimate rests on few of one kind`,
        do: `label more items, at random, until both are at least ${FEW_DISAGREEMENTS}`,
      }

/** @param found of {@link labelDifference}, of items with people's labels and the others */
export const unlikeLabels = (found: LabelDifference | undefined): Alarm =>
  found === undefined || found.p > ALPHA
    ? undefined
    : {
        code: 'labels_unlike',
        sentence: `the labelled items are not like the others: ${unlikeWords(found)} (${pWords(found.p)})`,
        do: 'label items at random (jb-audit --next): these labels say nothing of the others',
      }

function unlikeWords({ name, group, labelled, others }: LabelDifference): string {
  if (group !== undefined)
    return `${percent(labelled)} of them have the ${name} ${group}, of the others ${percent(others)}`
  return `${name} is ${labelled.toFixed(2)} on them and ${others.toFixed(2)} on the others`
}
