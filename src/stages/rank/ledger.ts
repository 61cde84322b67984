/** Sums of battles by cluster and pair of models. They add up, in any order and of any shards. */
import type { JsonObject } from '../../rows/record.ts'
import { count } from '../../statistics/count.ts'

/** A cluster's games between two models: how many, a's wins with ties as halves, and of these how many were which. */
export interface Entry {
  cluster: string
  a: string
  b: string
  n: number
  share: number
  wins: number
  ties: number
}

/** Shares are multiples of this, so that half a million of them add up exactly in any order. */
const GRAIN = 2 ** -34

export class Ledger {
  private readonly entries = new Map<string, Entry>()
  /** Battles without an item, by what they say: identical ones are told apart when all are in. */
  private readonly loose = new Map<string, number>()
  readonly failed = new Map<string, number>()
  /** Tokens of answers: sum and number, by model. */
  readonly tokens = new Map<string, [sum: number, n: number]>()
  /** Items by model, where clusters are not items. */
  private readonly itemsOf = new Map<string, Set<string>>()
  /** How often each model stood first: of two that are in every battle, that one is the baseline. */
  readonly firsts = new Map<string, number>()
  selfBattles = 0
  failedGames = 0

  add(cluster: string | undefined, a: string, b: string, share: number, weight: number): void {
    count(this.firsts, a, weight)
    const [x, y, of] = a < b ? [a, b, share] : [b, a, 1 - share]
    const exact = Math.round(of / GRAIN) * GRAIN
    if (cluster === undefined) count(this.loose, JSON.stringify([x, y, exact, weight]), 1)
    else this.put(cluster, x, y, weight, exact * weight, exact === 1 ? weight : 0, exact === 0.5 ? weight : 0)
  }

  private put(
    cluster: string,
    a: string,
    b: string,
    n: number,
    share: number,
    wins: number,
    ties: number,
  ): void {
    const key = `${cluster}\0${a}\0${b}`
    const of = this.entries.get(key)
    if (!of) {
      this.entries.set(key, { cluster, a, b, n, share, wins, ties })
      return
    }
    of.n += n
    of.share += share
    of.wins += wins
    of.ties += ties
  }

  fail(a: string, b: string, games: number): void {
    this.failedGames += games
    count(this.failed, a, games)
    count(this.failed, b, games)
  }

  addTokens(model: string, tokens: number): void {
    const of = this.tokens.get(model) ?? [0, 0]
    this.tokens.set(model, [of[0] + tokens, of[1] + 1])
  }

  addItem(model: string, item: string): void {
    let of = this.itemsOf.get(model)
    if (!of) this.itemsOf.set(model, (of = new Set()))
    of.add(item)
  }

  /** How many items a model was seen on, where clusters are not items. */
  items(model: string): number | undefined {
    return this.itemsOf.get(model)?.size
  }

  /** All entries by cluster, pairs in the order of their names; battles without an item are clusters of their own. */
  finish(): Entry[] {
    const all = [...this.entries.values()]
    for (const [key, times] of this.loose) {
      const [a, b, share, n] = JSON.parse(key) as [string, string, number, number]
      for (let k = 0; k < times; k++)
        all.push({
          cluster: `${a}|${b}|${share}#${k}`,
          a,
          b,
          n,
          share: share * n,
          wins: share === 1 ? n : 0,
          ties: share === 0.5 ? n : 0,
        })
    }
    const before = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0)
    return all.sort((x, y) => before(x.cluster, y.cluster) || before(x.a, y.a) || before(x.b, y.b))
  }

  /** What --partial writes, a row a cluster: {@link merge} takes them. */
  *states(group: JsonObject): Generator<JsonObject> {
    const byCluster = new Map<string, Entry[]>()
    for (const entry of this.entries.values()) {
      const of = byCluster.get(entry.cluster)
      if (of) of.push(entry)
      else byCluster.set(entry.cluster, [entry])
    }
    for (const [cluster, of] of byCluster)
      yield {
        state: 1,
        ...group,
        cluster,
        cells: of.map(({ a, b, n, share, wins, ties }) => [a, b, n, share, wins, ties]),
      }
    yield {
      state: 1,
      ...group,
      loose: Object.fromEntries(this.loose),
      failed: Object.fromEntries(this.failed),
      failed_games: this.failedGames,
      firsts: Object.fromEntries(this.firsts),
      tokens: Object.fromEntries(this.tokens),
      items: Object.fromEntries([...this.itemsOf].map(([model, items]) => [model, [...items]])),
      self: this.selfBattles,
    }
  }

  merge(state: JsonObject): void {
    for (const [a, b, n, share, wins, ties] of (state.cells ?? []) as [
      string,
      string,
      number,
      number,
      number,
      number,
    ][])
      this.put(String(state.cluster), a, b, n, share, wins, ties)
    for (const [key, n] of Object.entries((state.loose ?? {}) as Record<string, number>))
      count(this.loose, key, n)
    for (const [model, n] of Object.entries((state.failed ?? {}) as Record<string, number>))
      count(this.failed, model, n)
    for (const [model, n] of Object.entries((state.firsts ?? {}) as Record<string, number>))
      count(this.firsts, model, n)
    for (const [model, [sum, n]] of Object.entries(
      (state.tokens ?? {}) as Record<string, [number, number]>,
    )) {
      const of = this.tokens.get(model) ?? [0, 0]
      this.tokens.set(model, [of[0] + sum, of[1] + n])
    }
    for (const [model, items] of Object.entries((state.items ?? {}) as Record<string, string[]>))
      for (const item of items) this.addItem(model, item)
    this.selfBattles += Number(state.self ?? 0)
    this.failedGames += Number(state.failed_games ?? 0)
  }
}
