/** Items that are counted in their groups later than they are read. */
import type { Latin1 } from '../rows/bytes.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Entry, Run } from './_run.ts'

/** --common: items are counted at the end, if all runs have them. */
export class CommonItems {
  /** By run and item. */
  private readonly entries = new Map<Run, Map<Latin1, Entry>>()

  /** @param item JSON text of the item's id */
  add(entry: Entry, item: Latin1): void {
    getOrInsert(this.entries, entry.run, () => new Map<Latin1, Entry>()).set(item, entry)
  }

  /** Counts the items that all runs have, and leaves out the others. */
  flush(): void {
    const runs = [...this.entries]
    for (const [run, entries] of runs)
      for (const [item, entry] of entries) {
        const common = runs.every(
          ([{ identity }, other]) => identity.variant !== run.identity.variant || other.has(item),
        )
        if (common) for (const group of entry.groups) group.add(entry)
        else for (const group of entry.groups) group.leaveOut(entry)
      }
  }
}
