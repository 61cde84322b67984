/** Tokens and dollars: what a call will cost, what it did cost, and where to stop. */
import { USUAL_TIERS } from '../../../providers/_answer.ts'
import type { Params } from '../../../providers/_params.ts'
import { isObject, type Usage } from '../../../rows/record.ts'
import type { Price } from './prices.ts'

/** No call has more tokens: a server that says so has not counted. */
const MOST_TOKENS = 1e9

/** What a server counts, where it is a number that can be. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : undefined

/** What a service tier costs, as a multiple of the list price, where the price itself does not say. */
const TIERS: Record<string, number> = { batch: 0.5, flex: 0.5 }

/**
 * What a call cost, in dollars: by the price, else as the server says it (`usage.cost`). Undefined where a count is
 * missing, or its service tier has a price that is not known.
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
  const holds = price!.above && prompt > price!.above.tokens ? price!.above : price!
  const { input, output, cached = input, written = input, written1h = written } = holds
  const detail = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  // What is counted twice is paid for once.
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
 * The price at which a request is sure to cost no more, for what it asks for: prompts written to a cache cost more than
 * others. Undefined where it asks for a tier whose price is not known.
 */
export function mostOf(price: Price | undefined, params: Params, body: Buffer): Price | undefined {
  if (!price) return undefined
  const tier = params.get('service_tier') ?? ''
  const factor = /priority/.test(tier) ? tierFactor(price, 'priority') : 1
  if (factor === undefined) return undefined
  const writes =
    price.written !== undefined && /cache_control|cachePoint/.test(body.latin1Slice(0, body.length))
  const input = writes ? Math.max(price.input, price.written ?? 0, price.written1h ?? 0) : price.input
  const most = { input: input * factor, output: price.output * factor }
  return price.above
    ? {
        ...most,
        above: {
          tokens: price.above.tokens,
          input: price.above.input * factor,
          output: price.above.output * factor,
        },
      }
    : most
}

/** Dollars without the noise of sums, so that what is added up turn by turn is the cost of the whole. */
export const exact = (dollars: number): number => Number(dollars.toFixed(10))

/** Learns how many tokens a request of so many bytes makes, and how long its answers are. */
export class TokenEstimate {
  /** English prose and its JSON escapes; replaced by what the server counts. */
  private bytesPerToken = 4
  private learnt = 0
  /** Fewest bytes a token: no tokenizer makes more tokens than bytes, and an alphabet may be a token a letter. */
  private fewest = 1
  private completion: number | undefined
  private longest: number | undefined

  /**
   * What is to be expected, and the most: the request's own limit for each of its answers, else the longest so far.
   */
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
      // The mean of the first ones, then of the last ones.
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

/** `$0.0042`, `$12.34`: enough digits to see something. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && amount < 1 ? 4 : 2)}`
}

/** `950`, `12.3k`, `4.56M`. */
export function short(count: number): string {
  if (count < 10_000) return String(Math.round(count))
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(2)}M`
}
