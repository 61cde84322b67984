/** What each judge with each model said: sums over all its items, and by the values of fields. All of it can be merged. */
import { fieldNames } from '../rows/item_id.ts'
import type { JsonObject, RowError } from '../rows/record.ts'
import { ascii, type Latin1, type Row } from '../rows/row.ts'
import { CommonItems, PendingCounts } from './_deferred_counts.ts'
import { failureCode, itemDigest } from './_digest.ts'
import type { Group, Modules } from './_group.ts'
import { digestOfFields, groupFields } from './_item_fields.ts'
import { hashItem, hashItemOf } from './_item_hash.ts'
import { type Entry, groupName, isRetried, joinModelless, Run } from './_run.ts'
import { identityIn, identityOf, isSameRun, possibleRuns, type RunIdentity, runKey } from './_run_identity.ts'
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
  /** Each item is taken for new: where there were {@link Report.repeats}, the report is wrong. */
  trusting?: boolean
  /** The rows are read once: an item of which rows differ counts as failed only where none of them has a result. */
  once?: boolean
  /** The first pass over the same rows: the items it left undecided are counted when all their rows are in. */
  before?: Report
}

/** Stands for an id that is hashed, and read only where it has to be named. */
const LATER = ascii('')

export class Report {
  readonly modules: Modules
  /** Of the first item that failed. */
  firstFailure: RowError | undefined
  readonly runs = new Map<string, Run>()
  /** Those of a row that lacks a field to group by. */
  fields: string[] | undefined
  /** Of --by; undefined where it is not given. */
  private readonly groupFields: readonly string[] | undefined
  /** Place of the best default field that a row had so far: it does not depend on which row came first. */
  private best = BY_DEFAULT.length
  private last: Run | undefined
  /** Entries of undecided items. */
  private readonly undecidedItems = new UndecidedItems()
  private readonly settings: ReportSettings
  private readonly pending = new PendingCounts()
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
   * @returns what can be counted again for a row like this one; undefined where the item was there already
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
      pending: 0,
      similar: undefined,
    }
    run.made.add(trials)
    if (!result) this.firstFailure ??= failure
    if (item !== undefined) hashItem(item)
    return this.addHashed(entry, item, row) ? entry : undefined
  }

  /** The groups by field that a row belongs to. */
  groupsOf(run: Run, row: Row): Group[] {
    const groups: Group[] = []
    for (const field of this.groupFields ?? this.bestDefault((field) => row.field(field) !== undefined)) {
      const value = row.field(field)
      if (value === undefined) {
        this.fields ??= fieldNames(row)
        continue
      }
      groups.push(run.group(field, groupName(value, row, field)))
    }
    return groups
  }

  /**
   * Counts an entry for a row like the one it was made for, or two like these.
   * @returns false where the rows have to be looked at one by one
   */
  addSimilar(entry: Entry, row: Row, second?: Row): boolean {
    const line = row.unchanged
    const { similar, run } = entry
    const item = line ? line.item : -1
    if (item >= 0 && entry.result && run.trust(line!)) {
      similar?.add(line!, second?.unchanged)
      this.pending.add(entry)
      return true
    }
    if (item >= 0) hashItemOf(line!)
    if (!similar) {
      const id = item >= 0 ? LATER : row.itemBytes
      if (item < 0 && id !== undefined) hashItem(id)
      this.addHashed(entry, id, row)
      return true
    }
    if (
      item < 0 ||
      run.undecidedBefore?.has ||
      run.items.take(similar.digest(line!, second?.unchanged, true)) !== 0
    )
      return false
    run.validItems.add()
    similar.add(line!, second?.unchanged)
    this.pending.add(entry)
    return true
  }

  private addHashed(entry: Entry, id: Latin1 | undefined, row: Row): boolean {
    const { undecidedBefore, identity } = entry.run
    if (identity.model === undefined && id !== undefined && this.retried(entry.run)) {
      for (const group of entry.groups) group.addCost(entry.trials)
      return false
    }
    if (undecidedBefore && id !== undefined && undecidedBefore.has) {
      this.undecidedItems.add(entry, (id === LATER ? row.itemBytes : id)!, row)
      return false
    }
    const known = id === undefined ? 0 : this.known(entry)
    if (known === 0 && id === LATER && !this.common && entry.result) {
      this.pending.add(entry)
      return true
    }
    const item = id === LATER ? row.itemBytes : id
    if (known === 0 && id !== undefined)
      if (entry.error !== undefined) noteFailure(entry, row, this.groupFields)
      else if (hasCalls(entry)) unpaidOf(entry)
    const twice = known !== 0 && !this.settings.once
    const differs = twice && differsFromFailure(entry, known, row, this.groupFields)
    const undecided = differs || (twice && isUndecided(entry, known))
    if (undecided) entry.run.undecided.take(1)
    // A failure that was tried again was paid for all the same, and a reply that is there again once.
    const unpaid = known === 0 || undecided ? undefined : unpaidOf(entry)
    if (known === 0 || (!undecided && this.triedAgain(entry, known))) {
      this.count(unpaid ? { ...entry, unpaid } : entry, item)
      return true
    }
    // The calls of an item that has a result again are the same.
    if (entry.error !== undefined) for (const group of entry.groups) group.addCost(unpaid ?? [])
    if (unpaid && entry.error !== undefined && (unpaid.length > 0 || known !== entry.digest)) return false
    if (!undecided) this.settings.onRepeat?.('same', item!, row)
    else if (!differs)
      this.settings.onRepeat?.(entry.error === 'incomplete' ? 'more' : 'combined', item!, row)
    return false
  }

  /** Whether the item hashed last failed before it had a model, and the first pass found it with a model. */
  private retried(run: Run): boolean {
    const { before } = this.settings
    return before !== undefined && isRetried(run.before ?? run, [...before.runs.values()])
  }

  /** Counts the items that the first pass left undecided, each once. */
  private countUndecided(): void {
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

  /** Whether the second pass must have all rows of a trial’s item before it counts: an undecided one, or one that failed without a model and is there with one as well. */
  mustHold(row: Row, model: string | undefined): boolean {
    const run = this.runs.get(runKey(identityOf(row, model)))
    const item = row.itemBytes
    if (!run || (run.undecided.size === 0 && model !== undefined) || item === undefined) return false
    hashItem(item)
    return (
      run.undecided.has ||
      (possibleRuns(run, [...this.runs.values()])?.some(({ items }) => items.has) ?? false)
    )
  }

  private count(entry: Entry, item: Latin1 | undefined): void {
    if (this.common && entry.result && item !== undefined) this.common.add(entry, item)
    else for (const group of entry.groups) group.add(entry)
  }

  /** The digest with which the run has the item already; 0 where it is new, and noted. */
  private known({ run, digest, result }: Entry): number {
    const known = run.items.take(digest)
    if (known === 0 && result) run.validItems.add()
    return known
  }

  /** Whether the item failed before and has a result now, or a failure that comes first of the two: then the failure is taken back. */
  private triedAgain({ run, digest, result, groups }: Entry, known: number): boolean {
    const failure = failureCode(known)
    if (!failure || (!result && digest >= known)) return false
    for (const group of groups) group.removeFailure(failure)
    run.items.replace(digest)
    if (result) run.validItems.add()
    return true
  }

  /** Fields that decide which groups a row like this one belongs to. */
  reads(row: Row): readonly string[] {
    if (this.groupFields) return this.groupFields
    const own = BY_DEFAULT.findIndex((field) => row.field(field) !== undefined)
    return own < 0 ? BY_DEFAULT : BY_DEFAULT.slice(0, Math.max(own, this.best) + 1)
  }

  /** The best default field so far, after a look at those before it; groups by a later one are dropped. */
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
    this.pending.flush()
    this.countUndecided()
    for (const run of this.runs.values())
      yield { ...run.state(items), ...(this.groupFields === undefined && { usual: true }) }
  }

  /** Adds what `states` wrote elsewhere. @returns how many of its items were there already */
  merge(state: JsonObject): number {
    const run = this.run(identityIn(state))
    const by = state.by as JsonObject
    const wanted =
      this.groupFields ?? (state.usual ? this.bestDefault((field) => field in by) : Object.keys(by))
    return run.merge(state, wanted)
  }

  /** Fields asked for by which there is no sum. */
  lacking(): string[] {
    const runs = [...this.runs.values()]
    return (this.groupFields ?? []).filter(
      (field) => runs.length > 0 && !runs.some(({ by }) => by.has(field)),
    )
  }

  /** The runs, in the order of the input; items that failed before they had a model belong to the only one there is. */
  finish(): Run[] {
    this.pending.flush()
    this.countUndecided()
    this.common?.flush()
    const runs = joinModelless([...this.runs.values()])
    if (runs.length === 0) runs.push(new Run({}, this.modules))
    for (const run of runs) run.order(this.groupFields ?? [])
    return runs
  }
}
