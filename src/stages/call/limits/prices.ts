/** Prices of models: the user's, and the list prices in providers/prices.yaml. */
import { existsSync } from 'node:fs'
import { Catalogue, readData } from '../../../files/data.ts'
import { configError, isObject, type JsonObject, usageError } from '../../../rows/record.ts'

/** US dollars per million tokens. */
export interface Price {
  input: number
  output: number
  /** Prompt tokens read from the provider's cache. */
  cached?: number
  /** Prompt tokens written to the cache: for minutes, and for an hour. */
  written?: number
  written1h?: number
  /** The price of requests with more prompt tokens than `tokens`. */
  above?: Price & { tokens: number }
  /** Factors by service tier: `{ priority: 2 }`. */
  tiers?: Record<string, number>
}

interface Priced {
  /** The model as requested. */
  model: string
  /** Its name at the endpoint. */
  sentModel?: string
  listPrice?: Price | undefined
}

export type Prices = (priced: Priced) => Price | undefined

/**
 * `--price 2.5,10` for every model, or a JSON or YAML file: `{gpt-4o: [2.5, 10], …}`, with a third number or `cached` for
 * cached input. A dated version of a model in the file has that model's price. The default is the list price, if the endpoint
 * is the service's own.
 * @throws Fatal (usage, configuration)
 */
export async function pricesOf(option: string | undefined): Promise<Prices> {
  if (option === undefined) return ({ listPrice }) => listPrice
  if (/^[\d.]+,[\d.]+(,[\d.]+)?$/.test(option)) {
    const price = priceOf(option.split(',').map(Number), '--price')
    return () => price
  }
  if (!existsSync(option))
    throw usageError(
      `--price: expected IN,OUT in dollars per million tokens, or a file; there is no file "${option}"`,
    )
  const prices = tableOf(await readData(option), option)
  return ({ model, sentModel, listPrice }) =>
    listed(prices, model) ?? (sentModel === undefined ? undefined : listed(prices, sentModel)) ?? listPrice
}

let list: Promise<Map<string, Price>> | undefined

/** The list prices, by names such as `openai/gpt-4o`. */
const listPrices = (): Promise<Map<string, Price>> =>
  (list ??= new Catalogue('providers')
    .data('prices')
    .then((data) => tableOf((data as { models: unknown }).models, 'prices.yaml')))

/** A service's list price for a model. @param name `openai/gpt-4o` */
export const listPrice = async (name: string): Promise<Price | undefined> => listed(await listPrices(), name)

/** The name with its service of a model that is listed under one service; undefined for any other. */
export async function nameWithService(model: string): Promise<string | undefined> {
  const plain = model.replace(VERSION, '')
  const [name, ...more] = [...(await listPrices()).keys()].filter((one) => one.endsWith(`/${plain}`))
  return name === undefined || more.length > 0 ? undefined : name.slice(0, -plain.length) + model
}

const listed = (prices: Map<string, Price>, model: string): Price | undefined =>
  prices.get(model) ?? prices.get(model.replace(VERSION, ''))

/** The version in a model's name: gpt-4o-2024-08-06, gpt-4-0613, claude-3-haiku@20240307. */
const VERSION = /[-@:](?:\d{4}-\d{2}-\d{2}|\d{4}|\d{6}|\d{8}|latest)$/

function tableOf(table: unknown, file: string): Map<string, Price> {
  if (!isObject(table)) throw configError(`${file}: expected model names and their prices`)
  return new Map(Object.entries(table).map(([model, value]) => [model, priceOf(value, `${file}: ${model}`)]))
}

function priceOf(value: unknown, where: string): Price {
  const given: JsonObject = Array.isArray(value)
    ? { input: value[0], output: value[1], cached: value[2] }
    : isObject(value)
      ? value
      : {}
  const { input, output, cached, written, written_1h: written1h, above, tiers } = given
  const optional = Object.entries({ cached, written, written1h }).filter(([, number]) => number !== undefined)
  if (![input, output, ...optional.map(([, number]) => number)].every(isPrice))
    throw configError(`${where}: expected [input, output] in dollars per million tokens`)
  const price = { input, output, ...Object.fromEntries(optional) } as unknown as Price
  if (above !== undefined) {
    if (!isObject(above) || !isPrice(above.tokens))
      throw configError(`${where}: above: expected tokens, input and output`)
    price.above = { ...priceOf(above, `${where}: above`), tokens: above.tokens }
  }
  if (tiers !== undefined) {
    if (!isObject(tiers) || !Object.values(tiers).every(isPrice))
      throw configError(`${where}: tiers: expected a factor for each tier`)
    price.tiers = tiers as Record<string, number>
  }
  return price
}

const isPrice = (value: unknown): value is number => typeof value === 'number' && value >= 0
