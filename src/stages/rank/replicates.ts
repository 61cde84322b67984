/** Bootstrap of Bradley–Terry: the ratings of many draws of the same battles. */
import { addSeededWeights, seededWeights, seedKeys } from '../../statistics/bootstrap.ts'
import { type Fit, reachable, refit } from '../../statistics/bradley_terry.ts'
import type { Settings } from './standing.ts'
import type { Table } from './table.ts'

/** Rounds whose counts are kept at once. */
const BLOCK = 32

/**
 * Ratings of each replicate that has a solution.
 *
 * Cells of the same pair, games and share are of one kind; a round is how often it takes each kind. These are whole
 * numbers: they don't depend on the order in which clusters are drawn.
 */
export function replicatesOf(table: Table, fit: Fit, { rounds, seed, ridge }: Settings): Float64Array[] {
  const { games } = table
  const kinds = kindsOf(table)
  const { clusters, keys } = drawnClusters(table, kinds, seed)
  const { starts } = table.cells
  const counts = new Int32Array(kinds.pair.length * BLOCK)
  const weights = new Int32Array(BLOCK)
  const pairs = games.a.length
  const [n, wins] = [new Float64Array(pairs * BLOCK), new Float64Array(pairs * BLOCK)]
  const connected = reachable(games)
  const ratings: Float64Array[] = []
  for (let first = 0; first < rounds; first += BLOCK) {
    counts.fill(0)
    for (let c = 0; c < clusters.length; c++) {
      const [k1, k2, from, to] = [
        keys[2 * c]!,
        keys[2 * c + 1]!,
        starts[clusters[c]!]!,
        starts[clusters[c]! + 1]!,
      ]
      if (to === from + 1) addSeededWeights(k1, k2, first, counts, kinds.of[from]! * BLOCK, BLOCK)
      else {
        seededWeights(k1, k2, first, weights)
        for (let i = from; i < to; i++) {
          const at = kinds.of[i]! * BLOCK
          if (at >= 0) for (let round = 0; round < BLOCK; round++) counts[at + round]! += weights[round]!
        }
      }
    }
    addUp(kinds, counts, n, wins)
    for (let round = 0; round < Math.min(BLOCK, rounds - first); round++) {
      const [from, to] = [round * pairs, (round + 1) * pairs]
      const drawn = { ...games, n: n.subarray(from, to), wins: wins.subarray(from, to) }
      if (ridge === 0 && !connected(drawn)) continue
      const found = refit(drawn, fit, ridge)
      if (found) ratings.push(found)
    }
  }
  return ratings
}

/** Kinds of cells, those of a pair side by side. */
interface Kinds {
  /** Each cell's kind; -1 for cells of other models. */
  of: Int32Array
  pair: Int32Array
  n: Float64Array
  share: Float64Array
}

function kindsOf({ cells: { n, share }, pair, games }: Table): Kinds {
  const apart = (x: number, y: number) => n[x]! - n[y]! || share[x]! - share[y]!
  const of = new Int32Array(pair.length).fill(-1)
  const first: number[] = []
  const ofPair: number[][] = Array.from(games.a, () => [])
  for (let cell = 0; cell < pair.length; cell++) if (pair[cell]! >= 0) ofPair[pair[cell]!]!.push(cell)
  for (const cells of ofPair)
    for (const [i, cell] of cells.sort(apart).entries()) {
      if (i === 0 || apart(cells[i - 1]!, cell) !== 0) first.push(cell)
      of[cell] = first.length - 1
    }
  return {
    of,
    pair: Int32Array.from(first, (cell) => pair[cell]!),
    n: Float64Array.from(first, (cell) => n[cell]!),
    share: Float64Array.from(first, (cell) => share[cell]!),
  }
}

/** Games and wins of each pair, a round after the other. */
function addUp({ pair, n, share }: Kinds, counts: Int32Array, games: Float64Array, wins: Float64Array): void {
  games.fill(0)
  wins.fill(0)
  const pairs = games.length / BLOCK
  for (let kind = 0; kind < pair.length; kind++) {
    const [more, won] = [n[kind]!, share[kind]!]
    let at = pair[kind]!
    for (let i = kind * BLOCK; i < (kind + 1) * BLOCK; i++) {
      games[at]! += counts[i]! * more
      wins[at]! += counts[i]! * won
      at += pairs
    }
  }
}

/** Clusters with cells of the table, those of the same kind after each other (its counts stay in the processor's cache), and their keys. */
function drawnClusters({ cells: { clusters, starts } }: Table, kinds: Kinds, seed: string) {
  const first = (c: number) => {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) if (kinds.of[i]! >= 0) return kinds.of[i]!
    return -1
  }
  // Sorted by counting: each kind's place is after those of the kinds before it.
  const places = new Int32Array(kinds.pair.length + 1)
  for (let c = 0; c < clusters.length; c++) places[first(c) + 1]!++
  places[0] = 0
  for (let kind = 0; kind < kinds.pair.length; kind++) places[kind + 1]! += places[kind]!
  const drawn = new Int32Array(places.at(-1)!)
  for (let c = 0; c < clusters.length; c++) {
    const kind = first(c)
    if (kind >= 0) drawn[places[kind]!++] = c
  }
  const keys = new Int32Array(2 * drawn.length)
  for (let i = 0; i < drawn.length; i++) {
    const [k1, k2] = seedKeys(seed, clusters[drawn[i]!]!)
    keys[2 * i] = k1
    keys[2 * i + 1] = k2
  }
  return { clusters: drawn, keys }
}
