/** Sums of games by cluster and pair of models, in typed arrays: a hundred thousand battles take a few megabytes. */
import { OwnedTexts } from '../../rows/bytes.ts'
import type { Games } from '../../statistics/bradley_terry.ts'

/** All games, in the order of the clusters' names, then of the models'. */
export interface PairCells {
  /** Sorted; `a` and `b` are indexes in it, a's name before b's. */
  models: readonly string[]
  /** Sorted. */
  clusters: readonly string[]
  /** Index of each cluster's first cell, and last the number of cells. */
  starts: Int32Array
  a: Int32Array
  b: Int32Array
  /** Games; a's wins with ties as halves; wins; ties. */
  n: Int32Array
  share: Float64Array
  wins: Int32Array
  ties: Int32Array
}

/** The names sorted, and the index of each in that order by its number. */
function inOrder(all: OwnedTexts): { names: string[]; places: Int32Array } {
  const names = [...all.texts].sort()
  const places = new Int32Array(names.length)
  for (const [place, name] of names.entries()) places[all.number(name)] = place
  return { names, places }
}

/** Cells per chunk, a power of two. The table grows by chunks, so that nothing is copied. */
const [BITS, CHUNK] = [13, 2 ** 13]
/** Members of a cell in a chunk's `counts`: its cluster, a, b, n, wins and ties. */
const COUNTS = 6

interface Chunk {
  counts: Int32Array
  share: Float64Array
}

/** A growing hash table of cells. */
export class CellTable {
  private readonly clusters = new OwnedTexts()
  private readonly models = new OwnedTexts()
  private size = 0
  private readonly chunks: Chunk[] = []
  /** Numbers of cells + 1, 0 for a free slot: open addressing with linear probing, at most half full. */
  private slots = new Int32Array(2 * 1024)

  /** Adds games between a and b, where a's name sorts before b's. @returns whether the cell is new */
  add(cluster: string, a: string, b: string, n: number, share: number, wins: number, ties: number): boolean {
    const before = this.size
    const cell = this.find(this.clusters.number(cluster), this.models.number(a), this.models.number(b))
    const { counts, share: shares } = this.chunks[cell >> BITS]!
    const i = cell & (CHUNK - 1)
    counts[COUNTS * i + 3]! += n
    counts[COUNTS * i + 4]! += wins
    counts[COUNTS * i + 5]! += ties
    shares[i]! += share
    return this.size > before
  }

  private find(cluster: number, a: number, b: number): number {
    if (2 * this.size === this.slots.length) this.grow()
    const { slots, size } = this
    let slot = slotOf(cluster, a, b, slots)
    for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      const cell = slots[slot]! - 1
      const { counts } = this.chunks[cell >> BITS]!
      const at = COUNTS * (cell & (CHUNK - 1))
      if (counts[at] === cluster && counts[at + 1] === a && counts[at + 2] === b) return cell
    }
    if (size === CHUNK * this.chunks.length)
      this.chunks.push({ counts: new Int32Array(COUNTS * CHUNK), share: new Float64Array(CHUNK) })
    this.chunks[size >> BITS]!.counts.set([cluster, a, b], COUNTS * (size & (CHUNK - 1)))
    slots[slot] = ++this.size
    return size
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length)
    for (let cell = 0; cell < this.size; cell++) {
      const [cluster, a, b] = [this.of(cell, 0), this.of(cell, 1), this.of(cell, 2)]
      let slot = slotOf(cluster, a, b, this.slots)
      while (this.slots[slot] !== 0) slot = (slot + 1) & (this.slots.length - 1)
      this.slots[slot] = cell + 1
    }
  }

  private of(cell: number, which: number): number {
    return this.chunks[cell >> BITS]!.counts[COUNTS * (cell & (CHUNK - 1)) + which]!
  }

  /** All cells, in an order that does not depend on that of the additions. */
  cells(): PairCells {
    const { size } = this
    const { names: clusters, places: clusterPlaces } = inOrder(this.clusters)
    const { names: models, places } = inOrder(this.models)
    const clusterOf = new Int32Array(size)
    for (let cell = 0; cell < size; cell++) clusterOf[cell] = clusterPlaces[this.of(cell, 0)]!
    const { order, starts } = groupedIndexes(clusterOf, clusters.length)
    const byModels = (x: number, y: number) =>
      places[this.of(x, 1)]! - places[this.of(y, 1)]! || places[this.of(x, 2)]! - places[this.of(y, 2)]!
    for (let c = 0; c < clusters.length; c++)
      if (starts[c + 1]! > starts[c]! + 1) order.subarray(starts[c]!, starts[c + 1]!).sort(byModels)
    const column = (which: number, names?: Int32Array) => {
      const values = new Int32Array(size)
      for (let i = 0; i < size; i++) {
        const value = this.of(order[i]!, which)
        values[i] = names ? names[value]! : value
      }
      return values
    }
    const share = new Float64Array(size)
    for (let i = 0; i < size; i++) share[i] = this.chunks[order[i]! >> BITS]!.share[order[i]! & (CHUNK - 1)]!
    const [a, b, n, wins, ties] = [column(1, places), column(2, places), column(3), column(4), column(5)]
    return { models, clusters, starts, a, b, n, share, wins, ties }
  }
}

/** Indexes sorted by their group, a number below `groups` (-1 is left out), and the start of each group. */
export function groupedIndexes(
  groupOf: Int32Array,
  groups: number,
): { order: Int32Array; starts: Int32Array } {
  const starts = new Int32Array(groups + 1)
  for (const group of groupOf) if (group >= 0) starts[group + 1]!++
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!
  const order = new Int32Array(starts[groups]!)
  const next = starts.slice()
  for (let i = 0; i < groupOf.length; i++) if (groupOf[i]! >= 0) order[next[groupOf[i]!]!++] = i
  return { order, starts }
}

/** The slot where the search for a cell begins: murmur3's finaliser. */
function slotOf(cluster: number, a: number, b: number, { length }: Int32Array): number {
  let x = Math.imul(cluster, 0x9e3779b1) ^ Math.imul(a, 0x85ebca6b) ^ Math.imul(b, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  return (x ^ (x >>> 13)) & (length - 1)
}

/** The battles of some models, for Bradley–Terry: the sums of each pair, and the pair of each cell. */
export interface BattleTable {
  cells: PairCells
  games: Games
  /** Index in `games` of each cell's pair; -1 for other models. */
  pair: Int32Array
}

/** @param rated indexes of the models; in the table they are 0, 1, … in this order */
export function tableOf(cells: PairCells, rated: readonly number[]): BattleTable {
  const place = new Int32Array(cells.models.length).fill(-1)
  for (const [i, model] of rated.entries()) place[model] = i
  const pairs = new Map<number, number>()
  const [as, bs, n, wins]: [number[], number[], number[], number[]] = [[], [], [], []]
  const pair = new Int32Array(cells.a.length).fill(-1)
  for (let i = 0; i < pair.length; i++) {
    const [x, y] = [place[cells.a[i]!]!, place[cells.b[i]!]!]
    if (x < 0 || y < 0) continue
    const key = x * rated.length + y
    let at = pairs.get(key)
    if (at === undefined) {
      pairs.set(key, (at = as.push(x) - 1))
      bs.push(y)
      n.push(0)
      wins.push(0)
    }
    pair[i] = at
    n[at]! += cells.n[i]!
    wins[at]! += cells.share[i]!
  }
  const games: Games = {
    models: rated.length,
    a: Int32Array.from(as),
    b: Int32Array.from(bs),
    n: Float64Array.from(n),
    wins: Float64Array.from(wins),
  }
  return { cells, games, pair }
}
