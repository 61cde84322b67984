/** One question put to an endpoint until it is answered, refused for good, or the attempts are used up. */
import type { Answer, Params } from '../providers/_provider.ts'
import { EXIT, type Reply, RowFailure } from '../record.ts'
import { Channel, type Run } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { Halted, pause } from './gate.ts'
import { NOBODY, Preflight, refusedKey } from './preflight.ts'
import { writtenAs } from './reply_text.ts'
import { backoff, LONGEST_WAIT } from './waits.ts'

/** One request and where it goes. */
export interface Question {
  endpoint: Endpoint
  params: Params
  /** Words for the log: which row it is about. */
  about(): object
}

export interface AttemptOptions {
  concurrency: number
  rpm?: number
  tpm?: number
  adapt: boolean
  retries: number
  /** `lm-eval`: the retries of a judge's own file are all its attempts. */
  compat?: string
  /** Seconds. */
  retryMin: number
  retryMax: number
  preflight: boolean
}

/** What a judge's own file says counts where the command line has not said anything else. */
function limitsOf(given: AttemptOptions, { own }: Endpoint) {
  const chosen = <T>(option: T, usual: T, own: T | undefined) => (option === usual ? (own ?? option) : option)
  return {
    retries: chosen(
      given.retries,
      3,
      given.compat && own ? Math.max(0, (own.retries ?? 3) - 1) : own?.retries,
    ),
    retryMin: chosen(given.retryMin, 1, own?.retry_min),
    retryMax: chosen(given.retryMax, 60, own?.retry_max),
  }
}

export class Attempts {
  private readonly options: AttemptOptions
  private readonly run: Run
  private readonly preflight: Preflight
  private readonly channels = new Map<string, Channel>()
  private readonly channelOf = new Map<Endpoint, Channel>()

  constructor(options: AttemptOptions, run: Run) {
    this.options = options
    this.run = run
    this.preflight = new Preflight(run.http, run.end)
  }

  /** @throws RowFailure; Halted where the run ended before the question was put */
  ask(question: Question): Promise<Reply> {
    const { own } = question.endpoint
    if (!this.options.preflight || own?.preflight === false) return this.insist(question, false)
    return this.preflight.through(question.endpoint, (first, sent) => this.insist(question, first, sent))
  }

  private async insist(question: Question, first: boolean, sent?: () => void): Promise<Reply> {
    const { run } = this
    const options = limitsOf(this.options, question.endpoint)
    let last: RowFailure | undefined
    for (let tries = 1; ; tries++) {
      try {
        return await this.attempt(question, tries, sent)
      } catch (error) {
        // The run ended while this call waited for its turn: what it failed with before is what is known.
        if (error instanceof Halted && last) throw last
        if (!(error instanceof RowFailure)) throw error
        last = error
      }
      const { detail } = last
      if (detail.status === 401) run.end(EXIT.auth, refusedKey(question.endpoint, last.message))
      if (last.code === 'budget') run.end(EXIT.stopped, `${last.message}: run again to go on`)
      const hopeless = first && NOBODY.has(String(detail.cause))
      if (!detail.retryable || hopeless || tries > options.retries || run.halt.aborted) throw last
      const asked = detail.retry_after === undefined ? undefined : Number(detail.retry_after) * 1000
      if (asked !== undefined && asked > LONGEST_WAIT) throw last
      run.tally.retries++
      await pause(asked ?? backoff(tries, options.retryMin * 1000, options.retryMax * 1000), run.halt)
      if (run.halt.aborted) throw last
    }
  }

  /** One attempt; where the server refuses a parameter, the same again without it. */
  private async attempt(
    { endpoint, params, about }: Question,
    tries: number,
    sent?: () => void,
  ): Promise<Reply> {
    const channel = this.channel(endpoint)
    for (;;) {
      const kept = channel.fallback.apply(endpoint.provider.prepare(params))
      const { exchange, ms, failure, answer } = await channel.send(kept, tries, about, sent)
      if (answer) return replyOf(answer, endpoint.model, ms, tries)
      const learnt = exchange && channel.fallback.learn(exchange, kept)
      if (learnt === undefined) throw failure
      if (learnt) this.run.note(`${endpoint.model} at ${endpoint.url.host}: ${learnt}`)
    }
  }

  /** Limits belong to an endpoint and model, however many named judges use them. */
  private channel(endpoint: Endpoint): Channel {
    let channel = this.channelOf.get(endpoint)
    if (channel) return channel
    const { url, model, own } = endpoint
    const concurrency = Math.min(this.options.concurrency, Math.max(1, own?.concurrency ?? Infinity))
    const key = `${model}\n${url}\n${concurrency}`
    channel = this.channels.get(key) ?? new Channel(endpoint, { ...this.options, concurrency }, this.run)
    this.channels.set(key, channel)
    this.channelOf.set(endpoint, channel)
    return channel
  }
}

/** The reply as it stands in the row and in the cache. */
export function replyOf(answer: Answer, model: string, ms?: number, tries?: number): Reply {
  const { text, reasoning, finish_reason, served_model, usage, logprobs, stop_text, json } = answer
  const reply: Reply = {
    text,
    ...(reasoning && { reasoning }),
    finish_reason: finish_reason ?? null,
    model,
    ...(served_model && served_model !== model && { served_model }),
    ...(usage && { usage }),
    ...(logprobs !== undefined && { logprobs }),
    ...(stop_text !== undefined && { stop_text }),
    ...(ms !== undefined && { ms, tries }),
  }
  if (json !== undefined) writtenAs(reply, json)
  return reply
}
