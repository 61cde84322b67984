/** --truth: people's labels of some items of each run, by which the judge's difference is corrected. */
import {
  type FileLabel,
  type LabelFile,
  labelPlaces,
  labelsOf,
  numbersOf,
} from '../../formats/_label_file.ts'
import { EXIT, Fatal, type Json, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { EXPECTED_AMOUNT, givenAmount, labelledShare } from '../../scoring/amount.ts'
import { infer, inside, type PairedSample } from '../../scoring/difference.ts'
import { EXPECTED_DECISION, LabelNotes } from '../../scoring/label_terms.ts'
import { LabelScales } from '../../scoring/scale.ts'
import { unlikeLabels } from '../../scoring/warnings.ts'
import { clusterFigures, clustersIn, meanOf } from '../../statistics/clusters.ts'
import { type FewLabels, ppiInterval, ppiPlus } from '../../statistics/corrected.ts'
import { type LabelDifference, labelDifference } from '../../statistics/label_sample.ts'
import { differenceOf } from '../../statistics/paired.ts'
import type { CompareOptions } from './options.ts'
import type { ComparedRun, Runs } from './runs.ts'

/** The files and the fields of --truth. @throws Fatal (no input) for NAME=FILE without a file */
export const truthPlaces = ({ truth }: CompareOptions) => labelPlaces(truth, '--truth', true)

/** The labels of the files of --truth, with the NAME of NAME=FILE. */
export async function truthLabels(
  { items }: Runs,
  options: CompareOptions,
  context: Context,
): Promise<(FileLabel & LabelFile)[]> {
  const labels: (FileLabel & LabelFile)[] = []
  for (const file of truthPlaces(options).files)
    for await (const one of labelsOf([file.path], options, context))
      if (one.label !== null) labels.push({ ...one, ...file })
  const elsewhere = labels.filter(({ item }) => !items.has(item)).length
  if (elsewhere > 0)
    context.note(`--truth: ${elsewhere} of ${labels.length} labels are of items that are in no row`)
  return labels
}

/** Adds the labels of the files of --truth to the runs. */
export async function addLabels(
  runs: Runs,
  found: readonly ComparedRun[],
  options: CompareOptions,
  context: Context,
): Promise<void> {
  const { run: field = 'run' } = options
  const labels = await truthLabels(runs, options, context)
  const reader = new LabelReader(numbersOf(labels.map(({ label }) => label)))
  for (const one of labels) {
    const name = one.name ?? textOf(one.row.field(field))
    if (name === undefined)
      throw new Fatal(
        EXIT.data,
        `${one.file}:${one.line}: "${field}" does not say of which run the label is (--truth NAME=FILE gives the labels of one run, --run FIELD another field)`,
      )
    const run = found.find((of) => of.name === name)
    if (!run)
      throw usageError(
        `--truth: no run is called "${name}" (there are: ${found.map((of) => `"${of.name}"`).join(', ')})`,
      )
    if (runs.items.has(one.item)) reader.add(run, one.item, one)
  }
  reader.tell(context.note)
}

const textOf = (value: Json | undefined) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/** Reads labels as the values that a run has: of decisions the first answer's share. */
export class LabelReader {
  private readonly notes = new LabelNotes()
  private readonly scales: LabelScales

  /** @param numbers those among the labels, where all are known */
  constructor(numbers?: ReadonlySet<number>) {
    this.scales = new LabelScales(undefined, numbers)
  }

  /** Adds a label of an item. @param place of the label, in messages */
  add(run: ComparedRun, id: string, { item: place, label }: { item: string; label: Json }): void {
    const isShare = run.measure === 'share'
    const amount = isShare ? labelledShare(label, this.scales) : givenAmount(label)
    if (amount !== undefined) run.addTruth(id, amount)
    else this.notes.unread(label, isShare ? EXPECTED_DECISION : EXPECTED_AMOUNT, place, run.name)
  }

  tell(note: Context['note']): void {
    this.notes.tell('--truth: ', note)
  }
}

/** People's values of the same items; undefined where they have not labelled both. */
export type PeoplesValues = readonly (readonly [a: number, b: number] | undefined)[]

/** Figures in the order in which they are printed. */
export interface CorrectedDifference {
  mean_a: number | null
  mean_b: number | null
  difference: number | null
  ci: [number, number] | null
  method: string
  /** Items that are labelled in both runs. */
  labels: number
  /** The judge's weight. */
  lambda?: number
  clusters?: number
  effective_clusters?: number
  p: number | null
  test: string
  /** Of the labels alone. */
  people?: { difference: number }
  /** Of the judge's verdicts alone. */
  judge?: { difference: number; ci: [number, number] | null }
  reason?: string
  agreement?: undefined
}

/**
 * The difference that people would see on all items, in the form of {@link infer}: by PPI++ of each item's difference. If all items
 * have labels, these alone count.
 */
export function inferByLabels(
  sample: PairedSample,
  people: PeoplesValues,
  options: Pick<CompareOptions, 'ci' | 'bootstrap' | 'seed'>,
): CorrectedDifference {
  const { a, b, groups, limits } = sample
  const labelled = [...people.keys()].filter((i) => people[i])
  const rest = [...people.keys()].filter((i) => !people[i])
  const head = { labels: labelled.length }
  if (labelled.length < 2)
    return { ...head, ...NOTHING, reason: 'fewer than two items have labels in both runs (--truth)' }
  const judge = (i: number) => differenceOf(b[i]!, a[i]!)
  const theirs = (i: number) => differenceOf(people[i]![1], people[i]![0])
  const [y, f, u] = [labelled.map(theirs), labelled.map(judge), rest.map(judge)]
  if (rest.length === 0) {
    const of = {
      ...sample,
      a: Float64Array.from(people, (one) => one![0]),
      b: Float64Array.from(people, (one) => one![1]),
    }
    const { mean_a, mean_b, difference, ci, method, p, test } = infer(of, options)
    return {
      mean_a,
      mean_b,
      difference,
      ci,
      method: `people, ${method}`,
      ...head,
      p,
      test,
      judge: judged(sample, options),
    }
  }
  const few: FewLabels = {
    y,
    f,
    u,
    ...(groups && { clusters: [...labelled, ...rest].map((i) => groups[i]!) }),
  }
  const { estimate, lambda } = ppiPlus(few)!
  const inference = ppiInterval(few, options.ci, areDifferencesOfShares(y, f, u) ? 'differences' : 'amounts')
  const mean = (values: ArrayLike<number>, side: 0 | 1) =>
    lambda * meanOf(rest.map((i) => values[i]!)) +
    meanOf(labelled.map((i) => people[i]![side] - lambda * values[i]!))
  return {
    mean_a: mean(a, 0),
    mean_b: mean(b, 1),
    difference: estimate,
    ci: inside(inference?.ci ?? null, limits),
    method: 'ppi++',
    ...head,
    lambda,
    ...(groups && clusterFigures(clustersIn(groups))),
    p: inference?.p ?? null,
    test: 'ppi++ t',
    people: { difference: meanOf(y) },
    judge: judged(sample, options),
  }
}

const NOTHING = {
  mean_a: null,
  mean_b: null,
  difference: null,
  ci: null,
  method: 'ppi++',
  p: null,
  test: 'ppi++ t',
}

/** What the judge alone says. */
function judged(sample: PairedSample, options: Pick<CompareOptions, 'ci' | 'bootstrap' | 'seed'>) {
  const { difference, ci } = infer(sample, options)
  return { difference, ci }
}

const areDifferencesOfShares = (...values: number[][]) =>
  values.every((of) => of.every((one) => Math.abs(one) <= 1 && Number.isInteger(2 * one)))

/** A field of --by, and the group of each item. */
export interface Field {
  name: string
  groups: readonly (string | undefined)[]
}

/**
 * In what labelled items are not like the others beyond chance: the judge's means or its difference, or the share of a group.
 * Undefined where nothing is corrected, too.
 */
export function unlikeOthers(
  { a, b, groups, clustered }: PairedSample,
  people: PeoplesValues,
  { fields, ...names }: { a: string; b: string; fields: readonly Field[] },
): LabelDifference | undefined {
  const labelled = [...people.keys()].filter((i) => people[i])
  const others = [...people.keys()].filter((i) => !people[i])
  if (labelled.length < 2) return undefined
  const known = <T>(name: string, of: (i: number) => T) => ({
    name,
    labelled: labelled.map(of),
    others: others.map(of),
  })
  const judge = [
    known('the judge’s difference', (i) => differenceOf(b[i]!, a[i]!)),
    known(`the judge’s mean of ${names.a}`, (i) => a[i]!),
    known(`the judge’s mean of ${names.b}`, (i) => b[i]!),
  ]
  const found = labelDifference(
    judge,
    fields.map(({ name, groups }) => known(name, (i) => groups[i])),
    clustered ? [...labelled, ...others].map((i) => groups![i]!) : undefined,
  )
  return unlikeLabels(found) && found
}

/** On how many labelled items the judge's difference is above people's, and below. */
export function disagreements({ a, b }: PairedSample, people: PeoplesValues): [above: number, below: number] {
  let [above, below] = [0, 0]
  for (const [i, one] of people.entries()) {
    const more = one ? differenceOf(b[i]!, a[i]!) - differenceOf(one[1], one[0]) : 0
    if (more > 0) above++
    else if (more < 0) below++
  }
  return [above, below]
}
