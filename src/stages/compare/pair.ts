/** Two runs on the items that both have: which is better, by how much, and with what certainty. */
import { rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import type { JsonObject } from '../../rows/record.ts'
import { differencesOf, infer, type PairedSample } from '../../scoring/difference.ts'
import { meanWords } from '../../scoring/difference_verdict.ts'
import { MEASURES } from '../../scoring/outcome.ts'
import { mixedOrders } from '../../scoring/provenance.ts'
import {
  ceiling,
  fewClusters,
  fewDisagreements,
  fewItems,
  fewLabels,
  lackingHarder,
  mixedOrder,
  raised,
  unlikeLabels,
  type Warning,
} from '../../scoring/warnings.ts'
import { meanOf, resamples } from '../../statistics/clusters.ts'
import { heterogeneity } from '../../statistics/heterogeneity.ts'
import { sameMeanTest } from '../../statistics/two_samples.ts'
import type { CompareOptions } from './options.ts'
import { ABSENT, type ComparedRun, type Runs, wider } from './runs.ts'
import {
  type CorrectedDifference,
  disagreements,
  type Field,
  inferByLabels,
  type PeoplesValues,
  unlikeOthers,
} from './truth.ts'

type Selects = (item: number) => boolean

export const NOTHING_IN_COMMON = 'no item has an outcome in both runs'

/** The items with an outcome in both runs, and counts of the others. */
interface Paired {
  items: Int32Array
  missing: { a: number; b: number }
  failed: { a: number; b: number }
  /** Items that people have not labelled, where right and wrong are compared: neither failed nor missing. */
  unlabelled: number
  /** The least and the largest sum of differences b − a over these and the items that lack an outcome, and their number. */
  possible: { least: number; most: number; items: number }
}

/** Items of two runs that are compared by themselves. */
interface Part {
  selects: Selects
  /** Values are no right or wrong. */
  scores: boolean
}

/** The figures of a pair, as they are printed. @param part all items, if not given */
export function comparePair(
  runs: Runs,
  a: ComparedRun,
  b: ComparedRun,
  options: CompareOptions,
  part?: Part,
): JsonObject {
  const { selects, scores } = part ?? { selects: () => true, scores: false }
  const measure = Math.min(a.measure, b.measure)
  const { items, missing, failed, unlabelled, possible } = pairUp(runs, a, b, measure, selects)
  const value = options.value ?? MEASURES[measure] ?? null
  const head = {
    ...{ a: a.name, b: b.name, value, items: items.length, missing, failed },
    ...(unlabelled > 0 && { unlabelled }),
  }
  if (items.length === 0) return { ...head, ...withoutItems(a, b) }
  const [x, y] = [valuesOf(a, items), valuesOf(b, items)]
  const areDecisions = value === 'share' && [x, y].every((of) => of.every((one) => one % 0.5 === 0))
  const sample = {
    a: x,
    b: y,
    groups: groupsOf(runs, items, options),
    clustered: clusterField(options) !== undefined,
    scores,
    labels: options.value === undefined && (value === 'correct' || areDecisions),
    limits: limitsOf(wider(a.range, b.range)),
  }
  const people = options.truth.length > 0 ? labelsOfBoth(a, b, items) : undefined
  const inferAt = (ci: number): Inferred =>
    people ? inferByLabels(sample, people, { ...options, ci }) : infer(sample, { ...options, ci })
  const { agreement, ...figures } = inferAt(options.ci)
  const fields = options.by.map((name) => ({
    name,
    groups: Array.from(items, (item) => runs.columns.get(name)!.get(item)),
  }))
  const unlike = people && unlikeOthers(sample, people, { a: a.name, b: b.name, fields })
  const isWhole = part === undefined && !people
  // Two one-sided tests at α are an interval of 1 − 2α.
  const { margin } = options
  const within = margin !== undefined && inferAt(Math.max(0, 2 * options.ci - 1)).ci
  return rounded({
    ...head,
    ...figures,
    ...(within !== false && { margin, margin_ci: within }),
    ...(!people && {
      bounds: wider(a.range, b.range)
        ? [possible.least / possible.items, possible.most / possible.items]
        : null,
    }),
    ...(unlike && { unlike }),
    ...(isWhole && fields.length > 0 && { heterogeneity: fields.flatMap(heterogeneityIn(sample)) }),
    ...(!people && { agreement }),
    ...samplesOf({ a, b }, measure, runs.size, selects),
    warnings: raised(
      fewItems(items.length),
      fewClusters(sample.clustered ? figures.clusters : undefined),
      value === 'correct' && ceiling(x.filter((one, i) => one === 1 && y[i] === 1).length, items.length),
      ...lackingIn(b, a, { measure, items, size: runs.size, selects }),
      ...lackingIn(a, b, { measure, items, size: runs.size, selects }),
      ...[a, b].map((run) => mixedOrder(mixedOrders(run.provenance), run.name)),
      unlikeLabels(unlike),
      ...(people ? labelWarnings(sample, people, figures) : []),
    ),
  }) as JsonObject
}

function withoutItems(a: ComparedRun, b: ComparedRun): JsonObject {
  const [ofA, ofB] = [MEASURES[a.measure], MEASURES[b.measure]]
  const reason =
    ofA && ofB && ofA !== ofB
      ? `${a.name} has values of ${ofA}, ${b.name} of ${ofB} (--label FIELD names the labels)`
      : NOTHING_IN_COMMON
  return { mean_a: null, mean_b: null, difference: null, ci: null, p: null, reason, warnings: [] }
}

/** What a difference of two values can be. */
const limitsOf = (range: ComparedRun['range']): [number, number] | undefined =>
  range && [range[0] - range[1], range[1] - range[0]]

/** Whether the difference is the same in all groups of a field. */
const heterogeneityIn =
  (sample: PairedSample) =>
  ({ name, groups }: Field) => {
    const found = heterogeneity(differencesOf(sample), groups, sample.clustered ? sample.groups : undefined)
    if (!found) return []
    const { names, apart, p } = found
    const furthest = (way: 1 | -1) =>
      names[apart.reduce((best, one, i) => (way * one > way * apart[best]! ? i : best), 0)]!
    return [{ by: name, groups: names.length, p, most: furthest(1), least: furthest(-1) }]
  }

/** By the runs' values, or with --truth by people's labels. */
type Inferred = Partial<CorrectedDifference> | (ReturnType<typeof infer> & { labels?: undefined })

function labelWarnings(sample: PairedSample, people: PeoplesValues, { difference, labels = 0 }: Inferred) {
  if (difference === null) return []
  // Where all items have labels nothing is corrected.
  const isCorrected = labels < people.length
  return [
    fewLabels(labels),
    isCorrected
      ? fewDisagreements(...disagreements(sample, people), 'the judge’s difference is above people’s')
      : undefined,
  ]
}

/** People's values of items that they have labelled in both runs. */
const labelsOfBoth = (a: ComparedRun, b: ComparedRun, items: Int32Array): PeoplesValues =>
  Array.from(items, (item) => {
    const [x, y] = [a.truthOf(item), b.truthOf(item)]
    return x === undefined || y === undefined ? undefined : ([x, y] as const)
  })

/** Whether the items that failed in one run, and those that it lacks, fare in the other as those that are compared. */
function lackingIn(
  run: ComparedRun,
  other: ComparedRun,
  { measure, items, size, selects }: { measure: number; items: Int32Array; size: number; selects: Selects },
): (Warning | undefined)[] {
  const [failed, missing]: [number[], number[]] = [[], []]
  for (let item = 0; item < size; item++)
    if (selects(item) && other.has(item, measure) && !run.has(item, measure))
      (run.state(item) === ABSENT ? missing : failed).push(other.value(item))
  const rest = valuesOf(other, items)
  const words = (values: ArrayLike<number>) => meanWords(meanOf(Array.from(values)), MEASURES[measure])
  return (
    [
      ['failed', failed],
      ['are missing', missing],
    ] as const
  ).map(([what, values]) =>
    values.length === 0
      ? undefined
      : lackingHarder(what, run.name, other.name, sameMeanTest(values, [...rest]), [
          words(values),
          words(rest),
        ]),
  )
}

const CORRECT = MEASURES.indexOf('correct')

/** Whether an item has a verdict, but no label: where right and wrong are compared it is one of neither run. */
const isUnlabelled = (a: ComparedRun, b: ComparedRun, item: number, measure: number): boolean =>
  measure === CORRECT &&
  !a.has(item, CORRECT) &&
  !b.has(item, CORRECT) &&
  (a.hasValue(item) || b.hasValue(item))

/** How many items the base has, with failed ones, without those that no gate can ask for: they have no label. */
export function labelledItems({ size }: Runs, [a, b]: readonly [ComparedRun, ComparedRun]): number {
  const measure = Math.min(a.measure, b.measure)
  let count = 0
  for (let item = 0; item < size; item++)
    if (a.state(item) !== ABSENT && !isUnlabelled(a, b, item, measure)) count++
  return count
}

function pairUp({ size }: Runs, a: ComparedRun, b: ComparedRun, measure: number, within: Selects): Paired {
  const items = new Int32Array(size)
  const [missing, failed] = [
    { a: 0, b: 0 },
    { a: 0, b: 0 },
  ]
  const [low, high] = wider(a.range, b.range) ?? [0, 0]
  const valueIn = (run: ComparedRun, item: number, otherwise: number) =>
    run.has(item, measure) ? run.value(item) : otherwise
  const without = (run: ComparedRun, item: number) => (run.state(item) === ABSENT ? missing : failed)
  let [count, known, unlabelled, least, most] = [0, 0, 0, 0, 0]
  for (let item = 0; item < size; item++) {
    if (!within(item) || (a.state(item) === ABSENT && b.state(item) === ABSENT)) continue
    if (isUnlabelled(a, b, item, measure)) {
      unlabelled++
      continue
    }
    known++
    least += valueIn(b, item, low) - valueIn(a, item, high)
    most += valueIn(b, item, high) - valueIn(a, item, low)
    const [inA, inB] = [a.has(item, measure), b.has(item, measure)]
    if (inA && inB) items[count++] = item
    if (!inA) without(a, item).a++
    if (!inB) without(b, item).b++
  }
  return {
    items: items.subarray(0, count),
    missing,
    failed,
    unlabelled,
    possible: { least, most, items: known },
  }
}

function valuesOf(run: ComparedRun, items: Int32Array): Float64Array {
  const values = new Float64Array(items.length)
  for (let i = 0; i < items.length; i++) values[i] = run.value(items[i]!)
  return values
}

/** The cluster of each item, or its id if items are resampled. An item without the field of --cluster is its own cluster. */
function groupsOf({ ids, columns }: Runs, items: Int32Array, options: CompareOptions): string[] | undefined {
  const field = clusterField(options)
  const column = field === undefined ? undefined : columns.get(field)
  if (column) return Array.from(items, (item) => column.get(item) ?? `\0${ids![item]}`)
  return options.bootstrap > 0 ? Array.from(items, (item) => ids![item]!) : undefined
}

/** Whether more samples or more items would help; nothing if no item has several samples. */
function samplesOf(sides: Record<'a' | 'b', ComparedRun>, measure: number, size: number, selects: Selects) {
  const found = Object.entries(sides).flatMap(([side, run]) => {
    if (![...run.samples.keys()].some(selects)) return []
    const items: number[][] = []
    for (let item = 0; item < size; item++)
      if (selects(item) && run.has(item, measure)) items.push(run.samples.get(item) ?? [run.value(item)])
    const { se, within, between, seOneSample, seManySamples } = resamples(items)
    return [[side, { se, within, between, se_one_sample: seOneSample, se_many_samples: seManySamples }]]
  })
  return found.length > 0 && { samples: Object.fromEntries(found) }
}
