/** Sums over the items of each judge and model, in all and by the values of fields. They can be merged. */
import { fieldNames } from '../rows/item_id.ts'
import type { JsonObject, RowError } from '../rows/record.ts'
import type { Latin1, Row } from '../rows/row.ts'
import { CommonItems } from './_deferred_counts.ts'
import { failureCode, itemDigest } from './_digest.ts'
import type { Group, Modules } from './_group.ts'
import { digestOfFields, groupFields } from './_item_fields.ts'
import { hashItem } from './_item_hash.ts'
import { type Entry, groupName, isRetried, joinModelless, Run } from './_run.ts'
import { identityIn, identityOf, isSameRun, type RunIdentity, runKey } from './_run_identity.ts'
import type { OnRepeat } from './_scored_rows.ts'
import { BY_DEFAULT, kindIn } from './_scoring.ts'
import {
  differsFromFailure,
  hasCalls,
  isUndecided,
  noteFailure,
  UndecidedItems,
  unpaidOf,
} from './_undecided.ts'

export type { Group, Modules } from './_group.ts'
export type { Entry, Run } from './_run.ts'

export interface ReportSettings {
  onRepeat?: OnRepeat
  /** Only items that are valid in all runs count, beside those that failed. */
  common?: boolean
  /** Assumes that no item occurs twice: if there were {@link Report.repeats}, the report is wrong. */
  trusting?: boolean
  /** The rows are read once: an item whose rows differ counts as failed only if none of them has a result. */
  once?: boolean
  /** The first pass over the same rows: items that it left undecided are counted once all their rows are read. */
  before?: Report
}

export class Report {
  readonly modules: Modules
  /** Of the first item that failed. */
  firstFailure: RowError | undefined
  readonly runs = new Map<string, Run>()
  /** Groups of a row that lacks the field to group by. */
  fields: string[] | undefined
  /** The fields of --by; undefined without the option. */
  private readonly groupFields: readonly string[] | undefined
  /** Index of the first default field that any row had so far, whatever the order of the rows. */
  private best = BY_DEFAULT.length
  private last: Run | undefined
  /** Entries of undecided items. */
  private readonly undecidedItems = new UndecidedItems()
  private readonly settings: ReportSettings
  private readonly common: CommonItems | undefined

  constructor(modules: Modules, by: string[], settings: ReportSettings = {}) {
    this.modules = modules
    this.settings = settings
    if (settings.common) this.common = new CommonItems()
    this.groupFields = groupFields(by)
  }

  /**
   * Counts a row of jb-score, or one that failed.
   * @param item JSON text of the item's id: an item with an id counts once
   * @returns what can be counted again for a row like this one; undefined if the item was counted already
   */
  add(row: Row, item = row.itemBytes): Entry | undefined {
    const trials = row.get('trials') ?? []
    const result = row.get('result')
    const failure = row.get('error')
    const run = this.run(identityOf(row))
    const error = failure?.code ?? (result ? undefined : 'no_verdict')
    const fieldsDigest = digestOfFields(row, result ?? {}, this.groupFields)
    const entry: Entry = {
      trials,
      result,
      error,
      kind: kindIn(result, trials),
      run,
      groups: [run.all, ...this.groupsOf(run, row)],
      fieldsDigest,
      digest: itemDigest(trials, result ? undefined : error, fieldsDigest, true),
    }
    run.made.add(trials, result)
    if (!result) this.firstFailure ??= failure
    if (item !== undefined) hashItem(item)
    return this.addHashed(entry, item, row) ? entry : undefined
  }

  /** The groups by field that a row belongs to. */
  groupsOf(run: Run, row: Row): Group[] {
    const groups: Group[] = []
    for (const field of this.groupFields ?? this.bestDefault((field) => row.field(field) !== undefined)) {
      const value = row.field(field)
      if (value === undefined) this.fields ??= fieldNames(row)
      else groups.push(run.group(field, groupName(value, row, field)))
    }
    return groups
  }

  /** Counts an entry of the item hashed last. @returns whether it can be counted again for a similar row */
  private addHashed(entry: Entry, id: Latin1 | undefined, row: Row): boolean {
    const { run, groups, trials, error } = entry
    if (id !== undefined && run.identity.model === undefined && this.retried(run)) {
      for (const group of groups) group.addCost(trials)
      return false
    }
    if (id !== undefined && run.undecidedBefore?.has) {
      this.undecidedItems.add(entry, id!, row)
      return false
    }
    const known = id === undefined ? 0 : this.known(entry)
    if (known !== 0) return this.addAgain(entry, known, id!, row)
    // What a later row of the item is compared with.
    if (id !== undefined)
      if (error !== undefined) noteFailure(entry, row, this.groupFields)
      else if (hasCalls(entry)) unpaidOf(entry)
    this.count(entry, id)
    return true
  }

