/**
 * Items of two trials, whose rows stand close to each other: two games of a pair. Where two rows like them were scored
 * before, their result is known as soon as the second is there, and neither goes to the scorer.
 */

import { owned } from '../rows/bytes.ts'
import type { Row } from '../rows/row.ts'
import type { SharedJb } from '../rows/shared_jb.ts'

/** Items that may wait for their second row, and that may be left to the scorer: with more, rows of an item do not stand together. */
const WAITING = 256
const LEFT_TO_SCORER = 4096
/** Rows of so many items are read together where they were set aside. */
const ALL = Number.POSITIVE_INFINITY

export class TrialPairs {
  /** The row before, where it waits: mostly the next one is of the same item. */
  private last: Row | undefined
  /** First rows before that, by the item's text. */
  private readonly first = new Map<string, Row>()
  /** Those of them that were read with the last batch. */
  private arrived: Row[] = []
  /** Rows of an item do not stand together: all are left to the scorer from now on. */
  off = false
  /** Items of which rows are left to the scorer: their other rows are too. */
  private readonly leftToScorer = new Set<string>()
  private readonly mayWait: number
  private readonly mayBeLeft: number

  /**
   * @param waiting items of which the scorer has rows
   * @param all any number of items may wait
   */
  constructor(waiting: Iterable<{ row: Row }>, all = false) {
    for (const { row } of waiting) this.leftToScorer.add(row.itemBytes!)
    this.mayWait = all ? ALL : WAITING
    this.mayBeLeft = all ? ALL : LEFT_TO_SCORER
  }

  /**
   * Takes a row.
   * @returns the row that was there before where these are two of one item; `waits` where this is the first; undefined
   *   where the scorer takes it. A first row that waited is handed over before, to `gather`.
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
    if (half && !last && this.first.size === 0 && this.leftToScorer.size === 0 && line!.hasItemHash) {
      this.last = row
      return 'waits'
    }
    const item = row.itemBytes
    if (item === undefined) return undefined
    if (last) {
      this.last = undefined
      this.first.set(last.itemBytes!, last)
      this.arrived.push(last)
    }
    const earlier = this.first.get(item)
    if (earlier) this.first.delete(item)
    // A backslash: the same item may be written in another way.
    if (half && !this.leftToScorer.has(item) && !item.includes('\\')) {
      if (earlier) return earlier
      this.last = row
      if (this.first.size >= this.mayWait) this.end(gather)
      return 'waits'
    }
    this.leftToScorer.add(owned(item))
    if (earlier) gather(earlier)
    if (this.leftToScorer.size > this.mayBeLeft) this.end(gather)
    return undefined
  }

  /** The batch ends: rows that wait can be read after it. */
  keep(): void {
    for (const row of this.arrived) row.keep()
    this.arrived = []
    this.last?.keep()
  }

  /** The two rows went to the scorer, and are no complete item. */
  apart(row: Row): void {
    this.leftToScorer.add(owned(row.itemBytes!))
  }

  /** Hands over the rows that still wait, and takes no more. */
  end(gather: (row: Row) => void): void {
    this.off = true
    for (const row of this.first.values()) gather(row)
    if (this.last) gather(this.last)
    this.last = undefined
    this.first.clear()
    this.leftToScorer.clear()
  }
}

/** Whether rows with this `jb` are one of two trials: found out once. */
function isHalf(row: Row, sharedJb: SharedJb): boolean {
  sharedJb.isHalf ??= !row.has('result') && !row.has('error') && row.get('trial')?.of === 2
  return sharedJb.isHalf
}
