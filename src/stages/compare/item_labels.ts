/** --choose: people's labels of items, which are the same for all runs, and what runs say in their terms. */
import { numbersOf } from '../../formats/_label_file.ts'
import { append, count } from '../../rows/maps.ts'
import { type Criterion, EXIT, Fatal, type Json, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import {
  criterionOf,
  LabelNotes,
  optionOf,
  PASS,
  shownLabel,
  type Terms,
  termsOf,
} from '../../scoring/label_terms.ts'
import { LabelScales } from '../../scoring/scale.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { RunValues } from '../../statistics/choice.ts'
import type { CompareOptions } from './options.ts'
import type { ComparedRun, KeptResult, Runs } from './runs.ts'
import { truthLabels, truthPlaces } from './truth.ts'

/** Adds the labels of the files of --truth. @throws Fatal (usage) for labels of one run */
export async function addItemLabels(runs: Runs, options: CompareOptions, context: Context): Promise<void> {
  for (const { path, name } of truthPlaces(options).files)
    if (name !== undefined)
      throw usageError(
        `--choose: labels are of items, whatever the run: --truth ${path}, not ${name}=${path}`,
      )
  for (const { item, label } of await truthLabels(runs, options, context))
    if (runs.items.has(item)) append(runs.labels, item, label)
}

/** The labelled items, in the order of their ids, and what each run is worth on them. */
export interface LabelledItems {
  items: string[]
  /** Whether the label is a yes; null where labels are of another kind. */
  labels: boolean[] | null
  values: RunValues[]
}

/** @throws Fatal (data) for runs that give an item several values, and for labels that are none of theirs */
export function labelledItems(
  runs: Runs,
  found: readonly ComparedRun[],
  { tie = 0 }: CompareOptions,
  note: Context['note'],
): LabelledItems {
  const scales = new LabelScales(undefined, numbersOf([...runs.labels.values()].flat()))
  const said = observedOptions(found)
  const verdicts = found.map((run) => new Verdicts(run, scales, said))
  const notes = new LabelNotes()
  const items: string[] = []
  const labels: (boolean | undefined)[] = []
  const meant: (readonly (Label | undefined)[])[] = []
  let split = 0
  for (const item of [...runs.labels.keys()].sort()) {
    const all = runs.labels.get(item)!.flatMap((label) => {
      const readings = readIn(verdicts, item, label)
      if (typeof readings !== 'string') {
        for (const reading of readings) notes.read(label, reading)
        return [readings]
      }
      notes.unread(label, readings, item)
      return []
    })
    if (all.length === 0) continue
    const readings = commonest(all)
    if (!readings) {
      split++
      continue
    }
    items.push(item)
    meant.push(readings)
    labels.push(verdicts.map((one, run) => one.isYes(readings[run])).find((yes) => yes !== undefined))
  }
  notes.tell('--choose: ', note)
  if (split > 0) note(`--choose: ${split} items are left out: people's labels of them are evenly split`)
  return {
    items,
    labels: labels.every((one) => one !== undefined) ? labels : null,
    values: verdicts.map(({ run, isGrade, value }, at) =>
      isGrade
        ? { name: run.name, scores: items.map((item) => run.results.get(item)?.result?.score ?? null) }
        : { name: run.name, right: items.map((item, i) => value(item, meant[i]![at], tie)) },
    ),
  }
}

/** What a label means in each run's terms; where no run can read it, what was expected. @throws Fatal (data) where some cannot */
function readIn(verdicts: readonly Verdicts[], id: string, label: Json): (Label | undefined)[] | string {
  const terms = verdicts.map((one) => one.terms(id))
  const readings = terms.map((one) => one?.read(label))
  const lacking = terms.findIndex((one, run) => one && readings[run] === undefined)
  if (lacking < 0) return readings
  const what = `--choose: the label of ${id} is ${shownLabel(label)}`
  if (verdicts[lacking]!.isGrade)
    throw new Fatal(EXIT.data, `${what}: of grades it chooses a threshold, by labels yes or no`)
  const { expected } = terms[lacking]!
  if (readings.every((one) => one === undefined)) return expected
  throw new Fatal(EXIT.data, `${what}, expected ${expected}, as ${verdicts[lacking]!.run.name} has them`)
}

/** What most of several people mean; undefined if they are evenly split. */
function commonest<T>(all: readonly T[]): T | undefined {
  const times = new Map<string, number>()
  for (const one of all) count(times, JSON.stringify(one))
  const [[most, n], second] = [...times].sort(([, x], [, y]) => y - x) as [
    [string, number],
    [string, number]?,
  ]
  return second?.[1] === n ? undefined : all.find((one) => JSON.stringify(one) === most)
}

const knownOptions = ({ result, criteria }: KeptResult): Criterion['options'] =>
  (criteria[0] ?? criterionOf(result ?? {}))?.options ?? []

/** The options that runs chose, with their scores, for rows that do not say which options there are. */
function observedOptions(found: readonly ComparedRun[]): Criterion['options'] {
  const scores = new Map<string, number | null>()
  for (const { results } of found)
    for (const of of results.values()) {
      const { result } = of
      if (typeof result?.option === 'string' && knownOptions(of).length === 0)
        scores.set(result.option, ((result.score_of_option ?? result.score) as number | undefined) ?? null)
    }
  return [...scores]
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([name, score]) => ({ name, description: '', score }))
}

