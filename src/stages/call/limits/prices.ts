/** Prices of models: the user's, and the list prices in providers/prices.yaml. */
import { existsSync } from 'node:fs'
import { Catalogue, readData } from '../../../files/data.ts'
import { nearest } from '../../../options/nearest.ts'
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
 * `--price 2.5,10` for every model, or a JSON or YAML file: `{gpt-6-luna: [0.1, 0.5], …}`, with a third number or `cached` for
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

/** prices.yaml, by names such as `openai/gpt-6-luna`. */
interface Listed {
  prices: Map<string, Price>
  /** All models in use, with and without a price. */
  models: readonly string[]
  /** The day a model is shut, and the model that its service names instead. */
  shut: Map<string, readonly [day: string, instead?: string]>
}

let list: Promise<Listed> | undefined

const readList = (): Promise<Listed> => (list ??= new Catalogue('providers').data('prices').then(listOf))

/** A price holds to the end of its last day. */
function listOf(data: unknown): Listed {
  const { models, shut } = data as { models: Record<string, JsonObject>; shut: Record<string, [string]> }
  const priced = Object.entries(models).filter(
    ([, { input, until }]) => input !== undefined && !(typeof until === 'string' && until < today()),
  )
  return {
    prices: tableOf(Object.fromEntries(priced), 'prices.yaml'),
    models: Object.keys(models),
    shut: new Map(Object.entries(shut)),
  }
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** A service's list price for a model. @param name `openai/gpt-6-luna` */
export const listPrice = async (name: string): Promise<Price | undefined> =>
  listed((await readList()).prices, name)

/**
 * `openai shut gpt-4 on 2026-10-23: it names gpt-5.6-sol instead`; undefined for a model whose end is not known.
 * @param name `openai/gpt-4`
 */
export async function shutNote(name: string, day = today()): Promise<string | undefined> {
  const found = listed((await readList()).shut, name)
  if (!found) return undefined
  const [end, instead] = found
  const [service, model] = [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)]
  const verb = end <= day ? 'shut' : 'shuts'
  return `${service} ${verb} ${model} on ${end}${instead === undefined ? '' : `: it names ${instead} instead`}`
}

/** The service's model with a similar name that has a list price; undefined if there is none. @param name `openai/gpt-6` */
export async function nearPriced(name: string): Promise<string | undefined> {
  const service = name.slice(0, name.indexOf('/') + 1)
  const priced = [...(await readList()).prices.keys()].filter((one) => one.startsWith(service))
  const near = nearest(
    name.slice(service.length),
    priced.map((one) => one.slice(service.length)),
  )
  return near && service + near
}

/** The name with its service of a model that is listed under one service; undefined for any other. */
export async function nameWithService(model: string): Promise<string | undefined> {
  const plain = model.replace(VERSION, '')
  const [name, ...more] = (await readList()).models.filter((one) => one.endsWith(`/${plain}`))
  return name === undefined || more.length > 0 ? undefined : name.slice(0, -plain.length) + model
}

const listed = <Value>(table: Map<string, Value>, model: string): Value | undefined =>
  table.get(model) ?? table.get(model.replace(VERSION, ''))

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
