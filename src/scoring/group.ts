/** Sums over some items: counts, failures, costs, and the sums of each kind of judge. */
import { byKey, count } from '../rows/maps.ts'
import type { Cascade, JsonObject, Kind } from '../rows/record.ts'
import { Sum } from '../statistics/sum.ts'
import type { ItemResult } from './item_result.ts'
import { KIND } from './kinds.ts'
import { ByName, merge, type Sums, sumsState } from './sums.ts'
import { isAmount } from './trial_result.ts'
import type { Warning } from './warnings.ts'

/** An item as it counts. */
export type CountedItem = Pick<ItemResult, 'result' | 'failure' | 'kind' | 'trials' | 'calls'> &
  Partial<Pick<ItemResult, 'models' | 'cascade' | 'cluster' | 'criteria'>>

/**
 * Figures of every report that are sums over the items: the word, and what an item adds. One over items is made of its result
 * and trials, one over calls of its `calls`, each of which is there once.
 */
const FIGURES: Record<string, (item: CountedItem) => readonly number[]> = {
  cost: ({ calls }) => calls.map(({ cost = 0 }) => cost),
  unweighted: ({ trials }) => trials.map(({ verdict }) => (verdict?.unweighted ? 1 : 0)),
}

/** The words of these figures, in the order in which they are shown. */
export const FIGURE_WORDS: readonly string[] = Object.keys(FIGURES)

/** What an item adds to each figure; nothing to those that are not here. */
export type FigureAmounts = Readonly<Record<string, readonly number[]>>

export function figureAmounts(item: CountedItem): FigureAmounts {
  const amounts = FIGURE_WORDS.map((word) => [word, FIGURES[word]!(item).filter((one) => one !== 0)] as const)
  const some = amounts.filter(([, numbers]) => numbers.length > 0)
  return some.length === 0 ? NO_AMOUNTS : Object.fromEntries(some)
}

/** Of many items: one object. */
const NO_AMOUNTS: FigureAmounts = {}

const figureSums = () => Object.fromEntries(FIGURE_WORDS.map((word) => [word, new Sum()]))

const totalsIn = (sums: Readonly<Record<string, Sum>>): Record<string, number> =>
  Object.fromEntries(
    FIGURE_WORDS.map((word) => [word, sums[word]!.value] as const).filter(([, value]) => value > 0),
  )

/** The figures of some items; without those that are 0. */
export function figureTotals(items: Iterable<FigureAmounts>): Record<string, number> {
  const sums = figureSums()
  for (const amounts of items)
    for (const word in amounts) for (const number of amounts[word]!) sums[word]!.add(number)
  return totalsIn(sums)
}

/** The usual names of usage, in the order in which they are printed; others follow by name. */
const USAGE = ['prompt_tokens', 'completion_tokens', 'total_tokens']

export class Group {
  private readonly sums = {
    items: 0,
    valid: 0,
    /** --compat: replies that the original's rule could not read, but gave a value. */
    unread: 0,
    failures: new Map<string, number>(),
    /** Failed items by the orders in which they have verdicts. */
    unused: new Map<string, number>(),
    usage: new Map<string, number>(),
    figures: figureSums(),
    /** Of a cascade: items by why they were asked again; by place and model, those that it was asked about, and dollars. */
    why: new Map<string, number>(),
    asked: new Map<string, number>(),
    spent: new Map<string, number>(),
    tallies: new ByName<Sums>((kind) => KIND[kind as Kind].sums()),
  }
  /** --common: items that are valid here, but not in all runs. */
  leftOut = 0

  get items(): number {
    return this.sums.items
  }

  get valid(): number {
    return this.sums.valid
  }

  get failed(): number {
    return this.items - this.valid - this.leftOut
  }

  /** Of the figures that are sums over the items. */
  get totals(): Record<string, number> {
    return totalsIn(this.sums.figures)
  }

  get failures(): ReadonlyMap<string, number> {
    return this.sums.failures
  }

  /** How many failed items have verdicts in one order alone, by that order. */
  get unusedOrders(): ReadonlyMap<string, number> {
    return this.sums.unused
  }

