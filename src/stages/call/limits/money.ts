/** Token counts and costs of calls. */
import { USUAL_TIERS } from '../../../providers/_answer.ts'
import type { Params } from '../../../providers/_params.ts'
import { isObject, type Usage } from '../../../rows/record.ts'
import type { Price } from './prices.ts'

/** A larger count is an error of the server. */
const MOST_TOKENS = 1e9

/** A server's count, if it is a plausible number. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : undefined

/** Default factors of service tiers. */
const TIERS: Record<string, number> = { batch: 0.5, flex: 0.5 }

/**
 * The cost of a call in dollars, by the price or else the server's `usage.cost`; undefined if a count is missing, or the
 * price of its service tier is unknown.
 */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (!usage) return undefined
  const prompt = countOf(usage.prompt_tokens)
  const completion = countOf(usage.completion_tokens)
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
  const minutes = part((countOf(detail.cache_creation_tokens) ?? 0) - hour)
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
  const writes =
    price.written !== undefined && /cache_control|cachePoint/.test(body.latin1Slice(0, body.length))
  const input = writes ? Math.max(price.input, price.written ?? 0, price.written1h ?? 0) : price.input
  const { above } = price
  return {
    input: input * factor,
    output: price.output * factor,
    ...(above && {
      above: { tokens: above.tokens, input: above.input * factor, output: above.output * factor },
    }),
  }
}

/** Dollars without the rounding errors of sums. */
export const exact = (dollars: number): number => Number(dollars.toFixed(10))

/** Estimates the tokens of requests and answers from earlier ones. */
export class TokenEstimate {
  /** Mean and least bytes per token. The first values are for English, and for one token per byte. */
  private bytesPerToken = 4
  private fewest = 1
  private learnt = 0
  private completion: number | undefined
  private longest: number | undefined

  /** The expected tokens, and the most: the request's limit for each answer, else the longest answer so far. */
  of(bytes: number, maxTokens: number | undefined, answers = 1) {
    const limit = (maxTokens ?? 1024) * answers
    return {
      prompt: Math.ceil(bytes / this.bytesPerToken),
      completion: Math.ceil(Math.min(limit, this.completion ?? 512 * answers)),
      most: {
        prompt_tokens: Math.ceil(bytes / this.fewest),
        completion_tokens: maxTokens === undefined ? (this.longest ?? limit) : limit,
      },
    }
  }

  learn(bytes: number, usage: Usage | undefined): void {
    const prompt = countOf(usage?.prompt_tokens)
    if (prompt) {
      // The mean of the first ten, then a moving average.
      const weight = Math.max(0.1, 1 / ++this.learnt)
      const found = bytes / prompt
      this.bytesPerToken += (found - this.bytesPerToken) * weight
      this.fewest = this.learnt === 1 ? found : Math.min(this.fewest, found)
    }
    const made = countOf(usage?.completion_tokens)
    if (made === undefined) return
    this.completion = (this.completion ?? made) * 0.9 + made * 0.1
    this.longest = Math.max(this.longest ?? 0, made)
  }
}

/** `$0.0042`, `$12.34`. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`
}

/** `950`, `12.3k`, `4.56M`. */
export function short(count: number): string {
  if (count < 10_000) return String(Math.round(count))
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(2)}M`
}
