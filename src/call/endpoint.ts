/**
 * Which model answers a row, where, and with which key: from the options, the row and the environment.
 * Several named judges (`--name fluency` in jb-render) each have their own, all in one run.
 */
import { members } from '../members.ts'
import type { Provider } from '../providers/_provider.ts'
import { configError, type OwnEndpoint, usageError } from '../record.ts'

export interface Endpoint {
  model: string
  provider: Provider
  /** Where the call goes, with the API's path. */
  url: URL
  headers: Record<string, string>
  /** The endpoint in messages, logs and the cache: without a key. */
  label: string
  /** The variable that held the key, or those that were looked for. */
  keyFrom: string
  hasKey: boolean
  /** Limits that the judge's own file sets. */
  own?: OwnEndpoint
}

export interface EndpointOptions {
  model?: string
  baseUrl?: string
  api?: string
  apiKeyEnv?: string
  header: string[]
}

type Env = Record<string, string | undefined>

/** What a row and its judge say about who is to be asked. */
export interface Asked {
  /** The name of this use of the judge. */
  name?: string
  /** A model in the row's own request. */
  model?: string
  /** What the judge's own file says. */
  own?: OwnEndpoint
}

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
 * general ones, and what the file names for want of anything else.
 */
export function knownModel(
  options: Pick<EndpointOptions, 'model'>,
  env: Env,
  asked: Asked,
): string | undefined {
  const { name, model, own } = asked
  return options.model ?? own?.model ?? model ?? firstSet(env, modelNames(name))?.value ?? own?.default_model
}

/** The same, where there must be one. @throws Fatal (usage) that tells what to set */
export function modelOf(options: Pick<EndpointOptions, 'model'>, env: Env, asked: Asked): string {
  const model = knownModel(options, env, asked)
  if (model) return model
  const variables = modelNames(asked.name).slice(0, asked.name ? 2 : 1)
  throw usageError(
    `no model: give one with -m NAME, or set ${variables.join(' or ')} (-m baseline:longer needs no key)`,
  )
}

function modelNames(name: string | undefined): string[] {
  const named = name ? [`LLM_JUDGE_${envPart(name)}_MODEL`] : []
  return [...named, 'LLM_JUDGE_MODEL', 'OPENAI_MODEL', 'LLM_MODEL']
}

const providers = new Map<string, Promise<Provider>>()

/** The provider of that name. */
function providerOf(api: string): Promise<Provider> {
  let found = providers.get(api)
  if (!found) {
    if (!members('providers').includes(api)) throw configError(`no provider "${api}"`)
    providers.set(api, (found = import(`../providers/${api}.ts`).then(({ provider }) => provider)))
  }
  return found
}

/**
 * Where the calls of one named judge (or of all that have no name) go.
 * @param secrets is told of every key, so that no output shows it
 * @throws Fatal (usage, configuration) for a URL that is none or a header without a name
 */
export async function endpointOf(
  options: EndpointOptions,
  env: Env,
  api: string,
  model: string,
  { name, own }: Asked,
  secrets: { add(secret: string): void },
): Promise<Endpoint> {
  const provider = await providerOf(api)
  const named = (what: string) => (name ? [`LLM_JUDGE_${envPart(name)}_${what}`] : [])
  const base = options.baseUrl
    ? { value: options.baseUrl, name: '--base-url' }
    : own?.base_url
      ? { value: own.base_url, name: 'api_base' }
      : (firstSet(env, [...named('API_BASE'), 'LLM_JUDGE_API_BASE', ...provider.baseNames]) ?? {
          value: provider.base,
          name: 'the default',
        })
  const url = endpointUrl(base.value, base.name, provider)
  const keyNames = options.apiKeyEnv
    ? [options.apiKeyEnv]
    : [...named('API_KEY'), 'LLM_JUDGE_API_KEY', ...provider.keyNames]
  const found = firstSet(env, keyNames)
  if (options.apiKeyEnv && !found)
    throw configError(`--api-key-env ${options.apiKeyEnv}: that variable is not set`)
  if (found) secrets.add(found.value)
  if (url.password) secrets.add(decodeURIComponent(url.password))
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'jb-call',
    ...provider.headers(found?.value, url),
    ...basicAuth(url),
    ...ownHeaders(options.header, env, secrets),
  }
  if (headers.authorization) secrets.add(headers.authorization)
  url.username = ''
  url.password = ''
  const keyFrom = found?.name ?? keyNames.join(' or ')
  return {
    model,
    provider,
    ...(own && { own }),
    url,
    headers,
    label: labelOf(url),
    keyFrom,
    hasKey: found !== undefined,
  }
}

/** The base with the API's path: `/v1` put behind a bare host, a whole URL taken as it is, a query kept. */
function endpointUrl(base: string, from: string, provider: Provider): URL {
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(base) ? base : `http://${base}`)
  } catch {
    throw configError(`${from}: "${base}" is not a URL (expected something like http://localhost:8000/v1)`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw configError(`${from}: "${base}" must begin with http:// or https://`)
  const path = url.pathname.replace(/\/+$/, '')
  const bare = path === '' || (provider.version !== undefined && !/\/v\d+$/.test(path))
  if (!path.endsWith(provider.path))
    url.pathname = `${path}${bare ? (provider.version ?? '/v1') : ''}${provider.path}`
  else url.pathname = path
  return url
}

/** The URL as people and the cache may see it: a query may hold a key, so only an API version stays. */
function labelOf(url: URL): string {
  const version = url.searchParams.get('api-version')
  return url.origin + url.pathname + (version ? `?api-version=${version}` : '')
}

function basicAuth(url: URL): Record<string, string> {
  if (!url.username) return {}
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** `--header 'X-Key: $MY_KEY'`: the variable's value, so that no secret stands on the command line. */
function ownHeaders(
  given: string[],
  env: Env,
  secrets: { add(secret: string): void },
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const text of given) {
    const colon = text.indexOf(':')
    const name = text.slice(0, colon).trim().toLowerCase()
    if (colon < 1 || !/^[\w-]+$/.test(name)) throw usageError(`--header: expected NAME:VALUE, not "${text}"`)
    headers[name] = text
      .slice(colon + 1)
      .trim()
      .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
        const variable = braced ?? bare!
        const value = env[variable]
        if (value === undefined) throw configError(`--header ${name}: ${variable} is not set`)
        secrets.add(value)
        return value
      })
    if (/key|token|auth|secret|cookie/.test(name)) secrets.add(headers[name])
  }
  return headers
}
