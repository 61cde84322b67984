/** Sums of battles by cluster and pair of models; those of shards add up in any order. */

import { byKey, count, getOrInsert, grouped } from '../../rows/maps.ts'
import { EXIT, Fatal, type Json, type JsonObject } from '../../rows/record.ts'
import { HashSum, hashesIn, hashesText, hashOf, type ItemHash } from '../../scoring/digests.ts'
import { countIn, countsIn, numberIn, textIn } from '../../scoring/states.ts'

/** Shares are rounded to multiples of this, so that half a million of them add up exactly in any order. */
const GRAIN = 2 ** -34

/** The most equal battles without an item in one state: each becomes a cluster. */
const MOST_LOOSE = 1_000_000

/** Games of two models in a cluster; a's name sorts before b's. */
export interface PairSums {
  cluster: string
  a: string
  b: string
  n: number
  /** a's wins, with ties as halves. */
  share: number
  wins: number
  ties: number
}

/** Games that are resampled together. */
export interface ClusterSums {
  id: string
  /** In the order of the models' names. */
  pairs: readonly PairSums[]
}

/** All games. */
export interface AllBattles {
  /** Sorted. */
  models: readonly string[]
  /** In the order of their ids. */
  clusters: readonly ClusterSums[]
}

/** How many were to be judged, and how many of them failed. */
export interface Tried {
  items: number
  failed: number
}

export class BattleSums {
  /** By cluster and models. */
  private readonly pairs = new Map<string, PairSums>()
  /** How often each battle without an item occurs; each occurrence is a cluster of its own. */
  private readonly loose = new Map<string, number>()
  readonly failed = new Map<string, number>()
  /** Battles of each model, games shown in each order, and all battles. */
  readonly models = new Map<string, Tried>()
  readonly orders = new Map<string, Tried>()
  readonly tried: Tried = { items: 0, failed: 0 }
  /** Tokens by model: their sum, and the number of answers. */
  readonly tokens = new Map<string, [sum: number, n: number]>()
  /** Items by model; kept only if clusters are not items. */
  private readonly itemsOf = new Map<string, Set<string>>()
  /** How often each model is the first of its battle. It decides which of two models in every battle is the baseline. */
  readonly firsts = new Map<string, number>()
  /** --partial: judged items, to detect overlapping shards. */
  private readonly judged = new Set<ItemHash>()
  /** --merge: digests of the merged states. */
  private readonly parts = new Set<string>()
  private firstItem: string | undefined
  private severalItems = false
  /** --merge: how often two models met on an item on which they met in an earlier state, too. */
  repeatedMeetings = 0
  /** The same, in the state that is being merged. */
  private again = 0
  selfBattles = 0
  failedGames = 0
  /** How many votes a strong verdict is; undefined: as the states that are merged say. */
  strong: number | undefined

  constructor(strong?: number) {
    this.strong = strong
  }

  add(cluster: string | undefined, a: string, b: string, share: number, weight: number): void {
    count(this.firsts, a, weight)
    const [x, y, of] = a < b ? [a, b, share] : [b, a, 1 - share]
    const exact = Math.round(of / GRAIN) * GRAIN
    if (cluster === undefined) count(this.loose, JSON.stringify([x, y, exact, weight]), 1)
    else this.addPair({ cluster, a: x, b: y, ...sumsOf(exact, weight) })
  }

  judge(item: string): void {
    this.judged.add(hashOf(item))
  }

  /** Notes an item's id. */
  see(item: string): void {
    this.firstItem ??= item
    this.severalItems ||= item !== this.firstItem
  }

  fail(a: string, b: string, games: number): void {
    this.failedGames += games
    count(this.failed, a, games)
    count(this.failed, b, games)
  }

  /** Counts a battle that was to be judged. */
  tryBattle(models: readonly string[], isFailed: boolean): void {
    for (const model of models) addTried(this.models, model, 1, Number(isFailed))
    addTo(this.tried, 1, Number(isFailed))
  }

