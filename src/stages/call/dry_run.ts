/** `--dry-run`: what a run would do and cost, from the rows alone. */

import { answerCount, bodyOf, maxTokens, type Params } from '../../providers/_params.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, rowFailure, skipFailed } from '../../rows/stage.ts'
import { OffsetIndex } from './cache/offset_index.ts'
import { StoredReplies } from './cache/stored.ts'
import { CallRequest, fingerprintOf } from './call_request.ts'
import type { Endpoint } from './endpoint.ts'
import { Secrets } from './http/secrets.ts'
import { costOf, dollars, short } from './limits/money.ts'
import { type Prices, pricesOf } from './limits/prices.ts'
import type { CallOptions } from './options.ts'
import { Router } from './router.ts'

/** Bytes of a request that make a token, as a rule of thumb. */
const BYTES_PER_TOKEN = 4
/** Tokens of an answer where the request sets no limit. */
const UNLIMITED = 1024

/**
 * Yields one JSON line: rows, calls, rows that need none, tokens in (estimated from bytes) and out (at most:
 * each request's own limit, 1,024 where it has none), and where a price is known dollars for the input alone
 * and with every answer at its longest.
 */
export async function* dryRun(rows: Rows, options: CallOptions, context: Context): AsyncGenerator<string> {
  const router = new Router(options, context.env, new Secrets())
  const stored = new StoredReplies(options, context.env, context.note)
  const plan = new Plan(router, stored, await pricesOf(options.price), !options.noCache)
  for await (const batch of rows) for (const row of batch) await plan.add(row, skipFailed(row, context.stage))
  stored.close()
  const { calls, tokens, cost, unpriced } = plan
  context.summary(() => {
    const words = `${calls} calls to make, about ${short(tokens.in)} tokens in and at most ${short(tokens.out)} out`
    const models = [...unpriced].join(', ')
    const without = models && `, no price is known for ${models} (--price)`
    const costs = cost.known ? `, ${dollars(cost.input)} to ${dollars(cost.most)}` : ''
    return words + costs + without
  })
  yield `${JSON.stringify(plan)}\n`
}

class Plan {
  calls = 0
  readonly tokens = { in: 0, out: 0 }
  readonly cost = { input: 0, most: 0, known: false }
  private rows = 0
  private readonly answered = { cache: 0, row: 0, repeated: 0, local: 0 }
  private failed = 0
  /** Models whose price is not known. */
  readonly unpriced = new Set<string>()
  /** Requests so far, by their fingerprints: with a cache the same is asked once. */
  private readonly seen = new OffsetIndex()
  private readonly router: Router
  private readonly stored: StoredReplies
  private readonly prices: Prices
  private readonly caches: boolean

  constructor(router: Router, stored: StoredReplies, prices: Prices, caches: boolean) {
    this.router = router
    this.stored = stored
    this.prices = prices
    this.caches = caches
  }

  /** @param failed the row failed in an earlier stage: it needs no call */
  async add(row: Row, failed: boolean): Promise<void> {
    this.rows++
    if (failed) return
    try {
      const { params, endpoint } = await this.router.route(row)
      if (!endpoint) {
        this.answered.local++
        return
      }
      const request = new CallRequest(row, params, endpoint)
      const known = this.stored.find(request)
      if (known) this.answered[known.source]++
      else if (this.caches && this.isRepeated(request)) this.answered.repeated++
      else this.call(params, endpoint)
    } catch (error) {
      rowFailure(error, row)
      this.failed++
    }
  }

  toJSON() {
    const { rows, calls, answered, failed, tokens, cost } = this
    return {
      rows,
      calls,
      cached: answered.cache,
      saved: answered.row,
      repeated: answered.repeated,
      in_process: answered.local,
      without_request: failed,
      tokens_in: tokens.in,
      tokens_out_at_most: tokens.out,
      ...(cost.known && { cost_input: round(cost.input), cost_at_most: round(cost.most) }),
      ...(cost.known && this.unpriced.size > 0 && { without_price: [...this.unpriced] }),
    }
  }

  private isRepeated({ identity }: CallRequest): boolean {
    const hash = Number.parseInt(fingerprintOf(identity).slice(-8), 16)
    const repeated = this.seen.find(hash).length > 0
    if (!repeated) this.seen.add(hash, 0)
    return repeated
  }

  private call(params: Params, endpoint: Endpoint): void {
    this.calls++
    const prompt = Math.ceil(bodyOf(params, endpoint.sentModel).length / BYTES_PER_TOKEN)
    const completion = (maxTokens(params) ?? UNLIMITED) * answerCount(params)
    this.tokens.in += prompt
    this.tokens.out += completion
    const price = this.prices(endpoint)
    if (!price) {
      this.unpriced.add(endpoint.model)
      return
    }
    this.cost.known = true
    this.cost.input += costOf({ prompt_tokens: prompt, completion_tokens: 0 }, price)!
    this.cost.most += costOf({ prompt_tokens: prompt, completion_tokens: completion }, price)!
  }
}

const round = (amount: number) => Number(amount.toFixed(6))
