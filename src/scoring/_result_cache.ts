/**
 * A cache of results by the content of rows without their items: a million bare verdicts have a few dozen different
 * results.
 */
import type { Row } from '../rows/row.ts'
import type { SharedJb } from '../rows/shared_jb.ts'
import { FieldValues } from './_field_values.ts'
import type { CountedItem, Modules } from './_group.ts'
import { type ScoreSettings, settingsIn } from './_scoring.ts'
import { SimilarItems } from './_similar_items.ts'

/** The result of an item, shared by all similar items. */
export interface Known extends CountedItem {
  /** The digest of its fields, see {@link itemDigest}. */
  fieldsDigest: number
  /** Sums over what differs between them. */
  similar: SimilarItems | undefined
}

/** Results by the number of the row's field values. */
type Results<T> = (T | undefined)[]

/** The results of rows with one `jb`. */
interface KnownOf<T> {
  /** Gives the numbers. */
  values: FieldValues
  alone: Results<T>
  /** For items of two trials: by the second row's `jb`. */
  pairs: Map<SharedJb, Results<T>>
}

/** The most entries that are kept. */
const KEPT = 4096

export class ResultCache<T extends Known> {
  private readonly modules: Modules
  private readonly settings: ScoreSettings
  /** The values of all fields that results and their groups have depended on so far. */
  private values = new FieldValues([])
  private kept = 0

  constructor(modules: Modules, settings: ScoreSettings) {
    this.modules = modules
    this.settings = settings
  }

  /** The result of an earlier row like this one, or of two like these. */
  find(row: Row, second?: Row): T | undefined {
    const known = row.sharedJb?.results as KnownOf<T> | undefined
    if (known?.values !== this.values) return undefined
    const results = second ? known.pairs.get(second.sharedJb!) : known.alone
    return results === undefined || results.length === 0
      ? undefined
      : results[this.values.number(row.unchanged!)]
  }

  /**
   * Keeps the result of a row, or of trials, if it depends only on their rows' `jb` and known fields of the first row.
   * @param more fields of the user's part that decide in which groups it counts
   */
  keep(row: Row, entry: T, more: readonly string[], trials: readonly Row[] = []): void {
    const { sharedJb } = row
    const [, second] = trials
    const settings = trials.length > 0 || !entry.result ? this.settings : settingsIn(entry.result)
    const reads = this.modules.get(entry.kind)?.reads?.(settings)
    if (!sharedJb || !reads) return
    this.depend([...reads, ...more])
    // Fields inside objects cannot be compared as text.
    if (this.values.fields.some((field) => field.includes('.'))) return
    if (this.kept++ === KEPT) this.forget(this.values.fields)
    if (trials.some((one) => one.unchanged!.maskedCount > 0)) {
      entry.similar = entry.error === undefined ? SimilarItems.of(entry, trials) : undefined
      if (!entry.similar) return
    }
    let known = sharedJb.results as KnownOf<T> | undefined
    if (known?.values !== this.values)
      sharedJb.results = known = { values: this.values, alone: [], pairs: new Map() }
    let results = known.alone
    if (second) {
      results = known.pairs.get(second.sharedJb!) ?? []
      known.pairs.set(second.sharedJb!, results)
    }
    results[this.values.take(row.unchanged!)] = entry
  }

  private depend(fields: string[]): void {
    const all = [...new Set([...this.values.fields, ...fields])]
    if (all.length > this.values.fields.length) this.forget(all)
  }

  private forget(fields: readonly string[]): void {
    this.values = new FieldValues(fields)
    this.kept = 0
  }
}
