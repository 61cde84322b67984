/** `--dry-run`: estimates the calls, tokens and cost of a run. */

import { answerCount, bodyOf, maxTokens, type Params } from '../../providers/_params.ts'
import type { Rows } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, rowFailure } from '../../rows/stage.ts'
import { PendingRequests } from './cache/pending.ts'
import { StoredReplies } from './cache/stored.ts'
import { CallRequest } from './call_request.ts'
import type { Endpoint } from './endpoint.ts'
import { Secrets } from './http/secrets.ts'
import { costOf, dollars, short, USUAL_LIMIT } from './limits/money.ts'
import { type Prices, pricesOf } from './limits/prices.ts'
import { estimatedLength } from './media.ts'
import type { CallOptions } from './options.ts'
import { Router } from './router.ts'

/** The usual bytes per token. */
const BYTES_PER_TOKEN = 4

/**
 * Yields one JSON line: rows, calls, rows that need none, tokens in (estimated from bytes), tokens out (as in the replies that are
 * known, and the most), and if a price is known the cost of the input alone, of such replies and of the longest, in dollars.
 */
export async function* dryRun(
  rows: Rows,
  options: CallOptions,
  context: Context,
  isPassed: (row: Row) => boolean,
): AsyncGenerator<string> {
  const router = new Router(options, context.env, new Secrets(), context.note)
  const stored = StoredReplies.toRead(options, context.env, context.note)
  const pending = new PendingRequests(stored, !options.noCache)
  const plan = new Plan(router, pending, await pricesOf(options.price))
  for await (const batch of router.gather(rows)) for (const row of batch) await plan.add(row, isPassed(row))
  stored.close()
  context.summary(() => plan.words())
  yield `${JSON.stringify(plan)}\n`
}

class Plan {
  private calls = 0
  private readonly tokens = { in: 0, out: 0 }
  /** In dollars; `output` is that of one token of each answer. */
  private readonly cost = { input: 0, output: 0, most: 0, known: false }
  private rows = 0
  private inProcess = 0
  private failed = 0
  /** Models without a known price, and the priced model with a similar name. */
  private readonly unpriced = new Map<string, string | undefined>()
  private readonly router: Router
  private readonly pending: PendingRequests
  private readonly prices: Prices

  constructor(router: Router, pending: PendingRequests, prices: Prices) {
    this.router = router
    this.pending = pending
    this.prices = prices
  }

  /** @param isPassed whether the row is passed on without a call */
  async add(row: Row, isPassed: boolean): Promise<void> {
    this.rows++
    if (isPassed) return
    try {
      const { keys, endpoint } = await this.router.route(row)
      if (!endpoint) {
        this.inProcess++
        return
      }
      const request = new CallRequest(keys, endpoint)
      if (!this.pending.needs(request)) return
      const group = keys.together?.group
      if (!group?.counted) this.call(request.asked, endpoint)
      if (group) group.counted = true
    } catch (error) {
      rowFailure(error, row)
      this.failed++
    }
  }

  words(): string {
    const { calls, tokens, cost, expected } = this
    const most = `at most ${short(tokens.out)} out`
    const out = expected ? `${short(expected.tokens)} out (${most.slice(0, -4)})` : most
    const words = `${calls} calls to make, about ${short(tokens.in)} tokens in and ${out}`
    const models = [...this.unpriced]
      .map(([model, near]) => (near === undefined ? model : `${model} (${near} has one)`))
      .join(', ')
    const without = models && `, no price is known for ${models} (--price)`
    if (!cost.known) return words + without
    const costs = expected
      ? `, about ${dollars(expected.cost)} (at most ${dollars(cost.most)})`
      : `, ${dollars(cost.input)} to ${dollars(cost.most)} (once some rows have replies, what to expect)`
    return words + costs + without
  }

  /** By the mean of the replies that are known. */
  private get expected(): { tokens: number; cost: number } | undefined {
    const { calls, tokens, cost } = this
    const mean = this.pending.completions.value
    if (mean === undefined || calls === 0) return undefined
    return {
      tokens: Math.min(Math.round(mean * calls), tokens.out),
      cost: Math.min(cost.input + mean * cost.output, cost.most),
    }
  }

  toJSON() {
    const { rows, calls, inProcess, failed, tokens, cost, expected } = this
    const { answered } = this.pending
    return {
      rows,
      calls,
      cached: answered.cache,
      saved: answered.row,
      repeated: answered.repeated,
      in_process: inProcess,
      without_request: failed,
      tokens_in: tokens.in,
      ...(expected && { tokens_out_expected: expected.tokens }),
      tokens_out_at_most: tokens.out,
      ...(cost.known && {
        cost_input: round(cost.input),
        ...(expected && { cost_expected: round(expected.cost) }),
        cost_at_most: round(cost.most),
      }),
      ...(cost.known && this.unpriced.size > 0 && { without_price: [...this.unpriced.keys()] }),
    }
  }

  private call(params: Params, endpoint: Endpoint): void {
    this.calls++
    const prompt = Math.ceil(
      estimatedLength(bodyOf(params, endpoint.sentModel).length, params, BYTES_PER_TOKEN) / BYTES_PER_TOKEN,
    )
    // A model that decides writes nothing.
    const completion = endpoint.provider.decides
      ? 0
      : (maxTokens(params) ?? USUAL_LIMIT) * answerCount(params)
    this.tokens.in += prompt
    this.tokens.out += completion
    const price = this.prices(endpoint)
    if (!price) {
      this.unpriced.set(endpoint.model, endpoint.near)
      return
    }
    const input = costOf({ prompt_tokens: prompt, completion_tokens: 0 }, price)!
    const most = costOf({ prompt_tokens: prompt, completion_tokens: completion }, price)!
    this.cost.known = true
    this.cost.input += input
    this.cost.output += completion === 0 ? 0 : (most - input) / completion
    this.cost.most += most
  }
}

const round = (amount: number) => Number(amount.toFixed(6))
