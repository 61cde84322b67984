/** What one version of a judge with one model said: sums over all its items, and by the values of fields. */

import type { Line } from '../rows/line.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Json, JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Group, type Modules } from './_group.ts'
import { ItemSum } from './_item_sum.ts'
import { ItemTable } from './_item_table.ts'
import { Provenance } from './_provenance.ts'
import type { Known } from './_result_cache.ts'
import { possibleRuns, type RunIdentity } from './_run_identity.ts'

/** The result of an item, and where it counts. */
export interface Entry extends Known {
  run: Run
  groups: Group[]
  /** Of that and the trials' replies, or of the failure. */
  digest: number
  /** Further items with this result that are not in the groups yet. */
  pending: number
}

export class Run {
  readonly identity: RunIdentity
  readonly all: Group
  /** By field, by its value. */
  readonly by = new Map<string, Map<string, Group>>()
  /** All items with an id. */
  readonly items: ItemTable
  /** Those that are valid. */
  readonly validItems = new ItemSum()
  /** Items whose rows conflict: what they count as is known when all their rows are in, in a second pass. */
  readonly undecided = new ItemTable()
  /** Items that failed, with a digest of the groups they count in; and what other trials of theirs replied. */
  readonly failedIn = new ItemTable()
  readonly failedReplies = new ItemTable()
  /** Replies to items that failed, which are paid for once. */
  readonly paid = new ItemTable()
  /** Those of the first pass. */
  readonly undecidedBefore: ItemTable | undefined
  /** The same run in the first pass. */
  readonly before: Run | undefined
  readonly made = new Provenance()
  /** Another run has the same names, of another version of the judge. */
  ambiguous = false
  private readonly modules: Modules

  /**
   * @param trusting no item comes twice, see ItemTable
   */
  constructor(identity: RunIdentity, modules: Modules, trusting = false, before?: Run) {
    this.identity = identity
    this.modules = modules
    this.all = new Group(modules)
    this.items = new ItemTable(trusting)
    this.before = before
    if (before && before.undecided.size > 0) this.undecidedBefore = before.undecided
  }

  /** Takes the item of a line for new, and valid. @returns false where it has to be looked up, or has no hash */
  trust({ itemHash, itemHash2 }: Line): boolean {
    if ((itemHash | itemHash2) === 0 || !this.items.trust(itemHash, itemHash2)) return false
    this.validItems.add(itemHash, itemHash2)
    return true
  }

  get valid(): number {
    return this.all.valid
  }

  group(field: string, value: string): Group {
    const groups = getOrInsert(this.by, field, () => new Map<string, Group>())
    return getOrInsert(groups, value, () => new Group(this.modules))
  }

  /** Fields to group by stand in this order, whichever row was the first to have one. */
  order(fields: readonly string[]): void {
    // Of rows that were tried again with other values: nothing counts there.
    for (const [field, groups] of this.by) {
      for (const [value, { items }] of groups) if (items === 0) groups.delete(value)
      if (groups.size === 0) this.by.delete(field)
    }
    for (const field of fields) {
      const groups = this.by.get(field)
      if (!groups) continue
      this.by.delete(field)
      this.by.set(field, groups)
    }
  }

  /** What --partial writes of it. @param items how its items are written down */
  state(items = this.items.state()): JsonObject {
    const { identity, all, by, validItems, made } = this
    const groups: Record<string, JsonObject> = {}
    for (const [field, values] of by)
      groups[field] = Object.fromEntries([...values].map(([value, group]) => [value, group.state()]))
    return {
      state: 1,
      ...(identity as JsonObject),
      all: all.state(),
      by: groups,
      items,
      valid_items: validItems.value,
      made: made.state(),
    }
  }

  /** Adds a state of it, and of its groups those by `fields`. @returns how many of its items were there already */
  merge(state: JsonObject, fields: readonly string[]): number {
    this.all.merge(state.all as JsonObject)
    for (const [field, values] of Object.entries(state.by as Record<string, Record<string, JsonObject>>))
      if (fields.includes(field))
        for (const [value, sums] of Object.entries(values)) this.group(field, value).merge(sums)
    this.validItems.merge(String(state.valid_items ?? ''))
    this.made.merge((state.made ?? {}) as JsonObject)
    return this.items.merge(String(state.items ?? ''))
  }

  /** Adds a run of failures without a model. */
  join(modelless: Run): void {
    this.all.merge(modelless.all.state())
    this.items.join(modelless.items)
    for (const [field, values] of modelless.by)
      for (const [value, group] of values) this.group(field, value).merge(group.state())
  }
}

/** Runs with items; failures without a model belong to the only run they may be of. */
export function joinModelless(all: readonly Run[]): Run[] {
  const runs = [...all]
  for (const modelless of all) {
    const possible = possibleRuns(modelless, runs)
    if (possible?.length !== 1) continue
    possible[0]!.join(modelless)
    runs.splice(runs.indexOf(modelless), 1)
  }
  // What failed there may all have been tried again.
  return runs.filter(({ all: { items } }) => items > 0)
}

/** Whether the item hashed last is in all runs to which a failure without a model may belong: it was tried again. */
export function isRetried(modelless: Run, runs: readonly Run[]): boolean {
  const possible = possibleRuns(modelless, runs) ?? []
  return possible.length > 0 && possible.every(({ items }) => items.has)
}

/**
 * How many items that failed without a model are in all runs they may belong to, or with `any` in one of them: a
 * second pass must tell their failures from those of trials that are lacking there.
 */
export function retriedIn(all: Iterable<Run>, any = false): number {
  const runs = [...all]
  let found = 0
  for (const modelless of runs) {
    const possible = possibleRuns(modelless, runs) ?? []
    // Mostly there are none: that items are looked at takes a third of the time of all.
    if (possible.length > 0)
      modelless.items.forEachItem(() => {
        if (any ? possible.some(({ items }) => items.has) : possible.every(({ items }) => items.has)) found++
      })
  }
  return found
}

/** Whether the valid items are the same in all runs that have some; those of another variant are others. */
export function haveSameItems(runs: readonly Run[]): boolean {
  const valid = runs.filter(({ all, items }) => all.valid > 0 && items.size > 0)
  const sumOf = (wanted: string | undefined) =>
    valid.find(({ identity }) => identity.variant === wanted)?.validItems.value
  return valid.every(({ identity, validItems }) => validItems.value === sumOf(identity.variant))
}

/** What a group by a value is called: a text itself, else JSON without its spaces; as it stands in the row where it is nested too deeply to be written again. */
export function groupName(value: Json, row: Row, field: string): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return row.fieldText(field)!
  }
}
