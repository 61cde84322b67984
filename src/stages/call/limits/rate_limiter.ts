/**
 * A rate, held by Bottleneck as a granter of leases: one of its jobs grants the permits of a few hundredths of
 * a second, and calls take permits from what is granted.
 *
 * Bottleneck starts about 400 jobs a second at most and keeps a kilobyte for each that waits, so it is never
 * given one job a call: some fifty leases a second hold any rate, and at most two wait. It plans by the wall clock: where
 * that was set, as a look now and then shows, a new one takes its place.
 */

import type Bottleneck from 'bottleneck'
import { monotonicMs } from '../../../rows/clock.ts'

/** ms between leases where the rate gives more than one permit in that time. */
const LEASE_MS = 20
/** Leases asked for ahead: the next is planned from the one before it, so a late timer loses nothing. */
const AHEAD = 2
/** ms by which a wall clock that was set differs from the monotonic one, and between looks at it. */
const SET_MS = 100
const LOOK_MS = 250

let loading: Promise<typeof import('bottleneck')> | undefined

/** Where leases come from that several processes share. */
export interface LeaseSource {
  /** ms that a lease covers. */
  ms: number
  /** Leases to be under way at once. */
  ahead(): number
  /** The part of the rate that is this process's own: 1 while leases are granted to all together. */
  part(): number
  /** A limiter that grants a lease in each period of so many ms. */
  open(period: number): Promise<Bottleneck>
  /** Calls back where `part` or `open` give something else. */
  changed(listener: () => void): void
  /** A lease could not be had: it is asked for again unless that ends the run. */
  failed(error: unknown): void
}

/** ms after which leases are asked for again that could not be had. */
const AGAIN_MS = 500

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
  private pendingLeases = 0
  private clock: NodeJS.Timeout | undefined
  private waiting: Waiter[] = []
  private closed = false
  private readonly source: LeaseSource | undefined

  /** @param rate permits a second: requests or tokens */
  constructor(rate: number, source?: LeaseSource) {
    this.rate = rate
    this.source = source
    this.lease = this.leaseOf(rate)
    source?.changed(() => {
      if (this.closed) return
      this.lease = this.leaseOf(this.rate)
      this.restart()
    })
  }

  /** Resolves when `need` permits are there, first come first served; undefined where they are there already. */
  take(need: number): Promise<void> | undefined {
    const possible = this.possible(need)
    if (this.waiting.length === 0 && this.available >= possible) {
      this.available -= possible
      return undefined
    }
    return new Promise((granted) => {
      this.waiting.push({ need: possible, granted })
      this.ask()
    })
  }

  /** Gives permits back, or takes more, once it is known what a call that was to need `taken` really used. */
  correct(taken: number, used: number): void {
    this.available += this.possible(taken) - this.possible(used)
    this.serve()
  }

  /** A call that needs more than a minute grants takes a minute's worth: it would wait for ever. */
  private possible(need: number): number {
    return Math.min(need, this.rate * 60)
  }

  set(rate: number): void {
    if (rate === this.rate) return
    const far = rate > 2 * this.rate || this.rate > 2 * rate
    this.rate = rate
    this.lease = this.leaseOf(rate)
    // Bottleneck keeps the time of a lease that it has planned.
    if (far) this.restart()
    else this.limiter?.then((limiter) => limiter.updateSettings({ minTime: this.period }))
  }

  /** Lets everybody go and grants nothing more. */
  close(): void {
    this.closed = true
    for (const { granted } of this.waiting.splice(0)) granted()
    this.drop()
  }

  private get period(): number {
    return (this.lease / (this.rate * (this.source?.part() ?? 1))) * 1000
  }

  /** Permits a lease grants: those of some ms, at least one. */
  private leaseOf(rate: number): number {
    return Math.max(1, (rate * (this.source?.ms ?? LEASE_MS)) / 1000)
  }

  /** Leases to be under way: with other processes, which have their turns between, all that the first waiter needs. */
  private get ahead(): number {
    const need = this.source ? (this.waiting[0]?.need ?? 0) - this.available : 0
    return Math.max(this.source?.ahead() ?? AHEAD, Math.ceil(need / this.lease))
  }

  private ask(): void {
    if (this.closed) return
    while (this.pendingLeases < this.ahead && this.waiting.length > 0) {
      this.pendingLeases++
      this.limiter ??= this.open()
      const { limiter } = this
      limiter
        .then((opened) => opened.schedule(async () => this.grant(limiter)))
        .catch((error) => this.refused(limiter, error))
    }
  }

  /** Plans the leases again. */
  private restart(): void {
    this.drop()
    this.ask()
  }

  private drop(): void {
    clearInterval(this.clock)
    this.limiter
      ?.then((limiter) => {
        limiter.stop({ dropWaitingJobs: true }).catch(() => {})
        return limiter.disconnect(false)
      })
      .catch(() => {})
    this.limiter = undefined
    this.pendingLeases = 0
  }

  private async open(): Promise<Bottleneck> {
    const offset = Date.now() - monotonicMs()
    this.clock = setInterval(() => {
      if (Math.abs(Date.now() - monotonicMs() - offset) > SET_MS) this.restart()
    }, LOOK_MS).unref()
    if (this.source) return this.source.open(this.period)
    loading ??= import('bottleneck')
    const { default: Limiter } = await loading
    return new Limiter({ minTime: this.period })
  }

  private grant(limiter: Promise<Bottleneck>): void {
    if (limiter !== this.limiter) return
    this.pendingLeases--
    this.available += this.lease
    this.serve()
    this.ask()
  }

  /** What leases were planned by is gone (a Redis that lost its memory): they are planned again, after a moment. */
  private refused(limiter: Promise<Bottleneck>, error: unknown): void {
    if (limiter !== this.limiter || this.closed) return
    this.source?.failed(error)
    this.drop()
    setTimeout(() => this.ask(), AGAIN_MS).unref()
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
