/** An incomplete item: its trials so far, and the row that will get the result, whatever their order. */
import { itemId } from '../rows/item_id.ts'
import { type Criterion, type Result, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { failureDigest } from './_digest.ts'
import { digestOfFields, groupFields } from './_item_fields.ts'
import { labelFields } from './_label.ts'
import { BY_DEFAULT, type ScoreSettings } from './_scoring.ts'
import { callKey, eachCall, isPaid } from './_trial.ts'

/** There may be millions of them: what most do not need is created on demand. */
export interface OpenItem {
  /** Of the lowest trial so far. */
  row: Row
  /** That trial's number, and whether it failed in that row. */
  first: number
  failed: boolean
  /** Other rows with a reply to that trial, with other fields. */
  others?: Row[] | undefined
  /** By trial number. */
  trials: Map<number, TrialResult>
  /** Further replies to trials that have one, for --combine. */
  more?: TrialResult[]
  released: boolean
  /** Why the item fails although all trials are there. */
  conflict: string | undefined
  /** How many trials it has: the most that any of its rows says. */
  of: number
  /** Criteria by name, each with the first trial that asks about it. */
  criteria?: Map<string, { criterion: Criterion; n: number }>
  /** The places of its rows. */
  lines: number[]
  /** Undefined while all its rows are failures without a model. */
  model: string | undefined
  /** The next sample of the item (ScoreSettings.sampled). */
  next: OpenItem | undefined
}

export const openItemOf = (row: Row, { trial, error, model }: TrialResult, of: number): OpenItem => ({
  row: itemRow(row),
  first: trial.n,
  failed: error !== undefined,
  trials: new Map(),
  released: false,
  conflict: undefined,
  of,
  lines: [],
  model,
  next: undefined,
})

/** Adds an item, or a further sample of one. */
export function addItem(open: Map<string, OpenItem>, key: string, item: OpenItem): void {
  let last = open.get(key)
  if (!last) open.set(key, item)
  else {
    while (last.next) last = last.next
    last.next = item
  }
}

export function removeItem(open: Map<string, OpenItem>, key: string, item: OpenItem): void {
  let before = open.get(key)
  if (before === item) {
    if (item.next) open.set(key, item.next)
    else open.delete(key)
    return
  }
  while (before && before.next !== item) before = before.next
  if (before) before.next = item.next
}

/**
 * Takes a row of the lowest trial so far, or of a lower one. The item's row is one with a reply, since a failed trial may
 * have been tried again; of several with replies, or several failures, the one whose fields come first.
 * @param n the row's trial
 * @param failed whether it failed in the row
 * @returns whether it is the item's row now
 */
export function takeItemRow(
  item: OpenItem,
  row: Row,
  n: number,
  failed: boolean,
  settings: ScoreSettings,
): boolean {
  if (n > item.first) return false
  if (n < item.first || (item.failed && !failed)) item.others = undefined
  else {
    if (failed && !item.failed) return false
    const field = firstDifference(row, item.row, settings)
    const text = (one: Row) => (field === undefined ? one.itemText() : String(one.fieldText(field)))
    const isFirst = text(row) < text(item.row)
    if (field !== undefined && !failed)
      (item.others ??= []).push((isFirst ? item.row : itemRow(row)).detached())
    if (!isFirst) return false
  }
  item.row = itemRow(row)
  item.first = n
  item.failed = failed
  return true
}

/** The first field that affects a result or its groups and in which two rows differ. */
function firstDifference(row: Row, other: Row, settings: ScoreSettings): string | undefined {
  const fields = [...labelFields(settings), ...(settings.by ?? []), ...BY_DEFAULT]
  return fields.find((field) => row.fieldText(field) !== other.fieldText(field))
}

/** Adds a failure of the trial, or the reply after one. @returns false if both are replies */
export function takeTrial({ trials }: OpenItem, one: TrialResult): boolean {
  const known = trials.get(one.trial.n)
  if (known && !known.error && !one.error) return false
  const [counts, other] = known && precedes(known, one) ? [known, one] : [one, known]
  trials.set(one.trial.n, other ? withCalls(counts, other) : counts)
  return true
}

/** Whether the first of two counts, if one failed: a reply before a failure, and the failure with the lower code. */
function precedes(a: TrialResult, b: TrialResult): boolean {
  if (!a.error || !b.error) return !a.error
  const [first, second] = [a.error.code, b.error.code]
  const difference = failureDigest(first) - failureDigest(second)
  return difference < 0 || (difference === 0 && first <= second)
}

/** The trial with the calls of both, each once; of failed calls only those that were paid for. */
export function withCalls(one: TrialResult, other: TrialResult): TrialResult {
  const all = new Map(eachCall([one, other]).map((each) => [callKey(each), each]))
  all.delete(callKey(one))
  const calls = [...all.values()]
    .filter((each) => !each.error || isPaid(each))
    .map(({ trial: _, verdict: _verdict, ...call }) => call)
  return calls.length > 0 ? { ...one, calls } : one
}

/** Takes a reply that repeats one to the same trial. @returns false if it does not */
export function takeSameReply({ trials, more = [] }: OpenItem, one: TrialResult): boolean {
  const { n } = one.trial
  const known = trials.get(n)!
  const place = more.findIndex(({ trial, digest }) => trial.n === n && digest === one.digest)
  if (known.digest === one.digest) trials.set(n, withCalls(known, one))
  else if (place >= 0) more[place] = withCalls(more[place]!, one)
  else return false
  return true
}

/** Notes what a trial asks about. */
export function takeCriterion(item: OpenItem, criterion: Criterion, n: number): void {
  const criteria = (item.criteria ??= new Map())
  const known = criteria.get(criterion.name)
  if (known === undefined || n < known.n) criteria.set(criterion.name, { criterion, n })
}

/** Criteria in the order of the trials. */
export const criteriaOf = ({ criteria }: OpenItem): Criterion[] =>
  [...(criteria?.values() ?? [])].sort((a, b) => a.n - b.n).map(({ criterion }) => criterion)

/** The item's row so far: the user's fields, and the judge's identity. */
export function itemRow(row: Row): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'variant', 'probe'] as const) {
    const value = row.get(key) ?? (key === 'item' ? itemId(row) : undefined)
    if (value !== undefined) made.set(key, value)
  }
  return made
}

/** All trials by number; several replies to one are ordered by digest. */
export function trialsInOrder({ trials, more = [] }: OpenItem): TrialResult[] {
  const all = [...trials.values(), ...more]
  const byTrial = (a: TrialResult, b: TrialResult) =>
    a.trial.n - b.trial.n || Number(a.digest) - Number(b.digest)
  // They usually are in order.
  return all.every((one, i) => i === 0 || byTrial(all[i - 1]!, one) <= 0) ? all : all.sort(byTrial)
}

/**
 * Whether other rows of an item give it another label or group, or lack what it is scored by.
 * @param rescored its result by another row
 */
export function areApart(
  others: readonly Row[],
  row: Row,
  result: Result,
  rescored: (other: Row) => Result,
  settings: ScoreSettings,
): boolean {
  if (others.length === 0) return false
  const by = groupFields(settings.by)
  const digest = digestOfFields(row, result, by)
  return others.some((other) => {
    try {
      return digestOfFields(other, rescored(other), by) !== digest
    } catch (error) {
      if (error instanceof RowFailure) return true
      throw error
    }
  })
}
