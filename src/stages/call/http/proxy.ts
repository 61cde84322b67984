/** Chooses a proxy as curl does: by the endpoint's scheme (http_proxy, https_proxy), else all_proxy, but for no_proxy. */
import { BlockList, isIP } from 'node:net'
import { configError } from '../../../rows/record.ts'
import { loginOf, shown, urlOf } from '../endpoint_url.ts'

export interface ProxyServer {
  url: URL
  /** Its host and variable, for messages. */
  label: string
}

type Env = Record<string, string | undefined>

const SCHEMES = new Set(['http:', 'https:', 'socks5:'])

/** The variables of schemes, in both spellings. */
const namesFor = (...schemes: string[]) =>
  schemes.flatMap((scheme) => [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase()])

/** The proxy for an endpoint, if any. @throws Fatal (configuration) */
export function proxyTo(endpoint: URL, env: Env): ProxyServer | undefined {
  const scheme = endpoint.protocol.slice(0, -1)
  const name = namesFor(scheme, 'all').find((name) => env[name]?.trim())
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
  return namesFor('http', 'https', 'all').flatMap((name) => {
    const [, password] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^:/@]*:(.*)@/i.exec(env[name]?.trim() ?? '') ?? []
    if (!password) return []
    try {
      return [decodeURIComponent(password)]
    } catch {
      return [password]
    }
  })
}

/** Whether NO_PROXY has the host or a parent domain, with its port or without, its network (10.0.0.0/8), or `*`. */
function excepted({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  const own = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[,\s]+/).some((entry) => {
    const [, name = entry, only] = isIP(entry) ? [] : (/^(.+):(\d+)$/.exec(entry) ?? [])
    const bare = name.replace(/^\*?\.|^\[|\]$/g, '').toLowerCase()
    if (entry === '*' || isInNetwork(host, entry)) return true
    return bare !== '' && (!only || only === own) && (host === bare || host.endsWith(`.${bare}`))
  })
}

/** Whether an address is in a network as `10.0.0.0/8` or `fd00::/8`. */
function isInNetwork(host: string, entry: string): boolean {
  const [, network = '', bits] = /^(.+)\/(\d+)$/.exec(entry) ?? []
  const version = isIP(network)
  const size = Number(bits)
  if (version === 0 || isIP(host) !== version || size > (version === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, size, version === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, version === 4 ? 'ipv4' : 'ipv6')
}
