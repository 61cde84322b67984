/** Two runs on the items that both have: which is better, by how much, and with what certainty. */
import { rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import type { JsonObject } from '../../rows/record.ts'
import { differencesOf, infer, type PairedSample } from '../../scoring/difference.ts'
import { meanWords } from '../../scoring/difference_verdict.ts'
import { limitsOf, type Outcome, wider } from '../../scoring/outcome.ts'
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
import { bestMeasure, type ComparedItem, type ComparedRun, type Runs } from './runs.ts'
import {
  type CorrectedDifference,
  disagreements,
  type Field,
  inferByLabels,
  type PeoplesValues,
  unlikeOthers,
} from './truth.ts'

type Measure = Outcome['measure'] | undefined

export const NOTHING_IN_COMMON = 'no item has an outcome in both runs'

/** The items with an outcome in both runs, and counts of the others. */
interface Paired {
  items: readonly ComparedItem[]
  missing: { a: number; b: number }
  failed: { a: number; b: number }
  /** Items that people have not labelled, where right and wrong are compared: neither failed nor missing. */
  unlabelled: number
  /** The least and the largest sum of differences b − a over these and the items that lack an outcome, and their number. */
  possible: { least: number; most: number; items: number }
}

/** Items of two runs that are compared by themselves. */
interface Part {
  items: readonly ComparedItem[]
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
  const { items: selected, scores } = part ?? { items: [...runs.items.values()], scores: false }
  const measure = bestMeasure(a.measure, b.measure)
  const { items, missing, failed, unlabelled, possible } = pairUp(selected, a, b, measure)
  const value = options.value ?? measure ?? null
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
    groups: groupsOf(items, options),
    clustered: clusterField(options) !== undefined,
    scores,
    labels: options.value === undefined && (value === 'correct' || areDecisions),
    limits: limitsOf(a.range, b.range),
  }
  const people = options.truth.length > 0 ? labelsOfBoth(a, b, items) : undefined
  const inferAt = (ci: number): Inferred =>
    people ? inferByLabels(sample, people, { ...options, ci }) : infer(sample, { ...options, ci })
  const { agreement, ...figures } = inferAt(options.ci)
  const fields = options.by.map((name) => ({
    name,
    groups: items.map((item) => item.fields.get(name)),
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
    ...samplesOf({ a, b }, measure, selected),
    warnings: raised(
      fewItems(items.length),
      sample.clustered && fewClusters(figures),
      value === 'correct' && ceiling(x.filter((one, i) => one === 1 && y[i] === 1).length, items.length),
      ...lackingIn(b, a, { measure, items, selected }),
      ...lackingIn(a, b, { measure, items, selected }),
      ...[a, b].map((run) => mixedOrder(mixedOrders(run.provenance), run.name)),
      unlikeLabels(unlike),
      ...(people ? labelWarnings(sample, people, figures) : []),
    ),
  }) as JsonObject
}

function withoutItems(a: ComparedRun, b: ComparedRun): JsonObject {
  const [ofA, ofB] = [a.measure, b.measure]
  const reason =
    ofA && ofB && ofA !== ofB
      ? `${a.name} has values of ${ofA}, ${b.name} of ${ofB} (--label FIELD names the labels)`
      : NOTHING_IN_COMMON
  return { mean_a: null, mean_b: null, difference: null, ci: null, p: null, reason, warnings: [] }
}

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
const labelsOfBoth = (a: ComparedRun, b: ComparedRun, items: readonly ComparedItem[]): PeoplesValues =>
  items.map(({ id }) => {
    const [x, y] = [a.truthOf(id), b.truthOf(id)]
    return x === undefined || y === undefined ? undefined : ([x, y] as const)
  })

/** Whether the items that failed in one run, and those that it lacks, fare in the other as those that are compared. */
function lackingIn(
  run: ComparedRun,
  other: ComparedRun,
  {
    measure,
    items,
    selected,
  }: { measure: Measure; items: readonly ComparedItem[]; selected: readonly ComparedItem[] },
): (Warning | undefined)[] {
  const [failed, missing]: [number[], number[]] = [[], []]
  for (const { id } of selected) {
    const value = other.valueBy(measure, id)
    if (value !== undefined && run.valueBy(measure, id) === undefined)
      (run.has(id) ? failed : missing).push(value)
  }
  const rest = valuesOf(other, items)
  const words = (values: ArrayLike<number>) => meanWords(meanOf(Array.from(values)), measure)
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

/** Whether an item has a verdict, but no label: where right and wrong are compared it is one of neither run. */
const isUnlabelled = (a: ComparedRun, b: ComparedRun, id: string, measure: Measure): boolean =>
  measure === 'correct' &&
  [a, b].every((run) => run.valueBy('correct', id) === undefined) &&
  [a, b].some((run) => run.value(id) !== undefined)

/** How many items the base has, with failed ones, without those that no gate can ask for: they have no label. */
export function labelledItems({ items }: Runs, [a, b]: readonly [ComparedRun, ComparedRun]): number {
  const measure = bestMeasure(a.measure, b.measure)
  return [...items.keys()].filter((id) => a.has(id) && !isUnlabelled(a, b, id, measure)).length
}

function pairUp(selected: readonly ComparedItem[], a: ComparedRun, b: ComparedRun, measure: Measure): Paired {
  const ofEither = selected.filter(({ id }) => a.has(id) || b.has(id))
  const known = ofEither.filter(({ id }) => !isUnlabelled(a, b, id, measure))
  const valueIn = (run: ComparedRun, { id }: ComparedItem) => run.valueBy(measure, id)
  const [low, high] = wider(a.range, b.range) ?? [0, 0]
  let [least, most] = [0, 0]
  for (const item of known) {
    least += (valueIn(b, item) ?? low) - (valueIn(a, item) ?? high)
    most += (valueIn(b, item) ?? high) - (valueIn(a, item) ?? low)
  }
  /** How many lack a value in a run that has them, or that does not. */
  const lacking = (run: ComparedRun, isThere: boolean) =>
    known.filter((item) => valueIn(run, item) === undefined && run.has(item.id) === isThere).length
  return {
    items: known.filter((item) => [a, b].every((run) => valueIn(run, item) !== undefined)),
    missing: { a: lacking(a, false), b: lacking(b, false) },
    failed: { a: lacking(a, true), b: lacking(b, true) },
    unlabelled: ofEither.length - known.length,
    possible: { least, most, items: known.length },
  }
}

const valuesOf = (run: ComparedRun, items: readonly ComparedItem[]): Float64Array =>
  Float64Array.from(items, ({ id }) => run.value(id)!)

/** The cluster of each item, or its id if items are resampled. An item without the field of --cluster is its own cluster. */
function groupsOf(items: readonly ComparedItem[], options: CompareOptions): string[] | undefined {
  const field = clusterField(options)
  if (field !== undefined) return items.map(({ id, fields }) => fields.get(field) ?? `\0${id}`)
  return options.bootstrap > 0 ? items.map(({ id }) => id) : undefined
}

/** Whether more samples or more items would help; nothing if no item has several samples. */
function samplesOf(
  sides: Record<'a' | 'b', ComparedRun>,
  measure: Measure,
  selected: readonly ComparedItem[],
) {
  const found = Object.entries(sides).flatMap(([side, run]) => {
    const items = selected
      .filter(({ id }) => run.valueBy(measure, id) !== undefined)
      .map(({ id }) => run.samples(id))
    if (!selected.some(({ id }) => run.samples(id).length > 1)) return []
    const { se, within, between, seOneSample, seManySamples } = resamples(items)
    return [[side, { se, within, between, se_one_sample: seOneSample, se_many_samples: seManySamples }]]
  })
  return found.length > 0 && { samples: Object.fromEntries(found) }
}
