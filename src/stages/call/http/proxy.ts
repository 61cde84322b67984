/** Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as curl does. */
import { configError } from '../../../rows/record.ts'
import { loginOf, shown, urlOf } from '../endpoint_url.ts'

export interface ProxyServer {
  url: URL
  /** Its host and variable, for messages. */
  label: string
}

type Env = Record<string, string | undefined>

const SCHEMES = new Set(['http:', 'https:', 'socks5:'])

/** The proxy for an endpoint, if any. @throws Fatal (configuration) */
export function proxyTo(endpoint: URL, env: Env): ProxyServer | undefined {
  const names = ['http_proxy', 'HTTP_PROXY']
  if (endpoint.protocol === 'https:') names.unshift('https_proxy', 'HTTPS_PROXY')
  const name = names.find((name) => env[name]?.trim())
  if (!name || excepted(endpoint, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined
  const url = proxyUrl(env[name]!.trim(), name)
  return { url, label: `the proxy ${url.host} (${name})` }
}

function proxyUrl(given: string, name: string): URL {
  const url = urlOf(given)
  if (!url || !SCHEMES.has(url.protocol))
    throw configError(
      `${name}: "${shown(given)}" is not the URL of a proxy (expected something like http://localhost:3128)`,
    )
  loginOf(url, name)
  return url
}

/** The passwords of all proxies in the environment. */
export function proxyPasswords(env: Env): string[] {
  return ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const [, password] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^:/@]*:(.*)@/i.exec(env[name]?.trim() ?? '') ?? []
    if (!password) return []
    try {
      return [decodeURIComponent(password)]
    } catch {
      return [password]
    }
  })
}

/** Whether NO_PROXY has the host or a parent domain, with its port or without, or `*`. */
function excepted({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.toLowerCase()
  const own = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[,\s]+/).some((entry) => {
    const [, name = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? []
    const bare = name.replace(/^\*?\./, '').toLowerCase()
    if (entry === '*') return true
    return bare !== '' && (!only || only === own) && (host === bare || host.endsWith(`.${bare}`))
  })
}
