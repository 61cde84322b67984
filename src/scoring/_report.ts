/** What each judge with each model said: sums over all its items, and by the values of fields. All of it can be merged. */
import type { JsonObject, RowError } from '../rows/record.ts'
import { ascii, type Latin1, type Row } from '../rows/row.ts'
import { Again } from './_again.ts'
import { CommonItems } from './_common_items.ts'
import { failureCode, itemDigest } from './_digest.ts'
import { Awaited, hasFailures, hasMoved, isDoubtful, noteFailure, unpaidOf } from './_doubt.ts'
import type { Group, Modules } from './_group.ts'
import { hashItem, hashItemOf } from './_item_hash.ts'
import { type Entry, groupName, isRetried, Run, withoutLost } from './_run.ts'
import type { OnRepeat } from './_scored.ts'
import { BY_DEFAULT, kindIn } from './_scoring.ts'
import { optionalText } from './_states.ts'
import { givenFields, toldBy } from './_told.ts'
import { homesOf, identityOf, isSameRun, type RunIdentity, runKey } from './_who.ts'

export type { Group, Modules } from './_group.ts'
export type { Entry, Run } from './_run.ts'

export interface ReportSettings {
  onRepeat?: OnRepeat
  /** Only items that are valid in all runs count, beside those that failed. */
  common?: boolean
  /** Each item is taken for new: where there were {@link Report.repeats}, nothing in the report is right. */
  trusting?: boolean
  /** The rows are read once: an item of which rows differ counts as failed only where none of them has a result. */
  once?: boolean
  /** An earlier reading of the same rows: items it was in doubt of are counted when all their rows are in. */
  before?: Report
}

/** Stands for an id that is hashed, and read only where it has to be named. */
const LATER = ascii('')

export class Report {
  readonly modules: Modules
  /** Of the first item that failed. */
  firstFailure: RowError | undefined
  readonly runs = new Map<string, Run>()
  /** Of --by; undefined where nothing was said. */
  private readonly given: readonly string[] | undefined
  /** Place of the best of the usual fields that a row had so far: the report does not depend on which row came first. */
  private best = BY_DEFAULT.length
  private last: Run | undefined
  /** Entries of items in doubt, by run and item. */
  private readonly awaited = new Awaited()
  private readonly settings: ReportSettings
  private readonly more = new Again()
  private readonly common: CommonItems | undefined

  constructor(modules: Modules, by: string[], settings: ReportSettings = {}) {
    this.modules = modules
    this.settings = settings
    if (settings.common) this.common = new CommonItems()
    this.given = givenFields(by)
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
    const told = toldBy(row, result ?? {}, this.given)
    const entry: Entry = {
      trials,
      result,
      error,
      kind: kindIn(result, trials),
      run,
      groups: [run.all, ...this.groupsOf(run, row)],
      told,
      digest: itemDigest(trials, result ? undefined : error, told),
      more: 0,
      alike: undefined,
    }
    run.made.add(trials)
    if (!result) this.firstFailure ??= failure
    return this.again(entry, item, row) ? entry : undefined
  }

  /** The groups by field that a row belongs to. */
  groupsOf(run: Run, row: Row): Group[] {
    const groups: Group[] = []
    for (const field of this.given ?? this.usual((field) => row.field(field) !== undefined)) {
      const value = row.field(field)
      if (value === undefined) continue
      groups.push(run.group(field, groupName(value, row, field)))
    }
    return groups
  }

  /** Counts an entry for another item. @returns false where the item was there already */
  again(entry: Entry, item: Latin1 | undefined, row: Row): boolean {
    if (item !== undefined) hashItem(item)
    return this.hashed(entry, item, row)
  }

  /**
   * Counts an entry for a row like the one it was made for, or two like these.
   * @returns false where the rows have to be looked at one by one
   */
  alike(entry: Entry, row: Row, second?: Row): boolean {
    const line = row.unchanged
    const { alike, run } = entry
    const item = line ? line.item : -1
    if (item >= 0 && entry.result && run.trust(line!)) {
      alike?.add(line!, second?.unchanged)
      this.more.take(entry)
      return true
    }
    if (item >= 0) hashItemOf(line!)
    if (!alike) {
      if (item >= 0) this.hashed(entry, LATER, row)
      else this.again(entry, row.itemBytes, row)
      return true
    }
    if (item < 0 || run.awaited?.has || run.items.take(alike.digest(line!, second?.unchanged)) !== 0)
      return false
    run.validItems.add()
    alike.add(line!, second?.unchanged)
    this.more.take(entry)
    return true
  }

