/** Battles of some of the models, for Bradley–Terry. */
import type { Games } from '../../statistics/bradley_terry.ts'
import type { PairCells } from './cells.ts'

/** The battles of some models: the sums of each pair, and the pair of each cell. */
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