  /** The kinds of judges that its items have. */
  get kinds(): Kind[] {
    return byKey(this.sums.tallies).map(([kind]) => kind as Kind)
  }

  add(item: CountedItem): void {
    const { sums } = this
    sums.items++
    this.addCosts(item)
    if (!item.result) {
      count(sums.failures, item.failure!.code, 1)
      const orders = new Set(item.trials.flatMap(({ trial, verdict }) => (verdict && trial.order) || []))
      if (orders.size === 1) count(sums.unused, [...orders][0]!, 1)
      return
    }
    sums.valid++
    KIND[item.kind].add(sums.tallies.of(item.kind), item.result, item)
  }

  private addCosts(item: CountedItem): void {
    const { sums } = this
    for (const { verdict } of item.trials) if (verdict?.failure !== undefined) sums.unread++
    for (const { usage } of item.calls)
      for (const name in usage) {
        const tokens = usage[name]
        if (isAmount(tokens) && tokens !== 0) count(sums.usage, name, tokens)
      }
    if (item.cascade) this.addCascade(item, item.cascade)
    for (const word in FIGURES) for (const number of FIGURES[word]!(item)) sums.figures[word]!.add(number)
  }

  private addCascade({ calls }: CountedItem, { name, stage, why }: Cascade): void {
    const { sums } = this
    if (why !== undefined) count(sums.why, why, 1)
    for (const [i, model] of name.split(' > ').entries()) {
      const key = `${i + 1} ${model}`
      count(sums.asked, key, stage > i ? 1 : 0)
      for (const call of calls) if (call.model === model && call.cost) count(sums.spent, key, call.cost)
    }
  }

  /** How many items each model was asked about, and what that cost. */
  private cascadeReport(): JsonObject {
    const { items, why, asked, spent } = this.sums
    const stages = byKey(asked).map(([key, items]) => ({
      model: key.slice(key.indexOf(' ') + 1),
      items,
      ...(spent.has(key) && { cost: spent.get(key)! }),
    }))
    const escalated = stages[1]?.items ?? 0
    return { escalated, share: escalated / items, why: Object.fromEntries(byKey(why)), stages }
  }

  /** Adds items that failed, and cost nothing. */
  addFailed(code: string, items: number): void {
    this.sums.items += items
    count(this.sums.failures, code, items)
  }

  /** Leaves out an item that is valid here, but not in all runs; its costs count. */
  leaveOut(item: CountedItem): void {
    this.sums.items++
    this.leftOut++
    this.addCosts(item)
  }

  /** What has to be known before the figures of its kinds are believed. */
  warnings(): Warning[] {
    return this.kinds.flatMap((kind) => KIND[kind].warnings?.(this.sums.tallies.of(kind)) ?? [])
  }

  state(): JsonObject {
    return sumsState(this.sums)
  }

  merge(state: unknown): void {
    merge(this.sums, state as JsonObject)
  }

  /** The counts of every report, then the figures of each kind. */
  report(settings: { ci: number }): JsonObject {
    const { sums } = this
    const report: JsonObject = {
      items: sums.items,
      valid: sums.valid,
      failed: this.failed,
      failures: Object.fromEntries(byKey(sums.failures)),
    }
    if (this.leftOut > 0) report.left_out = this.leftOut
    if (sums.unread > 0) report.unread = sums.unread
    for (const kind of this.kinds) Object.assign(report, KIND[kind].report(sums.tallies.of(kind), settings))
    if (sums.asked.size > 0) report.cascade = this.cascadeReport()
    if (sums.usage.size > 0) report.usage = inOrder(sums.usage)
    return Object.assign(report, this.totals)
  }
}

function inOrder(usage: ReadonlyMap<string, number>): Record<string, number> {
  const usual = USAGE.filter((name) => usage.has(name)).map((name) => [name, usage.get(name)!] as const)
  return Object.fromEntries([...usual, ...byKey(usage).filter(([name]) => !USAGE.includes(name))])
}
