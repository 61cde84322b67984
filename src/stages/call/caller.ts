/** What happens to one row: which model, what is sent, what comes back. */
import { setMaxListeners } from 'node:events'
import type { Params } from '../../providers/_provider.ts'
import { EXIT, Fatal, type Reply, RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { atRow, type Context } from '../../rows/stage.ts'
import { Attempts } from './attempts.ts'
import { type Came, HERE, Replies } from './cache/replies.ts'
import { StoredReplies } from './cache/stored.ts'
import { Http } from './http/http.ts'
import { Secrets } from './http/secrets.ts'
import { Halted } from './limits/gate.ts'
import { Budget, costOf, type Prices, pricesOf } from './limits/money.ts'
import { Tally } from './limits/tally.ts'
import { CallLog } from './log.ts'
import { type CallOptions, USUAL } from './options.ts'
import { askedOf, Question } from './question.ts'
import { repair } from './repair.ts'
import { bareReply, forgetOld, putReply, setReply, withCost } from './reply_text.ts'
import { replyKey } from './request.ts'
import { type Recorded, type Route, Router } from './router.ts'

/** Puts a request to whoever answers a row; a further draw of the same is another. */
export type Ask = (params: Params, draw?: number) => Promise<Reply>

/** Where a reply came from: for the counts. */
type From = 'called' | 'cached' | 'saved' | 'local'

export class Caller {
  readonly tally = new Tally()
  private readonly options: CallOptions
  private readonly context: Context
  private readonly secrets = new Secrets()
  private readonly ending = new AbortController()
  private readonly router: Router
  private readonly http: Http
  private readonly log: CallLog | undefined
  private readonly stored: StoredReplies
  private readonly replies: Replies
  private readonly prices: Prices
  /** The command line's, else the strictest of those the judges' own files name. */
  private maxErrorRate: number
  private ownRate: number | undefined
  private closed = false

  static async open(options: CallOptions, context: Context): Promise<Caller> {
    if (options.maxCost !== undefined && options.price === undefined)
      throw usageError('--max-cost needs --price: without it nobody knows what a call costs')
    return new Caller(options, context, await pricesOf(options.price))
  }

  private constructor(options: CallOptions, context: Context, prices: Prices) {
    this.options = options
    this.context = context
    this.prices = prices
    this.maxErrorRate = options.maxErrorRate
    const { tally, secrets, halt } = this
    // Every call that waits listens for the end.
    setMaxListeners(0, halt)
    this.router = new Router(options, context.env, secrets)
    const note = (message: string) => context.note(secrets.hide(message))
    this.http = new Http(options.concurrency, options.timeout * 1000, context.env)
    this.log = options.log ? new CallLog(options.log, secrets, note) : undefined
    const attempts = new Attempts(
      { ...options, adapt: !options.noAdapt, preflight: options.preflight || !options.noPreflight },
      {
        http: this.http,
        secrets,
        tally,
        budget: new Budget(options.maxCost, options.maxRequests),
        prices,
        log: this.log,
        halt,
        note,
        end: (exitCode, message) => this.end(exitCode, message),
      },
    )
    this.stored = new StoredReplies(options, context.env, note)
    this.replies = new Replies(options, attempts, this.stored, halt)
    context.stop.addEventListener('abort', this.interrupted)
    if (context.stop.aborted) this.interrupted()
  }

  /** Aborted: no more rows are taken. */
  get halt(): AbortSignal {
    return this.ending.signal
  }

  /** Whether rows tell what their reply was asked with: where that is known for the cache or a recording anyway. */
  private get marks(): boolean {
    return !this.options.noCache || this.replies.records
  }

  /** The row with its reply or its failure; undefined where the run ended before anything was sent for it. */
  async answer(row: Row): Promise<Row | undefined> {
    let model: string | undefined
    let held: Reply | undefined
    try {
      // A row is as dear as its dearest turn.
      let dearest: From = 'local'
      const came: Came = (from) => {
        if (from === 'called' || dearest === 'local') dearest = from
      }
      const found = this.replies.replays ? this.router.recorded(row) : this.router.route(row)
      const route = found instanceof Promise ? await found : found
      model = route.model
      const question = route.endpoint && new Question(row, route.params, route.endpoint)
      if (!this.options.refresh) held = question?.saved
      const saved = held && this.withCost(held)
      // A repaired reply is not what the request by itself was answered with.
      if (held && !held.turns) await this.replies.keep(question!, held)
      const { repair: times } = this.options
      const reply = times
        ? await this.repaired(row, route, came, times, saved)
        : (saved ?? this.withCost(await this.ask(row, route, came, question)))
      // A replay goes on from it all the same, as this run does.
      if (held?.turns) await this.replies.record(question!.identity, bareReply(reply))
      this.tally.succeeded(reply === saved ? 'saved' : dearest)
      if (reply !== saved)
        putReply(row, reply, question && this.marks ? askedOf(question.identity) : undefined)
      else if (reply !== held) setReply(row, reply)
      return row
    } catch (error) {
      if (error instanceof Halted || this.closed) return undefined
      if (error instanceof Fatal) throw error
      if (!(error instanceof RowFailure)) throw atRow(error, row)
      error.message = this.secrets.hide(error.message)
      // So that a report counts the failure with the model it is of.
      if (model) error.detail.model ??= model
      this.tally.rowFailed(error)
      // A reply that could not be mended just now was paid for all the same.
      if (!held) forgetOld(row)
      this.gate()
      return row.fail(this.context.stage, error)
    }
  }

  /** Says how the run went, when no more rows come. */
  conclude(): void {
    const { tally } = this
    if (tally.failed / Math.max(1, tally.done) <= this.maxErrorRate) return
    const nobody = tally.unreachable === tally.done
    const words = tally.failureWords(this.maxErrorRate)
    this.end(nobody ? EXIT.unavailable : EXIT.gate, nobody ? `no endpoint could be reached: ${words}` : words)
  }

  /** Ends what is under way, quietly: nobody reads on. */
  async close(): Promise<void> {
    this.closed = true
    this.context.stop.removeEventListener('abort', this.interrupted)
    this.ending.abort()
    await this.http.close()
    await this.log?.close()
    this.replies.close()
  }

  /** Puts parameters to whoever answers them: an endpoint, a recording, or a model in process. */
  private ask(
    row: Row,
    { params, model, endpoint }: Route | Recorded,
    came: Came,
    question?: Question,
    draw?: number,
  ): Reply | Promise<Reply> {
    const { replies } = this
    if (endpoint) {
      this.takeRate(endpoint.own?.max_error_rate)
      return replies.to(question ?? new Question(row, params, endpoint, draw), came)
    }
    const key = () => replyKey(row, params, draw)
    if (!replies.replays) return this.answerHere(row, model!, key)
    came('cached')
    return replies.recorded(key(), model)
  }

  private repaired(
    row: Row,
    route: Route | Recorded,
    came: Came,
    times: number,
    saved: Reply | undefined,
  ): Promise<Reply> {
    const ask: Ask = async (params, draw) =>
      this.withCost(await this.ask(row, { ...route, params }, came, undefined, draw))
    return repair(row, route.params, ask, times, saved)
  }

  private async answerHere(row: Row, model: string, key: () => string): Promise<Reply> {
    const { answer } = await import('../../providers/baseline.ts')
    const reply = { ...(await answer(model, row)), model }
    if (!this.replies.records) return reply
    return this.replies.record({ key: key(), model, endpoint: HERE }, reply)
  }

  /** The cost is worked out when a reply leaves, so a reply from the cache has today's price. */
  private withCost(reply: Reply): Reply {
    return withCost(reply, costOf(reply.usage, this.prices(reply.model)))
  }

  private takeRate(rate: number | undefined): void {
    if (rate === undefined || this.options.maxErrorRate !== USUAL.maxErrorRate) return
    this.ownRate = Math.min(rate, this.ownRate ?? rate)
    this.maxErrorRate = this.ownRate
  }

  private gate(): void {
    const { tally, options } = this
    if (this.maxErrorRate < 1 && tally.unreachable >= Math.max(10, options.concurrency))
      this.end(
        EXIT.unavailable,
        `the endpoint does not answer any more: ${tally.failureWords(this.maxErrorRate)}`,
      )
    else if (tally.hopeless(this.maxErrorRate)) this.end(EXIT.gate, tally.failureWords(this.maxErrorRate))
  }

  private end(exitCode: number, message: string): void {
    this.context.finish(
      exitCode,
      this.secrets.hide(message) + (exitCode === EXIT.stopped ? this.whereKept() : ''),
    )
    this.ending.abort()
  }

  private readonly interrupted = (): void => {
    const { inFlight } = this.http
    if (inFlight > 0)
      this.context.note(
        `waiting for ${inFlight} call${inFlight === 1 ? '' : 's'} in flight (interrupt again to end at once)`,
      )
    this.end(EXIT.stopped, `stopped by ${this.context.stop.reason}: run the same command again to go on`)
  }

  private whereKept(): string {
    const { place } = this.stored
    return place
      ? ` (finished calls are in the cache, ${place})`
      : ' (without a cache, finished calls are made again)'
  }
}
