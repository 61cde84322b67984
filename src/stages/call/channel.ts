/** Sends the requests to one endpoint and model within the limits. */

import type { Authorize } from '../../providers/_access.ts'
import { answerCount, maxTokens, type Params } from '../../providers/_params.ts'
import type { Answer, Provider } from '../../providers/_provider.ts'
import { monotonicMs } from '../../rows/clock.ts'
import { RowFailure, type Usage, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { asksForTools, readAnswer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { errorObject, failureOf } from './http/failure.ts'
import type { Http } from './http/http.ts'
import type { Secrets } from './http/secrets.ts'
import { type HttpResponse, isSuccess, Unfinished } from './http/transfer.ts'
import type { Budget } from './limits/budget.ts'
import { Gate, Halted, type Pass } from './limits/gate.ts'
import { costOf, countOf, mostOf, TokenEstimate } from './limits/money.ts'
import type { Prices } from './limits/prices.ts'
import type { SharedLimits } from './limits/shared/limits.ts'
import type { CallTally } from './limits/tally.ts'
import { retryAfter } from './limits/waits.ts'
import type { CallLog } from './log.ts'
import type { CallOptions } from './options.ts'
import { ParameterFallback } from './parameter_fallback.ts'

/** What calls need from the run. */
export interface CallContext {
  http: Http
  secrets: Secrets
  tally: CallTally
  budget: Budget
  /** Limits shared with other processes. */
  shared?: SharedLimits
  prices: Prices
  log?: CallLog
  halt: AbortSignal
  note(message: string): void
  /** Starts no more rows, and ends with this exit code. */
  end(exitCode: number, message: string): void
}

/** A request admitted by the limits. */
interface Admitted {
  body: Buffer
  /** A tool call can be its answer. */
  tools: boolean
  /** Its highest possible cost in dollars. */
  most: number
  pass: Pass
  /** In ms, by monotonicMs(). */
  started: number
}

/** Statuses of a busy endpoint. */
const BUSY = new Set([429, 503, 529])
/** Buffers kept for later requests: their number, and the unit and maximum of their lengths. */
const SPARE = 256
const PAGE = 4096
const LARGEST = 64 * 1024
/** Longer pauses are reported, in ms. */
const REPORTED_MS = 10_000

export class Channel {
  readonly fallback = new ParameterFallback()
  private readonly endpoint: Endpoint
  private readonly run: CallContext
  private readonly gate: Gate
  private readonly estimate = new TokenEstimate()
  private tpm: number
  private authorize: Authorize | undefined
  /** Buffers of answered requests, for reuse: allocating thousands per second is slow. */
  private readonly spare: ArrayBuffer[] = []

  /** @param key identifies the limits in all processes */
  constructor(endpoint: Endpoint, options: CallOptions, run: CallContext, key = '') {
    this.endpoint = endpoint
    this.run = run
    this.tpm = options.tpm ?? Number.POSITIVE_INFINITY
    const paused = (ms: number) => {
      if (ms > REPORTED_MS) run.note(`${endpoint.url.host} asks for a pause of ${Math.ceil(ms / 1000)} s`)
    }
    const shared = run.shared && { limits: run.shared, key }
    this.gate = new Gate({ ...options, halt: run.halt, paused, shared })
  }

  /**
   * Admits a request when the limits allow it.
   * @param params as the provider prepared them
   * @param given as OpenAI names them, to read the limit on an answer
   * @throws Halted if the run ended; RowFailure budget; Fatal if --max-cost needs a price that is unknown
   */
  async enter(params: Params, given: Params): Promise<Admitted> {
    const { endpoint } = this
    const body = endpoint.provider.body(params, endpoint.sentModel, this.allocate)
    const size = this.estimate.of(body.length, maxTokens(params) ?? maxTokens(given), answerCount(given))
    const { limitsCost } = this.run.budget
    const price = limitsCost ? mostOf(this.run.prices(endpoint), given, body) : undefined
    if (!price && limitsCost)
      throw usageError(
        `--max-cost: no price is known for ${endpoint.model} at ${endpoint.url.host} (--price IN,OUT or a file of them gives one)`,
      )
    const most = costOf(size.most, price) ?? 0
    const tokens = size.prompt + size.completion
    if (tokens > this.tpm) this.reportSlow(tokens)
    const pass = await this.gate.enter(tokens)
    try {
      if (!this.run.budget.take(most)) await this.afford(most)
    } catch (error) {
      this.gate.leave(pass, { refused: false })
      throw error
    }
    this.run.tally.requests++
    return { body, tools: asksForTools(given), most, pass, started: monotonicMs() }
  }

  /** Reports once that a single call waits longer than a minute. */
  private reportSlow(tokens: number): void {
    this.run.note(
      `--tpm ${this.tpm}: a call needs about ${tokens} tokens, which takes ${(tokens / this.tpm).toFixed(1)} minutes`,
    )
    this.tpm = Number.POSITIVE_INFINITY
  }

  /** Waits until calls in flight have left enough of the budget. */
  private async afford(most: number): Promise<void> {
    const { budget, halt } = this.run
    try {
      do {
        await budget.settled()
        if (halt.aborted) throw new Halted()
      } while (!budget.take(most))
    } catch (error) {
      // Later, when the run has ended.
      setImmediate(() => budget.next())
      throw error
    }
    budget.next()
  }

  /** @param sent is called when the request goes out */
  send({ body }: Admitted, sent?: () => void): Promise<HttpResponse | RowFailure> {
    const { url, headers, provider } = this.endpoint
    if (!provider.authorize) return this.run.http.post(url, headers, body, sent)
    return this.sendAuthorized(body, provider.authorize, sent)
  }

  private async sendAuthorized(
    body: Buffer,
    authorize: NonNullable<Provider['authorize']>,
    sent?: () => void,
  ): Promise<HttpResponse | RowFailure> {
    const { http, secrets } = this.run
    const { url, headers, key, env } = this.endpoint
    try {
      this.authorize ??=
        authorize({
          env,
          key,
          url,
          hide: (secret) => secrets.add(secret),
          post: (...request) => http.post(...request),
        }) ?? (async () => ({}))
      return await http.post(url, { ...headers, ...(await this.authorize(body)) }, body, sent)
    } catch (error) {
      if (error instanceof RowFailure) return error
      throw error
    }
  }

  /**
   * Reads the outcome of a request, counts its cost and logs it.
   * @returns either an answer or a failure
   */
  leave(admitted: Admitted, outcome: HttpResponse | RowFailure, tries: number, row: Row) {
    const { run, gate, estimate, endpoint } = this
    const { body, most, pass, started } = admitted
    const exchange = outcome instanceof RowFailure ? undefined : outcome
    const ms = Math.round(monotonicMs() - started)
    const read = exchange ? this.read(exchange, admitted) : outcome
    const failure = read instanceof RowFailure ? read : undefined
    const answer = failure ? undefined : (read as Answer)
    const wait = exchange && this.retryDelay(exchange)
    if (failure && wait !== undefined) failure.detail.retry_after = wait / 1000
    // Refusals and empty replies cost as well, and interrupted answers may.
    const answered = exchange ? isSuccess(exchange.status) : outcome instanceof Unfinished
    const usage = answer?.usage ?? (failure?.detail.usage as Usage | undefined)
    const cost = this.pay(usage, answered ? most : 0, most)
    if (failure && cost !== undefined) failure.detail.cost = cost
    estimate.learn(body.length, usage)
    const tokens = (countOf(usage?.prompt_tokens) ?? 0) + (countOf(usage?.completion_tokens) ?? 0)
    gate.leave(pass, {
      refused: exchange !== undefined && BUSY.has(exchange.status),
      headers: exchange?.headers,
      wait,
      tokens: tokens || (answered ? undefined : 0),
    })
    run.log?.write({
      item: row.get('item'),
      trial: row.get('trial'),
      model: endpoint.model,
      endpoint: endpoint.label,
      try: tries,
      ms,
      status: exchange?.status,
      usage,
      cost,
      error: failure && { code: failure.code, message: failure.message },
    })
    return { answer, failure, ms }
  }

  /** Counts what a request cost; `unknown`, if there is no token count. @param reserved what the budget holds for it */
  private pay(usage: Usage | undefined, unknown: number, reserved: number): number | undefined {
    const { tally, budget, prices } = this.run
    const cost = costOf(usage, prices(this.endpoint))
    tally.paid(usage, cost)
    budget.settle(reserved, cost ?? unknown)
    return cost
  }

  /** ms to wait before the next request, if the server asks for it. */
  private retryDelay({ headers, body, status }: HttpResponse): number | undefined {
    const { provider } = this.endpoint
    const ms = retryAfter(headers, Date.now())
    if (ms !== undefined || isSuccess(status) || !provider.wait) return ms
    const seconds = provider.wait(errorObject(body))
    return seconds === undefined ? undefined : seconds * 1000
  }

  private read(exchange: HttpResponse, { body, tools }: Admitted): Answer | RowFailure {
    const { secrets } = this.run
    const { provider } = this.endpoint
    try {
      if (!isSuccess(exchange.status)) return failureOf(exchange, secrets, provider)
      // The server has answered, so the request's buffer can be reused.
      if (this.spare.length < SPARE && body.length <= LARGEST) this.spare.push(body.buffer as ArrayBuffer)
      return readAnswer(exchange, { provider, tools }, secrets)
    } catch (error) {
      if (error instanceof RowFailure) return error
      throw error
    }
  }

  private readonly allocate = (length: number): Buffer => {
    const spare = this.spare.pop()
    const bytes =
      spare && spare.byteLength >= length ? spare : new ArrayBuffer(Math.ceil(length / PAGE) * PAGE)
    return Buffer.from(bytes, 0, length)
  }
}
