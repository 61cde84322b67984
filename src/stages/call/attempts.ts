/** Sends a request until it is answered, fails permanently, or the attempts are used up. */

import { EmptyAnswer } from '../../providers/_provider.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, Fatal, type Reply, RowFailure } from '../../rows/record.ts'
import type { CallRequest } from './call_request.ts'
import { type CallContext, Channel } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { Halted } from './limits/gate.ts'
import { backoff, LONGEST_WAIT, pause } from './limits/waits.ts'
import { type CallOptions, USUAL } from './options.ts'
import { Preflight, refusedKey, UNREACHABLE } from './preflight.ts'
import { replyOf } from './written_reply.ts'

/** The limits of the command line, or else of the judge's own file, whose retries count all attempts under --compat lm-eval. */
function limitsOf(given: CallOptions, { own }: Endpoint) {
  const chosen = <T>(option: T, usual: T, own: T | undefined) => (option === usual ? (own ?? option) : option)
  return {
    concurrency: Math.max(1, Math.floor(chosen(given.concurrency, USUAL.concurrency, own?.concurrency))),
    retries: chosen(
      given.retries,
      USUAL.retries,
      given.compat === 'lm-eval' && own ? Math.max(0, (own.retries ?? USUAL.retries) - 1) : own?.retries,
    ),
    retryMin: chosen(given.retryMin, USUAL.retryMin, own?.retry_min),
    retryMax: chosen(given.retryMax, USUAL.retryMax, own?.retry_max),
  }
}

export class Attempts {
  private readonly options: CallOptions
  private readonly run: CallContext
  readonly preflight: Preflight
  private readonly channelOf = new Map<Endpoint, Channel>()
  private readonly channels = new Map<string, Channel>()

  constructor(options: CallOptions, run: CallContext) {
    this.options = options
    this.run = run
    this.preflight = new Preflight(run)
  }

  /** @throws RowFailure; Halted if the run ended before the request was sent; Fatal if the endpoint has no key */
  send(request: CallRequest): Promise<Reply> {
    const { endpoint } = request
    if (endpoint.missingKey) throw new Fatal(EXIT.auth, endpoint.missingKey)
    const { preflight, noPreflight } = this.options
    const alone = (preflight || !noPreflight) && endpoint.own?.preflight !== false
    if (!alone) return this.sendWithRetries(request, false)
    return this.preflight.call(endpoint, (first, sent) => this.sendWithRetries(request, first, sent))
  }

  private async sendWithRetries(request: CallRequest, first: boolean, sent?: () => void): Promise<Reply> {
    const { run } = this
    const { endpoint, params, row } = request
    const channel = this.channel(endpoint)
    let last: RowFailure | undefined
    for (let tries = 1; ; tries++) {
      try {
        const allowed = channel.fallback.apply(params)
        const prepared = channel.fallback.apply(endpoint.provider.prepare(allowed, endpoint.env))
        const admitted = await channel.enter(prepared, allowed)
        const outcome = await channel.send(admitted, sent)
        const { answer, failure, ms } = channel.leave(admitted, outcome, tries, row)
        if (answer) return replyOf(answer, endpoint, ms, tries)
        const learnt =
          outcome instanceof RowFailure ? undefined : channel.fallback.learn(outcome, prepared, allowed)
        if (learnt !== undefined) {
          if (learnt) run.note(`${endpoint.model} at ${endpoint.url.host}: ${learnt}`)
          // Sending it again with other parameters is the same attempt.
          tries--
          continue
        }
        last = failure!
      } catch (error) {
        // The run ended while the call waited for another attempt: report the last failure.
        if (error instanceof Halted && last) throw last
        if (!(error instanceof RowFailure)) throw error
        last = error
      }
      await this.waitBeforeRetry(endpoint, last, tries, first)
    }
  }

  /** Waits before the next attempt. @throws the failure if there is none */
  private async waitBeforeRetry(
    endpoint: Endpoint,
    failure: RowFailure,
    tries: number,
    first: boolean,
  ): Promise<void> {
    const { run } = this
    const { retries, retryMin, retryMax } = limitsOf(this.options, endpoint)
    const { detail } = failure
    if (detail.status === 401) run.end(EXIT.auth, refusedKey(endpoint, failure.message))
    if (failure.code === 'budget') {
      // Only a server's refusal has a status.
      const why =
        detail.status === undefined
          ? `${failure.message}:`
          : `${endpoint.label}: the account has no credit left (${failure.message}): add some, then`
      run.end(EXIT.stopped, `${why} run again to go on`)
    }
    const most = failure instanceof EmptyAnswer ? Math.min(1, retries) : retries
    const hopeless = first && UNREACHABLE.has(String(detail.cause))
    if (!detail.retryable || hopeless || tries > most || run.halt.aborted) throw failure
    const delay = detail.retry_after === undefined ? undefined : Number(detail.retry_after) * 1000
    if (delay !== undefined && delay > LONGEST_WAIT) throw failure
    run.tally.retries++
    await pause(delay ?? backoff(tries, retryMin * 1000, retryMax * 1000), run.halt)
    if (run.halt.aborted) throw failure
  }

  /** Named judges with the same endpoint and model share its limits. */
  private channel(endpoint: Endpoint): Channel {
    return getOrInsert(this.channelOf, endpoint, () => {
      const { options, run } = this
      const { concurrency } = limitsOf(options, endpoint)
      run.http.widen(concurrency)
      const key = `${endpoint.model}\n${endpoint.url}\n${concurrency}`
      return getOrInsert(
        this.channels,
        key,
        () => new Channel(endpoint, { ...options, concurrency }, run, key),
      )
    })
  }
}
