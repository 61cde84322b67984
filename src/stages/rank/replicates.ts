/** Bootstrap of Bradley–Terry: ratings of resampled battles. */
import { addSeededWeights, seededWeights, seedKeys } from '../../statistics/bootstrap.ts'
import { type Fit, reachable, refitting } from '../../statistics/bradley_terry.ts'
import { type BattleTable, groupedIndexes } from './cells.ts'
import type { RankSettings } from './standing.ts'

/** Rounds that are drawn in one pass, which bounds memory. */
const BLOCK = 16

/**
 * Ratings of each replicate that has a solution.
 *
 * Cells with the same pair, games and share are one kind, and a round counts how often it takes each kind. These counts are
 * integers, which do not depend on the order of the clusters.
 */
export function replicatesOf(
  table: BattleTable,
  fit: Fit,
  { bootstrap: rounds, seed, ridge }: RankSettings,
): Float64Array[] {
  const { games } = table
  const kinds = kindsOf(table)
  const draw = drawing(table, kinds, seed)
  const drawn = { ...games, n: new Float64Array(games.a.length), wins: new Float64Array(games.a.length) }
  const connected = reachable(games)
  const refit = refitting(fit, ridge)
  const ratings: Float64Array[] = []
  for (let first = 0; first < rounds; first += BLOCK) {
    const counts = draw(first)
    for (let round = 0; round < Math.min(BLOCK, rounds - first); round++) {
      addUp(kinds, counts, round, drawn)
      if (ridge === 0 && !connected(drawn)) continue
      const found = refit(drawn)
      if (found) ratings.push(found)
    }
  }
  return ratings
}

/** A function that draws the rounds of a block, the first given: how often each takes each kind. */
function drawing(table: BattleTable, kinds: Kinds, seed: string): (first: number) => Int32Array {
  const { clusters, keys } = drawnClusters(table, kinds, seed)
  const { starts } = table.cells
  const counts = new Int32Array(kinds.pair.length * BLOCK)
  const weights = new Int32Array(BLOCK)
  return (first) => {
    counts.fill(0)
    for (let c = 0; c < clusters.length; c++) {
      const [k1, k2] = [keys[2 * c]!, keys[2 * c + 1]!]
      const [from, to] = [starts[clusters[c]!]!, starts[clusters[c]! + 1]!]
      if (to === from + 1) addSeededWeights(k1, k2, first, counts, kinds.of[from]! * BLOCK, BLOCK)
      else {
        seededWeights(k1, k2, first, weights)
        for (let i = from; i < to; i++) if (kinds.of[i]! >= 0) addRounds(counts, kinds.of[i]!, weights)
      }
    }
    return counts
  }
}

function addRounds(counts: Int32Array, kind: number, weights: Int32Array): void {
  for (let round = 0; round < BLOCK; round++) counts[kind * BLOCK + round]! += weights[round]!
}

/** Kinds of cells; those of a pair are adjacent. */
interface Kinds {
  /** Each cell's kind; -1 for cells of other models. */
  of: Int32Array
  pair: Int32Array
  n: Float64Array
  share: Float64Array
}

function kindsOf({ cells: { n, share }, pair, games }: BattleTable): Kinds {
  const byShare = (x: number, y: number) => n[x]! - n[y]! || share[x]! - share[y]!
  const of = new Int32Array(pair.length).fill(-1)
  const first: number[] = []
  const { order, starts } = groupedIndexes(pair, games.a.length)
  for (let p = 0; p < games.a.length; p++) {
    const cells = order.subarray(starts[p]!, starts[p + 1]!).sort(byShare)
    for (let i = 0; i < cells.length; i++) {
      if (i === 0 || byShare(cells[i - 1]!, cells[i]!) !== 0) first.push(cells[i]!)
      of[cells[i]!] = first.length - 1
    }
  }
  return {
    of,
    pair: Int32Array.from(first, (cell) => pair[cell]!),
    n: Float64Array.from(first, (cell) => n[cell]!),
    share: Float64Array.from(first, (cell) => share[cell]!),
  }
}

/** Games and wins of each pair in a round. */
function addUp(
  { pair, n, share }: Kinds,
  counts: Int32Array,
  round: number,
  drawn: { n: Float64Array; wins: Float64Array },
): void {
  drawn.n.fill(0)
  drawn.wins.fill(0)
  for (let kind = 0, at = round; kind < pair.length; kind++, at += BLOCK) {
    drawn.n[pair[kind]!]! += counts[at]! * n[kind]!
    drawn.wins[pair[kind]!]! += counts[at]! * share[kind]!
  }
}

/** Clusters with cells of the table, and their keys. Those of one kind are adjacent, so that its counts stay in the cache. */
function drawnClusters({ cells: { clusters, starts } }: BattleTable, kinds: Kinds, seed: string) {
  const first = (c: number) => {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) if (kinds.of[i]! >= 0) return kinds.of[i]!
    return -1
  }
  const kindOf = Int32Array.from({ length: clusters.length }, (_, c) => first(c))
  const { order: drawn } = groupedIndexes(kindOf, kinds.pair.length)
  const keys = new Int32Array(2 * drawn.length)
  for (let i = 0; i < drawn.length; i++) {
    const [k1, k2] = seedKeys(seed, clusters[drawn[i]!]!)
    keys[2 * i] = k1
    keys[2 * i + 1] = k2
  }
  return { clusters: drawn, keys }
}
