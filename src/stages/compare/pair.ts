/** Two runs on the items of both: which is better, by how much, and how sure that is. */
import { rounded } from '../../formats/_table.ts'
import { clusterField } from '../../options/common.ts'
import type { JsonObject } from '../../rows/record.ts'
import { MEASURES } from '../../scoring/_outcome.ts'
import { resamples } from '../../statistics/clusters.ts'
import { infer } from './inference.ts'
import type { CompareOptions } from './options.ts'
import { ABSENT, type ComparedRun, type Runs } from './runs.ts'

/** The items that both runs have an outcome of, and what was left out. */
interface Paired {
  /** Place of the measure in {@link MEASURES}; -1 where no item has one. */
  measure: number
  a: Float64Array
  b: Float64Array
  ids: string[]
  clusters: string[] | undefined
  missing: { a: number; b: number }
  failed: { a: number; b: number }
  /** Items without an outcome on either side. */
  lacking: number
}

/** The figures of a pair, as they are printed; `within` limits them to a slice of the items. */
export function comparePair(
  runs: Runs,
  a: ComparedRun,
  b: ComparedRun,
  options: CompareOptions,
  within?: (item: number) => boolean,
): JsonObject {
  const paired = pairUp(runs, a, b, options, within)
  const { measure, missing, failed } = paired
  const items = paired.a.length
  const value = options.value ?? MEASURES[measure] ?? null
  const head = { a: a.name, b: b.name, value, items, missing, failed }
  if (items === 0) {
    const figures = { mean_a: null, mean_b: null, difference: null, ci: null, p: null }
    return { ...head, ...figures, reason: 'no item has an outcome in both runs' }
  }
  const { agreement, ...figures } = infer(
    { ...paired, labels: value !== 'score' && options.value === undefined },
    options,
  )
  const { size } = runs.items
  const samples = { ...samplesOf('a', a, measure, size), ...samplesOf('b', b, measure, size) }
  return rounded({
    ...head,
    ...figures,
    bounds: boundsOf(figures.difference, paired, widthOf(a, b)),
    agreement,
    ...(Object.keys(samples).length > 0 && { samples }),
  }) as JsonObject
}

function pairUp(
  runs: Runs,
  a: ComparedRun,
  b: ComparedRun,
  options: CompareOptions,
  within?: (item: number) => boolean,
): Paired {
  const measures = [a.measure, b.measure].filter((place) => place >= 0)
  const measure = measures.length === 0 ? -1 : Math.min(...measures)
  const cluster = clusterField(options)
  const column = cluster === undefined ? undefined : runs.columns.get(cluster)
  const paired: Paired = {
    measure,
    a: new Float64Array(0),
    b: new Float64Array(0),
    ids: [],
    clusters: column && [],
    missing: { a: 0, b: 0 },
    failed: { a: 0, b: 0 },
    lacking: 0,
  }
  const { size } = runs.items
  const both = (item: number) => (!within || within(item)) && a.has(item, measure) && b.has(item, measure)
  let count = 0
  for (let item = 0; item < size; item++)
    if (both(item)) {
      count++
      if (options.bootstrap > 0) paired.ids.push(runs.ids![item]!)
      // An item without the field stands for itself.
      paired.clusters?.push(column!.get(item) ?? `\0${runs.ids![item]}`)
    } else if (!within || within(item)) countLeftOut(paired, a, b, item)
  return { ...paired, a: valuesOf(a, count, both), b: valuesOf(b, count, both) }
}

/** The values of so many items. */
function valuesOf(run: ComparedRun, count: number, has: (item: number) => boolean): Float64Array {
  const values = new Float64Array(count)
  for (let item = 0, at = 0; at < count; item++) if (has(item)) values[at++] = run.value(item)
  return values
}

function countLeftOut(paired: Paired, a: ComparedRun, b: ComparedRun, item: number): void {
  const states = { a: a.state(item), b: b.state(item) }
  if (states.a === ABSENT && states.b === ABSENT) return
  paired.lacking++
  for (const [side, run] of [
    ['a', a],
    ['b', b],
  ] as const) {
    if (states[side] === ABSENT) paired.missing[side]++
    else if (!run.has(item, paired.measure)) paired.failed[side]++
  }
}

/** How far two values can be apart; undefined where that is not known. */
const widthOf = (a: ComparedRun, b: ComparedRun) =>
  a.width === undefined || b.width === undefined ? undefined : Math.max(a.width, b.width)

/** The difference had all items without an outcome gone against a, and had they gone for it. */
function boundsOf(
  difference: number,
  { a, lacking }: Paired,
  width: number | undefined,
): [number, number] | null {
  if (width === undefined) return null
  const sum = difference * a.length
  const all = a.length + lacking
  return [(sum - lacking * width) / all, (sum + lacking * width) / all]
}

/** What more samples, or more items, would help; nothing where no item has several. */
function samplesOf(side: 'a' | 'b', run: ComparedRun, measure: number, size: number) {
  if (run.samples.size === 0) return {}
  const items: number[][] = []
  for (let item = 0; item < size; item++)
    if (run.has(item, measure)) items.push(run.samples.get(item) ?? [run.value(item)])
  const { se, within, between, seOneSample, seManySamples } = resamples(items)
  return { [side]: { se, within, between, se_one_sample: seOneSample, se_many_samples: seManySamples } }
}
