/** Tokens and dollars: prices, what a call will cost, what it did cost, and where to stop. */
import { existsSync } from 'node:fs'
import { readData } from '../data_files.ts'
import { isObject } from '../providers/_provider.ts'
import { configError, RowFailure, type Usage, usageError } from '../record.ts'

/** US dollars per million tokens. `cached` is for prompt tokens the provider had cached. */
export interface Price {
  input: number
  output: number
  cached?: number
}

export type Prices = (model: string) => Price | undefined

/**
 * `--price 2.5,10` for every model, or a JSON or YAML file: `{gpt-4o: [2.5, 10], …}`, a third number or
 * `cached` for cached input. A model not in the file has the price of the longest name that it begins with.
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
  const names = [...prices.keys()].sort((a, b) => b.length - a.length)
  return (model) => prices.get(model) ?? prices.get(names.find((name) => model.startsWith(name)) ?? '')
}

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

/** What a call cost, in dollars: by the price, else as the server says it (`usage.cost`). */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (!usage) return undefined
  if (!price) return typeof usage.cost === 'number' ? usage.cost : undefined
  const prompt = usage.prompt_tokens ?? 0
  const detail = usage.prompt_tokens_details
  const cached = price.cached !== undefined && isObject(detail) ? Number(detail.cached_tokens ?? 0) : 0
  const dollars =
    (prompt - cached) * price.input +
    cached * (price.cached ?? 0) +
    (usage.completion_tokens ?? 0) * price.output
  return Number((dollars / 1e6).toFixed(10))
}

/** Holds a run to `--max-cost` and `--max-requests`. Calls under way are counted at what they are thought to cost. */
export class Budget {
  spent = 0
  requests = 0
  private reserved = 0
  private readonly maxCost: number
  private readonly maxRequests: number

  constructor(maxCost = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY) {
    this.maxCost = maxCost
    this.maxRequests = maxRequests
  }

  /** Takes what a request is thought to cost. @throws RowFailure budget */
  admit(cost: number): void {
    const over =
      this.requests >= this.maxRequests
        ? `--max-requests ${this.maxRequests} is reached`
        : this.spent + this.reserved + cost > this.maxCost
          ? `--max-cost ${this.maxCost} is reached (${dollars(this.spent)} spent)`
          : undefined
    if (over) throw new RowFailure('budget', over, { retryable: true })
    this.requests++
    this.reserved += cost
  }

  /** Puts what it did cost in the place of what was taken. */
  settle(thought: number, cost: number): void {
    this.reserved -= thought
    this.spent += cost
  }
}

/** Learns how many tokens a request of so many bytes makes, and how long its answers are. */
export class Estimate {
  /** English prose and its JSON escapes; replaced by what the server counts. */
  private bytesPerToken = 4
  private learnt = 0
  private completion: number | undefined

  of(bytes: number, maxTokens: number | undefined): { prompt: number; completion: number } {
    const most = maxTokens ?? 1024
    return {
      prompt: Math.ceil(bytes / this.bytesPerToken),
      completion: Math.ceil(Math.min(most, this.completion ?? Math.min(most, 512))),
    }
  }

  learn(bytes: number, usage: Usage | undefined): void {
    if (usage?.prompt_tokens) {
      // The mean of the first ones, then of the last ones.
      const weight = Math.max(0.1, 1 / ++this.learnt)
      this.bytesPerToken += (bytes / usage.prompt_tokens - this.bytesPerToken) * weight
    }
    if (usage?.completion_tokens !== undefined)
      this.completion = (this.completion ?? usage.completion_tokens) * 0.9 + usage.completion_tokens * 0.1
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
