/** Items whose rows conflict: what they count as must not depend on the order of the rows. */

import type { Latin1 } from '../rows/bytes.ts'
import { getOrInsert, grouped } from '../rows/maps.ts'
import type { TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { digestBits, FOREIGN, failureCode, itemDigest, mix, trialDigest } from './_digest.ts'
import { digestOfFields } from './_item_fields.ts'
import { hash, hashTrial } from './_item_hash.ts'
import type { Entry, Run } from './_run.ts'
import { callKey, eachCall } from './_trial.ts'

/** Whether an item that was counted with the digest `known` would count differently in another order of its rows. */
export function isUndecided({ result, error, digest, trials }: Entry, known: number): boolean {
  if (known === FOREIGN || digest === FOREIGN) return true
  const failure = failureCode(known)
  if (error === 'conflict' || failure === 'conflict') return known !== digest
  // Trials of an item that was complete already: the same replies, or others.
  if (error === 'incomplete') return known !== digest
  if (failure !== undefined) return false
  if (result) return known !== digest
  // Several trials that failed belong to the group of those that did not, and may be more than the result has.
  return trials.length > 1 || trials.some(replied)
}

const replied = ({ error }: TrialResult) => error === undefined

/**
 * Digest of the groups of a row’s item, 0 for none; with several trials of their number and all fields, since another row
 * may decide the groups or have more trials.
 */
const groupsDigest = ({ groups, trials }: Entry, row: Row, by: readonly string[] | undefined): number =>
  trials.length > 1
    ? digestBits(mix(trials.length, row.itemText()))
    : groups.length > 1
      ? digestBits(digestOfFields(row, {}, by))
      : 0

/** Notes in which groups the item hashed last failed, and what its other trials replied. */
export function noteFailure(entry: Entry, row: Row, by: readonly string[] | undefined): void {
  const groups = groupsDigest(entry, row, by)
  if (groups !== 0) entry.run.failedIn.take(groups)
  eachReply(entry, (digest) => entry.run.failedReplies.take(digest))
  unpaidOf(entry)
}

/** Whether the item hashed last failed before, and now has other groups, or another reply to one of its trials. */
export function differsFromFailure(
  entry: Entry,
  known: number,
  row: Row,
  by: readonly string[] | undefined,
): boolean {
  if (failureCode(known) === undefined) return false
  const { failedIn, failedReplies, identity } = entry.run
  // A failure without a model counts only if the trial has no other row.
  if (identity.model !== undefined && entry.trials.some((one) => one.model === undefined)) return true
  if (failedIn.digest !== groupsDigest(entry, row, by)) return true
  let differs = false
  eachReply(entry, (digest) => {
    const before = failedReplies.digest
    // A second failure with another reply may be complete together with the earlier replies.
    if (before !== digest && (before !== 0 || entry.error !== undefined)) differs = true
  })
  return differs
}

/** Calls with the digest of each reply of an item, its trial hashed; then the item is hashed again. */
function eachReply({ trials }: Entry, take: (digest: number) => void): void {
  const item = hash.slice()
  for (const one of trials.filter(replied)) {
    hashTrial(one.trial.n)
    take(trialDigest(one))
    hash.set(item)
  }
}

/** Whether a trial of it had other calls. */
export const hasCalls = ({ trials }: Pick<Entry, 'trials'>) => trials.some(({ calls }) => calls !== undefined)

/** The calls of the item hashed last whose cost was not counted before; they are added. */
export function unpaidOf({ trials, run }: Entry): TrialResult[] {
  const item = hash.slice()
  const unpaid = eachCall(trials).filter((one) => {
    hash.set(item)
    hashTrial(one.trial.n)
    hashTrial(mix(0, callKey(one)))
    return run.paid.take(1) === 0
  })
  hash.set(item)
  return unpaid
}

/**
 * What an item with several entries counts as: its result, a conflict where two differ, or the first of its failures.
 * @param entries sorted
 * @returns the entry whose trials it has, and what it counts as
 */
function decide(entries: readonly Entry[]): [Entry, Entry] {
  const valid = entries.filter(({ result }) => result).sort((a, b) => b.trials.length - a.trials.length)
  const [first] = valid.length > 0 ? valid : entries
  const said = ({ trials, fieldsDigest }: Entry) => itemDigest(trials, undefined, fieldsDigest)
  const isSame = (one: Entry) => said(one) === said(first!) || isPartOf(one, first!)
  const differs = !valid.every(isSame) || haveOtherReplies(entries)
  if (!differs && !entries.some(({ error }) => error === 'conflict')) return [first!, first!]
  const groups = [...new Set(entries.flatMap(({ groups }) => groups))]
  const conflict = { result: undefined, error: 'conflict', digest: itemDigest([], 'conflict') }
  return [first!, { ...first!, ...conflict, groups }]
}

/** Whether a result is of some of the trials of another, scored alike: the item got more of them later. */
function isPartOf(one: Entry, whole: Entry): boolean {
  const scoring = ({ result }: Entry) => JSON.stringify([result!.label, result!.scored_with])
  const digests = new Map(whole.trials.map(({ trial, digest }) => [trial.n, digest]))
  return (
    one.trials.length < whole.trials.length &&
    one.trials.every(({ trial, digest }) => digest !== undefined && digests.get(trial.n) === digest) &&
    scoring(one) === scoring(whole) &&
    one.groups.length === whole.groups.length &&
    one.groups.every((group) => whole.groups.includes(group))
  )
}

/** Whether one has another reply to a trial than those before it: of whole items, and of parts of them. */
function haveOtherReplies(entries: readonly Entry[]): boolean {
  const known = new Map<number, Set<number>>()
  for (const { trials } of entries) {
    const replies = grouped(trials.filter(replied), ({ trial }) => trial.n)
    for (const [n, some] of replies) {
      const digests = some.map((one) => trialDigest(one))
      if (known.has(n) && digests.some((digest) => !known.get(n)!.has(digest))) return true
      known.set(n, new Set(digests))
    }
  }
  return false
}

const compared = (a = '', b = '') => (a < b ? -1 : Number(a > b))

type Place = Pick<Row, 'file' | 'line'>

/** Entries of undecided items, until all their rows are read. */
export class UndecidedItems {
  private readonly runs = new Map<Run, Map<Latin1, { entries: Entry[]; place: Place }>>()

  /** @param item JSON text of the item's id */
  add(entry: Entry, item: Latin1, { file, line }: Place): void {
    const items = getOrInsert(this.runs, entry.run, () => new Map())
    const known = getOrInsert(items, item, () => ({ entries: [] as Entry[], place: { file, line } }))
    known.entries.push(entry)
    known.place = { file, line }
  }

  /** Each item with what it counts as, and the place of its last row; they are removed. */
  *decided(): Generator<[item: Latin1, entry: Entry, place: Place]> {
    for (const items of this.runs.values())
      for (const [item, { entries: found, place }] of items) {
        const entries = found.toSorted(
          (a, b) => a.digest - b.digest || compared(a.error, b.error) || a.fieldsDigest - b.fieldsDigest,
        )
        const [first, entry] = decide(entries)
        const paid = new Set(eachCall(first.trials).map(callKey))
        // All calls were paid for, whichever counts, each once.
        for (const { groups, trials } of entries.filter((one) => one !== first)) {
          const unpaid = eachCall(trials).filter((one) => !paid.has(callKey(one)))
          for (const one of unpaid) paid.add(callKey(one))
          for (const group of groups) group.addCost(unpaid)
        }
        yield [item, entry, place]
      }
    this.runs.clear()
  }
}
