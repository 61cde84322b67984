/** Admits calls within the limits: one gate per endpoint and model. */
import { monotonicMs } from '../../../rows/clock.ts'
import type { CallOptions } from '../options.ts'
import { ConcurrencyLimit } from './concurrency_limit.ts'
import { RateController } from './rate_controller.ts'
import { RateLimiter } from './rate_limiter.ts'
import type { SharedChannel } from './shared/channel.ts'
import type { SharedLimits } from './shared/limits.ts'
import { allowances, LONGEST_WAIT, pause } from './waits.ts'

interface GateContext {
  /** When aborted, no more calls are admitted. */
  halt: AbortSignal
  /** Called when all calls to the endpoint pause. */
  paused(ms: number): void
  /** Limits that several processes share under this key. */
  shared?: { limits: SharedLimits; key: string }
}

/** The run ended before the call was sent. */
export class Halted extends Error {}

interface CallOutcome {
  /** The endpoint was too busy: 429, 503, 529. */
  refused: boolean
  headers?: Record<string, string>
  /** ms to wait before the next call, as the server asks. */
  wait?: number
  /** Tokens used. */
  tokens?: number
}

/** An admitted call. */
export interface Pass {
  /** In ms, by monotonicMs(). */
  started: number
  /** Estimated. */
  tokens: number
  /** Its number in the rate controller. */
  n: number
  /** Other calls in flight. */
  others: number
}

export class Gate {
  private readonly options: CallOptions & GateContext
  private readonly requests: RateLimiter | undefined
  private readonly tokens: RateLimiter | undefined
  private readonly controller: RateController
  private readonly concurrency = new ConcurrencyLimit()
  /** Limits calls to the rate that the controller found. */
  private adaptive: RateLimiter | undefined
  /** Calls in flight, and calls that have a slot and wait for permits. */
  private inFlight = 0
  private reserved = 0
  /** Calls that wait for a slot. */
  private readonly waiting: (() => void)[] = []
  /** Calls with permits that lost their slot to another process. */
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

  /** The most calls in flight. */
  private get width(): number {
    return Math.min(this.shared?.width ?? this.options.concurrency, this.concurrency.most)
  }

  private get isFull(): boolean {
    return this.inFlight + this.reserved >= this.width
  }

  private share({ limits, key }: NonNullable<GateContext['shared']>): SharedChannel {
    return limits.channel(key, this.options.concurrency, {
      demand: () => [
        this.inFlight,
        this.inFlight + this.reserved + this.waiting.length + this.displaced.length,
      ],
      widened: () => this.next(),
      pause: (ms) => this.pauseAll(monotonicMs() + ms, monotonicMs(), false),
      slow: () => {
        if (!this.options.noAdapt) this.controller.exhaustedElsewhere(monotonicMs())
      },
    })
  }

  /** Admits a call with this estimate of its tokens when the limits allow it. @throws Halted */
  async enter(tokens: number): Promise<Pass> {
    const { halt } = this.options
    while (this.isFull && !halt.aborted) await this.slot(this.waiting)
    if (halt.aborted) throw new Halted()
    this.reserved++
    try {
      for (const permits of [this.requests?.take(1), this.tokens?.take(tokens), this.adaptive?.take(1)])
        if (permits) await permits
      while (this.pausedUntil > monotonicMs() && !halt.aborted)
        await pause(this.pausedUntil - monotonicMs(), halt)
      while (this.inFlight >= this.width && !halt.aborted) await this.slot(this.displaced)
      if (halt.aborted) throw new Halted()
      this.reserved--
      return this.admit(tokens)
    } catch (error) {
      this.reserved--
      this.next()
      throw error
    }
  }

  private slot(queue: (() => void)[]): Promise<void> {
    return new Promise((free) => {
      queue.push(free)
      this.shared?.want()
    })
  }

  private admit(tokens: number): Pass {
    const started = monotonicMs()
    const others = this.inFlight++
    const n = this.options.noAdapt ? 0 : this.controller.sent(started)
    return { started, tokens, n, others }
  }

  leave(pass: Pass, outcome: CallOutcome): void {
    const now = monotonicMs()
    this.inFlight--
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
      this.concurrency.served(others)
      this.controller.served(started, now)
    } else if (!this.concurrency.refused(others)) this.controller.refused(n, started, now)
    // All calls wait only if most are refused.
    if (refused && wait !== undefined && this.controller.crowded) this.pauseAll(now + wait, now)
    if (!headers) return
    for (const { of, remaining, reset } of allowances(headers, Date.now()))
      if (remaining < (of === 'requests' ? this.inFlight + this.reserved + 1 : tokens))
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
    const free = this.width - this.inFlight
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
