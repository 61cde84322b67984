/** `--dry-run`: what a run would do and cost, from the rows alone. */

import { answersOf, bodyOf, maxTokens } from '../../providers/_provider.ts'
import type { Rows } from '../../rows/reader.ts'
import { RowFailure } from '../../rows/record.ts'
import { type Context, skipFailed } from '../../rows/stage.ts'
import { Places } from './cache/offset_index.ts'
import { StoredReplies } from './cache/stored.ts'
import { Secrets } from './http/secrets.ts'
import { costOf, dollars, pricesOf, short } from './limits/money.ts'
import type { CallOptions } from './options.ts'
import { askedOf, Question } from './question.ts'
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
  const prices = await pricesOf(options.price)
  const stored = new StoredReplies(options, context.env, context.note)
  const seen = new Places()
  const plan = { rows: 0, calls: 0, cached: 0, saved: 0, repeated: 0, in_process: 0, without_request: 0 }
  const tokens = { in: 0, out: 0 }
  const cost = { input: 0, most: 0, known: false }
  for await (const batch of rows)
    for (const row of batch) {
      plan.rows++
      if (skipFailed(row, context.stage)) continue
      try {
        const { params, model, endpoint } = await router.route(row)
        if (!endpoint) {
          plan.in_process++
          continue
        }
        const question = new Question(row, params, endpoint)
        const { identity } = question
        // As the cache tells calls apart.
        const hash = Number.parseInt(askedOf(identity).slice(-8), 16)
        if (!options.refresh && question.saved) {
          plan.saved++
          seen.add(hash, 0)
          continue
        }
        if (stored.get(identity)) {
          plan.cached++
          continue
        }
        if (!options.noCache && seen.find(hash).length > 0) {
          plan.repeated++
          continue
        }
        seen.add(hash, 0)
        plan.calls++
        const prompt = Math.ceil(bodyOf(params, model).length / BYTES_PER_TOKEN)
        const completion = (maxTokens(params) ?? UNLIMITED) * answersOf(params)
        tokens.in += prompt
        tokens.out += completion
        const price = prices(model)
        if (!price) continue
        cost.known = true
        cost.input += costOf({ prompt_tokens: prompt, completion_tokens: 0 }, price)!
        cost.most += costOf({ prompt_tokens: prompt, completion_tokens: completion }, price)!
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        plan.without_request++
      }
    }
  stored.close()
  const money = { cost_input: round(cost.input), cost_at_most: round(cost.most) }
  context.summary(() => {
    const words = `${plan.calls} calls to make, about ${short(tokens.in)} tokens in and at most ${short(tokens.out)} out`
    return cost.known ? `${words}, ${dollars(cost.input)} to ${dollars(cost.most)}` : words
  })
  yield `${JSON.stringify({ ...plan, tokens_in: tokens.in, tokens_out_at_most: tokens.out, ...(cost.known && money) })}\n`
}

const round = (amount: number) => Number(amount.toFixed(6))
