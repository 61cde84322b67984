/** The label of an item, in its own fields: what is right. */
import { didYouMean } from '../options/nearest.ts'
import {
  type Decision,
  isObject,
  type Json,
  type JsonObject,
  type Result,
  RowFailure,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { About, JudgeKind, ScoreSettings } from './kind.ts'
import { meantBy } from './label_map.ts'
import {
  decisionOf,
  EXPECTED_DECISION,
  EXPECTED_SCORE,
  HOW_TO_MAP,
  isRespelled,
  labelGrade,
  shownLabel,
} from './label_terms.ts'

/** The most fields that a message lists. */
const LISTED = 20

/** --label of a run that reads none. */
const NO_LABEL = 'none'

/** The fields that may hold the label, whatever the kind of judge. */
export function labelFields({ label }: { label?: string | undefined }): string[] {
  if (label === NO_LABEL) return []
  return label === undefined ? ['label', 'expected_result'] : [label]
}

/** Null, and an empty text, as a cell of CSV, are no label. */
export const isLabel = (value: Json | undefined): value is Json =>
  value !== undefined && value !== null && value !== ''

/** The value of the first of these fields that the row has. */
export function firstOf(row: Row, fields: readonly string[]): Json | undefined {
  for (const field of fields) {
    const value = row.field(field)
    if (isLabel(value)) return value
  }
  return undefined
}

/** What a row says of its item's label: in the field of `--label`, else in the usual ones of the kind. */
export function labelIn(
  row: Row,
  { labels }: Pick<JudgeKind, 'labels'>,
  { label: named, labelMap, isLabelled }: ScoreSettings,
): Pick<About, 'label' | 'lack'> {
  if (named === NO_LABEL || (isLabelled && !isLabelled(row))) return {}
  const label = meantBy(firstOf(row, named === undefined ? labels : [named]), labelMap)
  if (label !== undefined || named === undefined) return { label }
  const empty = row.field(named)
  if (empty !== undefined) return { lack: notRead(named, empty, 'a label') }
  const fields = Object.keys(row.item)
  const hint = didYouMean(
    named,
    fields.filter((one) => one !== named),
  )
  return {
    lack: `the label "${named}" is missing${hint} (fields: ${fields.slice(0, LISTED).join(', ') || 'none'})`,
  }
}

/** The item's label. @throws RowFailure missing_field if it has none in the field of --label */
export function labelOf({ label, lack }: About): Json | undefined {
  if (lack !== undefined) throw new RowFailure('missing_field', lack)
  return label
}

/** The label of one criterion, if the item's label is an object with one for each; else the label itself. */
export const labelOfCriterion = (label: Json | undefined, criterion: string): Json | undefined =>
  isObject(label) && Object.hasOwn(label, criterion) ? label[criterion] : label

/**
 * The part of a result for an item whose label cannot be read: a field may be called `label` without being one.
 * @throws RowFailure missing_field if `--label` names the field
 */
export function unreadLabel(
  label: Json,
  expected: string,
  { label: field }: ScoreSettings,
): { correct: null; label_error: string } {
  if (field !== undefined) throw unread(field, label, expected)
  return { correct: null, label_error: `the item's label is ${shownLabel(label)}, expected ${expected}` }
}

/** A message about a label that could not be read, of the item or of one criterion. */
export function unreadLabelIn({ kind, label_error, items = [] }: Result): string | undefined {
  // The items of a list are what the judge wrote.
  const results = kind === 'list' ? [] : (items as JsonObject[])
  const error = label_error ?? results.find((one) => one.label_error)?.label_error
  return error === undefined
    ? undefined
    : `${error}: it is left out (${HOW_TO_MAP}, --label names another field)`
}

/** A message about a label, of the item or of one criterion, that is an option in another spelling. */
export function respelledIn({ kind, items = [], ...whole }: Result): string | undefined {
  const results = kind === 'list' ? [] : (items as JsonObject[])
  for (const { label, label_option: option } of [whole as JsonObject, ...results])
    if (isRespelled(label, option))
      return `the label ${shownLabel(label)} is read as ${shownLabel(option!)}, the judge's spelling`
  return undefined
}

const notRead = (field: string, label: Json, expected: string) =>
  `the label "${field}" is ${shownLabel(label)}, expected ${expected}`

const unread = (field: string, label: Json, expected: string) =>
  new RowFailure('missing_field', `${notRead(field, label, expected)} (${HOW_TO_MAP})`)

/** The decision that the item's label means; undefined without a label. @throws RowFailure for any other label */
export function decisionIn(about: About, settings: ScoreSettings): Decision | undefined {
  const value = labelOf(about)
  if (value === undefined) return undefined
  const decision = decisionOf(value)
  if (!decision) throw unread(settings.label ?? 'label', value, EXPECTED_DECISION)
  return decision
}

/** The number in the field of `--label`; undefined without one: a grade needs no label. @throws RowFailure for any other label */
export function scoreIn(about: About, { label: field }: ScoreSettings): number | undefined {
  const value = about.label
  if (field === undefined || value === undefined) return undefined
  const score = labelGrade(value)
  if (score === undefined) throw unread(field, value, EXPECTED_SCORE)
  return score
}
