/** From a row to what is asked of whom: its parameters, its model, its endpoint, and the key of its reply. */
import { loadJudge } from '../judges/_judge.ts'
import type { Params } from '../providers/_provider.ts'
import type { OwnEndpoint } from '../record.ts'
import type { Row } from '../row.ts'
import {
  type Asked,
  type Endpoint,
  type EndpointOptions,
  endpointOf,
  knownModel,
  modelOf,
} from './endpoint.ts'
import { keyOf, overridesOf, paramsOf, type RequestOptions } from './request.ts'
import type { Secrets } from './secrets.ts'

/** A model that answers in process. */
const LOCAL = /^baseline:/

export interface Route {
  params: Params
  model: string
  /** Undefined for a model that answers in process. */
  endpoint?: Endpoint
  /** The key of the reply to these parameters, for this row's sample and draw. */
  key(params: Params, draw?: number): string
}

/** What a row asks for, and of whom. */
interface Reading {
  params: Params
  asked: Asked
}

export class Router {
  private readonly options: EndpointOptions & RequestOptions
  private readonly env: Record<string, string | undefined>
  private readonly secrets: Secrets
  private readonly overrides: Params
  private readonly endpoints = new Map<string, Endpoint | Promise<Endpoint>>()
  /** What was asked last, and where: mostly the next row asks for the same. */
  private last: { api: string; model: string; asked: Asked; endpoint: Endpoint } | undefined

  constructor(
    options: EndpointOptions & RequestOptions,
    env: Record<string, string | undefined>,
    secrets: Secrets,
  ) {
    this.options = options
    this.env = env
    this.secrets = secrets
    this.overrides = overridesOf(options)
  }

  /**
   * At once where the endpoint is known already.
   * @throws RowFailure missing_field; Fatal where no model is named or the endpoint's settings are wrong
   */
  route(row: Row): Route | Promise<Route> {
    const read = this.read(row)
    return read instanceof Promise ? read.then((one) => this.routed(row, one)) : this.routed(row, read)
  }

  private routed(row: Row, { params, asked }: Reading): Route | Promise<Route> {
    const model = modelOf(this.options, this.env, asked)
    const key = keyFor(row)
    if (LOCAL.test(model)) return { params, model, key }
    const found = this.endpoint(params, model, asked)
    return found instanceof Promise
      ? found.then((endpoint) => ({ params, model, key, endpoint }))
      : { params, model, key, endpoint: found }
  }

  /** The same without an endpoint, for replies that are there already; the model where it is known. */
  async recorded(row: Row): Promise<Pick<Route, 'params' | 'key'> & { model?: string }> {
    const { params, asked } = await this.read(row)
    return { params, model: knownModel(this.options, this.env, asked), key: keyFor(row) }
  }

  private read(row: Row): Reading | Promise<Reading> {
    const { params, model } = paramsOf(row, this.overrides)
    const name = row.get('name')
    const own = ownEndpoint(row.get('judge'))
    return own
      ? own.then((own) => ({ params, asked: { name, model, own } }))
      : { params, asked: { name, model } }
  }

  private endpoint(params: Params, model: string, asked: Asked): Endpoint | Promise<Endpoint> {
    const api = this.options.api ?? (params.has('messages') ? 'chat' : 'completions')
    const { last } = this
    if (last && last.model === model && last.api === api && sameAsked(last.asked, asked)) return last.endpoint
    const own = asked.own ? JSON.stringify(asked.own) : ''
    const key = `${api}\n${model}\n${asked.name ?? ''}\n${own}`
    const known = this.endpoints.get(key)
    if (known && !(known instanceof Promise)) this.last = { api, model, asked, endpoint: known }
    if (known) return known
    const found = endpointOf(this.options, this.env, api, model, asked, this.secrets)
    this.endpoints.set(key, found)
    return found.then((endpoint) => {
      this.endpoints.set(key, endpoint)
      return endpoint
    })
  }
}

const sameAsked = (a: Asked, b: Asked) => a.name === b.name && a.own === b.own

/**
 * What the judge's own file (an lm-eval task) says of where it is asked. It is the file that says it, never
 * the row: data must not name where a key is sent. Undefined also where the file is not at hand.
 */
function ownEndpoint(judge: string | undefined): Promise<OwnEndpoint | undefined> | undefined {
  if (!judge || !/\.ya?ml(#|$)/.test(judge)) return undefined
  return loadJudge(judge).then(
    ({ endpoint }) => endpoint,
    () => undefined,
  )
}

function keyFor(row: Row): Route['key'] {
  return (params, draw) => {
    const sample = row.get('trial')?.sample ?? 0
    return keyOf(params, draw === undefined ? sample : [sample, draw])
  }
}
