/** People's labels: fields of the rows, or files of their own. */

import { statSync } from 'node:fs'
import { fileSource } from '../../files/files.ts'
import { type LabelFile, labelsOf, numbersOf } from '../../formats/_label_file.ts'
import { nearest } from '../../options/nearest.ts'
import { shortId } from '../../rows/controls.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject, type Result } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { decisionOf, itemsInNoRow, labelNumber, type Terms } from '../../scoring/label_terms.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { OwnFields, RawLabel } from './items.ts'
import { chanceIn } from './numbers.ts'
import type { AuditOptions } from './options.ts'

/** People's labels as they are given, from the fields of --truth; without any the item's own label. */
export function peoplesLabels(
  own: OwnFields,
  fields: readonly string[],
  label: RawLabel,
): readonly RawLabel[] {
  if (fields.length > 0) return own.truth
  return label == null ? [] : [label].flat()
}

/** Whether a label is an object with one for the criterion. */
export const isFor = (label: RawLabel, criterion: string): label is JsonObject =>
  isObject(label) && Object.hasOwn(label, criterion)

export const ofCriterion = (
  labels: readonly RawLabel[],
  criterion: string | undefined,
): readonly RawLabel[] =>
  criterion === undefined ? labels : labels.map((one) => (isFor(one, criterion) ? one[criterion] : null))

/** A text or a number; null for any other value, and for an empty text, as an empty cell of CSV is. */
export const asGiven = (value: RawLabel): Label | null =>
  typeof value === 'string' && value !== '' ? value : (labelNumber(value) ?? null)

/** A label where there is no verdict in whose terms it could be read: `model_a` is A>B, texts that are numbers are numbers. */
export function plainLabel(value: RawLabel): Label | null {
  const read = labelNumber(value) ?? decisionOf(value)
  return read ?? asGiven(value)
}

/** The terms of an answer of --value: a number is compared with numbers, a word with words. */
export function termsOfValue(value: RawLabel): Terms | undefined {
  const said = plainLabel(value)
  if (said === null) return undefined
  const read = (label: Json) => {
    const plain = plainLabel(label)
    return typeof plain === typeof said ? plain! : undefined
  }
  return {
    said,
    read,
    expected: `a ${typeof said === 'number' ? 'number' : 'word'}, as the judge’s answer`,
    isOpen: true,
  }
}

export const truthKey = (id: string, criterion: Json | undefined) => JSON.stringify([id, criterion ?? null])

/** The labels of files, by item and criterion. */
export interface PeoplesLabels {
  /** By {@link truthKey}: those of each annotator, in the order of their names. */
  labels: ReadonlyMap<string, RawLabel[]>
  criteria: ReadonlySet<Json>
  /** The numbers among them. */
  numbers: ReadonlySet<number>
  /** By {@link truthKey}: those of --weight. */
  chances: ReadonlyMap<string, number>
}

/** Reads label files: rows with an id and `label` or `labels`, or a row per annotator; those of jb-view may have a criterion. */
export async function readPeople(
  files: readonly LabelFile[],
  options: AuditOptions,
  context: Context,
): Promise<PeoplesLabels> {
  const people = new Map<string, Map<string, RawLabel>>()
  const names = new Set<string>()
  const criteria = new Set<Json>()
  const chances = new Map<string, number>()
  const paths = files.map(({ path }) => path)
  for await (const one of labelsOf(paths, options, context)) {
    const { item, criterion, annotator, label, row, file, line } = one
    if (criterion !== undefined) criteria.add(criterion)
    names.add(annotator)
    const of = getOrInsert(people, truthKey(item, criterion), () => new Map())
    const chance = options.weight === undefined ? undefined : chanceIn(row, options.weight)
    if (chance !== undefined) chances.set(truthKey(item, criterion), chance)
    const before = of.get(annotator) ?? null
    if (before !== null && before !== label)
      context.note(
        `item ${JSON.stringify(shortId(item))} has another label before, of the same annotator: the last one counts ("annotator" tells people apart)`,
        { file, line, kind: 'two labels' },
      )
    of.set(annotator, label)
  }
  const order = [...names].sort()
  const labels = new Map([...people].map(([key, of]) => [key, order.map((name) => of.get(name))]))
  return {
    labels,
    criteria,
    chances,
    numbers: numbersOf([...labels.values()].flat().map((one) => one ?? null)),
  }
}

export const weightFile = (weight: string) => statSync(weight, { throwIfNoEntry: false })?.isFile() === true

/** The rows of --next, by {@link truthKey}. @throws Fatal (data) */
export async function readChances(file: string, options: AuditOptions, context: Context) {
  const chances = new Map<string, number>()
  for await (const batch of context.rows([fileSource(file)]))
    for (const row of batch) {
      const p = chanceIn(row, 'p')
      const item = row.field(options.item ?? 'item')
      if (p === undefined || typeof item !== 'string')
        throw new Fatal(EXIT.data, `${row.place}: expected item and p, as jb-audit --next writes them`)
      chances.set(truthKey(item, row.field('criterion')), p)
    }
  return chances
}

/** Tells of labels of items that no judge has. */
export function noteUnmatched(
  labels: ReadonlyMap<string, unknown>,
  judges: Iterable<{ items: Iterable<{ id: string; criterion: string | undefined }> }>,
  note: Context['note'],
): void {
  const others = new Set(labels.keys())
  for (const { items } of judges)
    for (const { id, criterion } of items) others.delete(truthKey(id, criterion))
  if (labels.size === 0) note('--truth: the file has no labels')
  else if (others.size > 0)
    note(
      `--truth: ${itemsInNoRow(
        [...others].map((key) => JSON.parse(key)[0]),
        labels.size,
      )}`,
    )
}

export function noTruth(field: string, there: readonly string[]): string {
  const near = nearest(field, there)
  const hint = near === undefined ? `there are: ${there.join(', ')}` : `did you mean ${near}?`
  return `--truth ${field}: no such file, and no row has a field of this name (${hint})`
}

/** The label that jb-score used; else the row's own. */
export function ownLabel(
  fields: OwnFields,
  result: Result | undefined,
  terms: Terms | undefined,
  { label, value }: AuditOptions,
): RawLabel {
  const taken = (result?.label_option ?? result?.label) as RawLabel
  if (taken !== undefined) return taken
  const own = fields.label
  if (!result || label !== undefined || value !== undefined) return own
  // Beside a result, a text called label that jb-score did not use is another program's: it reads no lists, and no scores.
  const isOurs = Array.isArray(own) || labelNumber(own) !== undefined
  return isOurs && [own].flat().some((one) => terms?.read(one!) !== undefined) ? own : undefined
}
