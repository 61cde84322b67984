/** One endpoint and model whose limits several processes hold: this process's part of them. */

import type Bottleneck from 'bottleneck'
import { monotonicMs } from '../../../../rows/clock.ts'
import { sha256 } from '../../sha256.ts'
import type { LeaseSource } from '../rate_limiter.ts'

/** ms between questions to Redis, and at the soonest; with many processes each asks less often. */
const SYNC_MS = 250
const SOON_MS = 25
const MANY = 50
/** ms of a rate that a lease covers: Redis is asked some twenty times a second, however many processes there are. */
const LEASE_MS = 50
/** Leases that all processes together ask for ahead. */
const LEASES = 10

/** What a channel needs of the limits that it is part of. */
export interface Holders {
  readonly processes: number
  /** Redis does not answer. */
  readonly lost: boolean
  changed(listener: () => void): void
  leases(what: string, period: number): Promise<Bottleneck>
  /** A lease could not be had. */
  failed(error: unknown): void
  /** @returns calls that may be under way, ms of a pause, cuts so far; undefined where Redis has no answer */
  sync(channel: string, ...args: number[]): Promise<[number, number, number] | undefined>
}

/** What a channel needs of its gate. */
export interface ChannelUse {
  /** Calls under way, and how many there would be if all might begin. */
  demand(): [underWay: number, wanted: number]
  /** More calls may begin. */
  widened(): void
  /** Another process was asked to wait so many ms. */
  pause(ms: number): void
  /** Another process was refused so often that it slowed down. */
  slow(): void
}

export class SharedChannel {
  /** Calls that this process may have under way at once. */
  width = 0
  private readonly limits: Holders
  private readonly name: string
  private readonly concurrency: number
  private readonly use: ChannelUse
  private timer: NodeJS.Timeout | undefined
  private due = 0
  private busy = false
  private last = 0
  /** What is to be reported to the others. */
  private pauseMs = 0
  private cut = false
  private cuts: number | undefined
  /** What Redis last granted; -1 where this process has given back all that it held. */
  private granted = -1
  private closed = false

  constructor(limits: Holders, key: string, concurrency: number, use: ChannelUse) {
    this.limits = limits
    this.name = sha256(key).slice(0, 16)
    this.concurrency = concurrency
    this.use = use
    limits.changed(() => this.ownPart())
  }

  get processes(): number {
    return this.limits.processes
  }

  /** Where a rate limiter gets its leases. */
  leases(what: 'rpm' | 'tpm'): LeaseSource {
    const { limits } = this
    return {
      ms: LEASE_MS,
      // A single process may not be late for any; of many, one always is in time.
      ahead: () => Math.max(1, Math.ceil(LEASES / limits.processes)),
      part: () => (limits.lost ? 1 / limits.processes : 1),
      open: (period) => limits.leases(`${this.name}:${what}`, period),
      changed: (listener) => limits.changed(listener),
      failed: (error) => limits.failed(error),
    }
  }

  /** A call waits for its place. */
  want(): void {
    if (this.limits.lost) this.ownPart()
    else this.plan(SOON_MS)
  }

  /** Tells the other processes to pause. */
  reportPause(ms: number): void {
    this.pauseMs = Math.max(this.pauseMs, Math.ceil(ms))
    this.plan(0)
  }

  /** Tells the other processes that the endpoint grants no more than it just did. */
  reportSlowdown(): void {
    this.cut = true
    this.plan(0)
  }

  /** Gives back what this process held. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.limits.sync(this.name, this.concurrency, 0, 0, 0, 0, -1)
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
    const { pauseMs, cut } = this
    this.pauseMs = 0
    this.cut = false
    const [underWay, wanted] = this.use.demand()
    const asked = [underWay, wanted, pauseMs, cut ? 1 : 0, this.granted]
    const found = await this.limits.sync(this.name, this.concurrency, ...asked)
    this.busy = false
    this.last = monotonicMs()
    if (found) this.granted = underWay + wanted > 0 ? found[0] : -1
    if (found && !this.closed) this.learn(found, cut)
    const [now, more] = this.use.demand()
    if (now > 0 || more > 0) this.plan(SYNC_MS * Math.max(1, this.limits.processes / MANY))
    if (this.pauseMs > 0 || this.cut) this.plan(0)
  }

  private learn([may, rest, cuts]: [number, number, number], own: boolean): void {
    const news = this.cuts !== undefined && cuts > this.cuts + (own ? 1 : 0)
    this.cuts = cuts
    this.width = may
    if (rest > 0) this.use.pause(rest)
    if (news) this.use.slow()
    this.use.widened()
  }

  /** An even part, as long as Redis does not answer. */
  private ownPart(): void {
    const { limits } = this
    if (limits.lost) {
      this.width = Math.max(1, Math.floor(this.concurrency / limits.processes))
      this.use.widened()
    } else this.plan(0)
  }
}
