/** Sends a request until it is answered, fails permanently, or the attempts are used up. */

import { EmptyAnswer } from '../../providers/_provider.ts'
import { monotonicMs } from '../../rows/clock.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, type PaidTry, type Reply, RowFailure, usageError } from '../../rows/record.ts'
import type { CallRequest } from './call_request.ts'
import { type CallContext, Channel } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { isSuccess } from './http/transfer.ts'
import { Halted } from './limits/gate.ts'
import { isRefusal, UNREACHABLE } from './limits/pace.ts'
import { backoff, LONGEST_WAIT, pause } from './limits/waits.ts'
import { type CallOptions, USUAL } from './options.ts'
import type { RequestFallback } from './parameter_fallback.ts'
import { Preflight, refusedKey } from './preflight.ts'
import { keepPaid, paidIn, repliesOf } from './written_reply.ts'

/** The limits of the command line, or else of the judge's own file. */
function limitsOf(given: CallOptions, { own }: Endpoint) {
  const chosen = <T>(option: T, usual: T, own: T | undefined) => (option === usual ? (own ?? option) : option)
  return {
    concurrency: Math.max(1, Math.floor(chosen(given.concurrency, USUAL.concurrency, own?.concurrency))),
    retries: chosen(given.retries, USUAL.retries, own?.retries),
    // A number that the judge's own file writes is of all tries; --retries is of faults alone.
    boundsRefusals: given.retries === USUAL.retries && own?.retries !== undefined,
    retryMin: chosen(given.retryMin, USUAL.retryMin, own?.retry_min),
    retryMax: chosen(given.retryMax, USUAL.retryMax, own?.retry_max),
  }
}

/** The channel to an endpoint, and when its calls are made again. */
interface Line extends ReturnType<typeof limitsOf> {
  channel: Channel
}

/** The failed calls of a row. */
interface Failures {
  /** When the first one was refused, by monotonicMs(). */
  refusedAt?: number
  /** Failures that were no refusals, and refusals where these are bounded. */
  faults: number
}

export class Attempts {
  private readonly options: CallOptions
  private readonly run: CallContext
  readonly preflight: Preflight
  /** The most calls in progress to an endpoint. */
  width: number
  private readonly lines = new Map<Endpoint, Line>()
  private readonly channels = new Map<string, Channel>()

  constructor(options: CallOptions, run: CallContext) {
    this.options = options
    this.run = run
    this.width = options.concurrency
    this.preflight = new Preflight(run)
  }

  /** The reply to a request, or those to one for several samples. @throws RowFailure; Halted if the run ended before the request was sent; Fatal if the endpoint has no key */
  send(request: CallRequest): Promise<(Reply | RowFailure)[]> {
    const { endpoint } = request
    if (request.keys.together && !endpoint.provider.takesN)
      throw usageError(`--samples-at-once: the API of ${endpoint.label} gives one answer to a request`)
    if (endpoint.missingKey) throw new Fatal(EXIT.auth, endpoint.missingKey)
    if (endpoint.own?.preflight === false) return this.sendWithRetries(request, false)
    return this.preflight.call(endpoint, (first, sent) => this.sendWithRetries(request, first, sent))
  }

  private async sendWithRetries(request: CallRequest, first: boolean, sent?: () => void) {
    const { endpoint } = request
    const line = this.line(endpoint)
    const fallback = line.channel.fallback.request()
    const failures: Failures = { faults: 0 }
    const paid: PaidTry[] = []
    let last: RowFailure | undefined
    for (let tries = 1; ; tries++) {
      try {
        const got = await this.attempt(line.channel, request, fallback, sent)
        if (got.answer) return repliesOf(got.answer, endpoint, { ms: got.ms, tries, paid })
        // Sending it again with other parameters is the same attempt.
        if (got.changed) {
          tries--
          continue
        }
        last = got.failure!
      } catch (error) {
        // The run ended while the call waited for another attempt: report the last failure.
        if (error instanceof Halted && last) throw last
        if (!(error instanceof RowFailure)) throw error
        last = error
      }
      const own = paidIn(last)
      keepPaid(last, paid)
      paid.push(...own)
      this.endRun(endpoint, last)
      await this.waitBeforeRetry(line, last, failures, first)
    }
  }

  /** Sends a request once. @returns its answer or failure, and whether other parameters may be accepted */
  private async attempt(
    channel: Channel,
    { endpoint, asked }: CallRequest,
    fallback: RequestFallback,
    sent?: () => void,
  ) {
    const allowed = fallback.apply(asked)
    const prepared = fallback.apply(endpoint.provider.prepare(allowed, endpoint.env))
    const admitted = await channel.enter(prepared, allowed)
    const outcome = await channel.send(admitted, sent)
    const left = channel.leave(admitted, outcome)
    if (outcome instanceof RowFailure) return { ...left, changed: false }
    if (!isSuccess(outcome.status)) return { ...left, changed: fallback.refused(outcome, prepared, allowed) }
    for (const words of fallback.accepted())
      this.run.note(`${endpoint.model} at ${endpoint.url.host}: ${words}`)
    return { ...left, changed: false }
  }

  /** Ends the run for a failure after which no other call can succeed. */
  private endRun(endpoint: Endpoint, { code, message, detail }: RowFailure): void {
    if (detail.status === 401) this.run.end(EXIT.auth, refusedKey(endpoint, message))
    if (code !== 'budget') return
    // Only a server's refusal has a status.
    const why =
      detail.status === undefined
        ? `${message}:`
        : `${endpoint.label}: the account has no credit left (${message}): add some, then`
    this.run.end(EXIT.stopped, `${why} run again to go on`)
  }

  /** Waits before the next attempt; after a refusal, the channel does that. @throws the failure if there is none */
  private async waitBeforeRetry(
    { retries, boundsRefusals, retryMin, retryMax }: Line,
    failure: RowFailure,
    failures: Failures,
    first: boolean,
  ): Promise<void> {
    const { halt, tally } = this.run
    const { retryable, cause, retry_after } = failure.detail
    const hopeless = first && UNREACHABLE.has(cause)
    // A server that says 0 has not said how long to wait.
    const told = Number(retry_after ?? 0) * 1000
    if (!retryable || hopeless || told > LONGEST_WAIT || halt.aborted) throw failure
    if (isRefusal(failure)) {
      failures.refusedAt ??= monotonicMs()
      if (monotonicMs() - failures.refusedAt >= this.options.refusedFor * 1000) throw failure
      if (boundsRefusals && ++failures.faults > retries) throw failure
      return
    }
    const most = failure instanceof EmptyAnswer ? Math.min(1, retries) : retries
    if (++failures.faults > most) throw failure
    tally.retries++
    await pause(told || backoff(failures.faults, retryMin * 1000, retryMax * 1000), halt)
    if (halt.aborted) throw failure
  }

  private line(endpoint: Endpoint): Line {
    return getOrInsert(this.lines, endpoint, () => {
      const { options, run } = this
      const limits = limitsOf(options, endpoint)
      const { concurrency } = limits
      this.width = Math.max(this.width, concurrency)
      // Named judges with the same endpoint and model share its limits.
      const key = `${endpoint.model}\n${endpoint.url}\n${concurrency}`
      const made = () => new Channel(endpoint, { ...options, ...limits }, run)
      return { ...limits, channel: getOrInsert(this.channels, key, made) }
    })
  }
}
