/** The results of one version of a judge with one model: sums over all items, and by the values of fields. */
import { getOrInsert } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import type { RunIdentity } from './_run_identity.ts'
import { Group } from './group.ts'
import type { Ledger } from './ledger.ts'
import { type MadeSums, madeSums } from './made.ts'
import { merge, sumsState } from './sums.ts'

/** An item that failed before it had a model, for runs that lack it: the hash of its id, the code, its groups. */
export type LostItem = [high: number, low: number, code: string, groups: [field: string, value: string][]]

export class Run {
  readonly identity: RunIdentity
  readonly number: number
  readonly all = new Group()
  /** By field and value. */
  readonly by = new Map<string, Map<string, Group>>()
  made: MadeSums = madeSums()
  /** Another run differs only in the version of the judge. */
  ambiguous = false
  /** Whether it has a model, or a reply. Items of others failed before they had a model. */
  named = false
  /** Those, with the runs that were there beside them, which have them. */
  lost: { homes: readonly string[]; items: LostItem[] }[] = []
  /** A sum over the hashes of the valid items: equal sets have equal sums. */
  private validItems: [high: number, low: number] = [0, 0]
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
    return this.validItems.map((half) => (half >>> 0).toString(16)).join('-')
  }

  addValid([high, low]: readonly [number, number]): void {
    this.validItems = [(this.validItems[0] + high) | 0, (this.validItems[1] + low) | 0]
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
  state(items: Uint32Array): JsonObject {
    const by = [...this.by].map(([field, values]) => [
      field,
      Object.fromEntries([...values].map(([value, group]) => [value, group.state()])),
    ])
    return {
      state: 1,
      ...(this.identity as JsonObject),
      all: this.all.state(),
      by: Object.fromEntries(by),
      items: Buffer.from(items.buffer, items.byteOffset, items.byteLength).toString('base64'),
      valid_items: this.validSum,
      made: sumsState(this.made),
      ...(this.named ? { named: true } : { lost: this.lost as unknown as JsonObject[] }),
    }
  }

  /** Adds a state, with its groups by `fields`. @returns how many of its items the run had already */
  merge(state: JsonObject, fields: readonly string[]): number {
    this.all.merge(state.all)
    for (const [field, values] of Object.entries(state.by as Record<string, JsonObject>))
      if (fields.includes(field))
        for (const [value, sums] of Object.entries(values)) this.group(field, value).merge(sums)
    const [high = 0, low = 0] = String(state.valid_items ?? '')
      .split('-')
      .map((word) => Number.parseInt(word, 16))
    this.addValid([high, low])
    merge(this.made, state.made)
    this.named ||= state.named === true
    for (const { homes, items } of (state.lost ?? []) as unknown as Run['lost'])
      this.lost.push({ homes: homes.map(String), items: items.map(lostItem) })
    return this.mergeItems(String(state.items ?? ''))
  }

  private mergeItems(text: string): number {
    const bytes = Buffer.from(text, 'base64')
    const key = new Uint32Array(2)
    let known = 0
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      key[0] = bytes.readUInt32LE(at)
      key[1] = bytes.readUInt32LE(at + 4)
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