  /** Counts a game that was to be judged in this order. */
  tryOrder(order: string, isFailed: boolean): void {
    addTried(this.orders, order, 1, Number(isFailed))
  }

  addTokens(model: string, tokens: number, answers = 1): void {
    const [sum, n] = this.tokens.get(model) ?? [0, 0]
    this.tokens.set(model, [sum + tokens, n + answers])
  }

  addItem(model: string, item: string): void {
    getOrInsert(this.itemsOf, model, () => new Set()).add(item)
  }

  /** The number of a model's items, if clusters are not items. */
  items(model: string): number | undefined {
    return this.itemsOf.get(model)?.size
  }

  /** @returns whether the models had not met in this cluster before */
  private addPair(one: PairSums): boolean {
    const key = JSON.stringify([one.cluster, one.a, one.b])
    const known = this.pairs.get(key)
    if (!known) {
      this.pairs.set(key, one)
      return true
    }
    for (const sum of ['n', 'share', 'wins', 'ties'] as const) known[sum] += one[sum]
    return false
  }

  /** All battles, once all are added. */
  all(): AllBattles {
    const pairs = [...this.pairs.values(), ...this.loosePairs()]
    const models = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))].sort()
    return { models, clusters: clustersOf(pairs) }
  }

  /** Each battle without an item. */
  private *loosePairs(): Generator<PairSums> {
    for (const [key, times] of this.loose) {
      const [a, b, share, n] = JSON.parse(key) as [string, string, number, number]
      for (let k = 0; k < times; k++) yield { cluster: `${a}|${b}|${share}#${k}`, a, b, ...sumsOf(share, n) }
    }
  }

  /**
   * Lines of --partial for {@link merge}, one per cluster and a last one for the rest. The last one has a digest of all lines
   * if there are several items with ids; without ids, two different shards may well have equal lines.
   */
  *states(group: JsonObject): Generator<string> {
    const digest = new HashSum()
    const written = (state: JsonObject) => {
      const text = JSON.stringify(state)
      digest.add(hashOf(text))
      return text
    }
    for (const { id, pairs } of clustersOf([...this.pairs.values()])) {
      const cells = pairs.map(({ a, b, n, share, wins, ties }) => [a, b, n, share, wins, ties])
      yield `${written({ state: 1, ...group, cluster: id, cells })}\n`
    }
    const rest = {
      state: 1,
      ...group,
      loose: sorted(this.loose),
      failed: sorted(this.failed),
      failed_games: this.failedGames,
      tried: {
        models: listsOf(this.models),
        orders: listsOf(this.orders),
        all: [this.tried.items, this.tried.failed],
      },
      firsts: sorted(this.firsts),
      tokens: sorted(this.tokens),
      items: sorted(new Map([...this.itemsOf].map(([model, items]) => [model, [...items].sort()]))),
      self: this.selfBattles,
      ...(this.strong !== 1 && this.strong !== undefined && { strong: this.strong }),
    }
    written(rest)
    const parts = this.parts.size > 0 ? [...this.parts].sort() : this.severalItems ? [digest.value] : []
    const judged = this.judged.size > 0 && { judged: hashesText(this.judged) }
    yield `${JSON.stringify({ ...rest, ...(parts.length > 0 && { parts }), ...judged })}\n`
  }

  /** Whether the state, or one that was merged into it, has been merged before. */
  knows(state: JsonObject): boolean {
    const parts = (state.parts ?? []) as string[]
    const known = parts.some((part) => this.parts.has(part))
    for (const part of parts) this.parts.add(part)
    return known
  }

  /** Adds a line of a state. @returns how many of its judged items an earlier state has */
  merge(state: JsonObject): number {
    this.mergeBattles(state)
    for (const [model, n] of countsIn(state.failed ?? {})) count(this.failed, model, n)
    for (const [model, n] of countsIn(state.firsts ?? {})) count(this.firsts, model, n)
    for (const [model, [sum, n]] of listsIn(state.tokens)) this.addTokens(model, numberIn(sum), countIn(n))
    const items = listsIn(state.items)
    for (const [model, some] of items) for (const item of some) this.addItem(model, textIn(item))
    this.mergeTried((state.tried ?? {}) as JsonObject)
    this.selfBattles += countIn(state.self ?? 0)
    this.failedGames += countIn(state.failed_games ?? 0)
    if (state.loose !== undefined) {
      const strong = countIn(state.strong ?? 1)
      this.strong ??= strong
      if (this.strong !== strong)
        throw new Fatal(EXIT.data, `states of --strong ${this.strong} and ${strong} do not add up`)
      // Not if judged items show the overlap, nor if clusters are not items: shards may share such clusters.
      if (state.judged === undefined && items.length === 0) this.repeatedMeetings += this.again
      this.again = 0
    }
    return typeof state.judged === 'string' ? this.mergeJudged(state.judged) : 0
  }

  /** @returns how many of these items are there already */
  private mergeJudged(text: string): number {
    let known = 0
    for (const hash of hashesIn(text)) {
      if (this.judged.has(hash)) known++
      this.judged.add(hash)
    }
    return known
  }

  private mergeTried({ models, orders, all }: JsonObject): void {
    for (const [model, [items, failed]] of listsIn(models))
      addTried(this.models, model, countIn(items), countIn(failed))
    for (const [order, [items, failed]] of listsIn(orders))
      addTried(this.orders, order, countIn(items), countIn(failed))
    const [items, failed] = (all ?? [0, 0]) as Json[]
    addTo(this.tried, countIn(items), countIn(failed))
  }

  private mergeBattles({ cluster, cells, loose }: JsonObject): void {
    for (const [a, b, n, share, wins, ties] of (cells ?? []) as Json[][]) {
      const isNew = this.addPair({
        cluster: String(cluster),
        a: textIn(a),
        b: textIn(b),
        n: numberIn(n),
        share: numberIn(share),
        wins: numberIn(wins),
        ties: numberIn(ties),
      })
      if (!isNew) this.again++
    }
    for (const [key, n] of countsIn(loose ?? {})) {
      const [a, b, ...sums] = JSON.parse(key)
      for (const name of [a, b]) textIn(name)
      for (const i of [0, 1]) numberIn(sums[i])
      if (!Number.isInteger(n) || n < 0 || n > MOST_LOOSE) throw new RangeError('no count')
      count(this.loose, key, n)
    }
  }
}

