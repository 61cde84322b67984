/**
 * Finds the rate that an endpoint grants, from what it refuses.
 *
 * A call that was sent and not refused was granted. Refusals are counted by windows of about a second. Where they are
 * more than the usual, the endpoint may have a rate limit: calls are then paced a little below the rate that it
 * granted. If that removes the refusals, it was a limit. The rate then follows a cubic curve as in TCP CUBIC
 * (RFC 9438, section 4.2): quickly back to the limit, slowly past it, fast from there on, until it is refused again.
 * If pacing does not help, the endpoint refuses at random: that is the usual from then on, and no call waits for it.
 *
 * Two refusals mark moments at which the endpoint had nothing left to grant. What was granted between them, over the
 * time between them, is its rate, whatever burst it allows: token buckets and fixed windows alike.
 */
import { UsualRefusals } from './usual_refusals.ts'

/** A window with fewer calls shows nothing unless most of them are refused. */
const FEW = 20
/** ms over which refusals are counted where there are so many calls in them, and the longest where there are few. */
const WINDOWS: readonly [ms: number, calls: number][] = [
  [500, 100],
  [1000, FEW],
  [10_000, 0],
]
/** Refusals that end a window at once: where they are most of its calls, and where they are all of them for so many ms. */
const MANY = 8
const ALL = 4
const ALL_MS = 300
/** Share of refusals above the usual that may be chance: at least, and in standard deviations before and after calls are paced. */
const TOLERANCE = 0.015
const DEVIATIONS = 4
const DEVIATIONS_PACED = 5
/** No endpoint refuses more than this as a habit. */
const MOST_USUAL = 0.25
/** Cuts after which refusals that go on count as the usual. */
const TRIES = 3
/** Pace after a cut, as a part of the limit. */
const BELOW = 0.95
/** The curve: seconds and calls until it is back at the limit; the growth with each second and ten calls when it is well past that. */
const RETURN_S = 2
const RETURN_CALLS = 110
const GROWTH = 1.3
const GROWTH_CALLS = 10
/** From this part of the way back on, a refusal shows the limit. */
const NEAR = -0.4
/** ms between changes of the rate on the curve. */
const STEP_MS = 200
/** Grants between two refusals that make a good estimate, and the seconds after which fewer have to do. */
const ENOUGH_GRANTS = 20
const ENOUGH_S = 60
/** Seconds between single calls where everything is refused: doubled each time, up to the longest. */
const PROBE_S = 1
const PROBE_LONGEST_S = 8
/** Calls a second below which no endpoint is held back. */
const SLOWEST = 0.02

interface Window {
  since: number
  sent: number
  refused: number
}

const mostAreRefused = ({ since, sent, refused }: Window, now: number) =>
  (refused >= MANY && 2 * refused > sent) || (refused >= ALL && refused === sent && now - since >= ALL_MS)

export class RateController {
  /** Calls a second; infinite where nothing holds them back. */
  rate = Number.POSITIVE_INFINITY
  /** What is refused whatever the rate. */
  readonly usual = new UsualRefusals()
  private readonly changed: (rate: number) => void
  private readonly slowed: () => void
  private window: Window | undefined
  private previous: Window = { since: 0, sent: 0, refused: 0 }
  private granted = 0
  /** When the endpoint had nothing left to grant, and what it had granted by then. */
  private exhausted: { at: number; granted: number } | undefined
  /** The rate last granted, and the number of grants it was learnt from. */
  private limit = Number.POSITIVE_INFINITY
  private basis = 0
  /** Seconds since it was learnt in which calls were sent: pauses do not count. */
  private climbed = 0
  private lastSent = 0
  private stepped = 0
  /** When the rate came close to the limit. */
  private near: number | undefined
  /** A lower rate is being tried because of this share of refusals. */
  private trying: { share: number; times: number; refused: number; sent: number; before: number } | undefined
  /** Everything is refused: single calls find out when that ends, and the rate is this again. */
  private closed: { seconds: number; resume: number; probedAt: number } | undefined

