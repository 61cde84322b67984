/** When a call may begin: one gate for each endpoint and model, which limits and pauses belong to. */
import { monotonicMs } from '../../../rows/clock.ts'
import type { CallOptions } from '../options.ts'
import { ConcurrencyLimit } from './concurrency_limit.ts'
import { RateController } from './rate_controller.ts'
import { RateLimiter } from './rate_limiter.ts'
import type { SharedChannel } from './shared/channel.ts'
import type { SharedLimits } from './shared/limits.ts'
import { allowances, LONGEST_WAIT, pause } from './waits.ts'

interface GateContext {
  /** Aborted: no more calls begin. */
  halt: AbortSignal
  /** Called when all calls to the endpoint pause for so many ms. */
  paused(ms: number): void
  /** Several processes hold the limits together, under this key. */
  shared?: { limits: SharedLimits; key: string }
}

/** The run is ending: the call was not begun. */
export class Halted extends Error {}

/** What is known of a call when it has ended. */
interface CallOutcome {
  /** The endpoint was too busy: 429, 503, 529. */
  refused: boolean
  headers?: Record<string, string>
  /** ms after which it may be called again. */
  wait?: number
  /** Tokens really used. */
  tokens?: number
}

/** A call that was admitted. */
export interface Pass {
  /** In ms, by monotonicMs(). */
  started: number
  tokens: number
  /** The controller's number of it. */
  n: number
  /** Other calls that were under way. */
  others: number
}

export class Gate {
  private readonly options: CallOptions & GateContext
  private readonly requests: RateLimiter | undefined
  private readonly tokens: RateLimiter | undefined
  private readonly controller: RateController
  private readonly servedAtOnce = new ConcurrencyLimit()
  /** Holds the rate that the controller found. */
  private adaptive: RateLimiter | undefined
  /** Calls under way, and those that have a place and wait for permits. */
  private underWay = 0
  private reserved = 0
  /** Calls that wait for a place. */
  private readonly waiting: (() => void)[] = []
  /** Calls with permits whose place went to another process meanwhile. */
  private readonly displaced: (() => void)[] = []
  private pausedUntil = 0
  private readonly shared: SharedChannel | undefined

  constructor(options: CallOptions & GateContext) {
    this.options = options
    if (options.shared) this.shared = this.share(options.shared)
    if (options.rpm) this.requests = new RateLimiter(options.rpm / 60, this.shared?.leases('rpm'))
    if (options.tpm) this.tokens = new RateLimiter(options.tpm / 60, this.shared?.leases('tpm'))
    this.controller = new RateController(
      (rate) => this.setRate(rate),
      () => this.shared?.reportSlowdown(),
      () => this.shared?.processes ?? 1,
    )
    options.halt.addEventListener('abort', () => this.release())
  }

  /** Calls that may be under way. */
  private get width(): number {
    return Math.min(this.shared?.width ?? this.options.concurrency, this.servedAtOnce.most)
  }

  private share({ limits, key }: NonNullable<GateContext['shared']>): SharedChannel {
    return limits.channel(key, this.options.concurrency, {
      demand: () => [
        this.underWay,
        this.underWay + this.reserved + this.waiting.length + this.displaced.length,
      ],
      widened: () => this.next(),
      pause: (ms) => this.pauseAll(monotonicMs() + ms, monotonicMs(), false),
      slow: () => {
        if (!this.options.noAdapt) this.controller.exhaustedElsewhere(monotonicMs())
      },
    })
  }

  /** Admits a call of about so many tokens: at once where nothing holds it back. @throws Halted */
  enter(tokens: number): Pass | Promise<Pass> {
    const now = monotonicMs()
    const paced = this.requests ?? this.tokens ?? this.adaptive
    if (
      paced ||
      this.underWay + this.reserved >= this.width ||
      this.pausedUntil > now ||
      this.options.halt.aborted
    )
      return this.wait(tokens)
    return this.admit(tokens, now)
  }

  private async wait(tokens: number): Promise<Pass> {
    const { halt } = this.options
    while (this.underWay + this.reserved >= this.width && !halt.aborted) await this.place(this.waiting)
    if (halt.aborted) throw new Halted()
    // Its place is taken while it waits for its permits.
    this.reserved++
    try {
      for (const permits of [this.requests?.take(1), this.tokens?.take(tokens), this.adaptive?.take(1)])
        if (permits) await permits
      for (
        let rest = this.pausedUntil - monotonicMs();
        rest > 0 && !halt.aborted;
        rest = this.pausedUntil - monotonicMs()
      )
        await pause(rest, halt)
      while (this.underWay >= this.width && !halt.aborted) await this.place(this.displaced)
      if (halt.aborted) throw new Halted()
      this.reserved--
      return this.admit(tokens, monotonicMs())
    } catch (error) {
      this.reserved--
      this.next()
      throw error
    }
  }

  private place(queue: (() => void)[]): Promise<void> {
    return new Promise((free) => {
      queue.push(free)
      this.shared?.want()
    })
  }

  private admit(tokens: number, now: number): Pass {
    const others = this.underWay++
    const n = this.options.noAdapt ? 0 : this.controller.sent(now)
    return { started: now, tokens, n, others }
  }

  leave(pass: Pass, outcome: CallOutcome): void {
    const now = monotonicMs()
    this.underWay--
    if (outcome.tokens !== undefined) this.tokens?.correct(pass.tokens, outcome.tokens)
    if (!this.options.noAdapt) this.observe(pass, now, outcome)
    this.next()
  }

  private observe(
    { n, started, others, tokens }: Pass,
    now: number,
    { refused, wait, headers }: CallOutcome,
  ): void {
    if (!refused) {
      this.servedAtOnce.served(others)
      this.controller.served(started, now)
    } else if (!this.servedAtOnce.refused(others)) this.controller.refused(n, started, now)
    // One refusal among many good answers concerns that call alone; where most are refused, all wait.
    if (refused && wait !== undefined && this.controller.crowded) this.pauseAll(now + wait, now)
    if (!headers) return
    for (const { of, remaining, reset } of allowances(headers, Date.now()))
      if (remaining < (of === 'requests' ? this.underWay + this.reserved + 1 : tokens))
        this.pauseAll(now + reset, now)
  }

  private pauseAll(until: number, now: number, report = true): void {
    if (until <= this.pausedUntil || until - now > LONGEST_WAIT) return
    this.pausedUntil = until
    if (report) this.shared?.reportPause(until - now)
    this.options.paused(until - now)
  }

  private setRate(rate: number): void {
    if (rate === Number.POSITIVE_INFINITY) {
      this.adaptive?.close()
      this.adaptive = undefined
    } else if (this.adaptive) this.adaptive.set(rate)
    else this.adaptive = new RateLimiter(rate)
  }

  private next(): void {
    const free = this.width - this.underWay
    for (let room = free; room > 0 && this.displaced.length > 0; room--) this.displaced.shift()!()
    for (let room = free - this.reserved; room > 0 && this.waiting.length > 0; room--) this.waiting.shift()!()
  }

  private release(): void {
    for (const free of [...this.waiting.splice(0), ...this.displaced.splice(0)]) free()
    this.requests?.close()
    this.tokens?.close()
    this.adaptive?.close()
  }
}
