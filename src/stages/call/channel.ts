/** Sends the requests to one endpoint and model within the limits. */

import type { Authorize } from '../../providers/_access.ts'
import { answerCount, maxTokens, type Params } from '../../providers/_params.ts'
import type { Answer, Provider } from '../../providers/_provider.ts'
import { questionsOf } from '../../providers/_questions.ts'
import { monotonicMs } from '../../rows/clock.ts'
import { endingOf } from '../../rows/finish_reason.ts'
import type { Question } from '../../rows/questions.ts'
import { EXIT, RowFailure, type Usage, usageError } from '../../rows/record.ts'
import { asksForTools, readAnswer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { errorObject, failureOf } from './http/failure.ts'
import type { Http } from './http/http.ts'
import type { Secrets } from './http/secrets.ts'
import { type HttpResponse, isSuccess, Unfinished } from './http/transfer.ts'
import type { Budget } from './limits/budget.ts'
import { Gate, Halted, type Pass } from './limits/gate.ts'
import {
  type CallCost,
  CallEstimate,
  completionOf,
  costOf,
  countOf,
  mostOf,
  withNamedCost,
} from './limits/money.ts'
import { isRefusal } from './limits/pace.ts'
import type { Prices } from './limits/prices.ts'
import type { SharedRates } from './limits/shared_rates.ts'
import type { CallTally } from './limits/tally.ts'
import { retryAfter } from './limits/waits.ts'
import { estimatedLength } from './media.ts'
import type { CallOptions } from './options.ts'
import { ParameterFallback } from './parameter_fallback.ts'

/** What calls need from the run. */
export interface CallContext {
  http: Http
  secrets: Secrets
  tally: CallTally
  budget: Budget
  /** Rates shared with other processes. */
  shared?: SharedRates
  prices: Prices
  halt: AbortSignal
  /** Whether rows are left to begin. */
  rowsLeft(): boolean
  /** Prints a line on stderr; repeats of a `kind` are capped. */
  note(message: string, kind?: string): void
  /** Starts no more rows, and ends with this exit code. */
  end(exitCode: number, message: string): void
  /** An endpoint refused all calls for too long, with so many rows in hand. */
  gaveUp(message: string, rows: number): void
}

/** A request admitted by the limits. */
interface Admitted {
  body: Buffer
  /** The length by which its tokens are estimated. */
  size: number
  /** A tool call can be its answer; it has several answers. */
  tools: boolean
  several: boolean
  /** Those of a decision model. */
  questions: readonly Question[] | undefined
  /** What the budget holds for it, in dollars. */
  reserved: number
  pass: Pass
  /** In ms, by monotonicMs(). */
  started: number
}

const GIVE_PRICE = '(--price IN,OUT or a file of them gives one)'
/** Without --max-cost. */
const FREE: CallCost = { expected: 0, least: 0, learnt: true }
/** Longer pauses that a server asks for are reported, and refusals without a granted call for longer, in ms. */
const REPORTED_PAUSE_MS = 5000
const REPORTED_REFUSALS_MS = 2000

type Bounds = Pick<CallOptions, 'retries' | 'refusedFor'> & { boundsRefusals: boolean }

/** What becomes of calls that are refused. @param bounds and whether `retries` is of refusals, too */
export const whatFollows = ({ boundsRefusals, retries, refusedFor }: Bounds): string =>
  boundsRefusals
    ? `each is tried again ${retries} times, as the judge’s file says (--retries)`
    : `they are tried again, for up to ${refusedFor} s (--refused-for)`

export class Channel {
  readonly fallback = new ParameterFallback()
  private readonly endpoint: Endpoint
  private readonly run: CallContext
  private readonly gate: Gate
  private readonly estimate = new CallEstimate()
  private tpm: number
  private authorize: Authorize | undefined
  /** Names of ends that were noted. */
  private readonly endings = new Set<string>()

  constructor(endpoint: Endpoint, options: CallOptions & Bounds, run: CallContext) {
    this.endpoint = endpoint
    this.run = run
    this.tpm = options.tpm ?? Number.POSITIVE_INFINITY
    run.tally.channels++
    const { host } = endpoint.url
    const { shared } = run
    if (shared && !options.rpm && !options.tpm)
      throw usageError('--limits shares --rpm and --tpm: give one of them')
    let reported = false
    this.gate = new Gate({
      ...options,
      retryMin: options.retryMin * 1000,
      retryMax: options.retryMax * 1000,
      refusedFor: options.refusedFor * 1000,
      halt: run.halt,
      rowsLeft: () => run.rowsLeft(),
      ...(shared && {
        leases: (what) => ({
          open: (period) => shared.leases(`${endpoint.model}\n${endpoint.url}`, what, period),
          failed: shared.lost,
        }),
      }),
      paused: (ms, why) => {
        if (ms > REPORTED_PAUSE_MS)
          run.note(`${host}: waiting ${Math.ceil(ms / 1000)} s (${why})`, `${host} pause`)
      },
      refused: (ms, { message }) => {
        if (reported || ms <= REPORTED_REFUSALS_MS) return
        reported = true
        run.note(`${host} refuses calls (${message}): ${whatFollows(options)}`, `${host} refuses`)
      },
      grantedAgain: (ms) => {
        if (reported) run.note(`${host} takes calls again after ${Math.round(ms / 1000)} s`, `${host} takes`)
        reported = false
      },
      gaveUp: (ms, { message }, rows) =>
        run.gaveUp(
          `${host} has refused all calls for ${Math.round(ms / 1000)} s (${message}; --refused-for)`,
          rows,
        ),
    })
  }

  /**
   * Admits a request when the limits allow it.
   * @param params as the provider prepared them
   * @param given as OpenAI names them, to read the limit on an answer
   * @throws Halted if the run ended; RowFailure budget; Fatal if --max-cost needs a price that is unknown
   */
  async enter(params: Params, given: Params): Promise<Admitted> {
    const { endpoint } = this
    const body = endpoint.provider.body(params, endpoint.sentModel)
    const { decides = false } = endpoint.provider
    const limit = decides ? 0 : (maxTokens(params) ?? maxTokens(given))
    const cost = () => this.costOf(body, given, limit)
    const size = estimatedLength(body.length, given)
    const { prompt, completion } = this.estimate.tokens(size, limit, answerCount(given))
    const tokens = prompt + completion
    if (tokens > this.tpm) this.reportSlow(tokens)
    const pass = await this.gate.enter(tokens)
    let reserved: number
    try {
      reserved = this.run.budget.take(cost()) ?? (await this.afford(cost))
    } catch (error) {
      this.gate.leave(pass)
      throw error
    }
    this.run.tally.requests++
    const several = answerCount(given) > 1
    const asked = { tools: asksForTools(given), questions: decides ? questionsOf(given) : undefined }
    return { body, size, ...asked, several, reserved, pass, started: monotonicMs() }
  }

  /** What a request may cost. @throws Fatal if --max-cost needs a price that is unknown */
  private costOf(body: Buffer, given: Params, limit: number | undefined): CallCost {
    const { budget, prices } = this.run
    if (!budget.limitsCost) return FREE
    const price = mostOf(prices(this.endpoint), given, body)
    if (!price && !this.endpoint.mayNameCost) throw usageError(this.noPrice(GIVE_PRICE))
    return this.estimate.cost(estimatedLength(body.length, given), price, limit, answerCount(given))
  }

  private noPrice(advice: string): string {
    const { model, url, near } = this.endpoint
    const known = near === undefined ? '' : `; ${near} has one`
    return `--max-cost: no price is known for ${model} at ${url.host} ${advice}${known}`
  }

  /** Reports once that a single call waits longer than a minute. */
  private reportSlow(tokens: number): void {
    this.run.note(
      `--tpm ${this.tpm}: a call needs about ${tokens} tokens, which takes ${(tokens / this.tpm).toFixed(1)} minutes`,
    )
    this.tpm = Number.POSITIVE_INFINITY
  }

  /** Waits until calls in flight have left enough of the budget. */
  private async afford(cost: () => CallCost): Promise<number> {
    const { budget, halt } = this.run
    try {
      for (;;) {
        await budget.settled()
        if (halt.aborted) throw new Halted()
        const reserved = budget.take(cost())
        if (reserved === undefined) continue
        budget.next()
        return reserved
      }
    } catch (error) {
      // Later, when the run has ended.
      setImmediate(() => budget.next())
      throw error
    }
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
   * Reads the outcome of a request, and counts its cost.
   * @returns either an answer or a failure
   */
  leave(admitted: Admitted, outcome: HttpResponse | RowFailure) {
    const { run, gate, estimate } = this
    const { size, reserved, pass, started } = admitted
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
    const cost = this.pay(usage, reserved, { answered, whole: answer !== undefined || usage !== undefined })
    if (failure && cost !== undefined) failure.detail.cost = cost
    estimate.learn(size, usage, cost)
    const tokens = (countOf(usage?.prompt_tokens) ?? 0) + (completionOf(usage) ?? 0)
    if (failure && isRefusal(failure)) run.tally.refused++
    else run.tally.grant()
    gate.leave(pass, {
      failure,
      headers: exchange?.headers,
      wait,
      tokens: tokens || (answered ? undefined : 0),
    })
    return { answer, failure, ms }
  }

  /**
   * Counts what a request cost.
   * @param answered it may have cost what is reserved, if the server does not say
   * @param whole with an answer or a count
   */
  private pay(
    usage: Usage | undefined,
    reserved: number,
    { answered, whole }: { answered: boolean; whole: boolean },
  ) {
    const { tally, budget, prices } = this.run
    const price = prices(this.endpoint)
    const cost = costOf(usage, price)
    tally.paid(usage, cost)
    const unpriced = budget.limitsCost && cost === undefined && !price && !this.estimate.costIsNamed
    if (unpriced && whole)
      this.run.end(EXIT.usage, this.noPrice(`and the server names no cost ${GIVE_PRICE}`))
    budget.settle(reserved, cost ?? (answered && !unpriced ? reserved : 0))
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

  /** Says once of each end that no list knows that its answers are kept. */
  private noteEnding({ finish_reason, all = [] }: Answer): void {
    const others = all.map((one) => (one instanceof RowFailure ? null : one.finish_reason))
    for (const reason of [finish_reason, ...others]) {
      if (!reason || this.endings.has(reason) || endingOf(reason) !== 'unknown') continue
      this.endings.add(reason)
      const { model, url } = this.endpoint
      this.run.note(
        `${model} at ${url.host}: the finish_reason ${JSON.stringify(reason)} is unknown: its replies count as whole`,
      )
    }
  }

  private read(exchange: HttpResponse, { tools, several, questions }: Admitted): Answer | RowFailure {
    const { secrets } = this.run
    const { provider } = this.endpoint
    try {
      if (!isSuccess(exchange.status)) return failureOf(exchange, secrets, provider)
      const answer = readAnswer(exchange, { provider, tools, several, questions }, secrets)
      answer.usage = withNamedCost(answer.usage, exchange)
      this.noteEnding(answer)
      return answer
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      const usage = withNamedCost(error.detail.usage as Usage | undefined, exchange)
      if (usage) error.detail.usage = usage
      return error
    }
  }
}
