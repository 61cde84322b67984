/** Sums over the results of a judge and model, whole and by the values of fields. All of it can be merged. */
import type { JsonObject, Kind, Result, TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { count } from '../statistics/count.ts'
import { Sum } from '../statistics/sum.ts'
import { kindOf, type Scoring, type Tally } from './_scoring.ts'

export type Modules = ReadonlyMap<string, Scoring>

/** Items, failures, money and the kind's own sums. */
export class Group {
  items = 0
  valid = 0
  readonly failures = new Map<string, number>()
  trials = 0
  /** Replies an original's rule could not read and gave a value all the same (--compat). */
  unread = 0
  readonly usage = new Map<string, number>()
  readonly cost = new Sum()
  readonly tallies = new Map<Kind, Tally>()
  private readonly modules: Modules

  constructor(modules: Modules) {
    this.modules = modules
  }

  add({ trials, result, error, kind }: Entry): void {
    this.items++
    for (const { usage, cost, verdict } of trials) {
      this.trials++
      if (verdict?.failure !== undefined) this.unread++
      if (cost !== undefined) this.cost.add(cost)
      for (const key in usage) {
        const value = usage[key]
        if (typeof value === 'number') count(this.usage, key, value)
      }
    }
    if (!result) {
      count(this.failures, error ?? 'no_verdict', 1)
      return
    }
    this.valid++
    this.tally(kind).add(result, trials)
  }

  private tally(kind: Kind): Tally {
    let tally = this.tallies.get(kind)
    if (!tally) this.tallies.set(kind, (tally = this.modules.get(kind)!.tally()))
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
      failures: Object.fromEntries(this.failures),
      usage: Object.fromEntries(this.usage),
      tallies,
    }
  }

  merge(state: JsonObject): void {
    for (const key of ['items', 'valid', 'trials', 'unread'] as const) this[key] += Number(state[key])
    this.cost.merge(state.cost as number[])
    for (const [code, n] of Object.entries(state.failures as Record<string, number>))
      count(this.failures, code, n)
    for (const [key, n] of Object.entries(state.usage as Record<string, number>)) count(this.usage, key, n)
    for (const [kind, sums] of Object.entries(state.tallies as Record<string, JsonObject>))
      this.tally(kind as Kind).merge(sums)
  }

  get failed(): number {
    return this.items - this.valid
  }

  /** The counts every report has, then what the kinds say. */
  report(settings: { ci: number }): JsonObject {
    const report: JsonObject = {
      items: this.items,
      valid: this.valid,
      failed: this.failed,
      failures: Object.fromEntries(this.failures),
    }
    if (this.unread > 0) report.unread = this.unread
    for (const tally of this.tallies.values()) Object.assign(report, tally.report(settings))
    if (this.usage.size > 0) report.usage = Object.fromEntries(this.usage)
    if (this.cost.value > 0) report.cost = this.cost.value
    return report
  }
}

/** What an item came to, and where it counts. */
export interface Entry {
  trials: TrialResult[]
  result: Result | undefined
  /** Code of its failure. */
  error: string | undefined
  kind: Kind
  groups: Group[]
}

/** What one judge with one model said. */
export interface Run {
  judge?: string
  name?: string
  model?: string
  all: Group
  /** By field, by its value. */
  by: Map<string, Map<string, Group>>
}

/** Fields by which a report is broken down where no --by says otherwise: the first that is there. */
const BY_DEFAULT = ['source', 'category', 'subset', 'task']

export class Report {
  private readonly runs = new Map<string, Run>()
  private readonly modules: Modules
  /** Of --by; undefined where nothing was said. */
  private readonly given: readonly string[] | undefined
  /** Place of the best of the usual fields that a row had so far: the report does not depend on which row came first. */
  private best = BY_DEFAULT.length
  private last: Run | undefined

  constructor(modules: Modules, by: string[]) {
    this.modules = modules
    this.given = by.includes('none') ? [] : by.length > 0 ? by : undefined
  }

