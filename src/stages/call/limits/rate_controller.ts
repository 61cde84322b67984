/**
 * Finds the rate that an endpoint grants, from what it refuses.
 *
 * Refusals are counted by windows of about a second. Where they are more than the usual, there may be a rate limit:
 * calls are then paced a little below what was granted. If that removes the refusals, it was a limit, which the rate
 * follows (rate_curve.ts). If not, the endpoint refuses at random: that is the usual from then on, and no call waits.
 *
 * Two refusals mark moments at which the endpoint had nothing left to grant. What was granted between them, over the
 * time between them, is its rate, whatever burst it allows. Where everything is refused (the calls of a fixed window are
 * used up), single calls find out when that ends; the rate is then what was granted from one such end to the next.
 */
import { RateCurve } from './rate_curve.ts'
import { FEW, RefusalWindow, SHORTEST_MS } from './refusal_window.ts'
import { UsualRefusals } from './usual_refusals.ts'

/** Cuts after which refusals that go on count as the usual. */
const TRIES = 3
/** Grants between two refusals that make a good estimate, and the seconds after which fewer have to do. */
const ENOUGH_GRANTS = 20
const ENOUGH_S = 60
/** Seconds between single calls where everything is refused: doubled each time, up to the longest. */
const PROBE_S = 1
const PROBE_LONGEST_S = 8
/** What was granted while the rate grew counts where it is so many times the mean: before, some of the limit was not used. */
const FAR = 1.3
/** A rate of which less is used says nothing of the limit. */
const USED = 0.7
/** Calls a second below which no endpoint is held back. */
const SLOWEST = 0.02

/** A moment, and what had been granted by then. */
interface Mark {
  at: number
  granted: number
}

export class RateController {
  /** Calls a second; infinite where nothing holds them back. */
  rate = Number.POSITIVE_INFINITY
  /** What is refused whatever the rate. */
  readonly usual = new UsualRefusals()
  private readonly changed: (rate: number) => void
  private readonly slowed: () => void
  private window: RefusalWindow | undefined
  private previous = new RefusalWindow(0)
  private readonly curve: RateCurve
  private granted = 0
  /** Calls so far, and the last of them that was refused. */
  private count = 0
  private lastRefused = 0
  /** When the endpoint last had nothing left to grant. */
  private exhausted: Mark | undefined
  /** When it began to grant calls: the first one, or the first after all were refused. */
  private opened: Mark | undefined
  /** When the rate grew past the limit. */
  private outgrown: Mark | undefined
  /** A lower rate is being tried because of this share of refusals. */
  private trying: { share: number; times: number; refused: number; sent: number; before: number } | undefined
  /** Everything is refused since then: single calls, so many seconds apart, find out when that ends. */
  private closed: { since: number; seconds: number; refusedAt: number; probedAt: number } | undefined

  /**
   * @param changed is called with every new rate
   * @param slowed is called where refusals slow calls down
   * @param peers processes that share the endpoint's limit and are told when one is slowed down
   */
  constructor(changed: (rate: number) => void, slowed = () => {}, peers = () => 1) {
    this.changed = changed
    this.slowed = slowed
    this.curve = new RateCurve(peers)
  }

  /** Whether most calls are refused just now. */
  get crowded(): boolean {
    const { previous, window } = this
    return 2 * (previous.refused + (window?.refused ?? 0)) > previous.sent + (window?.sent ?? 0)
  }

  /** A call is sent at `now` (ms on a monotonic clock). @returns its number */
  sent(now: number): number {
    this.window ??= new RefusalWindow(now)
    this.opened ??= { at: now, granted: 0 }
    const n = ++this.count
    if (this.closed) this.probe(now)
    else if (this.window.isDue(now)) this.judge(now)
    this.window.sent++
    this.granted++
    if (this.closed || this.curve.limit === Number.POSITIVE_INFINITY) return n
    this.usual.granted()
    this.change(this.curve.sent(this.rate, now))
    if (this.curve.grown) this.outgrown ??= this.mark(now)
    return n
  }

