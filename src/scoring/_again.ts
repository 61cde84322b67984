/** Items whose result is known from an earlier one: counted at once, and added to the sums in the end, all of an entry together. */
import type { Entry } from './_run.ts'

export class Again {
  private entries: Entry[] = []

  /** Counts another item that has the entry. */
  take(entry: Entry): void {
    if (entry.more++ === 0) this.entries.push(entry)
  }

  /** Adds up those that were taken. */
  settle(): void {
    for (const entry of this.entries) {
      for (const group of entry.groups)
        if (entry.alike) entry.alike.addTo(group, entry.more)
        else group.add(entry, entry.more)
      entry.alike?.clear()
      entry.more = 0
    }
    this.entries = []
  }
}