  /**
   * @param changed is called with every new rate
   * @param slowed is called where refusals slow calls down
   */
  constructor(changed: (rate: number) => void, slowed = () => {}) {
    this.changed = changed
    this.slowed = slowed
  }

  /** Whether most calls are refused just now. */
  get crowded(): boolean {
    const { previous, window } = this
    return 2 * (previous.refused + (window?.refused ?? 0)) > previous.sent + (window?.sent ?? 0)
  }

  /** A call is sent at `now` (ms on a monotonic clock). */
  sent(now: number): void {
    this.window ??= { since: now, sent: 0, refused: 0 }
    if (this.closed) this.probe(now)
    else if (this.isDue(now)) this.judge(now)
    this.window.sent++
    this.granted++
    if (this.closed || this.limit === Number.POSITIVE_INFINITY) return
    this.climbed += Math.min((now - this.lastSent) / 1000, STEP_MS / 1000 + 2 / this.rate)
    this.lastSent = now
    this.usual.granted()
    if (now - this.stepped >= STEP_MS) this.step(now)
  }

  /** A call sent at `started` was refused at `now`. */
  refused(started: number, now: number): void {
    this.granted--
    const { window, near, exhausted } = this
    if (exhausted && started < exhausted.at) exhausted.granted--
    if (!window) return
    if (started < window.since) {
      // Another rate is to blame.
      this.previous.refused++
      return
    }
    window.refused++
    if (this.closed) this.stillClosed()
    else if (started >= (near ?? 0) && this.isPast(now)) this.passed(window, now)
    else if (this.isDue(now) || mostAreRefused(window, now)) this.judge(now)
  }

  /** Another process that shares the endpoint's limit was slowed down: what this one was granted just now is its part. */
  exhaustedElsewhere(now: number): void {
    const { window, exhausted } = this
    if (!window || this.closed || (exhausted && now - exhausted.at < WINDOWS[0]![0])) return
    this.lower(window, now)
    this.next(now)
  }

  /** One refusal more: whether the limit is passed. */
  private isPast(now: number): boolean {
    if (this.limit === Number.POSITIVE_INFINITY || !this.usual.exceeded(this.limit)) return false
    return this.near !== undefined || this.isDue(now)
  }

  private isDue(now: number): boolean {
    const { since, sent } = this.window!
    return WINDOWS.some(([ms, calls]) => now - since >= ms && sent >= calls)
  }

  /** The rate has grown to what the endpoint grants, or that has become less. */
  private passed(window: Window, now: number): void {
    if (this.near !== undefined) {
      this.trying = undefined
      this.cut(window, now)
    } else if (this.trying) this.tryAgain(this.trying, window, now)
    else this.tryLess(window, now)
    this.next(now)
  }

  private next(now: number): void {
    this.previous = this.window!
    this.window = { since: now, sent: 0, refused: 0 }
  }

  private judge(now: number): void {
    const window = this.window!
    const { sent, refused } = window
    const { trying } = this
    const { expected, share: usual } = this.usual
    const share = refused / Math.max(1, sent)
    const chance =
      (this.limit < Number.POSITIVE_INFINITY ? DEVIATIONS_PACED : DEVIATIONS) *
      Math.sqrt(expected / Math.max(1, sent))
    const over = share > usual + Math.max(TOLERANCE, chance)
    if (trying && share >= (trying.share + usual) / 2) this.tryAgain(trying, window, now)
    else if (over && (sent >= FEW || 2 * refused > sent)) this.tryLess(window, now)
    else this.clean(window, share, now)
    this.next(now)
  }

  private clean(window: Window, share: number, now: number): void {
    this.trying = undefined
    // Close to the limit refusals are the limit's.
    if (this.near === undefined) this.usual.learn(share, window.sent)
    // A rate far above what is asked for holds nothing back.
    const perSecond = (window.sent * 1000) / Math.max(1, now - window.since)
    if (this.rate < Number.POSITIVE_INFINITY && this.rate > 4 * perSecond && this.rate > this.limit)
      this.release(Number.POSITIVE_INFINITY)
  }