  /** A call sent at `started` was answered at `now`. */
  served(started: number, now: number): void {
    this.usual.answered(false, now)
    if (this.closed && started > this.closed.since) this.open(now)
  }

  /** Call `n`, sent at `started`, was refused at `now`. */
  refused(n: number, started: number, now: number): void {
    this.granted--
    this.curve.refused()
    this.usual.answered(true, now)
    const { window, exhausted } = this
    if (exhausted && started < exhausted.at) exhausted.granted--
    if (!window) return
    this.lastRefused = Math.max(this.lastRefused, n)
    if (started < window.since) {
      // Another rate is to blame.
      this.previous.refused++
      return
    }
    window.refused++
    if (this.closed) this.stillClosed(started)
    else if (started >= (this.curve.near ?? 0) && this.isPast(now)) this.passed(window, now)
    else if (window.isDue(now) || window.isClear(now)) this.judge(now)
  }

  /** Another process that shares the endpoint's limit was slowed down: what this one was granted just now is its part. */
  exhaustedElsewhere(now: number): void {
    const latest = this.window?.after(this.previous)
    if (!latest?.sent || this.closed || (this.exhausted && now - this.exhausted.at < SHORTEST_MS)) return
    if (this.rate === Number.POSITIVE_INFINITY) this.lower(latest, now)
    else {
      this.exhausted = this.mark(now)
      this.climb(this.rate, ENOUGH_GRANTS, now)
    }
    this.next(now)
  }

  /** One refusal more: whether the limit is passed. */
  private isPast(now: number): boolean {
    if (this.curve.limit === Number.POSITIVE_INFINITY || !this.usual.exceeded(this.curve.limit)) return false
    return this.curve.near !== undefined || this.window!.isDue(now)
  }

  /** The rate has grown to what the endpoint grants, or that has become less. */
  private passed(window: RefusalWindow, now: number): void {
    if (this.curve.near !== undefined) {
      this.trying = undefined
      this.cut(window, now)
    } else if (this.trying) this.tryAgain(this.trying, window, now)
    else this.tryLess(window, now)
    this.next(now)
  }

  private next(now: number): void {
    this.previous = this.window!
    this.window = new RefusalWindow(now)
  }

  private judge(now: number): void {
    const window = this.window!
    const { sent, share } = window
    const { trying, usual } = this
    const paced = this.curve.limit < Number.POSITIVE_INFINITY
    if (trying && share >= (trying.share + usual.share) / 2) this.tryAgain(trying, window, now)
    else if (usual.isMore(share, sent, paced) && (sent >= FEW || window.mostRefused))
      this.tryLess(window, now)
    else this.clean(window, now)
    this.next(now)
  }

  private clean(window: RefusalWindow, now: number): void {
    this.trying = undefined
    // Close to the limit refusals are the limit's.
    if (this.curve.near === undefined) this.usual.learn(window.share, window.sent)
    // A rate far above what is asked for holds nothing back.
    const { rate } = this
    if (rate < Number.POSITIVE_INFINITY && rate > 4 * window.perSecond(now) && rate > this.curve.limit)
      this.release(Number.POSITIVE_INFINITY)
  }

  /** Perhaps it is the rate. */
  private tryLess(window: RefusalWindow, now: number): void {
    const { share, refused, sent } = window
    this.trying = { share, times: 1, before: this.rate, refused, sent }
    this.cut(window, now)
  }

  /** A lower rate did not help. */
  private tryAgain(trying: NonNullable<typeof this.trying>, window: RefusalWindow, now: number): void {
    trying.times++
    trying.refused += window.refused
    trying.sent += window.sent
    const share = trying.refused / trying.sent
    if (trying.times <= TRIES || trying.sent < 5 * FEW || !this.usual.canBe(share)) this.cut(window, now)
    else {
      this.usual.set(share, trying.sent)
      this.trying = undefined
      this.release(trying.before)
    }
  }

  private cut(window: RefusalWindow, now: number): void {
    this.slowed()
    this.lower(window, now)
  }

