/** Items whose result is known from an earlier, equal one: counted at once; the sums of all of them are added at the end. */
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
