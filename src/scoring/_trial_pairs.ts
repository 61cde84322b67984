/**
 * Finds the rows of items with two trials (the two games of a pair) that are close to each other in the input. If two rows
 * like them were scored before, their result is known and the scorer is not needed.
 */

import { owned } from '../rows/bytes.ts'
import type { Row } from '../rows/row.ts'
import type { SharedJb } from '../rows/shared_jb.ts'

/** The most items that wait for their second row, and that are left to the scorer: with more, the rows of items are not close. */
const WAITING = 256
const LEFT_TO_SCORER = 4096
/** No limit, for rows that were set aside. */
const ALL = Number.POSITIVE_INFINITY

export class TrialPairs {
  /** The previous row, if it waits: mostly the next one is of the same item. */
  private last: Row | undefined
  /** Earlier first rows, by the item's text. */
  private readonly first = new Map<string, Row>()
  /** Those of the current batch. */
  private arrived: Row[] = []
  /** Rows of items are not close: all are left to the scorer from now on. */
  off = false
  /** Items that are left to the scorer with all their rows. */
  private readonly leftToScorer = new Set<string>()
  private readonly mayWait: number
  private readonly mayBeLeft: number

  /**
   * @param waiting incomplete items of the scorer
   * @param all whether any number of items may wait
   */
  constructor(waiting: Iterable<{ row: Row }>, all = false) {
    for (const { row } of waiting) this.leftToScorer.add(row.itemBytes!)
    this.mayWait = all ? ALL : WAITING
    this.mayBeLeft = all ? ALL : LEFT_TO_SCORER
  }

  /**
   * @returns the item's first row if this is the second; `waits` if this is the first; undefined if the scorer must take it
   *   (after `gather` was called with a first row that waited)
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
    // With a backslash, the same item may be written in several ways.
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

  /** To be called after each batch: makes waiting rows readable after it. */
  keep(): void {
    for (const row of this.arrived) row.keep()
    this.arrived = []
    this.last?.keep()
  }

  /** Notes that two rows of an item were scored, but did not complete it. */
  leaveToScorer(row: Row): void {
    this.leftToScorer.add(owned(row.itemBytes!))
  }

  /** Passes the waiting rows to `gather`, and takes no more. */
  end(gather: (row: Row) => void): void {
    this.off = true
    for (const row of this.first.values()) gather(row)
    if (this.last) gather(this.last)
    this.last = undefined
    this.first.clear()
    this.leftToScorer.clear()
  }
}

/** Whether rows with this `jb` are one of two trials. */
function isHalf(row: Row, sharedJb: SharedJb): boolean {
  sharedJb.isHalf ??= !row.has('result') && !row.has('error') && row.get('trial')?.of === 2
  return sharedJb.isHalf
}
