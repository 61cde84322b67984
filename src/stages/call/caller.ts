/** Adds the reply or the failure to each row. */
import { setMaxListeners } from 'node:events'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type Reply, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context } from '../../rows/stage.ts'
import { Attempts } from './attempts.ts'
import { LOCAL, Replies, type ReplySource, type SourcedReply } from './cache/replies.ts'
import { StoredReplies } from './cache/stored.ts'
import { CallRequest, type ReplyKeys } from './call_request.ts'
import type { CallContext } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { Http } from './http/http.ts'
import { Secrets } from './http/secrets.ts'
import { Budget } from './limits/budget.ts'
import { Halted } from './limits/gate.ts'
import { type Prices, pricesOf } from './limits/prices.ts'
import { CallTally } from './limits/tally.ts'
import { type CallOptions, USUAL } from './options.ts'
import { type Ask, repair } from './repair.ts'
import { type Recorded, type Route, Router } from './router.ts'
import {
  dropEarlier,
  type FailedCalls,
  keepPaid,
  paidBefore,
  putReply,
  setReply,
  withCost,
  withPaid,
} from './written_reply.ts'

/** The number of first rows after which no more are checked for samples at temperature 0. */
const SAMPLES_WITHIN = 64

export class Caller {
  readonly tally = new CallTally()
  private readonly options: CallOptions
  private readonly context: Context
  private readonly secrets = new Secrets()
  private readonly ending = new AbortController()
  private readonly router: Router
  private readonly run: CallContext
  private readonly stored: StoredReplies
  private readonly attempts: Attempts
  private readonly replies: Replies
  /** The limit of the command line, or else the lowest one in the judges' files. */
  private maxErrorRate: number
  private judgeRate: number | undefined
  private closed = false
  /** Whether rows were read that are not started yet. */
  rowsLeft: () => boolean = () => false

  static async open(options: CallOptions, context: Context): Promise<Caller> {
    const caller = new Caller(options, context, await pricesOf(options.price))
    // A replay makes no calls.
    if (options.limits && !options.replay) await caller.share(options.limits)
    return caller
  }

  private constructor(options: CallOptions, context: Context, prices: Prices) {
    this.options = options
    this.context = context
    this.maxErrorRate = options.maxErrorRate
    const { tally, secrets, halt } = this
    // Each waiting call adds a listener.
    setMaxListeners(0, halt)
    const note = (message: string, kind?: string) => context.note(secrets.hide(message), { kind })
    this.router = new Router(options, context.env, secrets, (message) => note(message))
    this.run = {
      http: new Http(options.timeout * 1000, context.env),
      secrets,
      tally,
      budget: new Budget(options.maxCost, options.maxRequests),
      prices,
      halt,
      note,
      rowsLeft: () => this.rowsLeft(),
      end: (exitCode, message) => this.end(exitCode, message),
      gaveUp: (message, rows) => this.gaveUp(message, rows),
    }
    this.attempts = new Attempts(options, this.run)
    this.stored = new StoredReplies(options, context.env, note)
    this.replies = new Replies(options, this.attempts, this.stored)
    context.stop.addEventListener('abort', this.interrupted)
    if (context.stop.aborted) this.interrupted()
  }

