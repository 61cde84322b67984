/** `--sample N`: draws items by their ids, and keeps the order of the input. */
import { UnseenFields } from '../../options/nearest.ts'
import { itemId } from '../../rows/item_id.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import { seededBytes } from '../../rows/seed.ts'
import type { Context } from '../../rows/stage.ts'
import type { RenderOptions } from './options.ts'

interface Candidate {
  row: Row
  /** Its index in the input. */
  place: number
  /** A hash of its id: the rows with the lowest are drawn. */
  hash: bigint
}

/**
 * Yields `options.sample` of the rows, the same ones in any order of the input; with `--by FIELD` each of its values in
 * proportion to its count (largest remainders). Holds at most some 2N rows of each value. Rows without an id are kept:
 * they fail when they are rendered.
 */
export async function* sampled(rows: Rows, options: RenderOptions, { note }: Pick<Context, 'note'>): Rows {
  const size = options.sample!
  const groups = new Map<string, Group>()
  const without: Candidate[] = []
  const unseen = new UnseenFields({ by: options.by })
  let place = 0
  for await (const batch of rows)
    for (const row of batch) {
      unseen.see(row)
      let id: string
      try {
        id = itemId(row, options.id)
      } catch {
        without.push({ row: row, place: place++, hash: 0n })
        continue
      }
      const key = options.by === undefined ? '' : (row.fieldText(options.by) ?? '')
      const group = getOrInsert(groups, key, () => new Group(size))
      group.offer(row, place++, seededBytes(`sample:${options.seed}:${id}`).readBigUInt64BE())
    }
  unseen.tell(note)
  const chosen = shares(new Map([...groups].map(([key, { count }]) => [key, count])), size)
  const drawn = [...groups].flatMap(([key, group]) => group.lowest(chosen.get(key)!))
  const all = [...drawn, ...without].sort((a, b) => a.place - b.place)
  if (all.length > 0) yield all.map(({ row }) => row)
}

/** The rows of one group with the lowest hashes so far. */
class Group {
  count = 0
  private kept: Candidate[] = []
  /** Rows with this hash or a higher one are not among the lowest. */
  private bound: bigint | undefined
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  offer(row: Row, place: number, hash: bigint): void {
    this.count++
    if (this.bound !== undefined && hash >= this.bound) return
    this.kept.push({ row: row, place, hash })
    if (this.kept.length >= 2 * this.size + 64) {
      this.kept = this.lowest(this.size)
      this.bound = this.kept.at(-1)?.hash
    }
  }

  lowest(count: number): Candidate[] {
    const inOrder = (a: Candidate, b: Candidate) =>
      a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.place - b.place
    return this.kept.sort(inOrder).slice(0, count)
  }
}

/** Whole numbers that add up to `size`, in proportion to the counts, by largest remainders (Hamilton's method). */
export function shares(counts: ReadonlyMap<string, number>, size: number): Map<string, number> {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (size >= total) return new Map(counts)
  const exact = [...counts].map(([key, count]) => ({ key, exact: (size * count) / total }))
  const whole = new Map(exact.map(({ key, exact }) => [key, Math.floor(exact)]))
  let left = size - [...whole.values()].reduce((sum, count) => sum + count, 0)
  const byRemainder = exact.toSorted((a, b) => (b.exact % 1) - (a.exact % 1) || (a.key < b.key ? -1 : 1))
  for (const { key } of byRemainder) if (left-- > 0) whole.set(key, whole.get(key)! + 1)
  return whole
}
