/** Token counts and costs of calls. */
import { USUAL_TIERS } from '../../../providers/_answer.ts'
import type { Params } from '../../../providers/_params.ts'
import { isObject, type Usage } from '../../../rows/record.ts'
import type { HttpResponse } from '../http/transfer.ts'
import type { Price } from './prices.ts'

/** A larger count is an error of the server. */
const MOST_TOKENS = 1e9

/** A server's count, if it is a plausible number. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : undefined

/**
 * The output tokens that are paid for. Some servers leave the reasoning out of `completion_tokens`, and only the total has it.
 * A total that counts cached input besides the prompt says nothing of the output.
 */
export function completionOf(usage: Usage | undefined): number | undefined {
  const completion = countOf(usage?.completion_tokens)
  const prompt = countOf(usage?.prompt_tokens)
  const total = countOf(usage?.total_tokens)
  if (completion === undefined || prompt === undefined || total === undefined) return completion
  const besides = total - prompt - completion
  const detail = isObject(usage?.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const cached = (countOf(detail.cached_tokens) ?? 0) + (countOf(detail.cache_creation_tokens) ?? 0)
  return besides > 0 && besides !== cached ? completion + besides : completion
}

/** Default factors of service tiers. */
const TIERS: Record<string, number> = { batch: 0.5, flex: 0.5 }

/**
 * The cost of a call in dollars, by the price or else the server's `usage.cost`; undefined if a count is missing, or the
 * price of its service tier is unknown.
 */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (!usage) return undefined
  const prompt = countOf(usage.prompt_tokens)
  const completion = completionOf(usage)
  const factor = price && tierFactor(price, usage.service_tier)
  if (factor === undefined || prompt === undefined || completion === undefined) {
    const cost = countOf(usage.cost)
    return cost && exact(cost)
  }
  const applied = price!.above && prompt > price!.above.tokens ? price!.above : price!
  const { input, output, cached = input, written = input, written1h = written } = applied
  const detail = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  // A token that is in several counts is paid for once.
  let plain = prompt
  const part = (tokens: unknown) => {
    const counted = Math.min(plain, countOf(tokens) ?? 0)
    plain -= counted
    return counted
  }
  const read = part(detail.cached_tokens ?? usage.prompt_cache_hit_tokens)
  const hour = part(detail.cache_creation_1h_tokens)
  const minutes = part((countOf(detail.cache_creation_tokens ?? detail.cache_write_tokens) ?? 0) - hour)
  const dollars = plain * input + read * cached + minutes * written + hour * written1h + completion * output
  return exact((dollars * factor) / 1e6)
}

function tierFactor({ tiers }: Price, tier: unknown): number | undefined {
  if (typeof tier !== 'string' || USUAL_TIERS.has(tier)) return 1
  return tiers?.[tier] ?? TIERS[tier]
}

/**
 * An upper bound of a request's price: writing to the prompt cache and priority tiers cost more. Undefined if the price of
 * its tier is unknown.
 */
export function mostOf(price: Price | undefined, params: Params, body: Buffer): Price | undefined {
  if (!price) return undefined
  const tier = params.get('service_tier') ?? ''
  const factor = /priority/.test(tier) ? tierFactor(price, 'priority') : 1
  if (factor === undefined) return undefined
  // A service with one price of writing (OpenAI) writes without being asked.
  const writes =
    price.written !== undefined &&
    (price.written1h === undefined || /cache_control|cachePoint/.test(body.toString('latin1')))
  const most = ({ input, output, written = 0, written1h = 0 }: Price) => ({
    input: (writes ? Math.max(input, written, written1h) : input) * factor,
    output: output * factor,
  })
  const { above } = price
  return { ...most(price), ...(above && { above: { tokens: above.tokens, ...most(above) } }) }
}

/** Dollars without the rounding errors of sums. */
export const exact = (dollars: number): number => Number(dollars.toFixed(10))

/** LiteLLM's header with the cost of a call, in dollars. */
const COST_HEADER = 'x-litellm-response-cost'

