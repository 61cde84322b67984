/**
 * The curve of a rate after a cut, as in TCP CUBIC (RFC 9438, section 4.2): fast up to the limit, slow past it, then faster
 * again until a call is refused. The more calls are refused, the longer the return to the limit takes: this spares limits
 * that many processes probe, and those that count by the minute.
 */

/** The rate after a cut, as a fraction of the limit. */
const BELOW = 0.95
/** Duration of the return to the limit, in seconds and calls. */
const RETURN_S = 2
const RETURN_CALLS = 110
/** Growth factor well past the limit: per second and ten calls, at the slowest per ten seconds. */
const GROWTH = 1.3
const GROWTH_CALLS = 10
const GROWTH_S = 10
/** From this point of the return on, a refusal shows the limit. */
const NEAR = -0.4
/** ms between changes of the rate. */
const STEP_MS = 200
/** The return is lengthened once for each such share of refusals above the usual, up to LONGEST times; averaged over MEMORY calls. */
const SHARE = 0.003
const LONGEST = 10
const MEMORY = 500
/** The largest increase of that factor in one cut. */
const LONGER = 1.5
/** Factor by which `gap` decreases each time. */
const FADES = 0.7

export class RateCurve {
  /** The estimated limit in calls a second; infinite if there is none. */
  limit = Number.POSITIVE_INFINITY
  /** When the rate came close to the limit. */
  near: number | undefined
  /** The number of grants behind the estimate. */
  private basis = 0
  /** Seconds on the curve, without pauses. */
  private climbed = 0
  private lastSent = 0
  private stepped = 0
  /** Growth steps past the limit. */
  private growths = 0
  private refusedShare = 0
  private longer = 1
  /** For how many seconds no call was granted: a limit that was exceeded is noticed only after this time. */
  private gap = 0
  private readonly peers: () => number

  /** @param peers processes that share the limit, whose calls and refusals count like this one's */
  constructor(peers: () => number) {
    this.peers = peers
  }

  /** Whether the rate is past the limit without a refusal. */
  get grown(): boolean {
    return this.growths > 0
  }

  /** Counts a refusal. */
  refused(): void {
    this.refusedShare += 1 / MEMORY
  }

  /** No call was granted for this long. */
  closed(seconds: number): void {
    this.gap = Math.max(seconds, FADES * this.gap)
  }

  /** Starts below a limit estimated from `basis` grants. @param usual share of refusals @returns the rate */
  begin(limit: number, basis: number, usual: number, now: number): number {
    this.limit = limit
    this.basis = basis
    const wanted = Math.min(LONGEST, Math.max(1, (this.refusedShare - usual) / SHARE))
    this.longer = Math.min(wanted, this.climbed > RETURN_S ? LONGER * this.longer : this.longer)
    this.climbed = this.growths = 0
    this.lastSent = now
    return this.step(now)
  }

  /** Ends the curve at this limit. */
  end(limit: number): void {
    this.limit = limit
    this.basis = RETURN_CALLS
    this.near = undefined
  }

  /** Counts a call sent at this rate. @returns the new rate */
  sent(rate: number, now: number): number {
    this.refusedShare -= this.refusedShare / MEMORY
    this.climbed += Math.min((now - this.lastSent) / 1000, STEP_MS / 1000 + 2 / rate)
    this.lastSent = now
    return now - this.stepped >= STEP_MS ? this.step(now) : rate
  }

  private step(now: number): number {
    const elapsed = Math.min(1, (now - this.stepped) / 1000)
    this.stepped = now
    const { limit, climbed } = this
    const peers = this.peers()
    const past = Math.max(RETURN_S, Math.min(RETURN_CALLS, 2 * peers * this.basis) / (peers * limit))
    const back = past * this.longer
    const along = (climbed - back) / (climbed < back ? back : past)
    if (along < NEAR) this.near = undefined
    else this.near ??= now
    if (along <= 1) return limit * (1 + (1 - BELOW) * along ** 3)
    const highest = limit * (2 - BELOW)
    const calls = GROWTH_CALLS / (peers * highest * GROWTH ** this.growths)
    this.growths += elapsed / Math.max(1, Math.min(GROWTH_S, calls), this.gap / 2)
    this.growths = Math.min(100, this.growths)
    return highest * GROWTH ** this.growths
  }
}
