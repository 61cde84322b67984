/**
 * Finds an endpoint's rate limit from its refusals.
 *
 * Refusals are counted in windows of about a second. More than the usual may mean a rate limit: calls are then paced slightly
 * below the rate that was granted. If the refusals stop, there is a limit, which the rate follows (rate_curve.ts). If not,
 * the endpoint refuses at random: this share becomes the usual, and calls are not paced.
 *
 * At a refusal the limit is exhausted. The calls granted between two such moments, divided by the time, are the rate,
 * whatever burst the endpoint allows. If all calls are refused (a fixed window is used up), single probes find out when
 * calls are granted again; the rate is then the calls granted between two such moments.
 */
import { RateCurve } from './rate_curve.ts'
import { FEW, RefusalWindow, SHORTEST_MS } from './refusal_window.ts'
import { UsualRefusals } from './usual_refusals.ts'

/** Cuts after which refusals that continue count as the usual. */
const TRIES = 3
/** Grants between two refusals for a good estimate, and seconds after which fewer are enough. */
const ENOUGH_GRANTS = 20
const ENOUGH_S = 60
/** Seconds between probes: doubled each time, up to the longest. */
const PROBE_S = 1
const PROBE_LONGEST_S = 8
/** The rate granted since growth began is used if it is this many times the mean: before, the limit was not used up. */
const FAR = 1.3
/** If less of the rate is used, refusals are no evidence of the limit. */
const USED = 0.7
/** The lowest rate, in calls a second. */
const SLOWEST = 0.02

/** A moment, and the calls granted until then. */
interface Mark {
  at: number
  granted: number
}

export class RateController {
  /** Calls a second; infinite if calls are not paced. */
  rate = Number.POSITIVE_INFINITY
  /** Refusals that do not depend on the rate. */
  readonly usual = new UsualRefusals()
  private readonly changed: (rate: number) => void
  private readonly slowed: () => void
  private window: RefusalWindow | undefined
  private previous = new RefusalWindow(0)
  private readonly curve: RateCurve
  private granted = 0
  /** The number of calls, and of the last one that was refused. */
  private count = 0
  private lastRefused = 0
  /** When the limit was last exhausted. */
  private exhausted: Mark | undefined
  /** The first granted call, or the first after all were refused. */
  private opened: Mark | undefined
  /** When the rate grew past the limit. */
  private outgrown: Mark | undefined
  /** Set while a lower rate is tried, because of this share of refusals. */
  private trying: { share: number; times: number; refused: number; sent: number; before: number } | undefined
  /** Set while all calls are refused: probes are this many seconds apart. */
  private closed: { since: number; seconds: number; refusedAt: number; probedAt: number } | undefined

  /**
   * @param changed called with each new rate
   * @param slowed called when refusals lower the rate
   * @param peers processes that share the limit and are notified when one slows down
   */
  constructor(changed: (rate: number) => void, slowed = () => {}, peers = () => 1) {
    this.changed = changed
    this.slowed = slowed
    this.curve = new RateCurve(peers)
  }

  /** Whether most recent calls are refused. */
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
      // It was sent at another rate.
      this.previous.refused++
      return
    }
    window.refused++
    if (this.closed) this.stillClosed(started)
    else if (started >= (this.curve.near ?? 0) && this.isPast(now)) this.passed(window, now)
    else if (window.isDue(now) || window.isClear(now)) this.judge(now)
  }

  /** Another process that shares the limit slowed down: this one's part is the rate it was just granted. */
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

  /** Whether this refusal shows that the limit is exceeded. */
  private isPast(now: number): boolean {
    if (this.curve.limit === Number.POSITIVE_INFINITY || !this.usual.exceeded(this.curve.limit)) return false
    return this.curve.near !== undefined || this.window!.isDue(now)
  }

  /** The rate has grown to the limit, or the limit has decreased. */
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
    // Close to the limit, it causes the refusals.
    if (this.curve.near === undefined) this.usual.learn(window.share, window.sent)
    // A rate far above the demand needs no pacing.
    if (Number.isFinite(this.rate) && this.rate > Math.max(4 * window.perSecond(now), this.curve.limit))
      this.release(Number.POSITIVE_INFINITY)
  }

  /** Lowers the rate to see whether it causes the refusals. */
  private tryLess(window: RefusalWindow, now: number): void {
    const { share, refused, sent } = window
    this.trying = { share, times: 1, before: this.rate, refused, sent }
    this.cut(window, now)
  }

  /** Handles refusals that continue at the lower rate. */
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
    // Calls sent after the last refused one may still be refused.
    const undecided = drop ? this.count - this.lastRefused : 0
    const mark = this.mark(now, undecided)
    const grants = exhausted || drop ? mark.granted - (exhausted?.granted ?? 0) : window.sent - window.refused
    if (exhausted && grants <= 2 && 4 * grants < window.refused) {
      this.close(now)
      return
    }
    // A short burst is no evidence of the rate.
    const elapsed = (now - (exhausted?.at ?? window.since)) / 1000
    const seconds = Math.max(now - window.since < SHORTEST_MS ? 1 : 0, elapsed)
    let [limit, basis] = [this.unlessGrown(grants / seconds, mark), grants]
    // Nor are calls sent just after other processes used up a burst.
    if (!exhausted && window.refused >= FEW) limit = Math.max(1 / PROBE_S, limit)
    // If most calls were refused, the limit was exhausted during the whole window.
    if (exhausted && drop) {
      const inWindow = Math.max(0, window.sent - window.refused - undecided) + 1
      const inDrop = (inWindow * 1000) / Math.max(1, now - window.since)
      if (inDrop < limit) [limit, basis] = [inDrop, inWindow]
    }
    if (!exhausted || drop || grants >= ENOUGH_GRANTS || seconds >= ENOUGH_S) this.exhausted = mark
    this.climb(Math.max(limit, this.leastLimit(basis, window, now)), basis, now)
  }

  /** Few grants may be chance, and calls below the rate do not use up the limit. */
  private leastLimit(basis: number, window: RefusalWindow, now: number): number {
    if (this.rate === Number.POSITIVE_INFINITY) return 0
    if (basis < ENOUGH_GRANTS) return this.rate / 2
    const isBelow = window.sent >= FEW && window.perSecond(now) < USED * this.rate
    return isBelow && !window.mostRefused ? this.rate : 0
  }

  private mark(at: number, undecided = 0): Mark {
    return { at, granted: this.granted - undecided }
  }

  /** Calls a second granted until `mark`: the mean, or the rate since growth began if that is much higher. */
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

  /** Sends a probe while all calls are refused. */
  private probe(now: number): void {
    const closed = this.closed!
    const { sent, refused } = this.window!
    // The call before this one was not refused.
    if (sent > refused && now - closed.probedAt >= (PROBE_S * 1000) / 2) this.open(now)
    closed.probedAt = now
  }

  private stillClosed(started: number): void {
    const closed = this.closed!
    // Sent before that was known, or with permits left over.
    if (started - closed.refusedAt < closed.seconds * 500) return
    closed.refusedAt = started
    closed.seconds = Math.min(PROBE_LONGEST_S, closed.seconds * 2)
    this.change(1 / closed.seconds)
  }

  /** Calls are granted again. */
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
