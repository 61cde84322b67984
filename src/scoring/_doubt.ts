/** Items whose rows contradict each other: what they count as must not depend on the order of the rows. */
import type { Latin1 } from '../rows/bytes.ts'
import { failureCode, itemDigest } from './_digest.ts'
import type { Entry, Run } from './_run.ts'

/** Whether an item that was counted with the digest `known` would count otherwise had its rows come in another order. */
export function isDoubtful({ result, error, digest }: Entry, known: number): boolean {
  const failure = failureCode(known)
  if (error === 'conflict' || failure === 'conflict') return known !== digest
  // Trials of an item that was complete: the same replies again, or others.
  if (error === 'incomplete') return known !== digest
  return result !== undefined && failure === undefined && known !== digest
}

/** What an item with several entries counts as: its result, a conflict where two differ, or the first of its failures. */
function settled(entries: readonly Entry[]): Entry {
  const valid = entries.filter(({ result }) => result)
  const [first] = valid.length > 0 ? valid : entries.toSorted((a, b) => a.digest - b.digest)
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
      for (const [item, entries] of items) yield [item, settled(entries)]
    this.runs.clear()
  }
}
