/**
 * Results of rows that differ in their item alone, worked out for the first of them: a million bare verdicts are a few
 * dozen different ones.
 */
import type { Row } from '../../rows/row.ts'
import type { Entry, Modules, Report } from '../../scoring/_report.ts'
import type { ScoreSettings } from '../../scoring/_scoring.ts'

/** By what a row has in common with others, then by the text of one field after the other. */
type Seen = Map<unknown, Seen | Entry>

/** Entries kept: where no row is like another, memory does not grow with them. */
const KEPT = 4096

export class ResultCache {
  private readonly report: Report
  private readonly modules: Modules
  private readonly settings: ScoreSettings
  /** All that a result and its groups depend on in the user's part of any row so far. */
  private fields: readonly string[] = []
  private seen: Seen = new Map()
  /** The same for items of two trials: by the first one's row as above, then by the second's `jb`. */
  private pairs: Seen = new Map()
  private kept = 0

  constructor(report: Report, modules: Modules, settings: ScoreSettings) {
    this.report = report
    this.modules = modules
    this.settings = settings
  }

  /** The result of an earlier row like this one, or of two like these. */
  find(row: Row, second?: Row): Entry | undefined {
    const { sharedJb } = row
    if (!sharedJb) return undefined
    let found = (second ? this.pairs : this.seen).get(sharedJb)
    for (const field of this.fields) found = (found as Seen | undefined)?.get(row.fieldBytes(field))
    if (second) found = (found as Seen | undefined)?.get(second.sharedJb)
    return found as Entry | undefined
  }

  /** Keeps the result of a row, or of two, where that depends on them and on fields of the first that are known. */
  keep(row: Row, entry: Entry, second?: Row): void {
    const { sharedJb } = row
    const reads = this.modules.get(entry.kind)?.reads?.(this.settings)
    if (!sharedJb || !reads) return
    this.depend([...reads, ...this.report.reads])
    // A path into an object is not found by its text.
    if (this.fields.some((field) => field.includes('.'))) return
    const keys: unknown[] = [sharedJb, ...this.fields.map((field) => row.fieldBytes(field))]
    if (second) keys.push(second.sharedJb)
    if (this.kept++ === KEPT) this.forget()
    let place = second ? this.pairs : this.seen
    for (const key of keys.slice(0, -1)) {
      let next = place.get(key) as Seen | undefined
      if (!next) place.set(key, (next = new Map()))
      place = next
    }
    place.set(keys.at(-1), entry)
  }

  private depend(fields: string[]): void {
    const all = [...new Set([...this.fields, ...fields])]
    if (all.length === this.fields.length) return
    this.fields = all
    this.forget()
  }

  private forget(): void {
    this.seen = new Map()
    this.pairs = new Map()
    this.kept = 0
  }
}
