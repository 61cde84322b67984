/**
 * Model, endpoint and key for a row, from the options, the row and the environment. Each named judge (`--name fluency` in
 * jb-render) can have its own.
 */

import { hasSecret, KEY_ADVICE, looksLikeKey, maskedKey, URL_ADVICE } from '../../files/api_key.ts'
import { members } from '../../files/members.ts'
import type { Env } from '../../providers/_access.ts'
import type { Provider } from '../../providers/_provider.ts'
import { sha256 } from '../../rows/crypto.ts'
import { configError, type OwnEndpoint, usageError } from '../../rows/record.ts'
import { baseUrl, filledBase, hideKeys, isLocal, loginOf, urlLabel } from './endpoint_url.ts'
import { proxyPasswords } from './http/proxy.ts'
import type { Secrets } from './http/secrets.ts'
import { listPrice, nameWithService, nearPriced, type Price, shutNote } from './limits/prices.ts'
import type { CallOptions } from './options.ts'
import { type SelectedService, serviceOf } from './service.ts'

export interface Endpoint {
  /** The requested model, as replies, the cache and prices name it. */
  model: string
  /** The model's name at the endpoint, without prefix. */
  sentModel: string
  provider: Provider
  /** The URL of requests. */
  url: URL
  headers: Record<string, string>
  /** The URL for messages and logs, without secrets. */
  label: string
  /** Its identity in the cache: the label, and a hash of the user's headers. */
  identity: string
  /** The base URL is EMPTY, as in TREC's runs without a network: replies of any endpoint are accepted. */
  nowhere?: true
  /** The variable with the key, or those that may have it. */
  keyFrom: string
  /** The option, the variable or the key of the judge's file that names the base URL, or {@link DEFAULT_BASE}. */
  baseFrom?: string
  key?: string
  env: Env
  /** The service's list price, if requests go to the service itself. */
  listPrice?: Price | undefined
  /** For a model without one: a model with a similar name that has one. */
  near?: string | undefined
  /** The end of the model, if its service has told it. */
  shut?: string | undefined
  /** The server may say what a call costs: OpenRouter, LiteLLM, and one that is not known. */
  mayNameCost?: boolean
  /** The message if a required key is missing. */
  missingKey?: string
  /** The settings of the judge's own file. */
  own?: OwnEndpoint
}

/** What determines the endpoint of a row, besides the options. */
export interface RequestTarget {
  /** The judge's `--name`. */
  name?: string
  /** The model in the row's request. */
  model?: string
  /** The settings of the judge's own file. */
  own?: OwnEndpoint
}

/** Characters that a header cannot have: line ends, and all beyond Latin-1. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** A name in a variable: `fluency check` becomes FLUENCY_CHECK. */
const envPart = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

/** The first variable that is set and not empty. */
function firstSet(env: Env, names: readonly string[]): { value: string; name: string } | undefined {
  for (const name of names) {
    const value = env[name]?.trim()
    if (value) return { value, name }
  }
  return undefined
}

/**
 * The model for a row, in this order: the option, the judge's own file, the row, the variables, the file's default model.
 */
export function knownModel(options: CallOptions, env: Env, target: RequestTarget): string | undefined {
  const { name, model, own } = target
  return options.model ?? own?.model ?? model ?? firstSet(env, modelNames(name))?.value ?? own?.default_model
}

/** The model for a row. @throws Fatal (usage) if none is named */
export function requiredModel(options: CallOptions, env: Env, target: RequestTarget): string {
  const model = knownModel(options, env, target)
  if (options.model && looksLikeKey(options.model))
    throw usageError(`-m ${maskedKey(options.model)}: that looks like a key, not a model: ${KEY_ADVICE}`)
  if (model) return model
  const variables = modelNames(target.name).slice(0, target.name ? 2 : 1)
  throw usageError(
    `no model: give one with -m NAME, or set ${variables.join(' or ')} (-m baseline:longer needs no key)`,
  )
}

