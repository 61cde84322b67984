/**
 * Items of two trials, whose rows stand close to each other: two games of a pair. Where two rows like them were scored
 * before, their result is known as soon as the second is there, and neither is gathered.
 */

import { owned } from '../rows/bytes.ts'
import type { Row } from '../rows/row.ts'
import type { SharedJb } from '../rows/shared_jb.ts'

/** Items that may wait for their second row, and that may be gathered elsewhere: with more, rows are in another order. */
const WAITING = 256
const ELSEWHERE = 4096

export class Pairs {
  /** The row before, where it waits: mostly the next one is of the same item. */
  private last: Row | undefined
  /** First rows before that, by the item's text. */
  private readonly first = new Map<string, Row>()
  /** All rows are gathered elsewhere from now on. */
  private off = false
  /** Items of which rows are gathered elsewhere: the others go there too. */
  private readonly elsewhere = new Set<string>()
  /** @param gathered items of which rows are gathered already */
  constructor(gathered: Iterable<{ row: Row }>) {
    for (const { row } of gathered) this.elsewhere.add(row.itemBytes!)
  }

  /**
   * Takes a row.
   * @returns the row that was there before where these are two of one item; `waits` where this is the first; undefined
   *   where it is to be gathered. A first row that waited is handed over before, to `gather`.
   */
  take(row: Row, gather: (row: Row) => void): Row | 'waits' | undefined {
    if (this.off) return undefined
    const { last } = this
    const line = row.unchanged
    const sharedJb = line?.sharedJb
    const half = sharedJb !== undefined && isHalf(row, sharedJb)
    if (half && last && last.unchanged!.isSameItem(line!)) {
      this.last = undefined
      return last
    }
    if (half && !last && this.first.size === 0 && this.elsewhere.size === 0 && line!.hasItemHash) {
      this.last = row
      return 'waits'
    }
    const item = row.itemBytes
    if (item === undefined) return undefined
    if (last) {
      this.last = undefined
      this.first.set(last.itemBytes!, last)
    }
    const earlier = this.first.get(item)
    if (earlier) this.first.delete(item)
    // A backslash: the same item may be written in another way.
    if (half && !this.elsewhere.has(item) && !item.includes('\\')) {
      if (earlier) return earlier
      this.last = row
      if (this.first.size >= WAITING) this.end(gather)
      return 'waits'
    }
    this.elsewhere.add(owned(item))
    if (earlier) gather(earlier)
    if (this.elsewhere.size > ELSEWHERE) this.end(gather)
    return undefined
  }

  /** The batch ends: rows that wait can be read after it. */
  keep(): void {
    for (const row of this.first.values()) row.keep()
    this.last?.keep()
  }

  /** The two rows were gathered, and are no whole item. */
  apart(row: Row): void {
    this.elsewhere.add(owned(row.itemBytes!))
  }

  /** Hands over the rows that still wait, and takes no more. */
  end(gather: (row: Row) => void): void {
    this.off = true
    for (const row of this.first.values()) gather(row)
    if (this.last) gather(this.last)
    this.last = undefined
    this.first.clear()
    this.elsewhere.clear()
  }
}

/** Whether rows with this `jb` are one of two trials: found out once. */
function isHalf(row: Row, sharedJb: SharedJb): boolean {
  sharedJb.isHalf ??= !row.has('result') && !row.has('error') && row.get('trial')?.of === 2
  return sharedJb.isHalf
}
