/** Items whose rows contradict each other: what they count as must not depend on the order of the rows. */
import type { Latin1 } from '../rows/bytes.ts'
import type { Row } from '../rows/row.ts'
import { digestBits, failureCode, itemDigest } from './_digest.ts'
import type { Entry, Run } from './_run.ts'
import { toldBy } from './_told.ts'

/** Whether an item that was counted with the digest `known` would count otherwise had its rows come in another order. */
export function isDoubtful({ result, error, digest }: Entry, known: number): boolean {
  const failure = failureCode(known)
  if (error === 'conflict' || failure === 'conflict') return known !== digest
  // Trials of an item that was complete: the same replies again, or others.
  if (error === 'incomplete') return known !== digest
  return result !== undefined && failure === undefined && known !== digest
}

/** Digest of the groups that a row belongs to, see toldBy; 0 for none. */
const groupsOf = ({ groups }: Entry, row: Row, by: readonly string[] | undefined): number =>
  groups.length > 1 ? digestBits(toldBy(row, {}, by)) : 0

/** Notes in which groups the item hashed last failed. */
export function noteGroups(entry: Entry, row: Row, by: readonly string[] | undefined): void {
  const groups = groupsOf(entry, row, by)
  if (groups !== 0) entry.run.failedIn.take(groups)
}

/** Whether the item hashed last failed, and its row now names other groups: the failure stands in those it had. */
export const hasMoved = (entry: Entry, known: number, row: Row, by: readonly string[] | undefined): boolean =>
  failureCode(known) !== undefined && entry.run.failedIn.digest !== groupsOf(entry, row, by)

/** What an item with several entries counts as: its result, a conflict where two differ, or the first of its failures. */
function settled(entries: readonly Entry[]): Entry {
  const valid = entries.filter(({ result }) => result)
  const [first] =
    valid.length > 0 ? valid : entries.toSorted((a, b) => a.digest - b.digest || a.told - b.told)
  const differs = valid.some(({ digest }) => digest !== first!.digest)
  if (!differs && !entries.some(({ error }) => error === 'conflict')) return first!
  const groups = [...new Set(entries.flatMap(({ groups }) => groups))]
  return { ...first!, groups, result: undefined, error: 'conflict', digest: itemDigest([], 'conflict') }
}

/** Entries of items in doubt, until all their rows are in. */
export class Awaited {
  private readonly runs = new Map<Run, Map<Latin1, Entry[]>>()

  /** @param item JSON text of the item's id */
  add(entry: Entry, item: Latin1): void {
    let items = this.runs.get(entry.run)
    if (!items) this.runs.set(entry.run, (items = new Map()))
    const entries = items.get(item)
    if (entries) entries.push(entry)
    else items.set(item, [entry])
  }

  /** Takes out each item with what it counts as. */
  *settled(): Generator<[item: Latin1, entry: Entry]> {
    for (const items of this.runs.values())
      for (const [item, entries] of items) {
        const entry = settled(entries)
        // What was tried again was paid for all the same.
        for (const { error, groups, trials } of entries.filter((one) => one !== entry))
          if (error !== undefined) for (const group of groups) group.spend(trials)
        yield [item, entry]
      }
    this.runs.clear()
  }
}