const isTie = (said: Label) => said === 'A=B' || said === 'tie'

/** What one run says of the items. */
class Verdicts {
  readonly run: ComparedRun
  readonly isGrade: boolean
  private readonly scales: LabelScales
  private readonly observed: Criterion['options']
  /** The first result, for items without one. */
  private readonly first: KeptResult | undefined
  /** Of two options that with the higher score. */
  private readonly yes: string | undefined

  /** @throws Fatal (data) for several values of an item, or several kinds */
  constructor(run: ComparedRun, scales: LabelScales, observed: Criterion['options']) {
    this.run = run
    this.scales = scales
    this.observed = observed
    const results = [...run.results].filter(([, { result }]) => result)
    results.sort(([x], [y]) => (x < y ? -1 : 1))
    this.first = results[0]?.[1]
    const kinds = new Set(results.map(([, { kind }]) => kind))
    const several = results.find(([, one]) => hasSeveral(one))
    if (several)
      throw new Fatal(
        EXIT.data,
        `--choose: ${run.name} gives ${several[0]} several values (criteria, nuggets, lists): it chooses by one`,
      )
    if (kinds.size > 1)
      throw new Fatal(
        EXIT.data,
        `--choose: ${run.name} has verdicts of several kinds: ${[...kinds].sort().join(', ')}`,
      )
    this.isGrade = this.first?.kind === 'grade'
    const [one, other, ...more] = this.isGrade ? PASS.options : this.first ? this.optionsOf(this.first) : []
    if (
      one &&
      other &&
      more.length === 0 &&
      one.score !== null &&
      other.score !== null &&
      one.score !== other.score
    )
      this.yes = one.score > other.score ? one.name : other.name
  }

  private optionsOf(of: KeptResult): Criterion['options'] {
    const known = knownOptions(of)
    return known.length > 0 ? known : this.observed
  }

  /** In which terms labels of an item are read; undefined for a run that failed everywhere. */
  terms(item: string): Terms | undefined {
    const own = this.run.results.get(item)
    const of = own?.result ? own : this.first
    if (!of?.result) return undefined
    if (this.isGrade) return { said: '', read: (label) => optionOf(label, PASS), expected: 'yes or no' }
    const criteria =
      of.kind === 'choice' ? [{ name: '', options: this.optionsOf(of) } as unknown as Criterion] : []
    return termsOf(of.result, { criteria, trials: of.trials }, undefined, this.scales)
  }

  /** Whether a label, as {@link terms} read it, is a yes; undefined where verdicts are none of yes and no. */
  isYes(label: Label | undefined): boolean | undefined {
    return this.yes === undefined || label === undefined ? undefined : label === this.yes
  }

  /** 1 where it is right, 0 where it is not, of a tie between; null if it failed or lacks the item. */
  readonly value = (item: string, label: Label | undefined, tie: number): number | null => {
    if (!this.run.results.get(item)?.result) return null
    const { said } = this.terms(item)!
    return said === label ? 1 : isTie(said) ? tie : 0
  }
}

/** Whether an item has several values in place of one. */
const hasSeveral = ({ kind, result, criteria }: KeptResult): boolean =>
  kind === 'list' ||
  (kind === 'choice' && (typeof result!.option !== 'string' || criteria.length > 1)) ||
  (kind === 'listwise' && result!.winner === undefined)

/** With --value: the items with a number in any run, which is 0 to 1. @throws Fatal (data) for another number */
export function valuedItems(runs: Runs, found: readonly ComparedRun[]): LabelledItems {
  const items = [...runs.items.keys()]
    .filter((item) => found.some((run) => run.value(item) !== undefined))
    .sort()
  const values = found.map((run) => ({
    name: run.name,
    right: items.map((item) => {
      const value = run.value(item)
      if (value === undefined) return null
      if (value >= 0 && value <= 1) return value
      throw new Fatal(EXIT.data, `--choose: the value of ${item} in ${run.name} is ${value}, expected 0 to 1`)
    }),
  }))
  return { items, labels: null, values }
}

/** How many of these items a run does not have. */
export const missingIn = (run: ComparedRun, items: readonly string[]): number =>
  items.filter((item) => !run.has(item)).length
