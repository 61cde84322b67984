/** The results of one version of a judge with one model: sums over all items, and by the values of fields. */
import { getOrInsert } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import { Group } from './group.ts'
import { KeySum, keysIn, keysText } from './item_keys.ts'
import type { Ledger } from './ledger.ts'
import { type ProvenanceSums, provenanceSums } from './provenance.ts'
import type { RunIdentity } from './run_identity.ts'
import { merge, sumsState } from './sums.ts'

/** An item that failed before it had a model, for runs that lack it: the hash of its id, the code, its groups. */
export type LostItem = [high: number, low: number, code: string, groups: [field: string, value: string][]]

export class Run {
  readonly identity: RunIdentity
  readonly number: number
  readonly all = new Group()
  /** By field and value. */
  readonly by = new Map<string, Map<string, Group>>()
  provenance: ProvenanceSums = provenanceSums()
  /** Another run differs only in the version of the judge. */
  ambiguous = false
  /** Whether it has a model, or a reply. Items of others failed before they had a model. */
  named = false
  /** Those, with the runs that were there beside them, which have them. */
  lost: { homes: readonly string[]; items: LostItem[] }[] = []
  /** A sum over the hashes of the valid items: equal sets have equal sums. */
  private readonly validItems = new KeySum()
  /** Holds the items of all runs. */
  private readonly ledger: Ledger
  /** The number of its items that have an id. */
  size = 0

  constructor(identity: RunIdentity, number: number, ledger: Ledger) {
    this.identity = identity
    this.number = number
    this.ledger = ledger
  }

  get valid(): number {
    return this.all.valid
  }

  get validSum(): string {
    return this.validItems.value
  }

  addValid(key: readonly [number, number]): void {
    this.validItems.add(key)
  }

  /** Whether it has the item whose id has this hash. */
  has(key: Uint32Array): boolean {
    return this.ledger.find(this.number, key) !== 0
  }

  group(field: string, value: string): Group {
    const groups = getOrInsert(this.by, field, () => new Map<string, Group>())
    return getOrInsert(groups, value, () => new Group())
  }

  groupsOf(groups: readonly [field: string, value: string][]): Group[] {
    return [this.all, ...groups.map(([field, value]) => this.group(field, value))]
  }

  /** Puts the fields into this order, whichever row had one first. */
  order(fields: readonly string[]): void {
    for (const field of fields) {
      const groups = this.by.get(field)
      if (!groups) continue
      this.by.delete(field)
      this.by.set(field, groups)
    }
  }

  /** The state that --partial writes. @param items hashes of its items */
  state(items: readonly number[]): JsonObject {
    const by = [...this.by].map(([field, values]) => [
      field,
      Object.fromEntries([...values].map(([value, group]) => [value, group.state()])),
    ])
    return {
      state: 1,
      ...(this.identity as JsonObject),
      all: this.all.state(),
      by: Object.fromEntries(by),
      items: keysText(items),
      valid_items: this.validSum,
      made: sumsState(this.provenance),
      ...(this.named ? { named: true } : { lost: this.lost as unknown as JsonObject[] }),
    }
  }

  /** Adds a state, with its groups by `fields`. @returns how many of its items the run had already */
  merge(state: JsonObject, fields: readonly string[]): number {
    this.all.merge(state.all)
    for (const [field, values] of Object.entries(state.by as Record<string, JsonObject>))
      if (fields.includes(field))
        for (const [value, sums] of Object.entries(values)) this.group(field, value).merge(sums)
    this.validItems.merge(String(state.valid_items ?? ''))
    merge(this.provenance, state.made)
    this.named ||= state.named === true
    for (const { homes, items } of (state.lost ?? []) as unknown as Run['lost'])
      this.lost.push({ homes: homes.map(String), items: items.map(lostItem) })
    return this.mergeItems(String(state.items ?? ''))
  }

  private mergeItems(text: string): number {
    let known = 0
    for (const [high, low] of keysIn(text)) {
      const key = Uint32Array.of(high, low)
      if (this.has(key)) known++
      else this.addKey(key)
    }
    return known
  }

  addKey(key: Uint32Array): void {
    this.ledger.itemOf({ run: this.number, key, named: true })
    this.size++
  }
}

function lostItem([high, low, code, groups]: LostItem): LostItem {
  if (typeof high !== 'number' || typeof low !== 'number' || typeof code !== 'string')
    throw new TypeError('no item')
  return [high, low, code, groups.map(([field, value]) => [String(field), String(value)])]
}

/** Whether all runs with valid items have the same ones, by variant. */
export function haveSameItems(runs: readonly Run[]): boolean {
  const valid = runs.filter((run) => run.valid > 0 && run.size > 0)
  const sumOf = (variant: string | undefined) =>
    valid.find(({ identity }) => identity.variant === variant)?.validSum
  return valid.every(({ identity, validSum }) => validSum === sumOf(identity.variant))
}