  private hashed(entry: Entry, id: Latin1 | undefined, row: Row): boolean {
    const { awaited, who } = entry.run
    if (who.model === undefined && id !== undefined && this.retried(entry.run)) {
      for (const group of entry.groups) group.spend(entry.trials)
      return false
    }
    if (awaited && id !== undefined && awaited.has) {
      this.awaited.add(entry, (id === LATER ? row.itemBytes : id)!)
      return false
    }
    const known = id === undefined ? 0 : this.known(entry)
    if (known === 0 && id === LATER && !this.common && entry.result) {
      this.more.take(entry)
      return true
    }
    const item = id === LATER ? row.itemBytes : id
    if (known === 0 && id !== undefined)
      if (entry.error !== undefined) noteFailure(entry, row, this.given)
      else if (hasFailures(entry)) unpaidOf(entry)
    const again = known !== 0 && !this.settings.once
    const moved = again && hasMoved(entry, known, row, this.given)
    const doubt = moved || (again && isDoubtful(entry, known))
    if (doubt) entry.run.doubtful.take(1)
    // A failure that was tried again was paid for all the same, and a reply that is there again once.
    const unpaid = known === 0 || doubt ? undefined : unpaidOf(entry)
    if (known === 0 || (!doubt && this.triedAgain(entry, known))) {
      this.count(unpaid ? { ...entry, unpaid } : entry, item)
      return true
    }
    const failed = entry.error === undefined ? unpaid?.filter(({ error }) => error) : unpaid
    for (const group of entry.groups) group.spend(failed ?? [])
    if (unpaid && entry.error !== undefined && (unpaid.length > 0 || known !== entry.digest)) return false
    if (!moved)
      this.settings.onRepeat?.(doubt && entry.error !== 'incomplete' ? 'conflict' : 'same', item!, row)
    return false
  }

  /** Whether the item hashed last failed before it had a model, and an earlier reading found it again. */
  private retried(run: Run): boolean {
    const { before } = this.settings
    return before !== undefined && isRetried(run.before ?? run, [...before.runs.values()])
  }

  /** Items that an earlier reading could not count, whatever the order of their rows: one entry each. */
  private countAwaited(): void {
    for (const [item, entry] of this.awaited.settled()) {
      hashItem(item)
      this.known(entry)
      this.count(entry, item)
    }
  }

  get repeats(): boolean {
    return [...this.runs.values()].some(({ items }) => items.repeats)
  }

  /** Items whose count another reading of the rows must decide. */
  get doubtful(): number {
    return [...this.runs.values()].reduce((sum, { doubtful }) => sum + doubtful.size, 0)
  }

  /** Whether the item of a trial is among them, or failed without a model and is there with one as well. */
  doubts(row: Row, model: string | undefined): boolean {
    const run = this.runs.get(runKey(identityOf(row, model)))
    const item = row.itemBytes
    if (!run || (run.doubtful.size === 0 && model !== undefined) || item === undefined) return false
    hashItem(item)
    return (
      run.doubtful.has || (homesOf(run, [...this.runs.values()])?.some(({ items }) => items.has) ?? false)
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
    for (const group of groups) group.forgive(failure)
    run.items.replace(digest)
    if (result) run.validItems.add()
    return true
  }

  /** Fields that decide which groups a row like this one belongs to. */
  reads(row: Row): readonly string[] {
    if (this.given) return this.given
    const own = BY_DEFAULT.findIndex((field) => row.field(field) !== undefined)
    return own < 0 ? BY_DEFAULT : BY_DEFAULT.slice(0, Math.max(own, this.best) + 1)
  }

  /** The best of the usual fields so far, after a look at those that are better; groups by a worse one are dropped. */
  private usual(has: (field: string) => boolean): string[] {
    const better = BY_DEFAULT.slice(0, this.best).findIndex(has)
    if (better >= 0) {
      for (const { by } of this.runs.values()) by.delete(BY_DEFAULT[this.best]!)
      this.best = better
    }
    return BY_DEFAULT.slice(this.best, this.best + 1)
  }

  private run(identity: RunIdentity): Run {
    if (this.last && isSameRun(this.last.who, identity)) return this.last
    const key = runKey(identity)
    const { trusting, before } = this.settings
    this.last = this.runs.get(key) ?? new Run(identity, this.modules, trusting, before?.runs.get(key))
    this.runs.set(key, this.last)
    return this.last
  }

  /** One object a run: what --partial writes. @param items see Run.state */
  *states(items?: string): Generator<JsonObject> {
    this.more.settle()
    this.countAwaited()
    for (const run of this.runs.values())
      yield { ...run.state(items), ...(this.given === undefined && { usual: true }) }
  }

  /** Adds what `states` wrote elsewhere. @returns how many of its items were there already */
  merge(state: JsonObject): number {
    const run = this.run({
      judge: optionalText(state.judge),
      judge_digest: optionalText(state.judge_digest),
      name: optionalText(state.name),
      model: optionalText(state.model),
      variant: optionalText(state.variant),
    })
    const by = state.by as JsonObject
    const wanted = this.given ?? (state.usual ? this.usual((field) => field in by) : Object.keys(by))
    return run.merge(state, wanted)
  }

  /** Fields asked for by which there is no sum. */
  lacking(): string[] {
    const runs = [...this.runs.values()]
    return (this.given ?? []).filter((field) => runs.length > 0 && !runs.some(({ by }) => by.has(field)))
  }

  /** The runs, in the order of the input; items that failed before they had a model belong to the only one there is. */
  finish(): Run[] {
    this.more.settle()
    this.countAwaited()
    this.common?.settle()
    const runs = withoutLost([...this.runs.values()])
    if (runs.length === 0) runs.push(new Run({}, this.modules))
    for (const run of runs) {
      run.order(this.given ?? [])
      run.ambiguous = runs.some(
        (other) => other !== run && isSameRun(run.who, { ...other.who, judge_digest: run.who.judge_digest }),
      )
    }
    return runs
  }
}