/** A usage with the cost that the answer's headers name, if it has none. */
export function withNamedCost(
  usage: Usage | undefined,
  { headers }: Pick<HttpResponse, 'headers'>,
): Usage | undefined {
  const named = headers[COST_HEADER]
  const cost = named ? countOf(Number(named)) : undefined
  return cost === undefined || usage?.cost !== undefined ? usage : { ...usage, cost }
}

/** What a call may cost, in dollars. */
export interface CallCost {
  /** What is reserved for it. */
  expected: number
  /** What its prompt alone costs. */
  least: number
  /** It is estimated by earlier replies, not by the limit on tokens. */
  learnt: boolean
}

/** A call may cost so many times the mean of the replies so far: a mean is not the most, and that of a few says little. */
const reservedTimes = (replies: number) => 1.5 + 2 / replies

/** Estimates the tokens and the cost of calls from the run's replies so far. */
export class CallEstimate {
  /** Mean and least bytes per token. The first values are for English, and for one token per byte. */
  private bytesPerToken = 4
  private fewest = 1
  private learnt = 0
  private readonly completions = new Mean()
  /** In dollars, as the server names them. */
  private readonly costs = new Mean()

  /** The expected tokens. @param answers of which each may have `maxTokens` */
  tokens(bytes: number, maxTokens: number | undefined, answers = 1) {
    const limit = (maxTokens ?? USUAL_LIMIT) * answers
    return {
      prompt: Math.ceil(bytes / this.bytesPerToken),
      completion: Math.ceil(Math.min(limit, this.completions.value ?? 512 * answers)),
    }
  }

  /** What a call may cost. Without a price it is what the server named for others; the first one may cost anything. */
  cost(bytes: number, price: Price | undefined, maxTokens: number | undefined, answers = 1): CallCost {
    if (!price) {
      const { most = Number.POSITIVE_INFINITY } = this.costs
      return { expected: most, least: 0, learnt: this.costIsNamed }
    }
    const { most } = this.completions
    const limit = (maxTokens ?? USUAL_LIMIT) * answers
    const prompt_tokens = Math.ceil(bytes / this.fewest)
    const dollars = (completion_tokens: number) => costOf({ prompt_tokens, completion_tokens }, price)!
    return {
      expected: dollars(
        most === undefined ? limit : Math.ceil(maxTokens === undefined ? most : Math.min(most, limit)),
      ),
      least: costOf({ prompt_tokens: Math.ceil(bytes / this.bytesPerToken), completion_tokens: 0 }, price)!,
      learnt: most !== undefined,
    }
  }

  /** The server has named the cost of a call. */
  get costIsNamed(): boolean {
    return this.costs.value !== undefined
  }

  /** @param bytes of the request @param cost in dollars */
  learn(bytes: number, usage: Usage | undefined, cost: number | undefined): void {
    const prompt = countOf(usage?.prompt_tokens)
    if (prompt) {
      // The mean of the first ten, then a moving average.
      const weight = Math.max(0.1, 1 / ++this.learnt)
      const found = bytes / prompt
      this.bytesPerToken += (found - this.bytesPerToken) * weight
      this.fewest = this.learnt === 1 ? found : Math.min(this.fewest, found)
    }
    this.completions.add(completionOf(usage))
    this.costs.add(cost)
  }
}

/** Tokens of an answer whose request sets no limit. */
export const USUAL_LIMIT = 1024

/** The mean of numbers; undefined ones do not count. */
export class Mean {
  private sum = 0
  private count = 0

  add(value: number | undefined): void {
    if (value === undefined) return
    this.sum += value
    this.count++
  }

  get value(): number | undefined {
    return this.count === 0 ? undefined : this.sum / this.count
  }

  /** What to reserve for a further one. */
  get most(): number | undefined {
    return this.value && this.value * reservedTimes(this.count)
  }
}

/** `$0.0042`, `$12.34`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`
}

/** `950`, `2026`, `12.3k`, `4.56M`; `2.0k` beside 12.3k. @param largest of the counts that it stands beside */
export function short(count: number, largest = count): string {
  if (largest < 10_000 || count < 1000) return String(Math.round(count))
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(2)}M`
}
