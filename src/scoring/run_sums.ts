/** The results of one version of a judge with one model: sums over all items, and by the values of fields. */
import { getOrInsert } from '../rows/maps.ts'
import type { JsonObject } from '../rows/record.ts'
import { HashSum, hashesIn, hashesText, hashIn, hashOf, type ItemHash, numbersIn } from './digests.ts'
import { Group } from './group.ts'
import type { Item } from './item.ts'
import type { ItemResult } from './item_result.ts'
import { type ProvenanceSums, provenanceSums } from './provenance.ts'
import type { RunIdentity } from './run_identity.ts'
import { countIn } from './states.ts'
import { merge, sumsState } from './sums.ts'

/** An item that failed before it had a model, for runs that lack it: the hash of its id (0 without one), the code, its groups. */
type LostItem = [high: number, low: number, code: string, groups: readonly [field: string, value: string][]]

export class RunSums {
  readonly identity: RunIdentity
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
  private readonly validItems = new HashSum()
  /** Digests of what the valid items were asked, of those that say it. */
  private readonly prompts: number[] = []
  /** Of other shards: how many items were asked what another one was. */
  private repeatedElsewhere = 0
  /** Hashes of the items that have an id. */
  readonly items = new Set<ItemHash>()

  constructor(identity: RunIdentity) {
    this.identity = identity
  }

  get valid(): number {
    return this.all.valid
  }

  get validSum(): string {
    return this.validItems.value
  }

  /** How many of the valid items were asked what another of them was: by shard, so at least. */
  get repeatedPrompts(): number {
    const { length } = this.prompts
    // Sorted, equal ones are neighbours: a Set of a million numbers takes the memory of the items.
    const sorted = Float64Array.from(this.prompts).sort()
    const repeated = sorted.reduce((sum, one, i) => sum + Number(one === sorted[i - 1]), 0)
    // Digests of 32 bits and a length: so many may be alike by chance.
    return this.repeatedElsewhere + (repeated > length ** 2 / 2 ** 32 ? repeated : 0)
  }

  /** Adds an item to the sums. @param isCommon it counts, if it is valid */
  add(item: ItemResult, isCommon: boolean): void {
    const { result, groups } = item
    const hash = hashOfItem(item.item)
    if (hash !== undefined) this.items.add(hash)
    if (!this.named && this.addLost(item, hash)) return
    if (result && hash !== undefined) this.validItems.add(hash)
    const prompt = result && isCommon ? promptOf(item) : 0
    if (prompt) this.prompts.push(prompt)
    for (const group of this.groupsOf(groups)) result && !isCommon ? group.leaveOut(item) : group.add(item)
  }

  /** Keeps an item that failed before it had a model. @returns whether other runs have it */
  private addLost({ failure, groups }: ItemResult, hash: ItemHash | undefined): boolean {
    const [part] = this.lost
    const [high, low] = hash === undefined ? [0, 0] : numbersIn(hash)
    part!.items.push([high, low, failure!.code, groups])
    return part!.homes.length > 0
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

  /** The state that --partial writes. */
  state(): JsonObject {
    const by = [...this.by].map(([field, values]) => [
      field,
      Object.fromEntries([...values].map(([value, group]) => [value, group.state()])),
    ])
    return {
      state: 1,
      ...(this.identity as JsonObject),
      all: this.all.state(),
      by: Object.fromEntries(by),
      items: hashesText(this.items),
      valid_items: this.validSum,
      ...(this.repeatedPrompts > 0 && { repeated_prompts: this.repeatedPrompts }),
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
    this.repeatedElsewhere += countIn(state.repeated_prompts ?? 0)
    merge(this.provenance, state.made)
    this.named ||= state.named === true
    for (const { homes, items } of (state.lost ?? []) as unknown as RunSums['lost'])
      this.lost.push({ homes: homes.map(String), items: items.map(lostItem) })
    return this.mergeItems(String(state.items ?? ''))
  }

  private mergeItems(text: string): number {
    let known = 0
    for (const hash of hashesIn(text)) {
      if (this.items.has(hash)) known++
      this.items.add(hash)
    }
    return known
  }

  /** Adds an item that failed before it had a model. @returns false if it is there */
  give([high, low, code, groups]: LostItem, fields: readonly string[]): boolean {
    const hasId = high !== 0 || low !== 0
    const hash = hashIn(high, low)
    if (hasId && this.items.has(hash)) return false
    if (hasId) this.items.add(hash)
    for (const group of this.groupsOf(groups.filter(([field]) => fields.includes(field))))
      group.addFailed(code, 1)
    return true
  }
}

/** The hash of an item: of its id, and of what it is about besides; undefined without an id. */
const hashOfItem = ({ key }: Item): ItemHash | undefined => (key === undefined ? undefined : hashOf(key))

/** The digest of all that an item was asked, in any order; 0 where a row does not say. Sums of digests of 52 bits are exact. */
function promptOf({ counted }: ItemResult): number {
  const asked = new Set(counted.map(({ told }) => told.asked))
  return asked.has(0) ? 0 : [...asked].reduce((sum, one) => (sum + one) % 2 ** 52, 0)
}

function lostItem([high, low, code, groups]: LostItem): LostItem {
  if (typeof high !== 'number' || typeof low !== 'number' || typeof code !== 'string')
    throw new TypeError('no item')
  return [high, low, code, groups.map(([field, value]): [string, string] => [String(field), String(value)])]
}

/** Whether all runs with valid items have the same ones, by variant. */
export function haveSameItems(runs: readonly RunSums[]): boolean {
  const valid = runs.filter((run) => run.valid > 0 && run.items.size > 0)
  const sumOf = (variant: string | undefined) =>
    valid.find(({ identity }) => identity.variant === variant)?.validSum
  return valid.every(({ identity, validSum }) => validSum === sumOf(identity.variant))
}
