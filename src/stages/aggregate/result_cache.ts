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
  private kept = 0

  constructor(report: Report, modules: Modules, settings: ScoreSettings) {
    this.report = report
    this.modules = modules
    this.settings = settings
  }

  /** The result of an earlier row like this one. */
  find(row: Row): Entry | undefined {
    const { sharedJb } = row
    if (!sharedJb) return undefined
    let found = this.seen.get(sharedJb)
    for (const field of this.fields) found = (found as Seen | undefined)?.get(row.fieldBytes(field))
    return found as Entry | undefined
  }

  /** Keeps the result of a row, where that depends on this row and on fields that are known. */
  keep(row: Row, entry: Entry): void {
    const { sharedJb } = row
    const reads = this.modules.get(entry.kind)?.reads?.(this.settings)
    if (!sharedJb || !reads) return
    this.depend([...reads, ...this.report.reads])
    // A path into an object is not found by its text.
    if (this.fields.some((field) => field.includes('.'))) return
    const keys = [sharedJb, ...this.fields.map((field) => row.fieldBytes(field))]
    if (this.kept++ === KEPT) this.forget()
    let place = this.seen
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
    this.kept = 0
  }
}