  /** Counts an entry of an item that was counted with the digest `known`. */
  private addAgain(entry: Entry, known: number, item: Latin1, row: Row): boolean {
    const { once, onRepeat } = this.settings
    const { run, groups, error, digest } = entry
    if (!once) {
      const differs = differsFromFailure(entry, known, row, this.groupFields)
      if (differs || isUndecided(entry, known)) {
        run.undecided.take(1)
        if (!differs) onRepeat?.(error === 'incomplete' ? 'more' : 'combined', item, row)
        return false
      }
    }
    // The cost of a failure that was tried again counts, and that of a repeated reply counts once.
    const unpaid = unpaidOf(entry)
    if (this.triedAgain(entry, known)) {
      this.count({ ...entry, unpaid }, item)
      return true
    }
    // An item that already had a result has the same calls.
    if (error !== undefined) {
      for (const group of groups) group.addCost(unpaid)
      if (unpaid.length > 0 || known !== digest) return false
    }
    onRepeat?.('same', item, row)
    return false
  }

  /** Whether the item hashed last failed before it had a model, and the first pass found a row of it with a model. */
  private retried(run: Run): boolean {
    const { before } = this.settings
    return before !== undefined && isRetried(run.before ?? run, [...before.runs.values()])
  }

  /** Counts the items that the first pass left undecided, of which all rows were added, each once. */
  settle(): void {
    for (const [item, entry, place] of this.undecidedItems.decided()) {
      if (entry.error === 'conflict') this.settings.onRepeat?.('conflict', item, place)
      hashItem(item)
      this.known(entry)
      this.count(entry, item)
    }
  }

  get repeats(): boolean {
    return [...this.runs.values()].some(({ items }) => items.repeats)
  }

  /** Items whose rows conflict: they need a second pass. */
  get undecided(): number {
    return [...this.runs.values()].reduce((sum, { undecided }) => sum + undecided.size, 0)
  }

  private count(entry: Entry, item: Latin1 | undefined): void {
    if (this.common && entry.result && item !== undefined) this.common.add(entry, item)
    else for (const group of entry.groups) group.add(entry)
  }

  /** The digest with which the run counted the item before; 0 for a new item, which is added. */
  private known({ run, digest, result }: Entry): number {
    const known = run.items.take(digest)
    if (known === 0 && result) run.validItems.add()
    return known
  }

  /** Whether the item's earlier failure is replaced, by a result or by a failure with a lower code: then it is subtracted. */
  private triedAgain({ run, digest, result, groups }: Entry, known: number): boolean {
    const failure = failureCode(known)
    if (!failure || (!result && digest >= known)) return false
    for (const group of groups) group.removeFailure(failure)
    run.items.replace(digest)
    if (result) run.validItems.add()
    return true
  }

  /** Looks for a default field before the best one so far; groups by a later field are dropped. */
  private bestDefault(has: (field: string) => boolean): string[] {
    const better = BY_DEFAULT.slice(0, this.best).findIndex(has)
    if (better >= 0) {
      for (const { by } of this.runs.values()) by.delete(BY_DEFAULT[this.best]!)
      this.best = better
    }
    return BY_DEFAULT.slice(this.best, this.best + 1)
  }

  private run(identity: RunIdentity): Run {
    if (this.last && isSameRun(this.last.identity, identity)) return this.last
    const key = runKey(identity)
    const { trusting, before } = this.settings
    this.last = this.runs.get(key) ?? new Run(identity, this.modules, trusting, before?.runs.get(key))
    this.runs.set(key, this.last)
    return this.last
  }

  /** One object a run: what --partial writes. @param items see Run.state */
  *states(items?: string): Generator<JsonObject> {
    this.settle()
    for (const run of this.runs.values())
      yield { ...run.state(items), ...(this.groupFields === undefined && { usual: true }) }
  }

  /** Adds what `states` wrote elsewhere. @returns the number of its items that were counted already */
  merge(state: JsonObject): number {
    const run = this.run(identityIn(state))
    const by = state.by as JsonObject
    const wanted =
      this.groupFields ?? (state.usual ? this.bestDefault((field) => field in by) : Object.keys(by))
    return run.merge(state, wanted)
  }

  /** Fields of --by for which there are no sums. */
  lacking(): string[] {
    const runs = [...this.runs.values()]
    return (this.groupFields ?? []).filter(
      (field) => runs.length > 0 && !runs.some(({ by }) => by.has(field)),
    )
  }

  /** The runs, in the order of the input; items that failed before they had a model belong to the only one there is. */
  finish(): Run[] {
    this.settle()
    this.common?.flush()
    const runs = joinModelless([...this.runs.values()])
    if (runs.length === 0) runs.push(new Run({}, this.modules))
    for (const run of runs) run.order(this.groupFields ?? [])
    return runs
  }
}
