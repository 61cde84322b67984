/** Finds the parameters, model and endpoint of a row's request. */
import type { Judge } from '../../judges/_judge.ts'
import { type Allowed, allowJudges, judgeOfRow } from '../../judges/_of_row.ts'
import type { Env } from '../../providers/_access.ts'
import type { Params } from '../../providers/_params.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { type OwnEndpoint, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { Occurrences, ReplyKeys } from './call_request.ts'
import { type Endpoint, endpointOf, knownModel, type RequestTarget, requiredModel } from './endpoint.ts'
import type { Secrets } from './http/secrets.ts'
import { ImageFiles } from './media.ts'
import type { CallOptions } from './options.ts'
import { jsonOfOverrides, overridesOf, paramsOf } from './request.ts'
import { SampleGroups } from './samples_at_once.ts'

/** Models that answer in process. */
const LOCAL = /^baseline:/

export interface Route {
  params: Params
  /** Of the reply. */
  keys: ReplyKeys
  model: string
  /** Undefined for a model that answers in process. */
  endpoint?: Endpoint
}

/** A route to a recording, where the model may be unknown. */
export type Recorded = Pick<Route, 'params' | 'keys'> & { model?: string; endpoint?: undefined }

export class Router {
  /** JSON of the parameters of the command line; undefined if there are none. */
  readonly given: string | undefined
  private readonly options: CallOptions
  /** The judge files of --judge, which rows may name. */
  private readonly judges: Allowed
  /** Those of --judge alone. */
  private readonly named: Allowed
  private readonly env: Env
  private readonly secrets: Secrets
  private readonly overrides: Params
  private readonly media: ImageFiles
  private readonly endpoints = new Map<string, Promise<Endpoint>>()
  private readonly note: ((message: string) => void) | undefined
  /** What was noted of models that are shut. */
  private readonly noted = new Set<string>()
  private readonly occurrences = new Occurrences()
  readonly samples = new SampleGroups()
  /** Resolves when the rows so far are numbered. */
  private turn = Promise.resolve()

  /** @param note is told of each model that its service has shut, or will */
  constructor(options: CallOptions, env: Env, secrets: Secrets, note?: (message: string) => void) {
    this.note = note
    this.options = options
    this.env = env
    this.secrets = secrets
    this.overrides = overridesOf(options)
    this.media = new ImageFiles(options.media)
    this.given = jsonOfOverrides(this.overrides)
    this.judges = allowJudges(options.judge, env)
    this.named = allowJudges(options.judge)
  }

  /** The rows in groups that share a request, if options say so. */
  gather(rows: Rows): Rows {
    return this.options.samplesAtOnce ? this.samples.gather(rows) : rows
  }

  /**
   * To be called for the rows in the order of the input.
   * @throws RowFailure missing_field; Fatal if no model is named or the endpoint's settings are invalid
   */
  route(row: Row): Promise<Route> {
    return this.numbered(row, this.routeOf(row))
  }

  private async routeOf(row: Row): Promise<Omit<Route, 'keys'>> {
    const { params, target } = await this.target(row)
    const model = requiredModel(this.options, this.env, target)
    if (LOCAL.test(model)) return { params, model }
    return { params, model, endpoint: await this.endpoint(params, model, target) }
  }

  /** Whether a row is a further sample that will equal the first one. */
  isSameSample(row: Row): boolean {
    try {
      if (!row.get('trial')?.sample) return false
      const { params } = this.paramsOf(row)
      return Number(params.get('temperature') ?? 1) === 0 && !params.has('seed')
    } catch {
      // The row fails when it is answered.
      return false
    }
  }

  /** The judge that a row names. @throws RowFailure unknown_judge */
  judgeOf(row: Row): Promise<Judge> {
    return judgeOfRow(row, this.judges, { reading: true })
  }

  /** As {@link route}. @throws RowFailure missing_field */
  recorded(row: Row): Promise<Recorded> {
    return this.numbered(row, this.recordedOf(row))
  }

  private async recordedOf(row: Row): Promise<Omit<Recorded, 'keys'>> {
    const { params, target } = await this.target(row)
    return { params, model: knownModel(this.options, this.env, target) }
  }

  /** Adds the keys to a route, in the order of the calls, whichever route is found first. */
  private numbered<R extends Omit<Recorded, 'keys' | 'endpoint'> & { endpoint?: Endpoint }>(
    row: Row,
    found: Promise<R>,
  ): Promise<R & { keys: ReplyKeys }> {
    // It may fail before its turn.
    found.catch(() => {})
    const numbered = this.turn
      .then(() => found)
      .then((route) => Object.assign(route, { keys: this.keysOf(row, route) }))
    this.turn = numbered.then(
      () => {},
      () => {},
    )
    return numbered
  }

  private keysOf(
    row: Row,
    { params, model, endpoint }: { params: Params; model?: string; endpoint?: Endpoint },
  ) {
    const keys = new ReplyKeys(row, params, undefined, this.samples.of(row))
    keys.decides = endpoint?.provider.decides === true
    if (keys.decides) return keys
    if (endpoint ? this.keepsReplies : this.options.record || this.options.replay)
      this.occurrences.number(keys, `${model}\n${endpoint?.identity}`)
    return keys
  }

  /** Replies are looked up or saved, so each of equal random requests needs a key of its own. */
  private get keepsReplies(): boolean {
    const { noCache, record, replay, batch } = this.options
    return !noCache || record !== undefined || replay !== undefined || batch !== undefined
  }

  /** The parameters of a row's request, with its images, and its model. @throws RowFailure */
  private paramsOf(row: Row): { params: Params; model?: string } {
    const found = paramsOf(row, this.overrides)
    return { ...found, params: this.media.filled(found.params) }
  }

  private async target(row: Row): Promise<{ params: Params; target: RequestTarget }> {
    const { params, model } = this.paramsOf(row)
    return { params, target: { name: row.get('name'), model, own: await this.ownEndpoint(row) } }
  }

  private endpoint(params: Params, model: string, target: RequestTarget): Promise<Endpoint> {
    const usual = params.has('messages') ? 'chat' : 'completions'
    const key = JSON.stringify([usual, model, target.name, target.model, target.own])
    return getOrInsert(this.endpoints, key, async () => {
      const endpoint = await endpointOf(this.options, this.env, usual, model, target, this.secrets)
      const { shut } = endpoint
      if (shut !== undefined && !this.noted.has(shut)) this.note?.(shut)
      if (shut !== undefined) this.noted.add(shut)
      return endpoint
    })
  }

  /**
   * The endpoint in the judge's own file (an lm-eval task), if it has one. Only files of --judge are read: a row must not
   * decide where a key is sent.
   * @throws RowFailure unknown_judge if the row needs a file that --judge does not name
   */
  private async ownEndpoint(row: Row): Promise<OwnEndpoint | undefined> {
    const needed = row.has('own_endpoint')
    if (!needed && this.options.judge.length === 0) return undefined
    try {
      return (await judgeOfRow(row, this.named)).endpoint
    } catch (error) {
      if (needed || !(error instanceof RowFailure)) throw error
      return undefined
    }
  }
}
