/**
 * Which model answers a row, where, and with which key: from the options, the row and the environment.
 * Several named judges (`--name fluency` in jb-render) each have their own, all in one run.
 */
import { hasSecret, KEY_ADVICE, looksLikeKey, maskedKey, URL_ADVICE } from '../../files/api_key.ts'
import type { Env } from '../../providers/_access.ts'
import type { Provider } from '../../providers/_provider.ts'
import { configError, type OwnEndpoint, usageError } from '../../rows/record.ts'
import { baseUrl, filledBase, hideQuery, isLocal, loginOf, urlLabel } from './endpoint_url.ts'
import { proxyPasswords } from './http/proxy.ts'
import type { Secrets } from './http/secrets.ts'
import { listPrice, type Price } from './limits/prices.ts'
import type { CallOptions } from './options.ts'
import { serviceOf } from './service.ts'
import { sha256 } from './sha256.ts'

export interface Endpoint {
  /** As it was asked for, which is how replies, the cache and prices know it. */
  model: string
  /** Its name there, without the provider's in front. */
  sentModel: string
  provider: Provider
  /** Where the call goes, with the API's path. */
  url: URL
  headers: Record<string, string>
  /** The endpoint in messages and logs: without a key. */
  label: string
  /** What tells it apart from others in the cache: the label, and a hash of the headers given. */
  identity: string
  /** The base URL is EMPTY, as TREC's runs without a network have it: replies to the same request at any endpoint count. */
  nowhere?: true
  /** The variable that held the key, or those that were looked for. */
  keyFrom: string
  hasKey: boolean
  key?: string
  env: Env
  /** The service's list price, where it is asked itself and no server in between. */
  listPrice?: Price | undefined
  /** Why no call can succeed: the provider's own endpoint always needs a key. */
  missingKey?: string
  /** Limits that the judge's own file sets. */
  own?: OwnEndpoint
}

/** What a row and its judge say about where the row's request goes. */
export interface RequestTarget {
  /** The name of this use of the judge. */
  name?: string
  /** A model in the row's own request. */
  model?: string
  /** What the judge's own file says. */
  own?: OwnEndpoint
}

/** Line ends, and what is not Latin-1. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/

/** `fluency check` is FLUENCY_CHECK: what a shell can export. */
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
 * The model for a row: the option, the judge's own file, the row's own, the named judge's variable, the
 * general ones, and what the file names where nothing else does.
 */
export function knownModel(options: CallOptions, env: Env, target: RequestTarget): string | undefined {
  const { name, model, own } = target
  return options.model ?? own?.model ?? model ?? firstSet(env, modelNames(name))?.value ?? own?.default_model
}

/** The same, where there must be one. @throws Fatal (usage) that says what to set */
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

/** Where the base URL comes from when nothing names one. */
const DEFAULT = 'the default'

const basic = ({ user, password }: { user: string; password: string }) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const HEADERS = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'jb-call' }

/** What may be a key given by mistake is never repeated. */
const masked = (text: string) => (/[\w.-]{20,}/.test(text) ? `${text.slice(0, 4)}…` : text)

/**
 * Where the calls of one named judge (or of all that have no name) go. A provider's name before the model picks
 * the provider, unless a base URL is given, or the model stands in a row: no row says where a request goes.
 * @param usual the API where none is named
 * @param secrets takes note of every key, so that no output shows it
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
  const given = options.baseUrl
    ? { value: options.baseUrl, name: '--base-url' }
    : own?.base_url
      ? { value: own.base_url, name: 'api_base' }
      : firstSet(env, [...named('API_BASE'), 'LLM_JUDGE_API_BASE'])
  const fromRow = (options.model ?? own?.model) === undefined && target.model !== undefined
  const service = await serviceOf(model, {
    api: options.api,
    usual,
    env,
    plain: fromRow || given !== undefined,
  })
  const { provider, sentModel } = service
  // JB_BASE_URL sets the option, too.
  if (options.baseUrl && options.baseUrl !== env.JB_BASE_URL && hasSecret(options.baseUrl))
    throw usageError(`--base-url: ${URL_ADVICE}`)
  const base = given ??
    firstSet(env, service.baseNames) ?? { value: filledBase(service.base, env, service.name), name: DEFAULT }
  const url = provider.url(baseUrl(base.value, base.name), sentModel, env)
  // A key for one provider is not sent to another that the model's name picks.
  const general = service.selectedByModel ? [] : ['LLM_JUDGE_API_KEY']
  const keyNames = options.apiKeyEnv
    ? [options.apiKeyEnv]
    : [...named('API_KEY'), ...general, ...service.keyNames]
  const found = keyFrom(keyNames, options, env, secrets)
  hideQuery(url, secrets)
  for (const password of proxyPasswords(env)) secrets.add(password)
  const login = loginOf(url, base.name)
  if (login) secrets.add(login.password)
  const extra = givenHeaders(options.header, env, secrets)
  const headers: Record<string, string> = {
    ...HEADERS,
    ...provider.headers(found?.value, url, env),
    ...(login && { authorization: basic(login) }),
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
    ...(url.origin === originOf(service.base) && {
      listPrice: await listPrice(`${service.name}/${sentModel}`),
    }),
    ...(own && { own }),
    url,
    headers,
    label,
    identity: label + headersHash(extra),
    ...(base.value === 'EMPTY' && { nowhere: true }),
    keyFrom: keySource,
    hasKey: found !== undefined,
    ...(base.name === DEFAULT &&
      !found &&
      !isLocal(url) &&
      !Object.keys(extra).some((name) => KEYLIKE.test(name)) && {
        missingKey: `no key for ${base.value}: set ${keySource} (--base-url names another endpoint)`,
      }),
  }
}

/** The key in the first of these variables that is set. @throws Fatal (usage, configuration) for --api-key-env, or a key that cannot be sent */
function keyFrom(names: readonly string[], { apiKeyEnv }: CallOptions, env: Env, secrets: Secrets) {
  if (apiKeyEnv && !/^[A-Za-z_]\w*$/.test(apiKeyEnv))
    throw usageError('--api-key-env: expected the name of an environment variable that holds the key')
  const found = firstSet(env, names)
  if (apiKeyEnv && !found)
    throw configError(`--api-key-env: the environment has no variable ${masked(apiKeyEnv)}`)
  if (found) secrets.add(found.value)
  if (found && UNSENDABLE.test(found.value))
    throw configError(`the key in ${found.name} has characters that no HTTP header takes`)
  return found
}

/** `--header 'X-Key: $MY_KEY'`: the variable's value, so that no secret stands on the command line. */
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
        `--header ${name}: the command line shows a key to all: write $NAME, the variable that holds it`,
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
      throw configError(`--header ${name}: its value has characters that no HTTP header takes`)
  }
  return headers
}

/** Names of headers that hold keys: another key finds the same replies. */
const KEYLIKE = /key|token|auth|secret|cookie/

/** Undefined for a base with a variable in it. */
const originOf = (base: string) => (base.includes('{') ? undefined : new URL(base).origin)

/** Any header may change an answer: other headers, other replies. Their values may be secret, so this is a hash. */
function headersHash(headers: Record<string, string>): string {
  const kept = Object.entries(headers).filter(([name]) => !KEYLIKE.test(name))
  if (kept.length === 0) return ''
  return `#headers=${sha256(JSON.stringify(kept.sort())).slice(0, 16)}`
}
