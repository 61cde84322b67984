/** This process's part in the shared limits of one endpoint and model. */

import type Bottleneck from 'bottleneck'
import { monotonicMs } from '../../../../rows/clock.ts'
import { sha256 } from '../../../../rows/crypto.ts'
import type { LeaseSource } from '../rate_limiter.ts'

/** ms between syncs with Redis, and the least; more than MANY processes sync less often. */
const SYNC_MS = 250
const SOON_MS = 25
const MANY = 50
/** ms that a lease covers: some twenty requests to Redis a second, whatever the number of processes. */
const LEASE_MS = 50
/** Leases that all processes together request in advance. */
const LEASES = 10

/** The shared limits, as a channel uses them. */
export interface Holders {
  readonly processes: number
  /** Redis does not answer. */
  readonly lost: boolean
  changed(listener: () => void): void
  leases(what: string, period: number): Promise<Bottleneck>
  failed(error: unknown): void
  /** @returns the most calls in flight and ms of a pause; undefined without an answer from Redis */
  sync(channel: string, ...args: number[]): Promise<[number, number] | undefined>
}

/** A channel's callbacks. */
export interface ChannelUse {
  /** Calls in flight, and how many there would be without limits. */
  demand(): [inFlight: number, wanted: number]
  /** More calls may be sent. */
  widened(): void
  /** A server asked another process to pause. */
  pause(ms: number): void
}

export class SharedChannel {
  /** The most calls in flight of this process. */
  width = 0
  private readonly limits: Holders
  private readonly name: string
  private readonly concurrency: number
  private readonly use: ChannelUse
  private timer: NodeJS.Timeout | undefined
  private due = 0
  private busy = false
  private last = 0
  /** A pause to report to the other processes. */
  private pauseMs = 0
  /** The calls that Redis last granted; -1 after this process returned all. */
  private granted = -1
  private closed = false

  constructor(limits: Holders, key: string, concurrency: number, use: ChannelUse) {
    this.limits = limits
    this.name = sha256(key).slice(0, 16)
    this.concurrency = concurrency
    this.use = use
    limits.changed(() => this.ownPart())
  }

  /** The source of leases for a rate limiter. */
  leases(what: 'rpm' | 'tpm'): LeaseSource {
    const { limits } = this
    return {
      ms: LEASE_MS,
      // Of many processes, one always requests the next lease in time.
      ahead: () => Math.max(1, Math.ceil(LEASES / limits.processes)),
      part: () => (limits.lost ? 1 / limits.processes : 1),
      open: (period) => limits.leases(`${this.name}:${what}`, period),
      changed: (listener) => limits.changed(listener),
      failed: (error) => limits.failed(error),
    }
  }

  /** A call waits for a slot. */
  want(): void {
    if (this.limits.lost) this.ownPart()
    else this.plan(SOON_MS)
  }

  /** Tells the other processes to pause. */
  reportPause(ms: number): void {
    this.pauseMs = Math.max(this.pauseMs, Math.ceil(ms))
    this.plan(0)
  }

  /** Returns this process's part. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.limits.sync(this.name, this.concurrency, 0, 0, 0, -1)
  }

  private plan(ms: number): void {
    if (this.busy || this.closed) return
    const now = monotonicMs()
    const due = Math.max(now + ms, this.last + SOON_MS)
    if (this.timer && this.due <= due) return
    clearTimeout(this.timer)
    this.due = due
    this.timer = setTimeout(() => this.sync(), due - now)
    this.timer.unref()
  }

  private async sync(): Promise<void> {
    this.timer = undefined
    this.busy = true
    const { pauseMs } = this
    this.pauseMs = 0
    const [inFlight, wanted] = this.use.demand()
    const args = [inFlight, wanted, pauseMs, this.granted]
    const found = await this.limits.sync(this.name, this.concurrency, ...args)
    this.busy = false
    this.last = monotonicMs()
    if (found) this.granted = inFlight + wanted > 0 ? found[0] : -1
    if (found && !this.closed) this.learn(found)
    const [now, more] = this.use.demand()
    if (now > 0 || more > 0) this.plan(SYNC_MS * Math.max(1, this.limits.processes / MANY))
    if (this.pauseMs > 0) this.plan(0)
  }

  private learn([may, rest]: [number, number]): void {
    this.width = may
    if (rest > 0) this.use.pause(rest)
    this.use.widened()
  }

  /** Takes an even part while Redis does not answer. */
  private ownPart(): void {
    const { limits } = this
    if (limits.lost) {
      this.width = Math.max(1, Math.floor(this.concurrency / limits.processes))
      this.use.widened()
    } else this.plan(0)
  }
}
