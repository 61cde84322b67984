/** A report: what the items of a ledger come to, added up by run and group; and how reports of shards add up. */

import { getOrInsert } from '../rows/maps.ts'
import type { JsonObject, RowError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { groupName, NONE } from './group_name.ts'
import type { Item, Run } from './item.ts'
import { BY_DEFAULT, groupFields } from './item_fields.ts'
import { itemResult } from './item_result.ts'
import type { Ledger } from './ledger.ts'
import { identityIn, isHomeOf, type RunIdentity, runKey } from './run_identity.ts'
import { RunSums } from './run_sums.ts'

/** The sums of no rows yet. */
export class Report {
  readonly runs: RunSums[] = []
  /** Of the first item that failed. */
  firstFailure: Pick<RowError, 'code' | 'message'> | undefined
  /** The fields of --by; undefined for the first usual one that there is. */
  private readonly by: readonly string[] | undefined
  /** The index of the first usual field that any state has. */
  best = BY_DEFAULT.length
  /** The fields of states that --by named. */
  private readonly named = new Set<string>()
  /** The field of --cluster, by which its sums are. */
  cluster: string | undefined
  /** How many items of runs without a model are in two states. */
  twice = 0
  private readonly byKey = new Map<string, RunSums>()

  constructor(by: readonly string[]) {
    this.by = groupFields(by)
  }

  /** The report of all rows that a ledger took. @param common only items that are valid in all runs count, beside those that failed */
  static of(
    ledger: Ledger,
    { by, common = false }: { by: readonly string[]; common?: boolean | undefined },
  ): Report {
    const report = new Report(by)
    report.cluster = ledger.fields.clusters
    const sumsOf = new Map<Run, RunSums>()
    for (const run of ledger.runs.values()) {
      const sums = report.run(run.identity)
      sumsOf.set(run, sums)
      sums.named = run.named
      sums.provenance = run.provenance
      if (!run.named)
        sums.lost.push({ homes: ledger.homesOf(run).map(({ identity }) => runKey(identity)), items: [] })
    }
    const isCommon = common ? commonItems(ledger) : () => true
    for (const result of ledger.results(true)) {
      if (result.failure) report.firstFailure ??= result.failure
      const grouped = report.by ? { ...result, groups: report.allGroups(result.groups) } : result
      sumsOf.get(result.run)!.add(grouped, isCommon(result.item))
    }
    report.best = ledger.fields.best
    return report
  }

  run(identity: RunIdentity): RunSums {
    return getOrInsert(this.byKey, partKey(identity), () => {
      const run = new RunSums(identity)
      this.runs.push(run)
      return run
    })
  }

  private fields(): readonly string[] {
    return this.by ?? [...new Set([...this.named, ...BY_DEFAULT.slice(this.best, this.best + 1)])]
  }

  /** An item's groups, with that of the items that lack a field of --by. */
  private allGroups(groups: readonly [field: string, value: string][]): [field: string, value: string][] {
    if (!this.by) return [...groups]
    return this.by.map((field) => groups.find(([name]) => name === field) ?? [field, NONE])
  }

  /** The groups of a row that is in no ledger. */
  groupsOf(row: Row): [field: string, value: string][] {
    const there = this.fields().filter((field) => row.field(field) !== undefined)
    return this.allGroups(there.map((field) => [field, groupName(row, field)]))
  }

  /** One object a run: what --partial writes. */
  *states(): Generator<JsonObject> {
    this.joinLost(false)
    for (const run of this.runs) {
      const usual = this.by === undefined && this.named.size === 0 && { usual: true }
      yield { ...run.state(), ...usual, ...(this.cluster !== undefined && { cluster: this.cluster }) }
    }
  }

  /** Adds what `states` wrote elsewhere. @returns the number of its items that were counted already */
  merge(state: JsonObject): number {
    const run = this.run(identityIn(state))
    const fields = state.by as JsonObject
    if (!this.by && !state.usual) for (const field of Object.keys(fields)) this.named.add(field)
    return run.merge(state, this.by ?? (state.usual ? this.bestOf(fields) : Object.keys(fields)))
  }

  /** Looks for a usual field before the best one so far; groups by a later field are dropped. */
  private bestOf(fields: JsonObject): string[] {
    const better = BY_DEFAULT.slice(0, this.best).findIndex((field) => field in fields)
    if (better >= 0) {
      const worse = BY_DEFAULT[this.best]!
      if (!this.named.has(worse)) for (const { by } of this.runs) by.delete(worse)
      this.best = better
    }
    return BY_DEFAULT.slice(this.best, this.best + 1)
  }

  /** Fields of --by that no item has. */
  lacking(): string[] {
    const hasGroup = ({ by }: RunSums, field: string) =>
      [...(by.get(field)?.keys() ?? [])].some((one) => one !== NONE)
    return (this.by ?? [...this.named]).filter(
      (field) => this.runs.length > 0 && !this.runs.some((run) => hasGroup(run, field)),
    )
  }

  /** The runs, in the order of the input; at least one. */
  finish(): RunSums[] {
    this.joinLost(true)
    const runs = this.runs.filter(({ all }) => all.items > 0)
    if (runs.length === 0) runs.push(new RunSums({}))
    const lacking = this.lacking()
    for (const run of runs) {
      run.order(this.by ?? [])
      for (const field of lacking) run.by.delete(field)
    }
    return runs
  }

  /**
   * Adds items that failed before they had a model to the runs that they may be of and that lack them: those that were not
   * beside them in their shard. @param last then they are no run of their own
   */
  private joinLost(last: boolean): void {
    const named = this.runs.filter((run) => run.named)
    const fields = this.fields()
    for (const lost of this.runs.filter((run) => !run.named && run.lost.length > 0)) {
      const homes = named.filter(({ identity }) => isHomeOf(identity, lost.identity))
      if (homes.length === 0) continue
      for (const part of lost.lost) this.giveAll(part, homes, fields)
      if (last) this.runs.splice(this.runs.indexOf(lost), 1)
    }
  }

  private giveAll(part: RunSums['lost'][number], homes: readonly RunSums[], fields: readonly string[]): void {
    for (const home of homes) {
      if (part.homes.includes(runKey(home.identity))) continue
      for (const item of part.items) if (!home.give(item, fields)) this.twice++
    }
    part.homes = homes.map(({ identity }) => runKey(identity))
  }
}

const partKey = (identity: RunIdentity) => JSON.stringify([runKey(identity), identity.part])

/** --common: whether an item is valid in all runs that have a valid item. */
function commonItems(ledger: Ledger): (item: Item) => boolean {
  const valid = new Set<Item>()
  for (const item of ledger.items()) if (itemResult(item).result) valid.add(item)
  const measured = new Set([...valid].map(({ run }) => run))
  return ({ key, run: { identity } }) =>
    key === undefined ||
    [...measured].every((run) => run.identity.variant !== identity.variant || valid.has(run.items.get(key)!))
}
