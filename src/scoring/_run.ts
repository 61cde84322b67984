/** The results of one version of a judge with one model: sums over all items, and by the values of fields. */

import { getOrInsert } from '../rows/maps.ts'
import type { Json, JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { type CountedItem, Group, type Modules } from './_group.ts'
import { hashItem } from './_item_hash.ts'
import { ItemSum } from './_item_sum.ts'
import { ItemTable } from './_item_table.ts'
import { Provenance } from './_provenance.ts'
import { possibleRuns, type RunIdentity } from './_run_identity.ts'

/** The result of an item, and where it counts. */
export interface Entry extends CountedItem {
  /** The digest of its fields, see {@link itemDigest}. */
  fieldsDigest: number
  run: Run
  groups: Group[]
  /** The digest of the fields and replies, or of the failure. */
  digest: number
}

export class Run {
  readonly identity: RunIdentity
  readonly all: Group
  /** By field and value. */
  readonly by = new Map<string, Map<string, Group>>()
  /** All items that have an id. */
  readonly items: ItemTable
  /** Those that are valid. */
  readonly validItems = new ItemSum()
  /** Items whose rows conflict: a second pass decides what they count as. */
  readonly undecided = new ItemTable()
  /** Failed items, with a digest of their groups, and the replies to their other trials. */
  readonly failedIn = new ItemTable()
  readonly failedReplies = new ItemTable()
  /** Replies to failed items, each of which is paid for once. */
  readonly paid = new ItemTable()
  /** The undecided items of the first pass. */
  readonly undecidedBefore: ItemTable | undefined
  /** This run in the first pass. */
  readonly before: Run | undefined
  readonly made = new Provenance()
  /** Another run differs only in the version of the judge. */
  ambiguous = false
  private readonly modules: Modules

  /** @param trusting see ItemTable */
  constructor(identity: RunIdentity, modules: Modules, trusting = false, before?: Run) {
    this.identity = identity
    this.modules = modules
    this.all = new Group(modules)
    this.items = new ItemTable(trusting)
    this.before = before
    if (before && before.undecided.size > 0) this.undecidedBefore = before.undecided
  }

  get valid(): number {
    return this.all.valid
  }

  group(field: string, value: string): Group {
    const groups = getOrInsert(this.by, field, () => new Map<string, Group>())
    return getOrInsert(groups, value, () => new Group(this.modules))
  }

  /** Puts the fields into this order, whichever row had one first, and removes empty groups. */
  order(fields: readonly string[]): void {
    // Groups are empty if their failed items were retried with other values.
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

  /** The state that --partial writes. @param items its items as text */
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

  /** Adds a state, with its groups by `fields`. @returns how many of its items the run had already */
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

/** The runs that have items. Failures without a model are added to their run, if only one is possible. */
export function joinModelless(all: readonly Run[]): Run[] {
  const runs = [...all]
  for (const modelless of all) {
    const possible = possibleRuns(modelless, runs)
    if (possible?.length !== 1) continue
    possible[0]!.join(modelless)
    runs.splice(runs.indexOf(modelless), 1)
  }
  // A run may have only failures that were retried.
  return runs.filter(({ all: { items } }) => items > 0)
}

/** Whether the item hashed last, which failed without a model, was retried: all its possible runs have it. */
export function isRetried(modelless: Run, runs: readonly Run[]): boolean {
  const possible = possibleRuns(modelless, runs) ?? []
  return possible.length > 0 && possible.every(({ items }) => items.has)
}

/**
 * How many items that failed without a model are in all their possible runs (with `any`, in one of them). A second pass
 * then separates their failures from those of trials that these runs lack.
 */
export function retriedIn(all: Iterable<Run>, any = false): number {
  const runs = [...all]
  let found = 0
  for (const modelless of runs) {
    const possible = possibleRuns(modelless, runs) ?? []
    // Mostly there are none, and visiting all items would take a third of the time.
    if (possible.length > 0)
      modelless.items.forEachItem(() => {
        if (any ? possible.some(({ items }) => items.has) : possible.every(({ items }) => items.has)) found++
      })
  }
  return found
}

/**
 * Whether the item of a row is undecided, or failed without a model and is in a run it may belong to: in the second pass,
 * all its rows must be read before it counts. The item is hashed.
 */
export function inDoubt(all: Iterable<Run>): (row: Row) => boolean {
  const runs = [...all]
  const undecided = runs.map((run) => run.undecided).filter(({ size }) => size > 0)
  const modelless = runs.flatMap((run) => {
    const possible = possibleRuns(run, runs) ?? []
    return possible.length > 0 ? [{ run, possible }] : []
  })
  return (row) => {
    const item = row.itemBytes
    if (item === undefined) return false
    hashItem(item)
    return (
      undecided.some((items) => items.has) ||
      modelless.some(({ run, possible }) => run.items.has && possible.some(({ items }) => items.has))
    )
  }
}

/** Whether all runs with valid items have the same ones, by variant. */
export function haveSameItems(runs: readonly Run[]): boolean {
  const valid = runs.filter(({ all, items }) => all.valid > 0 && items.size > 0)
  const sumOf = (wanted: string | undefined) =>
    valid.find(({ identity }) => identity.variant === wanted)?.validItems.value
  return valid.every(({ identity, validItems }) => validItems.value === sumOf(identity.variant))
}

/** The name of a group: a string itself, else compact JSON, or the row's own text if it is nested too deeply for that. */
export function groupName(value: Json, row: Row, field: string): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return row.fieldText(field)!
  }
}
