/**
 * Detects a limit on concurrent calls: the endpoint refuses calls that are sent while that many are in flight, and no
 * others. Calls are then kept below the limit, and from time to time one more is tried.
 */

/** Evidence needed: refusals, and calls served with nearly as many in flight. */
const REFUSED = 12
const SERVED = 24
/** Calls that contradict a limit before it is dropped. */
const AGAINST = 4
/** Calls before one more is tried. */
const TRY_CALLS = 150

export class ConcurrencyLimit {
  /** The most calls in flight. */
  most = Number.POSITIVE_INFINITY
  /** The fewest other calls in flight when one was refused. */
  private fewest = Number.POSITIVE_INFINITY
  private refusals = 0
  private near = 0
  private against = 0
  /** Calls that were served with more in flight than when others were refused. */
  private beyond = 0
  private unchanged = 0

  /**
   * Counts a refusal.
   * @param others calls in flight when it was sent
   * @returns whether the known limit explains it
   */
  refused(others: number): boolean {
    if (others === 0) {
      this.doubt()
      return false
    }
    if (this.most < Number.POSITIVE_INFINITY) {
      if (others < this.fewest) this.doubt()
      else if (others < this.most) this.change(others)
      return others >= this.fewest
    }
    if (others < this.fewest) {
      this.fewest = others
      this.near = 0
    }
    this.refusals++
    return false
  }

  /** Counts a call that was served. */
  served(others: number): void {
    if (others >= this.fewest) this.beyond++
    if (others > Math.min(this.most, this.fewest) + 1) this.doubt()
    else if (this.most < Number.POSITIVE_INFINITY) {
      if (++this.unchanged >= TRY_CALLS) this.change(this.most + 1)
    } else if (this.refusals > 0 && others >= this.fewest - 2) {
      this.near++
      if (this.near >= SERVED && this.refusals >= REFUSED && this.refusals > this.beyond)
        this.change(this.fewest)
    }
  }

  private change(most: number): void {
    this.most = Math.max(1, most)
    this.unchanged = 0
  }

  private doubt(): void {
    if (++this.against <= AGAINST) return
    this.most = this.fewest = Number.POSITIVE_INFINITY
    this.refusals = this.near = this.against = this.beyond = 0
  }
}
