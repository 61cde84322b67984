/** What one version of a judge with one model said: sums over all its items, and by the values of fields. */

import type { Line } from '../rows/line.ts'
import type { Json, JsonObject } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Group, type Modules } from './_group.ts'
import { ItemSum } from './_item_sum.ts'
import { ItemTable } from './_item_table.ts'
import { Provenance } from './_provenance.ts'
import type { Known } from './_result_cache.ts'

/** What identifies a run. */
export interface RunIdentity {
  judge?: string | undefined
  /** Of the judge's version (jb.judge_digest). */
  digest?: string | undefined
  name?: string | undefined
  model?: string | undefined
  /** jb.variant */
  variant?: string | undefined
}

/** The result of an item, and where it counts. */
export interface Entry extends Known {
  run: Run
  groups: Group[]
  /** Of that and the trials' replies, or of the failure. */
  digest: number
  /** Further items that it has, not in the groups yet. */
  more: number
}

/** The run of a row whose replies are a model's. */
export const identityOf = (row: Row, model: string | undefined): RunIdentity => ({
  judge: row.get('judge'),
  digest: row.get('judge_digest'),
  name: row.get('name'),
  model,
  variant: row.get('variant'),
})

export class Run implements RunIdentity {
  readonly judge: string | undefined
  readonly digest: string | undefined
  readonly name: string | undefined
  readonly model: string | undefined
  readonly variant: string | undefined
  readonly all: Group
  /** By field, by its value. */
  readonly by = new Map<string, Map<string, Group>>()
  /** All items with an id. */
  readonly items: ItemTable
  /** Those that are valid. */
  readonly validItems = new ItemSum()
  /** Items whose count another reading must decide: rows before and after one contradict each other. */
  readonly doubtful = new ItemTable()
  /** Items that failed, with a digest of the groups they count in; and what other trials of theirs replied. */
  readonly failedIn = new ItemTable()
  readonly failedReplies = new ItemTable()
  /** Those that an earlier reading found. */
  readonly awaited: ItemTable | undefined
  readonly made = new Provenance()
  /** Another run has the same names, of another version of the judge. */
  ambiguous = false
  private readonly modules: Modules

  /**
   * @param trusting no item comes twice, see ItemTable
   * @param before the same run in an earlier reading of the rows
   */
  constructor(
    { judge, digest, name, model, variant }: RunIdentity,
    modules: Modules,
    trusting = false,
    before?: Run,
  ) {
    this.judge = judge
    this.digest = digest
    this.name = name
    this.model = model
    this.variant = variant
    this.modules = modules
    this.all = new Group(modules)
    this.items = new ItemTable(trusting)
    if (before && before.doubtful.size > 0) this.awaited = before.doubtful
  }

  /** Takes the item of a line for new, and valid. @returns false where it has to be looked up, or has no hash */
  trust({ itemHash, itemHash2 }: Line): boolean {
    if ((itemHash | itemHash2) === 0 || !this.items.trust(itemHash, itemHash2)) return false
    this.validItems.add(itemHash, itemHash2)
    return true
  }

  is({ judge, digest, name, model, variant }: RunIdentity): boolean {
    return (
      this.judge === judge &&
      this.name === name &&
      this.model === model &&
      this.digest === digest &&
      this.variant === variant
    )
  }

  group(field: string, value: string): Group {
    let groups = this.by.get(field)
    if (!groups) this.by.set(field, (groups = new Map()))
    let group = groups.get(value)
    if (!group) groups.set(value, (group = new Group(this.modules)))
    return group
  }

  /** Fields to group by stand in this order, whichever row was the first to have one. */
  order(fields: readonly string[]): void {
    // Of rows that were tried again with other values: nothing counts there.
    for (const groups of this.by.values())
      for (const [value, { items }] of groups) if (items === 0) groups.delete(value)
    for (const field of fields) {
      const groups = this.by.get(field)
      if (!groups) continue
      this.by.delete(field)
      this.by.set(field, groups)
    }
  }

  /** What --partial writes of it. @param items how its items are written down */
  state(items = this.items.state()): JsonObject {
    const { judge, digest, name, model, variant, all, by, validItems, made } = this
    const groups: Record<string, JsonObject> = {}
    for (const [field, values] of by)
      groups[field] = Object.fromEntries([...values].map(([value, group]) => [value, group.state()]))
    return {
      state: 1,
      ...(judge !== undefined && { judge }),
      ...(digest !== undefined && { judge_digest: digest }),
      ...(name !== undefined && { name }),
      ...(model !== undefined && { model }),
      ...(variant !== undefined && { variant }),
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

  /** Adds a run that failed before it had a model. */
  join(lost: Run): void {
    this.all.merge(lost.all.state())
    this.items.join(lost.items)
    for (const [field, values] of lost.by)
      for (const [value, group] of values) this.group(field, value).merge(group.state())
  }
}

/** Whether two runs are of one judge; where `b` names no version, of any. */
export const isSameJudge = (a: RunIdentity, b: RunIdentity) =>
  a.judge === b.judge &&
  a.name === b.name &&
  a.variant === b.variant &&
  (b.digest === undefined || a.digest === b.digest)

/** Whose run it is, in a message. */
export const whoOf = ({ judge, name, model, variant }: RunIdentity) =>
  [judge, name, model, variant].filter(Boolean).join(' ') || 'the run'

const isLost = ({ model, all }: Run) => model === undefined && all.valid === 0

/** The runs to which items may belong that failed before they had a model; undefined for a run that does not have only such. */
export const homesOf = (lost: Run, runs: readonly Run[]): Run[] | undefined =>
  isLost(lost)
    ? runs.filter((run) => !isLost(run) && (lost.judge === undefined || isSameJudge(run, lost)))
    : undefined

/** A run's identity as a text. */
export const runKey = ({ judge, digest, name, model, variant }: RunIdentity) =>
  JSON.stringify([judge, digest, name, model, variant])

/** What a group by a value is called: a text itself, else JSON without its spaces; as it stands in the row where it is nested too deeply to be written again. */
export function groupName(value: Json, row: Row, field: string): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return row.fieldText(field)!
  }
}