const listsIn = (lists: Json | undefined) => Object.entries((lists ?? {}) as Record<string, Json[]>)

function addTo(tried: Tried, items: number, failed: number): void {
  tried.items += items
  tried.failed += failed
}

const addTried = (all: Map<string, Tried>, name: string, items: number, failed: number): void =>
  addTo(
    getOrInsert(all, name, () => ({ items: 0, failed: 0 })),
    items,
    failed,
  )

const listsOf = (all: ReadonlyMap<string, Tried>) =>
  sorted(new Map([...all].map(([name, { items, failed }]) => [name, [items, failed]])))

/** n games with this share. */
const sumsOf = (share: number, n: number): Pick<PairSums, 'n' | 'share' | 'wins' | 'ties'> => ({
  n,
  share: share * n,
  wins: share > 0.5 ? n : 0,
  ties: share === 0.5 ? n : 0,
})

const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Sums of floats depend on the order, which must not be that of the rows. */
const clustersOf = (pairs: readonly PairSums[]): ClusterSums[] =>
  byKey(grouped(pairs, ({ cluster }) => cluster)).map(([id, some]) => ({
    id,
    pairs: some.sort((x, y) => compareTexts(x.a, y.a) || compareTexts(x.b, y.b)),
  }))

const sorted = <T>(map: ReadonlyMap<string, T>): Record<string, T> => Object.fromEntries(byKey(map))
