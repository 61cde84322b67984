/** Calls and refusals in some time. */

/** A window with fewer calls shows nothing unless most of them are refused. */
export const FEW = 20
/** ms over which refusals are counted where there are so many calls in them, and the longest where there are few. */
const LENGTHS: readonly [ms: number, calls: number][] = [
  [500, 100],
  [1000, FEW],
  [10_000, 0],
]
/** The shortest of them. */
export const SHORTEST_MS = LENGTHS[0]![0]
/** Refusals that end a window at once: where they are most of its calls, and where they are all of them for so many ms. */
const MANY = 8
const ALL = 4
const ALL_MS = 300

export class RefusalWindow {
  /** ms on a monotonic clock. */
  readonly since: number
  sent = 0
  refused = 0

  constructor(since: number) {
    this.since = since
  }

  /** This one and the one before it together: one that has just begun says nothing of what is granted. */
  after(previous: RefusalWindow): RefusalWindow {
    const both = new RefusalWindow(previous.sent > 0 ? previous.since : this.since)
    both.sent = previous.sent + this.sent
    both.refused = previous.refused + this.refused
    return both
  }

  get share(): number {
    return this.refused / Math.max(1, this.sent)
  }

  get mostRefused(): boolean {
    return 2 * this.refused > this.sent
  }

  perSecond(now: number): number {
    return (this.sent * 1000) / Math.max(1, now - this.since)
  }

  isDue(now: number): boolean {
    return LENGTHS.some(([ms, calls]) => now - this.since >= ms && this.sent >= calls)
  }

  /** Whether so much is refused that it need not be due. */
  isClear(now: number): boolean {
    const { since, sent, refused } = this
    return (
      (refused >= MANY && this.mostRefused) || (refused >= ALL && refused === sent && now - since >= ALL_MS)
    )
  }
}