function modelNames(name: string | undefined): string[] {
  const named = name ? [`LLM_JUDGE_${envPart(name)}_MODEL`] : []
  return [...named, 'LLM_JUDGE_MODEL', 'OPENAI_MODEL', 'LLM_MODEL']
}

/** The source of a base URL that nothing else names. */
export const DEFAULT_BASE = 'the default'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'jb-call' }

/** Masks a value that may be a key. */
const masked = (text: string) => (/[\w.-]{20,}/.test(text) ? `${text.slice(0, 4)}…` : text)

/**
 * The endpoint for a model and a target. A prefix of the model selects the provider, unless a base URL is given or the model
 * is the row's: a row must not decide where a request is sent.
 * @param usual the default API
 * @param secrets masks every key in all output
 * @throws Fatal (usage, configuration) for an invalid URL or header
 */
export async function endpointOf(
  options: CallOptions,
  env: Env,
  usual: 'chat' | 'completions',
  model: string,
  target: RequestTarget,
  secrets: Secrets,
): Promise<Endpoint> {
  const { name, own } = target
  const named = (what: string) => (name ? [`LLM_JUDGE_${envPart(name)}_${what}`] : [])
  const given = givenBase(options, own) ?? firstSet(env, [...named('API_BASE'), 'LLM_JUDGE_API_BASE'])
  const fromRow = (options.model ?? own?.model) === undefined && target.model !== undefined
  const plain = fromRow || given !== undefined
  const service = await serviceOf(model, { api: options.api, usual, env, plain })
  const { provider, sentModel } = service
  refuseDraws(options, provider, model)
  // JB_BASE_URL sets the option, too.
  if (options.baseUrl && options.baseUrl !== env.JB_BASE_URL && hasSecret(options.baseUrl))
    throw usageError(`--base-url: ${URL_ADVICE}`)
  const base = given ??
    firstSet(env, service.baseNames) ?? {
      value: filledBase(service.base, env, service.name),
      name: DEFAULT_BASE,
    }
  const url = provider.url(baseUrl(base.value, base.name), sentModel, env)
  // LLM_JUDGE_API_KEY must not be sent to a service that a prefix selects.
  const general = service.selectedByModel ? [] : ['LLM_JUDGE_API_KEY']
  const keyNames = options.apiKeyEnv
    ? [options.apiKeyEnv]
    : [...named('API_KEY'), ...general, ...service.keyNames]
  const found = keyFrom(keyNames, options, env, secrets)
  hideKeys(url, secrets)
  for (const password of proxyPasswords(env)) secrets.add(password)
  const login = loginOf(url, base.name)
  if (login) secrets.add(login.password || login.user)
  const extra = givenHeaders(options.header, env, secrets)
  const headers: Record<string, string> = {
    ...HEADERS,
    ...provider.headers(found?.value, url, env),
    ...(login && {
      authorization: `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`,
    }),
    ...extra,
  }
  if (headers.authorization) secrets.add(headers.authorization)
  url.username = ''
  url.password = ''
  const label = urlLabel(url)
  const keySource = found?.name ?? keyNames.join(' or ')
  return {
    model,
    sentModel,
    provider,
    env,
    ...(found && { key: found.value }),
    ...(await costOf(service, url)),
    ...(own && { own }),
    url,
    headers,
    label,
    identity: label + headersHash(extra),
    ...(base.value === 'EMPTY' && { nowhere: true }),
    keyFrom: keySource,
    baseFrom: base.name,
    ...(base.name === DEFAULT_BASE &&
      !found &&
      !isLocal(url) &&
      !Object.keys(extra).some((name) => KEYLIKE.test(name)) && {
        missingKey: `no key for ${base.value}: set ${keySource} (--base-url names another endpoint)${service.selectedByModel ? '' : await otherModel(model)}`,
      }),
  }
}

/** @throws Fatal (usage) for options that a decision model has no use for */
function refuseDraws({ batch, samplesAtOnce }: CallOptions, { decides }: Provider, model: string): void {
  if (!decides) return
  if (batch) throw usageError(`--batch ${batch}: the API of ${model} takes no batches`)
  if (samplesAtOnce)
    throw usageError(
      `--samples-at-once: ${model} gives probabilities, no samples, and one request has them all`,
    )
}

