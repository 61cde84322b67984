/** A report: what the items of a ledger come to, added up by run and group; and how reports of shards add up. */
import type { JsonObject, RowError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Interned } from './interned.ts'
import { BY_DEFAULT, groupFields, groupName } from './leads.ts'
import { Ledger, NO_LEADS } from './ledger.ts'
import { homesOf } from './lost.ts'
import { type LostItem, Run } from './run.ts'
import { identityIn, type RunIdentity, runKey } from './run_identity.ts'

/** The sums of no rows yet. */
export class Report {
  readonly runs: Run[] = []
  /** Of the first item that failed. */
  firstFailure: Pick<RowError, 'code' | 'message'> | undefined
  /** The fields of --by; undefined for the first usual one that there is. */
  private readonly by: readonly string[] | undefined
  /** The index of the first usual field that any state has. */
  best = BY_DEFAULT.length
  /** The fields of states that --by named. */
  private readonly named = new Set<string>()
  /** How many items of runs without a model are in two states. */
  twice = 0
  private readonly ledger: Ledger
  private readonly numbers = new Interned<RunIdentity>()

  constructor(by: readonly string[], ledger = new Ledger(NO_LEADS)) {
    this.by = groupFields(by)
    this.ledger = ledger
  }

  run(identity: RunIdentity, number = this.numbers.number(runKey(identity), () => identity)): Run {
    let run = this.runs.find((one) => one.number === number)
    if (!run) this.runs.push((run = new Run(identity, number, this.ledger)))
    return run
  }

  private fields(): readonly string[] {
    return this.by ?? [...new Set([...this.named, ...BY_DEFAULT.slice(this.best, this.best + 1)])]
  }

  /** The groups of a row that is in no ledger. */
  groupsOf(row: Row): [field: string, value: string][] {
    return this.fields().flatMap((field): [string, string][] =>
      row.field(field) === undefined ? [] : [[field, groupName(row, field)]],
    )
  }

  /** One object a run: what --partial writes. */
  *states(): Generator<JsonObject> {
    this.joinLost(false)
    const keys = new Map<number, number[]>()
    for (let item = 1; item <= this.ledger.size; item++) {
      if (!this.ledger.isNamed(item)) continue
      const run = this.ledger.runOf(item)
      const list = keys.get(run)
      if (list) list.push(...this.ledger.keyOf(item))
      else keys.set(run, [...this.ledger.keyOf(item)])
    }
    for (const run of this.runs) {
      const usual = this.by === undefined && this.named.size === 0 && { usual: true }
      yield { ...run.state(keys.get(run.number) ?? []), ...usual }
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

  /** Fields of --by for which there are no sums. */
  lacking(): string[] {
    return (this.by ?? []).filter(
      (field) => this.runs.length > 0 && !this.runs.some(({ by }) => by.has(field)),
    )
  }

  /** The runs, in the order of the input; at least one. */
  finish(): Run[] {
    this.joinLost(true)
    const runs = this.runs.filter(({ all }) => all.items > 0)
    if (runs.length === 0) runs.push(new Run({}, 0, this.ledger))
    for (const run of runs) run.order(this.by ?? [])
    return runs
  }

  /**
   * Adds items that failed before they had a model to the runs that they may be of and that lack them: those that were not
   * beside them in their shard. @param last then they are no run of their own
   */
  private joinLost(last: boolean): void {
    const named = this.runs.filter((run) => run.named)
    for (const lost of this.runs.filter((run) => !run.named && run.lost.length > 0)) {
      const homes = homesOf(lost.identity, named)
      if (homes.length === 0) continue
      for (const part of lost.lost) {
        for (const home of homes)
          if (!part.homes.includes(runKey(home.identity)))
            for (const item of part.items) this.give(item, home)
        part.homes = homes.map(({ identity }) => runKey(identity))
      }
      if (last) this.runs.splice(this.runs.indexOf(lost), 1)
    }
  }

  private give([high, low, code, groups]: LostItem, home: Run): void {
    const key = Uint32Array.of(high, low)
    const hasKey = high !== 0 || low !== 0
    if (hasKey && home.has(key)) {
      this.twice++
      return
    }
    if (hasKey) home.addKey(key)
    const wanted = this.fields()
    for (const group of home.groupsOf(groups.filter(([field]) => wanted.includes(field))))
      group.addFailed(code, 1)
  }
}
