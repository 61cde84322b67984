/** Admits calls within the limits: one gate per endpoint and model. */
import type { RowFailure } from '../../../rows/record.ts'
import type { CallOptions } from '../options.ts'
import { type CallPlace, isRefusal, Pace, type PaceUse } from './pace.ts'
import { type LeaseSource, RateLimiter } from './rate_limiter.ts'
import { allowances, LONGEST_WAIT } from './waits.ts'

type GateOptions = Pick<CallOptions, 'concurrency' | 'rpm' | 'tpm'> &
  Omit<PaceUse, 'width'> & {
    /** When aborted, no more calls are admitted. */
    halt: AbortSignal
    /** Called when all calls to the endpoint pause. */
    paused(ms: number, why: string): void
    /** Leases that several processes share. */
    leases?: (what: 'rpm' | 'tpm') => LeaseSource
  }

/** The run ended before the call was sent. */
export class Halted extends Error {}

interface CallOutcome {
  failure?: RowFailure
  headers?: Record<string, string>
  /** ms to wait before the next call, as the server asks. */
  wait?: number
  /** Tokens used. */
  tokens?: number
}

/** An admitted call. */
export interface Pass {
  place: CallPlace
  /** Estimated. */
  tokens: number
}

export class Gate {
  private readonly options: GateOptions
  private readonly requests: RateLimiter | undefined
  private readonly tokens: RateLimiter | undefined
  private readonly pace: Pace

  constructor(options: GateOptions) {
    const { concurrency, rpm, tpm, halt, leases } = options
    this.options = options
    if (rpm) this.requests = new RateLimiter(rpm / 60, leases?.('rpm'))
    if (tpm) this.tokens = new RateLimiter(tpm / 60, leases?.('tpm'))
    this.pace = new Pace({ ...options, width: concurrency })
    halt.addEventListener('abort', () => this.release())
  }

  /** Admits a call with this estimate of its tokens when the limits allow it. @throws Halted */
  async enter(tokens: number): Promise<Pass> {
    let place = await this.place()
    const requests = this.requests?.take(1)
    if (requests) await requests
    const more = this.tokens?.take(tokens)
    if (more) await more
    // A pause or an outage may have begun while the call waited for permits.
    while (!place.tries && !this.pace.isOpen) {
      const next = this.place()
      this.pace.leave(place)
      place = await next
    }
    if (this.options.halt.aborted) throw new Halted()
    this.pace.send(place)
    return { place, tokens }
  }

  private async place(): Promise<CallPlace> {
    const { halt } = this.options
    if (halt.aborted) throw new Halted()
    const place = this.pace.take()
    if (!(place instanceof Promise)) return place
    const given = await place
    if (halt.aborted) throw new Halted()
    return given
  }

  /** Ends a call, and learns from its outcome. @param outcome without one the call was not sent */
  leave({ place, tokens }: Pass, outcome?: CallOutcome): void {
    const { pace } = this
    const { failure, headers, wait: told = 0, tokens: used } = outcome ?? {}
    // After a longer one the row fails, and another one takes its place.
    const wait = told <= LONGEST_WAIT ? told : undefined
    if (used !== undefined) this.tokens?.correct(tokens, used)
    if (failure && isRefusal(failure)) {
      if (wait) this.pause(wait, failure.message, place)
      pace.refuse(place, failure, wait)
    }
    // Another temporary fault shows neither that the endpoint takes calls nor that it refuses them.
    else if (!outcome || failure?.detail.retryable) pace.leave(place)
    else pace.grant(place)
    if (!headers) return
    for (const { of, remaining, reset } of allowances(headers, Date.now()))
      if (remaining < (of === 'requests' ? pace.busy + 1 : tokens))
        this.pause(reset, `${remaining} ${of} left`)
  }

  private pause(ms: number, why: string, by?: CallPlace): void {
    if (ms > LONGEST_WAIT || !this.pace.pause(ms, by)) return
    this.options.paused(ms, why)
  }

  private release(): void {
    this.requests?.close()
    this.tokens?.close()
    this.pace.close()
  }
}