/** `: did you mean -m anthropic/claude-sonnet-5-5?` for a model of another service, or a baseline; else empty. */
async function otherModel(model: string): Promise<string> {
  const other = members('baselines').includes(model)
    ? `baseline:${model}`
    : model === 'baseline'
      ? 'baseline:longer'
      : await nameWithService(model)
  return other === undefined || other === `openai/${model}` ? '' : `: did you mean -m ${other}?`
}

/** Services whose answers have the cost of the call. */
const NAMES_COST = new Set(['openrouter', 'litellm'])

/** How the cost of calls is known, and how long the model is to be had. */
async function costOf({ name, base, sentModel }: SelectedService, url: URL) {
  if (url.origin !== originOf(base)) return { mayNameCost: true }
  const full = `${name}/${sentModel}`
  const price = await listPrice(full)
  return {
    mayNameCost: NAMES_COST.has(name),
    listPrice: price,
    ...(!price && { near: await nearPriced(full) }),
    shut: await shutNote(full),
  }
}

/** The base URL that an option, or else the judge, names. */
function givenBase({ baseUrl }: CallOptions, own: RequestTarget['own']) {
  if (baseUrl) return { value: baseUrl, name: '--base-url' }
  return own?.base_url ? { value: own.base_url, name: 'api_base' } : undefined
}

/** The key in the first variable that is set. @throws Fatal (usage, configuration) for an invalid --api-key-env or key */
function keyFrom(names: readonly string[], { apiKeyEnv }: CallOptions, env: Env, secrets: Secrets) {
  if (apiKeyEnv && !/^[A-Za-z_]\w*$/.test(apiKeyEnv))
    throw usageError('--api-key-env: expected the name of an environment variable that holds the key')
  const found = firstSet(env, names)
  if (apiKeyEnv && !found)
    throw configError(`--api-key-env: the environment has no variable ${masked(apiKeyEnv)}`)
  if (found) secrets.add(found.value)
  if (found && UNSENDABLE.test(found.value))
    throw configError(`the key in ${found.name} has characters that an HTTP header cannot have`)
  return found
}

/** The headers of `--header 'X-Key: $MY_KEY'`, with the values of variables. */
function givenHeaders(given: string[], env: Env, secrets: Secrets): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const text of given) {
    const colon = text.indexOf(':')
    const name = text.slice(0, colon).trim().toLowerCase()
    if (colon < 1 || !/^[\w-]+$/.test(name))
      throw usageError(`--header: expected NAME:VALUE, not "${masked(text)}"`)
    const value = text.slice(colon + 1).trim()
    if (value.split(' ').some(looksLikeKey))
      throw usageError(
        `--header ${name}: other users can see a key on the command line: write $NAME, the variable with the key`,
      )
    headers[name] = value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const variable = braced ?? bare!
      const value = env[variable]
      if (value === undefined) throw configError(`--header ${name}: ${variable} is not set`)
      secrets.add(value)
      return value
    })
    if (KEYLIKE.test(name)) secrets.add(headers[name])
    if (UNSENDABLE.test(headers[name]))
      throw configError(`--header ${name}: its value has characters that an HTTP header cannot have`)
  }
  return headers
}

/** Headers with keys, which are not part of the identity: replies do not depend on the key. */
const KEYLIKE = /key|token|auth|secret|cookie/

/** Undefined for a base URL with variables. */
const originOf = (base: string) => (base.includes('{') ? undefined : new URL(base).origin)

/** A hash of the headers that replies may depend on; their values may be secret. */
function headersHash(headers: Record<string, string>): string {
  const kept = Object.entries(headers).filter(([name]) => !KEYLIKE.test(name))
  if (kept.length === 0) return ''
  return `#headers=${sha256(JSON.stringify(kept.sort())).slice(0, 16)}`
}
