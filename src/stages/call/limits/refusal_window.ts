/** Calls and refusals in a window of time. */

/** With fewer calls a window is no evidence, unless most of them are refused. */
export const FEW = 20
/** The length of a window in ms, by the calls in it. */
const LENGTHS: readonly [ms: number, calls: number][] = [
  [500, 100],
  [1000, FEW],
  [10_000, 0],
]
export const SHORTEST_MS = LENGTHS[0]![0]
/** Refusals that end a window early: more than half of its calls, or all of them for ALL_MS. */
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

  /** Both windows as one, because one that has just begun has too few calls. */
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

  /** Whether the refusals are enough to end the window early. */
  isClear(now: number): boolean {
    const { since, sent, refused } = this
    return (
      (refused >= MANY && this.mostRefused) || (refused >= ALL && refused === sent && now - since >= ALL_MS)
    )
  }
}
