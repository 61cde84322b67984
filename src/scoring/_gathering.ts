/** The trials of one item, as they come. What the item says of itself must not depend on their order. */
import { itemId } from '../rows/item_id.ts'
import type { Criterion, TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { failureDigest } from './_digest.ts'
import { BY_DEFAULT, type ScoreSettings } from './_scoring.ts'
import { billingKey, isPaid, withTries } from './_trial.ts'

/** There may be millions of them: what most do not need is made when it is. */
export interface Gathering {
  /** Of the lowest trial so far: what the item says does not depend on the order of its rows. */
  row: Row
  /** That trial's number, and whether it failed in that row. */
  first: number
  failed: boolean
  /** Other rows with a reply to that trial, with other fields. */
  others?: Row[] | undefined
  /** By trial number. */
  trials: Map<number, TrialResult>
  /** Further replies to trials that have one, where --combine asks for all of them. */
  more?: TrialResult[]
  released: boolean
  /** Why the item fails although all trials are there. */
  conflict: string | undefined
  of: number
  /** By name, each with the first trial that asks about it. */
  criteria?: Map<string, { criterion: Criterion; n: number }>
  /** Where its rows stand. */
  lines: number[]
  /** Undefined while all its rows are failures that name no model. */
  model: string | undefined
}

export const gatheringOf = (row: Row, { trial, error, model }: TrialResult, of: number): Gathering => ({
  row: introduced(row),
  first: trial.n,
  failed: error !== undefined,
  trials: new Map(),
  released: false,
  conflict: undefined,
  of,
  lines: [],
  model,
})

/**
 * Takes a row of the lowest trial so far, or of a lower one. The item's row is one with a reply, as a trial that failed may
 * have been tried again; of several such, or of several that failed, it is the one whose fields come first.
 * @returns whether it is the item's row now
 */
export function represent(
  gathering: Gathering,
  row: Row,
  { trial: { n }, error }: TrialResult,
  settings: ScoreSettings,
): boolean {
  const failed = error !== undefined
  if (n < gathering.first || (gathering.failed && !failed)) gathering.others = undefined
  else {
    if (failed && !gathering.failed) return false
    const field = differing(row, gathering.row, settings)
    const said = (one: Row) => (field === undefined ? one.itemText() : String(one.fieldText(field)))
    const isFirst = said(row) < said(gathering.row)
    if (field !== undefined && !failed)
      (gathering.others ??= []).push(isFirst ? gathering.row : introduced(row))
    if (!isFirst) return false
  }
  gathering.row = introduced(row)
  gathering.first = n
  gathering.failed = failed
  return true
}

/** The first field a result and its groups may be made of in which two rows differ. */
function differing(row: Row, other: Row, { label, by = [] }: ScoreSettings): string | undefined {
  const labels = label === undefined ? ['label', 'expected_result'] : [label]
  const fields = [...labels, ...by, ...BY_DEFAULT]
  return fields.find((field) => row.fieldText(field) !== other.fieldText(field))
}

/** Adds a failure of the trial, or the reply after one. @returns false where both are replies */
export function tried({ trials }: Gathering, one: TrialResult): boolean {
  const known = trials.get(one.trial.n)
  if (known && !known.error && !one.error) return false
  const [counts, other] = known && isBefore(known, one) ? [known, one] : [one, known]
  trials.set(one.trial.n, other ? withFailures(counts, other) : counts)
  return true
}

/** Whether of two of which one failed the first counts: a reply before a failure, of failures that whose code comes first. */
const isBefore = (a: TrialResult, b: TrialResult) =>
  !a.error || (b.error !== undefined && failureDigest(a.error.code) <= failureDigest(b.error.code))

/** The trial, with the failures of both that were paid for, each once. */
export function withFailures(one: TrialResult, other: TrialResult): TrialResult {
  const tries = new Map(withTries([one, other]).map((each) => [billingKey(each), each]))
  tries.delete(billingKey(one))
  const failures = [...tries.values()]
    .filter((each) => each.error && isPaid(each))
    .map(({ trial: _, ...failure }) => failure)
  return failures.length > 0 ? { ...one, failures } : one
}

/** Whether a reply to the trial is there that is the same. */
export const hasReply = ({ trials, more = [] }: Gathering, { trial, digest }: TrialResult): boolean =>
  trials.get(trial.n)?.digest === digest ||
  more.some((one) => one.trial.n === trial.n && one.digest === digest)

/** Notes what a trial asks about. */
export function ask(gathering: Gathering, criterion: Criterion, n: number): void {
  const criteria = (gathering.criteria ??= new Map())
  const known = criteria.get(criterion.name)
  if (known === undefined || n < known.n) criteria.set(criterion.name, { criterion, n })
}

/** In the order of the trials. */
export const criteriaOf = ({ criteria }: Gathering): Criterion[] =>
  [...(criteria?.values() ?? [])].sort((a, b) => a.n - b.n).map(({ criterion }) => criterion)

/** The item's row so far: the user's part, and which judge it stands before. */
export function introduced(row: Row): Row {
  const made = row.bare()
  for (const key of ['judge', 'judge_digest', 'name', 'item', 'variant', 'probe'] as const) {
    const value = row.get(key) ?? (key === 'item' ? itemId(row) : undefined)
    if (value !== undefined) made.set(key, value)
  }
  return made
}

/** All trials, by number; of further replies to one that of the least digest comes first. */
export function trialsInOrder({ trials, more = [] }: Gathering): TrialResult[] {
  const all = [...trials.values(), ...more]
  const byTrial = (a: TrialResult, b: TrialResult) =>
    a.trial.n - b.trial.n || Number(a.digest) - Number(b.digest)
  // Mostly they are in order.
  return all.every((one, i) => i === 0 || byTrial(all[i - 1]!, one) <= 0) ? all : all.sort(byTrial)
}
