/** Tokens and dollars: prices, what a call will cost, what it did cost, and where to stop. */
import { existsSync } from 'node:fs'
import { readData } from '../../../files/data.ts'
import { isObject } from '../../../providers/_provider.ts'
import { configError, RowFailure, type Usage, usageError } from '../../../rows/record.ts'

/** US dollars per million tokens. `cached` is for prompt tokens the provider had cached. */
export interface Price {
  input: number
  output: number
  cached?: number
}

export type Prices = (model: string) => Price | undefined

/**
 * `--price 2.5,10` for every model, or a JSON or YAML file: `{gpt-4o: [2.5, 10], …}`, a third number or
 * `cached` for cached input. A model not in the file that is a dated version of one has that one's price.
 * @throws Fatal (usage, configuration)
 */
export async function pricesOf(option: string | undefined): Promise<Prices> {
  if (option === undefined) return () => undefined
  if (/^[\d.]+,[\d.]+(,[\d.]+)?$/.test(option)) {
    const price = priceOf(option.split(',').map(Number), '--price')
    return () => price
  }
  if (!existsSync(option))
    throw usageError(
      `--price: expected IN,OUT in dollars per million tokens, or a file; there is no file "${option}"`,
    )
  const table = await readData(option)
  if (!isObject(table)) throw configError(`${option}: expected model names and their prices`)
  const prices = new Map(
    Object.entries(table).map(([model, value]) => [model, priceOf(value, `${option}: ${model}`)]),
  )
  return (model) => prices.get(model) ?? prices.get(model.replace(VERSION, ''))
}

/** What names a version of a model: gpt-4o-2024-08-06, gpt-4-0613, claude-3-haiku@20240307, and never gpt-4o-mini. */
const VERSION = /[-@:](?:\d{4}-\d{2}-\d{2}|\d{4}|\d{6}|\d{8}|latest)$/

function priceOf(value: unknown, where: string): Price {
  const [input, output, cached] = Array.isArray(value)
    ? value
    : isObject(value)
      ? [value.input, value.output, value.cached]
      : []
  const numbers = [input, output, ...(cached === undefined ? [] : [cached])]
  if (!numbers.every((number) => typeof number === 'number' && number >= 0))
    throw configError(`${where}: expected [input, output] in dollars per million tokens`)
  return { input, output, ...(cached !== undefined && { cached }) } as Price
}

/** What a server counts, where it is a number. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined

/**
 * What a call cost, in dollars: by the price, else as the server says it (`usage.cost`). Undefined where a count is
 * missing.
 */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (!usage) return undefined
  const prompt = countOf(usage.prompt_tokens)
  const completion = countOf(usage.completion_tokens)
  if (!price || prompt === undefined || completion === undefined) {
    const cost = countOf(usage.cost)
    return cost && exact(cost)
  }
  const detail = usage.prompt_tokens_details
  const cached =
    price.cached !== undefined && isObject(detail) ? Math.min(prompt, countOf(detail.cached_tokens) ?? 0) : 0
  const dollars = (prompt - cached) * price.input + cached * (price.cached ?? 0) + completion * price.output
  return exact(dollars / 1e6)
}

/** Dollars without the noise of sums, so that what is added up turn by turn is the cost of the whole. */
export const exact = (dollars: number): number => Number(dollars.toFixed(10))

/** Holds a run to `--max-cost` and `--max-requests`. Calls under way are counted at the most they can cost. */
export class Budget {
  spent = 0
  requests = 0
  private reserved = 0
  private waiting: (() => void)[] = []
  private readonly maxCost: number
  private readonly maxRequests: number

  constructor(maxCost = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY) {
    this.maxCost = maxCost
    this.maxRequests = maxRequests
  }

  /** Whether what a call costs has to be known. */
  get limitsCost(): boolean {
    return this.maxCost < Number.POSITIVE_INFINITY
  }

  /**
   * Takes the most that a request can cost.
   * @returns false where that may be left over when a call under way has ended: see {@link settled}
   * @throws RowFailure budget where it will not be
   */
  take(most: number): boolean {
    const over =
      this.requests >= this.maxRequests
        ? `--max-requests ${this.maxRequests} is reached`
        : this.spent + most > this.maxCost
          ? `--max-cost ${this.maxCost} is reached (${dollars(this.spent)} spent, a call may cost ${dollars(most)})`
          : undefined
    if (over) throw new RowFailure('budget', over, { retryable: true })
    if (this.reserved > 0 && this.spent + this.reserved + most > this.maxCost) return false
    this.requests++
    this.reserved += most
    return true
  }

  /** Resolves when a call under way has ended, for one that waits after the other: who has its turn calls `next`. */
  settled(): Promise<void> {
    return new Promise((free) => this.waiting.push(free))
  }

  /** The turn of the next one that waits. */
  next(): void {
    this.waiting.shift()?.()
  }

  /** Puts what it did cost in the place of what was taken. */
  settle(most: number, cost: number): void {
    this.reserved = Math.max(0, this.reserved - most)
    this.spent += cost
    this.next()
  }
}

/** Learns how many tokens a request of so many bytes makes, and how long its answers are. */
export class Estimate {
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
