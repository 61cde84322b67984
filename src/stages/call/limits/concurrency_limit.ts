/**
 * Finds out whether an endpoint serves only so many calls at once: it then refuses calls that are sent while that many
 * are under way, and no others. Where that is so, no more are under way than it serves; from time to time one more is
 * tried.
 */

/** Refusals that make a case, and calls that were served with nearly as many under way. */
const REFUSED = 12
const SERVED = 24
/** Calls that speak against it, before it is dropped. */
const AGAINST = 4
/** Calls after which one more is tried. */
const TRY_CALLS = 150

export class ConcurrencyLimit {
  /** Calls that may be under way at once. */
  most = Number.POSITIVE_INFINITY
  /** Fewest other calls under way when one was refused. */
  private fewest = Number.POSITIVE_INFINITY
  private refusals = 0
  private near = 0
  private against = 0
  /** Calls that were served with more under way than when others were refused. */
  private beyond = 0
  private unchanged = 0

  /**
   * A call was refused that was sent while so many others were under way.
   * @returns whether it was one more than the endpoint is known to serve
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

  /** One was not refused. */
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
