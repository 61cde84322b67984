/**
 * Limits a rate with Bottleneck. A job of Bottleneck grants a lease, the permits of a few hundredths of a second, and calls
 * take their permits from it: one job per call would be too slow (400 a second) and needs a kilobyte each. Bottleneck
 * schedules by the wall clock, so it is replaced when that is adjusted.
 */

import type Bottleneck from 'bottleneck'
import { monotonicMs } from '../../../rows/clock.ts'

/** ms between leases, unless the rate is less than one permit in that time. */
const LEASE_MS = 20
/** Leases requested in advance, so that a late timer costs nothing. */
const AHEAD = 2
/** The wall clock was adjusted if it differs from the monotonic one by this many ms; ms between checks. */
const ADJUSTED_MS = 100
const CHECK_MS = 250

/** Leases that several processes share. */
export interface LeaseSource {
  /** Creates a limiter that grants one lease per period (ms) to one of the processes. */
  open(period: number): Promise<Bottleneck>
  /** Reports a failed lease, at which the run ends. */
  failed(error: unknown): void
}

interface Waiter {
  need: number
  granted: () => void
}

export class RateLimiter {
  /** Permits a second. */
  private readonly rate: number
  private limiter: Promise<Bottleneck> | undefined
  private available = 0
  private pendingLeases = 0
  private clock: NodeJS.Timeout | undefined
  private waiting: Waiter[] = []
  private closed = false
  private readonly source: LeaseSource | undefined

  /** @param rate permits a second: requests or tokens */
  constructor(rate: number, source?: LeaseSource) {
    this.rate = rate
    this.source = source
  }

  /** Takes `need` permits. @returns a promise if the call must wait: first come, first served */
  take(need: number): Promise<void> | undefined {
    const possible = this.possible(need)
    if (this.waiting.length === 0 && this.available >= possible) {
      this.available -= possible
      return undefined
    }
    return new Promise((granted) => {
      this.waiting.push({ need: possible, granted })
      this.request()
    })
  }

  /** Corrects the permits of a call that took `taken` and used `used`. */
  correct(taken: number, used: number): void {
    this.available += this.possible(taken) - this.possible(used)
    this.serve()
  }

  /** A call takes at most the permits of a minute: with more it would wait for ever. */
  private possible(need: number): number {
    return Math.min(need, this.rate * 60)
  }

  /** Releases all waiting calls, and grants nothing more. */
  close(): void {
    this.closed = true
    for (const { granted } of this.waiting.splice(0)) granted()
    this.drop()
  }

  private get period(): number {
    return (this.lease / this.rate) * 1000
  }

  /** Permits of a lease, at least one. */
  private get lease(): number {
    return Math.max(1, (this.rate * LEASE_MS) / 1000)
  }

  private request(): void {
    if (this.closed) return
    while (this.pendingLeases < AHEAD && this.waiting.length > 0) {
      this.pendingLeases++
      this.limiter ??= this.open()
      const { limiter } = this
      limiter
        .then((opened) => opened.schedule(async () => this.grant(limiter)))
        .catch((error) => this.refused(limiter, error))
    }
  }

  private restart(): void {
    this.drop()
    this.request()
  }

  private drop(): void {
    clearInterval(this.clock)
    this.limiter
      ?.then((limiter) => {
        limiter.stop({ dropWaitingJobs: true }).catch(() => {})
        // A shared one ends with its connection.
        return this.source ? undefined : limiter.disconnect(false)
      })
      .catch(() => {})
    this.limiter = undefined
    this.pendingLeases = 0
  }

  private async open(): Promise<Bottleneck> {
    const offset = Date.now() - monotonicMs()
    this.clock = setInterval(() => {
      if (Math.abs(Date.now() - monotonicMs() - offset) > ADJUSTED_MS) this.restart()
    }, CHECK_MS).unref()
    if (this.source) return this.source.open(this.period)
    const { default: Limiter } = await import('bottleneck')
    return new Limiter({ minTime: this.period })
  }

  private grant(limiter: Promise<Bottleneck>): void {
    if (limiter !== this.limiter) return
    this.pendingLeases--
    this.available += this.lease
    this.serve()
    this.request()
  }

  private refused(limiter: Promise<Bottleneck>, error: unknown): void {
    if (limiter === this.limiter && !this.closed) this.source?.failed(error)
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
