/** Sums over some items: counts, failures, costs, and the sums of each kind of judge. They can be merged. */

import { byKey, count } from '../rows/maps.ts'
import type { JsonObject, Kind, Result, TrialResult } from '../rows/record.ts'
import { LARGEST } from '../rows/shapes.ts'
import { Sum } from '../statistics/sum.ts'
import type { Scoring, Tally } from './_scoring.ts'
import { countIn, countsIn } from './_states.ts'

export type Modules = ReadonlyMap<string, Scoring>

/** The result of an item, or its failure. */
export interface CountedItem {
  trials: TrialResult[]
  /** The trials that were not paid for before; undefined for all. */
  unpaid?: TrialResult[]
  result: Result | undefined
  /** The code of its failure. */
  error: string | undefined
  kind: Kind
}

export class Group {
  items = 0
  valid = 0
  readonly failures = new Map<string, number>()
  /** --common: items that are valid here, but not in all runs. */
  leftOut = 0
  trials = 0
  /** --compat: replies that the original's rule could not read, but gave a value. */
  unread = 0
  readonly usage = new Map<string, number>()
  readonly cost = new Sum()
  readonly tallies = new Map<Kind, Tally>()
  private readonly modules: Modules

  constructor(modules: Modules) {
    this.modules = modules
  }

  /** @param times the number of items with this result */
  add({ trials, unpaid = trials, result, error, kind }: CountedItem, times = 1): void {
    this.items += times
    this.addCost(unpaid, times)
    if (!result) {
      count(this.failures, error ?? 'no_verdict', times)
      return
    }
    this.valid += times
    const tally = this.tally(kind)
    if (tally.addTimes) tally.addTimes(result, trials, times)
    else for (let i = 0; i < times; i++) tally.add(result, trials)
  }

  /** Adds the costs of trials, including calls that were retried. */
  addCost(trials: readonly TrialResult[], times = 1): void {
    for (const { usage, cost, verdict, calls } of trials) {
      if (calls) this.addCost(calls as TrialResult[], times)
      this.trials += times
      if (verdict?.failure !== undefined) this.unread += times
      if (cost !== undefined) this.cost.add(cost, times)
      for (const key in usage) {
        const value = usage[key]
        if (typeof value === 'number' && Math.abs(value) <= LARGEST) count(this.usage, key, value * times)
      }
    }
  }

  /** Adds items that are missing in the input. */
  addMissing(items: number): void {
    this.items += items
    count(this.failures, 'missing', items)
  }

  /** Leaves out an item that is valid here, but not in all runs; its costs count. */
  leaveOut({ trials, unpaid = trials }: CountedItem): void {
    this.items++
    this.leftOut++
    this.addCost(unpaid)
  }

  /** Takes back an item that failed: it was tried again. */
  removeFailure(code: string): void {
    const failures = this.failures.get(code) ?? 0
    if (failures === 0) return
    this.items--
    if (failures === 1) this.failures.delete(code)
    else this.failures.set(code, failures - 1)
  }

  private tally(kind: Kind): Tally {
    let tally = this.tallies.get(kind)
    if (tally) return tally
    tally = this.modules.get(kind)!.tally()
    const all = byKey([...this.tallies, [kind, tally] as const])
    this.tallies.clear()
    for (const [name, one] of all) this.tallies.set(name, one)
    return tally
  }

  state(): JsonObject {
    const { items, valid, trials, unread } = this
    const tallies = Object.fromEntries([...this.tallies].map(([kind, tally]) => [kind, tally.state()]))
    return {
      items,
      valid,
      trials,
      unread,
      cost: this.cost.state(),
      failures: Object.fromEntries(byKey(this.failures)),
      usage: Object.fromEntries(this.usage),
      tallies,
    }
  }

  merge(state: JsonObject): void {
    for (const key of ['items', 'valid', 'trials', 'unread'] as const) this[key] += countIn(state[key])
    this.cost.merge(state.cost as number[])
    for (const [code, n] of countsIn(state.failures)) count(this.failures, code, n)
    for (const [key, n] of countsIn(state.usage)) count(this.usage, key, n)
    for (const [kind, sums] of Object.entries(state.tallies as Record<string, JsonObject>))
      this.tally(kind as Kind).merge(sums)
  }

  get failed(): number {
    return this.items - this.valid - this.leftOut
  }

  /** The counts of every report, then the figures of each kind. */
  report(settings: { ci: number }): JsonObject {
    const report: JsonObject = {
      items: this.items,
      valid: this.valid,
      failed: this.failed,
      failures: Object.fromEntries(byKey(this.failures)),
    }
    if (this.leftOut > 0) report.left_out = this.leftOut
    if (this.unread > 0) report.unread = this.unread
    for (const tally of this.tallies.values()) Object.assign(report, tally.report(settings))
    if (this.usage.size > 0) report.usage = Object.fromEntries(this.usage)
    if (this.cost.value > 0) report.cost = this.cost.value
    return report
  }
}
