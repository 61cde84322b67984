/**
 * A rate, held by Bottleneck as a granter of leases: one of its jobs grants the permits of a few hundredths of
 * a second, and calls take permits from what is granted.
 *
 * Bottleneck starts about 400 jobs a second at most and keeps a kilobyte for each that waits, so it is never
 * given one job a call: some fifty leases a second hold any rate, and at most two wait. It plans by the wall clock: where
 * that was set, a new one takes its place.
 */
import type Bottleneck from 'bottleneck'

/** ms between leases where the rate gives more than one permit in that time. */
const LEASE_MS = 20
/** Leases asked for ahead: the next is planned from the one before it, so a late timer loses nothing. */
const AHEAD = 2
/** ms by which a wall clock that was set differs from the monotonic one. */
const SET_MS = 100

let loading: Promise<typeof import('bottleneck')> | undefined

interface Waiter {
  need: number
  granted: () => void
}

export class RateLimiter {
  /** Permits a second. */
  rate: number
  private limiter: Promise<Bottleneck> | undefined
  private available = 0
  private lease = 1
  private asked = 0
  /** Wall clock minus monotonic clock, in ms, when the limiter was made. */
  private offset = 0
  private waiting: Waiter[] = []

  /** @param rate permits a second: requests or tokens */
  constructor(rate: number) {
    this.rate = rate
    this.lease = leaseOf(rate)
  }

  /** Resolves when `need` permits are there, first come first served; undefined where they are there already. */
  take(need: number): Promise<void> | undefined {
    // What a minute never grants would wait for ever: it takes a minute's worth.
    const possible = Math.min(need, this.rate * 60)
    if (this.waiting.length === 0 && this.available >= possible) {
      this.available -= possible
      return undefined
    }
    return new Promise((granted) => {
      this.waiting.push({ need: possible, granted })
      this.ask()
    })
  }

  /** Gives permits back (or takes more, where negative) once it is known what a call really used. */
  correct(permits: number): void {
    this.available += permits
    this.serve()
  }

  set(rate: number): void {
    if (rate === this.rate) return
    const far = rate > 2 * this.rate || this.rate > 2 * rate
    this.rate = rate
    this.lease = leaseOf(rate)
    // Bottleneck keeps the time of a lease that it has planned.
    if (far) this.restart()
    else this.limiter?.then((limiter) => limiter.updateSettings({ minTime: this.period }))
  }

  /** Lets everybody go and grants nothing more. */
  close(): void {
    for (const { granted } of this.waiting.splice(0)) granted()
    this.drop()
  }

  private get period(): number {
    return (this.lease / this.rate) * 1000
  }

  private ask(): void {
    if (this.asked < AHEAD && this.waiting.length > 0 && this.limiter) {
      const offset = Date.now() - performance.now()
      if (Math.abs(offset - this.offset) > SET_MS) this.restart()
    }
    while (this.asked < AHEAD && this.waiting.length > 0) {
      this.asked++
      this.limiter ??= this.open()
      const { limiter } = this
      limiter.then((opened) => opened.schedule(async () => this.grant(limiter))).catch(() => {})
    }
  }

  /** Plans the leases anew. */
  private restart(): void {
    this.drop()
    this.ask()
  }

  private drop(): void {
    this.limiter?.then((limiter) => limiter.stop({ dropWaitingJobs: true })).catch(() => {})
    this.limiter = undefined
    this.asked = 0
  }

  private async open(): Promise<Bottleneck> {
    this.offset = Date.now() - performance.now()
    loading ??= import('bottleneck')
    const { default: Limiter } = await loading
    return new Limiter({ minTime: this.period })
  }

  private grant(limiter: Promise<Bottleneck>): void {
    if (limiter !== this.limiter) return
    this.asked--
    this.available += this.lease
    this.serve()
    this.ask()
  }

  private serve(): void {
    let first = this.waiting[0]
    while (first && this.available >= first.need) {
      this.available -= first.need
      this.waiting.shift()
      first.granted()
      first = this.waiting[0]
    }
  }
}

/** Permits a lease grants: those of {@link LEASE_MS}, at least one. */
const leaseOf = (rate: number) => Math.max(1, (rate * LEASE_MS) / 1000)