  private lower(window: RefusalWindow, now: number): void {
    const { exhausted } = this
    const drop = window.mostRefused
    // Calls sent after the one that was refused last may be refused as well.
    const undecided = drop ? this.count - this.lastRefused : 0
    const mark = this.mark(now, undecided)
    const grants = exhausted || drop ? mark.granted - (exhausted?.granted ?? 0) : window.sent - window.refused
    if (exhausted && grants <= 2 && 4 * grants < window.refused) {
      this.close(now)
      return
    }
    // What a burst granted in a moment says nothing of the rate.
    const elapsed = (now - (exhausted?.at ?? window.since)) / 1000
    const seconds = Math.max(now - window.since < SHORTEST_MS ? 1 : 0, elapsed)
    let limit = this.unlessGrown(grants / seconds, mark)
    let basis = grants
    // Calls that come when others have just used up a burst say nothing of the rate.
    if (!exhausted && window.refused >= FEW) limit = Math.max(1 / PROBE_S, limit)
    // Where most is refused, the endpoint had nothing left during all of the window.
    if (exhausted && drop) {
      const inWindow = Math.max(0, window.sent - window.refused - undecided) + 1
      const inDrop = (inWindow * 1000) / Math.max(1, now - window.since)
      if (inDrop < limit) [limit, basis] = [inDrop, inWindow]
    }
    if (this.rate < Number.POSITIVE_INFINITY) {
      // A few grants may be few by chance, and many where fewer calls were made than might have been.
      if (basis < ENOUGH_GRANTS) limit = Math.max(limit, this.rate / 2)
      else if (!drop && window.sent >= FEW && window.perSecond(now) < USED * this.rate)
        limit = Math.max(limit, this.rate)
    }
    if (!exhausted || drop || grants >= ENOUGH_GRANTS || seconds >= ENOUGH_S) this.exhausted = mark
    this.climb(limit, basis, now)
  }

  private mark(at: number, undecided = 0): Mark {
    return { at, granted: this.granted - undecided }
  }

  /** Calls a second until `mark`: their mean, or, where that is far more, since the rate grew past the limit. */
  private unlessGrown(mean: number, { at, granted }: Mark): number {
    const { outgrown } = this
    if (!outgrown) return mean
    const since = ((granted - outgrown.granted) * 1000) / Math.max(1000, at - outgrown.at)
    return since > FAR * mean ? since : mean
  }

  private climb(limit: number, basis: number, now: number): void {
    if (basis >= ENOUGH_GRANTS) this.outgrown = undefined
    this.change(this.curve.begin(Math.max(SLOWEST, limit), basis, this.usual.share, now))
    this.usual.forgive()
  }

  private close(now: number): void {
    this.closed = { since: now, seconds: PROBE_S, refusedAt: now, probedAt: now }
    this.change(1 / PROBE_S)
  }

  /** A single call while everything is refused. */
  private probe(now: number): void {
    const closed = this.closed!
    const { sent, refused } = this.window!
    // The call before this one was not refused.
    if (sent > refused && now - closed.probedAt >= (PROBE_S * 1000) / 2) this.open(now)
    closed.probedAt = now
  }

  private stillClosed(started: number): void {
    const closed = this.closed!
    // Sent before it was known, or with permits that were left.
    if (started - closed.refusedAt < closed.seconds * 500) return
    closed.refusedAt = started
    closed.seconds = Math.min(PROBE_LONGEST_S, closed.seconds * 2)
    this.change(1 / closed.seconds)
  }

  /** Calls are granted again, since some moment after the one that was refused last. */
  private open(now: number): void {
    const { since, refusedAt } = this.closed!
    const { at, granted } = this.opened!
    this.closed = this.trying = undefined
    this.curve.closed((now - since) / 1000)
    const mark = this.mark((refusedAt + now) / 2)
    const basis = mark.granted - granted
    const limit = this.unlessGrown((basis * 1000) / Math.max(1, mark.at - at), mark)
    this.outgrown = undefined
    this.exhausted = this.opened = this.mark(now)
    this.next(now)
    this.climb(limit, basis, now)
  }

  private release(rate: number): void {
    this.curve.end(rate)
    this.change(rate)
  }

  private change(rate: number): void {
    if (rate !== this.rate) this.changed((this.rate = rate))
  }
}
