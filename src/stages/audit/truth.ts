/** People's labels: fields of the rows, or files of their own. */
import { fileSource } from '../../files/files.ts'
import { ownedText } from '../../rows/bytes.ts'
import { ID_FIELDS, itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { type Criterion, type Decision, EXIT, Fatal, type Json, type Result } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { isDecision } from '../../scoring/_by_criterion.ts'
import { optionOf } from '../../scoring/choice.ts'
import { decisionOf } from '../../scoring/pairwise.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { AuditOptions } from './options.ts'

/** People's labels, from the fields of --truth; without any the item's own label. */
export function peoplesLabels(
  row: Row,
  fields: readonly string[],
  label: Json | undefined,
): (Label | null)[] {
  if (fields.length === 0) return label == null ? [] : [label].flat().map(comparableLabel)
  return fields.flatMap((field) => [row.field(field)].flat().map(comparableLabel))
}

/** A label as verdicts write it: `model_a` is A>B; booleans are 1 and 0. */
export function comparableLabel(value: Json | undefined): Label | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? (decisionOf(value) ?? ownedText(value)) : null
}

/**
 * Reads people's labels in the terms of a judge's verdict.
 * @returns null for a label that is missing or not in these terms, which is noted
 */
export function readLabels(
  labels: readonly (Label | null)[],
  result: Result,
  options: Criterion['options'],
  note: (label: Label, expected: string) => void,
): (Label | null)[] {
  const [read, expected] = termsOf(result, options, labels)
  return labels.map((label) => {
    const meant = label === null ? null : read(label)
    if (meant === undefined) note(label!, expected)
    return meant ?? null
  })
}

/** How a label is read (undefined: it cannot be), and what it has to be. */
function termsOf(
  { decision, option, score }: Result,
  options: Criterion['options'],
  labels: readonly (Label | null)[],
): [read: (label: Label) => Label | undefined, expected: string] {
  if (option !== undefined) {
    const names = options.map(({ name }) => name).join(', ')
    if (options.length === 0) return [String, 'an option']
    return [
      (label) => optionOf(label, options) ?? optionOf(numberOf(label) ?? '', options),
      `one of ${names}`,
    ]
  }
  if (decision === undefined && score !== undefined) return [numberOf, 'a number']
  // The winner of two answers is compared with decisions, too.
  if (decision !== undefined || labels.some((one) => one !== TIE && isDecision(one)))
    return [(label) => (isDecision(label) ? label : undefined), 'A>B, B>A or A=B']
  return [(label) => (label === TIE ? label : numberOf(label)), 'the index of an answer, or tie']
}

const TIE: Decision = 'A=B'

/** A text that is a number as a number: values of CSV files are texts. */
export const numericLabel = (label: Label | null): Label | null =>
  label === null ? null : (numberOf(label) ?? label)

function numberOf(label: Label): number | undefined {
  const value = String(label).trim() === '' ? Number.NaN : Number(label)
  return Number.isFinite(value) ? value : undefined
}

export const truthKey = (id: string, criterion: Json | undefined) => JSON.stringify([id, criterion ?? null])

/** Reads label files: rows with an id and `label` or `labels`, or a row per annotator; those of jb-view have `item` and may have a criterion. */
export async function readPeople(files: readonly string[], options: AuditOptions, context: Context) {
  const people = new Map<string, Map<string, Label | null>>()
  const names = new Set<string>()
  const criteria = new Set<Json>()
  for await (const batch of context.rows(files.map(fileSource)))
    for (const row of batch) {
      const { item, criterion } = row.item
      const named = options.id !== undefined || ID_FIELDS.some((field) => (row.field(field) ?? null) !== null)
      const id = typeof item === 'string' && !named ? item : itemId(row, options.id)
      if (typeof criterion === 'string') criteria.add(criterion)
      const of = getOrInsert(people, truthKey(id, criterion), () => new Map())
      const value = row.field('labels') ?? row.field(options.label ?? 'label')
      if (value === undefined)
        throw new Fatal(
          EXIT.data,
          `${row.place}: neither "labels" nor "${options.label ?? 'label'}" (--truth FILE)`,
        )
      const annotator = String(row.field('annotator') ?? row.field('labeler') ?? row.file)
      for (const [i, one] of [value].flat().entries()) {
        const name = Array.isArray(value) ? `${annotator}#${i}` : annotator
        names.add(name)
        of.set(name, comparableLabel(one))
      }
    }
  const order = [...names].sort()
  const labels = new Map([...people].map(([key, of]) => [key, order.map((name) => of.get(name) ?? null)]))
  return { labels, criteria }
}