  /** Takes a row of jb-score, or one that failed; what it comes to can be added again. */
  add(row: Row): Entry {
    const trials = row.get('trials') ?? []
    const result = row.get('result')
    const first = trials[0]?.verdict
    const run = this.run({
      judge: row.get('judge'),
      name: row.get('name'),
      model: result?.model ?? trials.find(({ model }) => model)?.model,
    })
    const entry: Entry = {
      trials,
      result,
      error: row.get('error')?.code,
      kind: (result?.kind ?? (first && kindOf(first)) ?? 'grade') as Kind,
      groups: [run.all],
    }
    for (const field of this.given ?? this.usual((field) => row.field(field) !== undefined)) {
      const value = row.field(field)
      if (value === undefined) continue
      entry.groups.push(this.group(run, field, typeof value === 'string' ? value : JSON.stringify(value)))
    }
    this.again(entry)
    return entry
  }

  again(entry: Entry): void {
    for (const group of entry.groups) group.add(entry)
  }

  /** Fields that decide which groups a row belongs to. */
  get reads(): readonly string[] {
    return this.given ?? BY_DEFAULT.slice(0, this.best + 1)
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

  private run(identity: Pick<Run, 'judge' | 'name' | 'model'>): Run {
    const { last } = this
    if (last && last.judge === identity.judge && last.name === identity.name && last.model === identity.model)
      return last
    const key = JSON.stringify([identity.judge, identity.name, identity.model])
    let run = this.runs.get(key)
    if (!run) this.runs.set(key, (run = { ...identity, all: new Group(this.modules), by: new Map() }))
    this.last = run
    return run
  }

  private group(run: Run, field: string, value: string): Group {
    let groups = run.by.get(field)
    if (!groups) run.by.set(field, (groups = new Map()))
    let group = groups.get(value)
    if (!group) groups.set(value, (group = new Group(this.modules)))
    return group
  }

  /** One object a run: what --partial writes. */
  *states(): Generator<JsonObject> {
    for (const { judge, name, model, all, by } of this.runs.values()) {
      const groups: Record<string, JsonObject> = {}
      for (const [field, values] of by)
        groups[field] = Object.fromEntries([...values].map(([value, group]) => [value, group.state()]))
      yield {
        state: 1,
        ...(judge !== undefined && { judge }),
        ...(name !== undefined && { name }),
        ...(model !== undefined && { model }),
        all: all.state(),
        by: groups,
        ...(this.given === undefined && { usual: true }),
      }
    }
  }

  merge(state: JsonObject): void {
    const run = this.run({
      judge: state.judge as string,
      name: state.name as string,
      model: state.model as string,
    })
    run.all.merge(state.all as JsonObject)
    const by = state.by as Record<string, Record<string, JsonObject>>
    const wanted = this.given ?? (state.usual ? this.usual((field) => field in by) : Object.keys(by))
    for (const [field, values] of Object.entries(by)) {
      if (!wanted.includes(field)) continue
      for (const [value, sums] of Object.entries(values)) this.group(run, field, value).merge(sums)
    }
  }

  /** Fields asked for by which there is no sum. */
  lacking(): string[] {
    const runs = [...this.runs.values()]
    if (runs.length === 0) return []
    return (this.given ?? []).filter((field) => !runs.some(({ by }) => by.has(field)))
  }

  /** The runs, in the order in which they came; items that failed before they had a model belong to the only one there is. */
  finish(): Run[] {
    const runs = [...this.runs.values()]
    const homeless = runs.filter((run) => run.model === undefined && run.all.valid === 0)
    for (const lost of homeless) {
      const homes = runs.filter(
        (run) =>
          run !== lost &&
          !homeless.includes(run) &&
          (lost.judge === undefined || (run.judge === lost.judge && run.name === lost.name)),
      )
      if (homes.length !== 1) continue
      const [home] = homes as [Run]
      home.all.merge(lost.all.state())
      for (const [field, values] of lost.by)
        for (const [value, group] of values) this.group(home, field, value).merge(group.state())
      runs.splice(runs.indexOf(lost), 1)
    }
    if (runs.length === 0) runs.push({ all: new Group(this.modules), by: new Map() })
    return runs
  }
}