  /** Shares --rpm and --tpm with all processes that use this URL. @throws Fatal */
  private async share(url: string): Promise<void> {
    const { run } = this
    try {
      const { SharedRates } = await import('./limits/shared_rates.ts')
      run.shared = await SharedRates.open(url, { env: this.context.env, end: run.end })
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** The most calls in progress: --concurrency, or the value in a judge's file. */
  get width(): number {
    return this.attempts.width
  }

  /** The most rows in progress. */
  get rows(): number {
    return this.width * this.router.samples.largest
  }

  /** Aborted when no more rows are started. */
  get halt(): AbortSignal {
    return this.ending.signal
  }

  /** Whether replies get their request's fingerprint: if the cache or a recording needs its hash anyway. */
  private get addsFingerprint(): boolean {
    return !this.options.noCache || this.replies.records
  }

  /**
   * Returns the row with its reply or failure; undefined if the run ended before its request was sent.
   * @param before the row's failure in an earlier run: what it used stays in the row, if the same model is asked again
   */
  async answer(row: Row, before?: FailedCalls): Promise<Row | undefined> {
    let model: string | undefined
    let saved: Reply | undefined
    try {
      const route = await (this.replies.replays ? this.router.recorded(row) : this.router.route(row))
      model = route.model
      const request = route.endpoint && new CallRequest(route.keys, route.endpoint)
      const known = request && this.stored.find(request)
      if (known?.source === 'row') saved = known.reply
      const { reply: got, source } =
        this.options.repair && !route.keys.decides
          ? await this.repaired(row, route, saved)
          : await this.found(known ?? (await this.send(route, request)), request)
      const reply = withPaid(got, paidBefore(before, model))
      this.tally.succeeded(source)
      const fingerprint = this.addsFingerprint ? request?.fingerprint : undefined
      if (source !== 'row') putReply(row, reply, { fingerprint, parameters: this.router.given })
      else if (reply !== saved) setReply(row, reply)
      return row
    } catch (error) {
      if (error instanceof Halted || this.closed) return undefined
      if (error instanceof RowFailure) keepPaid(error, paidBefore(before, model))
      return this.failed(row, error, model, saved !== undefined)
    }
  }

  /** Passes rows on. Says of samples at temperature 0, before they are asked, that they will be the same. */
  async *checked(rows: Rows): Rows {
    let count = 0
    for await (const batch of this.router.gather(rows)) {
      if (count < SAMPLES_WITHIN && batch.some((row) => this.router.isSameSample(row))) {
        count = SAMPLES_WITHIN
        this.context.note(
          'the samples of an item will all be the same, and each is paid for: their temperature is 0 (--temperature 1 raises it)',
        )
      }
      count += batch.length
      yield batch
    }
  }

  private failed(row: Row, error: unknown, model: string | undefined, saved: boolean): Row {
    // JSON.stringify cannot write the deepest values that JSON.parse reads.
    const failure =
      error instanceof RangeError ? new RowFailure('bad_response', 'it is nested too deeply') : error
    if (failure instanceof Fatal) throw failure
    if (!(failure instanceof RowFailure)) throw atRow(failure, row)
    failure.message = this.secrets.hide(failure.message)
    // Reports count failures by model.
    if (model) failure.detail.model ??= model
    this.tally.rowFailed(failure)
    // A reply in the row is kept if its repair fails.
    if (!saved) dropEarlier(row)
    this.checkFailures()
    return row.fail(this.context.stage, failure)
  }

  /** Checks the run's failures after the last row. */
  conclude(): void {
    const { tally, options } = this
    const { row: kept } = tally.answered
    if (options.record && kept > 0)
      this.context.note(
        `--record: the replies that ${kept} row${kept === 1 ? '' : 's'} had already are not recorded (--refresh makes the calls again)`,
      )
    const doubt = this.attempts.preflight.conclusion()
    if (doubt) {
      this.end(doubt.exitCode, doubt.message)
      return
    }
    if (tally.failed / Math.max(1, tally.done) <= this.maxErrorRate) return
    const unreachable = tally.unreachable === tally.done
    const words = tally.failureWords(this.maxErrorRate)
    this.end(
      unreachable ? EXIT.unavailable : EXIT.gate,
      unreachable ? `no endpoint could be reached: ${words}` : words,
    )
  }

  /** Ends calls in flight and closes all files. */
  async close(): Promise<void> {
    this.closed = true
    this.context.stop.removeEventListener('abort', this.interrupted)
    this.ending.abort()
    const { http, shared } = this.run
    await http.close()
    await shared?.close()
    this.replies.close()
  }

  /** Adds the cost to a reply, and records one from the cache. */
  private async found(
    { reply, source }: SourcedReply,
    request: CallRequest | undefined,
  ): Promise<SourcedReply> {
    if (source === 'cache' && request) await this.replies.record(request.identity, reply)
    return { source, reply: this.withCost(reply, request?.endpoint) }
  }

  /** Gets the reply from the model, the recording or a baseline. */
  private async send(
    { keys, model, endpoint }: Route | Recorded,
    request: CallRequest | undefined,
  ): Promise<SourcedReply> {
    const { replies } = this
    if (request) {
      this.useJudgeRate(endpoint?.own?.max_error_rate)
      return replies.call(request)
    }
    if (replies.replays) return { reply: replies.recorded(keys, model), source: 'recording' }
    return this.local(keys, model!)
  }

  private async repaired(row: Row, route: Route | Recorded, saved: Reply | undefined): Promise<SourcedReply> {
    // The row counts as a call if any of its turns was one.
    let source: ReplySource = saved ? 'row' : 'local'
    const ask: Ask = async (params, draw) => {
      const keys = params === route.params ? route.keys : route.keys.further(params, draw)
      const request = route.endpoint && new CallRequest(keys, route.endpoint)
      const kept = request && this.stored.get(request)
      const got = kept
        ? { reply: await this.replies.record(request.identity, kept), source: 'cache' as const }
        : await this.send({ ...route, keys }, request)
      if (source !== 'call') source = got.source
      return this.withCost(got.reply, route.endpoint)
    }
    const judge = () => this.router.judgeOf(row)
    const priced = saved && this.withCost(saved, route.endpoint)
    const reply = await repair(row, route.params, ask, this.options.repair!, judge, {
      saved: priced,
      compat: row.get('compat'),
    })
    return { reply, source }
  }

  private async local(keys: ReplyKeys, model: string): Promise<SourcedReply> {
    const { answer } = await import('../../baselines/_answer.ts')
    const { row } = keys
    const text = await answer(model, row, () => this.router.judgeOf(row))
    const reply = { text, finish_reason: 'stop', model }
    if (this.replies.records) await this.replies.record({ key: keys.own, model, endpoint: LOCAL }, reply)
    return { reply, source: 'local' }
  }

  /** Computes the cost for each row, so that replies from the cache have the current price. */
  private withCost(reply: Reply, endpoint: Endpoint | undefined): Reply {
    return withCost(reply, this.run.prices(endpoint ?? reply))
  }

  private useJudgeRate(rate: number | undefined): void {
    if (rate === undefined || this.options.maxErrorRate !== USUAL.maxErrorRate) return
    this.judgeRate = Math.min(rate, this.judgeRate ?? rate)
    this.maxErrorRate = this.judgeRate
  }

  private checkFailures(): void {
    const { tally } = this
    const early = (code: number, before = '') =>
      this.end(
        code,
        `${before}${tally.failureWords(this.maxErrorRate)}; the run ends early, and rows not asked yet are not in its output (--max-error-rate 1 asks all)`,
      )
    if (this.maxErrorRate < 1 && tally.unreachable >= Math.max(10, this.width))
      early(EXIT.unavailable, 'the endpoint does not answer any more: ')
    else if (tally.willExceed(this.maxErrorRate)) early(EXIT.gate)
  }

  /** The rows in hand fail. The run ends early, unless no others are left and so few may fail. */
  private gaveUp(message: string, rows: number): void {
    const { done, failed, total = Number.POSITIVE_INFINITY } = this.tally
    const isLast = total - done <= rows && total - done + failed <= this.maxErrorRate * total
    if (isLast) this.ending.abort()
    else this.end(EXIT.stopped, `${message}: run the same command again to go on`)
  }

  private end(exitCode: number, message: string): void {
    this.context.finish(
      exitCode,
      this.secrets.hide(message) + (exitCode === EXIT.stopped ? this.cacheAdvice() : ''),
    )
    this.ending.abort()
  }

  private readonly interrupted = (): void => {
    const { inFlight } = this.run.http
    if (inFlight > 0)
      this.context.note(
        `waiting for ${inFlight} call${inFlight === 1 ? '' : 's'} in flight (interrupt again to end at once)`,
      )
    this.end(EXIT.stopped, `stopped by ${this.context.stop.reason}: run the same command again to go on`)
  }

  private cacheAdvice(): string {
    const { location } = this.stored
    return location
      ? ` (finished calls are in the cache, ${location})`
      : ' (without a cache, finished calls are made again)'
  }
}
