/**
 * The curve that a rate follows after it was cut, as in TCP CUBIC (RFC 9438, section 4.2): quickly back to the limit,
 * slowly past it, faster from there on, until it is refused again. The more is refused, the longer the way back: many
 * processes that look for one limit, and limits that count by the minute, are asked no oftener than they bear.
 */

/** Where it begins, as a part of the limit. */
const BELOW = 0.95
/** Seconds and calls until it is back at the limit. */
const RETURN_S = 2
const RETURN_CALLS = 110
/** When it is well past that: the growth with each second and ten calls, within ten seconds at the slowest. */
const GROWTH = 1.3
const GROWTH_CALLS = 10
const GROWTH_S = 10
/** From this part of the way back on, a refusal shows the limit. */
const NEAR = -0.4
/** ms between changes of the rate. */
const STEP_MS = 200
/** Share of refusals above the usual for which the way back is twice, three times as long; how many times at most; calls it is averaged over. */
const SHARE = 0.003
const LONGEST = 10
const MEMORY = 500
/** By how much the way may get longer each time. */
const LONGER = 1.5
/** What is left, each time, of how long an endpoint granted nothing. */
const FADES = 0.7

export class RateCurve {
  /** Calls a second that the endpoint grants, as far as is known; infinite where none are refused. */
  limit = Number.POSITIVE_INFINITY
  /** When the rate came close to the limit. */
  near: number | undefined
  /** The number of grants that the limit was learnt from. */
  private basis = 0
  /** Seconds on the curve in which calls were sent: pauses do not count. */
  private climbed = 0
  private lastSent = 0
  private stepped = 0
  /** How often the rate has grown past the limit. */
  private growths = 0
  private refusedShare = 0
  private longer = 1
  /** For how many seconds nothing was granted: that long nothing is known of a limit that was passed. */
  private gap = 0
  private readonly peers: () => number

  /** @param peers processes that share the limit and hear of each other's refusals: their calls count as one's own */
  constructor(peers: () => number) {
    this.peers = peers
  }

  /** The rate has grown past the limit, and has not been refused there. */
  get grown(): boolean {
    return this.growths > 0
  }

  /** A call was refused. */
  refused(): void {
    this.refusedShare += 1 / MEMORY
  }

  /** Nothing was granted for so many seconds. */
  closed(seconds: number): void {
    this.gap = Math.max(seconds, FADES * this.gap)
  }

  /** Begins with a limit that was learnt from so many grants. @param usual share of refusals @returns the rate */
  begin(limit: number, basis: number, usual: number, now: number): number {
    this.limit = limit
    this.basis = basis
    const wanted = Math.min(LONGEST, Math.max(1, (this.refusedShare - usual) / SHARE))
    this.longer = Math.min(wanted, this.climbed > RETURN_S ? LONGER * this.longer : this.longer)
    this.climbed = this.growths = 0
    this.lastSent = now
    return this.step(now)
  }

  /** There is no limit, or it is this. */
  end(limit: number): void {
    this.limit = limit
    this.basis = RETURN_CALLS
    this.near = undefined
  }

  /** A call is sent at a rate. @returns the rate from now on */
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