  /** Perhaps it is the rate. */
  private tryLess(window: Window, now: number): void {
    const { refused, sent } = window
    this.trying = { share: refused / Math.max(1, sent), times: 1, before: this.rate, refused, sent }
    this.cut(window, now)
  }

  /** A lower rate did not help. */
  private tryAgain(trying: NonNullable<typeof this.trying>, window: Window, now: number): void {
    trying.times++
    trying.refused += window.refused
    trying.sent += window.sent
    const share = trying.refused / trying.sent
    if (trying.times <= TRIES || trying.sent < 5 * FEW || share > MOST_USUAL) this.cut(window, now)
    else {
      this.usual.set(share, trying.sent)
      this.trying = undefined
      this.release(trying.before)
    }
  }

  private cut(window: Window, now: number): void {
    this.slowed()
    this.lower(window, now)
  }

  private lower(window: Window, now: number): void {
    const { exhausted } = this
    const grants = this.granted - (exhausted?.granted ?? 0)
    // What a burst granted in a moment says nothing of the rate.
    const elapsed = (now - (exhausted?.at ?? window.since)) / 1000
    const seconds = Math.max(now - window.since < WINDOWS[0]![0] ? 1 : 0, elapsed)
    const inWindow = Math.max(0, window.sent - window.refused)
    if (exhausted && grants <= 2 && 4 * grants < window.refused) {
      this.closed = { seconds: PROBE_S, resume: this.rate, probedAt: now }
      this.change(1 / PROBE_S)
      return
    }
    // Where most is refused, the endpoint had nothing left during all of the window.
    const drop = exhausted !== undefined && 2 * window.refused > window.sent
    const inDrop = drop ? ((inWindow + 1) * 1000) / Math.max(1, now - window.since) : Number.POSITIVE_INFINITY
    this.limit = Math.max(SLOWEST, Math.min(inDrop, grants / seconds))
    this.basis = inDrop < grants / seconds ? inWindow + 1 : grants
    this.climbed = 0
    this.usual.forgive()
    this.lastSent = now
    if (!exhausted || drop || grants >= ENOUGH_GRANTS || seconds >= ENOUGH_S)
      this.exhausted = { at: now, granted: this.granted }
    this.step(now)
  }

  /** Back to the limit within some seconds, or some dozen calls where these are slower, and past it. */
  private step(now: number): void {
    this.stepped = now
    const { limit, basis } = this
    const back = Math.max(RETURN_S, Math.min(RETURN_CALLS, 2 * basis) / limit)
    const seconds = this.climbed
    const along = (seconds - back) / back
    if (along < NEAR) this.near = undefined
    else this.near ??= now
    const bend = (1 - BELOW) * along ** 3
    const past = (seconds - 2 * back) / Math.max(1, GROWTH_CALLS / limit)
    this.change(limit * (along <= 1 ? 1 + bend : (2 - BELOW) * GROWTH ** Math.min(100, past)))
  }

  /** A single call while everything is refused. */
  private probe(now: number): void {
    const closed = this.closed!
    const { sent, refused } = this.window!
    // The call before this one was not refused.
    if (sent > refused && now - closed.probedAt >= (PROBE_S * 1000) / 2) {
      this.closed = undefined
      this.next(now)
      this.lastSent = now
      this.change(closed.resume)
    }
    closed.probedAt = now
  }

  private stillClosed(): void {
    const closed = this.closed!
    closed.seconds = Math.min(PROBE_LONGEST_S, closed.seconds * 2)
    this.change(1 / closed.seconds)
  }

  private release(rate: number): void {
    this.limit = rate
    this.basis = RETURN_CALLS
    this.near = undefined
    this.change(rate)
  }

  private change(rate: number): void {
    if (rate === this.rate) return
    this.rate = rate
    this.changed(rate)
  }
}
