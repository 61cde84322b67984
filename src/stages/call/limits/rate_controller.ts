/**
 * Finds out how much an endpoint bears, from what it refuses.
 *
 * Width: calls under way at once. A refusal takes it down by a fifth, once for all calls that were under way
 * together; as many good answers as it is wide take it up by one.
 *
 * Rate: where a second brings clearly more refusals than usual, the endpoint may have a rate limit, and it
 * lies near what was accepted: calls are paced just below that. Does it help, the pace stays, and is raised a
 * little with every second that brings no more than the usual, faster when many do. Does it not, the endpoint
 * refuses whatever is done: that is the usual from then on, and nobody is held back for it.
 */

/** ms over which refusals are counted, and calls that must be among them. */
const EPOCH_MS = 1000
const EPOCH_CALLS = 20
const EPOCH_LONGEST_MS = 10_000
/** Share of refusals above the usual that is too much, at least, and in standard deviations. */
const TOLERANCE = 0.03
const DEVIATIONS = 2.5
/** Paces that are tried before refusals count as the endpoint's way. */
const TRIES = 3
const CUT = 0.8
const BELOW = 0.98
/** Growth of the pace with a clean epoch, which grows itself by half a time from some of them on. */
const GROWTH = 0.02
const PATIENCE = 4
/** Growth as long as the pace is well below what one second has borne. */
const QUICK = 0.15
const WELL_BELOW = 0.9
/** Calls a second below which no endpoint is held back. */
const SLOWEST = 0.05
/** No endpoint is taken to refuse more than this as a habit. */
const MOST_USUAL = 0.5
/** How fast the usual follows what is seen, up and down. */
const UP = 0.05
const DOWN = 0.3
/** Answers that tell whether a refusal is one of many. */
const RECENT = 8

export class Tempo {
  private readonly widest: number
  private readonly paced: (rate: number) => void
  /** Calls that may be under way. */
  width: number
  /** Calls a second; infinite where nothing holds them back. */
  rate = Number.POSITIVE_INFINITY
  /** Share of calls that is refused whatever is done. */
  usual = 0
  private lastCut = Number.NEGATIVE_INFINITY
  private recent: boolean[] = []
  private since: number | undefined
  private accepted = 0
  private refused = 0
  private clean = 0
  /** A pace is being tried, because of this share; so many so far, and what they all saw. */
  private trying: { share: number; times: number; refused: number; total: number } | undefined
  /** Accepted in the second that is passing, which is the so-manyth of the epoch; and in the best one. */
  private second = 0
  private inSecond = 0
  private best = 0
  private bestBefore = 0
  /** What the best second bore when the pace was last cut. */
  private bearable = 0
  /** Calls begun before this, at another pace, tell nothing about this one. */
  private from = 0

  /** @param paced is told of every change of the rate */
  constructor(widest: number, paced: (rate: number) => void) {
    this.widest = widest
    this.width = widest
    this.paced = paced
  }

  /** Whether refusals come so thick that they mean everybody. */
  get crowded(): boolean {
    return this.recentShare >= 0.5
  }

  /** A call began at `started` and was answered at `now` (ms), with `underWay` calls under way beside it. */
  saw(refused: boolean, started: number, now: number, underWay: number): void {
    this.recent.push(refused)
    if (this.recent.length > RECENT) this.recent.shift()
    if (!refused) this.width = Math.min(this.widest, this.width + 1 / this.width)
    else if (started >= this.lastCut && this.recentShare > 3 * this.usual) {
      this.width = Math.max(1, Math.min(this.width, underWay + 1) * CUT)
      this.lastCut = now
    }
    if (started < this.from) return
    this.since ??= started
    if (refused) this.refused++
    else this.count(now)
    const elapsed = now - this.since
    const enough = this.accepted + this.refused >= EPOCH_CALLS || elapsed >= EPOCH_LONGEST_MS
    if (elapsed < EPOCH_MS || !enough) return
    this.judge(elapsed / 1000, now)
    this.begin(now)
  }

  private begin(since: number): void {
    this.since = since
    this.bestBefore = this.best
    this.accepted = 0
    this.refused = 0
    this.second = 0
    this.inSecond = 0
    this.best = 0
  }

  private count(now: number): void {
    this.accepted++
    const second = Math.floor((now - this.since!) / 1000)
    if (second !== this.second) this.inSecond = 0
    this.second = second
    this.best = Math.max(this.best, ++this.inSecond)
  }

  private get recentShare(): number {
    return this.recent.filter(Boolean).length / Math.max(1, this.recent.length)
  }

  /** Looks back on an epoch of so many seconds. */
  private judge(seconds: number, now: number): void {
    const total = this.accepted + this.refused
    const share = this.refused / total
    const { usual, trying } = this
    if (trying) {
      trying.refused += this.refused
      trying.total += total
      // It helps where most of what was above the usual is gone.
      if (share < (trying.share + usual) / 2) this.trying = undefined
      else if (trying.times < TRIES) this.cut({ ...trying, times: trying.times + 1 }, seconds, now)
      else {
        this.usual = Math.min(MOST_USUAL, trying.refused / trying.total)
        this.trying = undefined
        this.change(Number.POSITIVE_INFINITY)
      }
      return
    }
    const chance = DEVIATIONS * Math.sqrt((usual * (1 - usual)) / total)
    if (share > usual + Math.max(TOLERANCE, chance))
      this.cut({ share, times: 1, refused: this.refused, total }, seconds, now)
    else {
      this.usual += (share - usual) * (share > usual ? UP : DOWN)
      if (this.rate < Number.POSITIVE_INFINITY) this.grow()
    }
  }

  /**
   * What was accepted, pauses and all, is what the endpoint bears at least; what the best second brought is
   * what it may bear, and where the pace soon returns to.
   */
  private cut(trying: Tempo['trying'], seconds: number, now: number): void {
    this.trying = trying
    this.clean = 0
    this.from = now
    this.bearable = Math.max(this.best, this.bestBefore)
    const pace = (this.accepted / seconds / (1 - this.usual)) * BELOW
    this.change(Math.max(SLOWEST, pace, this.rate === Number.POSITIVE_INFINITY ? 0 : this.rate / 2))
  }

  private grow(): void {
    this.clean++
    const careful = GROWTH * 1.5 ** Math.max(0, this.clean - PATIENCE)
    const quick = this.rate < WELL_BELOW * this.bearable
    const faster = this.rate * (1 + (quick ? QUICK : careful))
    // A pace far above what is asked for holds nobody back.
    const idle = faster > 4 * Math.max(1, this.best, this.bestBefore)
    this.change(idle ? Number.POSITIVE_INFINITY : faster)
  }

  private change(rate: number): void {
    this.rate = rate
    this.paced(rate)
  }
}
