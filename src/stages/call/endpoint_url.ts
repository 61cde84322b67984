/** Endpoint URLs: reading them, and hiding their secrets. */

import { KEY_ADVICE, KEYLIKE, looksLikeKey, maskedKey, withoutKeys } from '../../files/api_key.ts'
import { sha256 } from '../../rows/crypto.ts'
import { configError } from '../../rows/record.ts'
import type { Secrets } from './http/secrets.ts'

/** A URL whose default scheme is http; undefined for any other text. */
export function urlOf(text: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  return URL.canParse(whole) ? new URL(whole) : undefined
}

/** Parses a base URL. @param from its option or variable */
export function baseUrl(base: string, from: string): URL {
  if (looksLikeKey(base))
    throw configError(`${from}: ${maskedKey(base)} looks like a key, not a URL: ${KEY_ADVICE}`)
  const url = urlOf(base)
  if (!url)
    throw configError(
      `${from}: "${shown(base)}" is not a URL (expected something like http://localhost:8000/v1)`,
    )
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw configError(`${from}: "${shown(base)}" must begin with http:// or https://`)
  return url
}

/** A provider's base URL with its variables replaced. @throws Fatal (configuration) if one is not set */
export function filledBase(base: string, env: Record<string, string | undefined>, provider: string): string {
  return base.replace(/\{([\w|]+)\}/g, (_, names: string) => {
    const name = names.split('|').find((one) => env[one]?.trim())
    if (name) return env[name]!.trim()
    throw configError(`${provider}: set ${names.replaceAll('|', ' or ')}, or give --base-url`)
  })
}

/** Whether a server runs on this machine. */
export const isLocal = ({ hostname }: URL): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)

/** A URL as given, without password, keys and query. */
export const shown = (base: string): string =>
  withoutKeys(base.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, '$1…@').replace(/\?.*/, '?…'))

/** The query parameter that is not secret. */
const VERSION = 'api-version'

/** The parameters of a URL's query, with their encoded values. */
function queryOf(url: URL): { name: string; value: string; raw: string }[] {
  const raw = url.search.slice(1).split('&').filter(Boolean)
  return [...new URLSearchParams(url.search)].map(([name, value], i) => ({
    name,
    value,
    raw: raw[i]!.slice(raw[i]!.indexOf('=') + 1),
  }))
}

/** Masks keys in a URL's path and query in all output, the query's other values only in messages. */
export function hideKeys(url: URL, secrets: Secrets): void {
  for (const word of url.pathname.split('/')) if (looksLikeKey(word)) secrets.add(word)
  for (const { name, value, raw } of queryOf(url)) {
    if (name === VERSION) continue
    for (const text of [value, raw]) KEYLIKE.test(name) ? secrets.add(text) : secrets.suspect(text)
  }
}

/**
 * The URL for messages and the cache: its path without keys; of its query, only the API version, and a hash of the other parameters without keys, so
 * that the cache does not depend on the key.
 */
export function urlLabel(url: URL): string {
  const version = url.searchParams.get(VERSION)
  const parts = version ? [`${VERSION}=${version}`] : []
  const others = queryOf(url).filter(({ name }) => name !== VERSION && !KEYLIKE.test(name))
  if (others.length > 0) {
    const text = JSON.stringify(others.map(({ name, value }) => [name, value]))
    parts.push(`query=${sha256(text).slice(0, 8)}`)
  }
  return url.origin + withoutKeys(url.pathname) + (parts.length > 0 ? `?${parts.join('&')}` : '')
}

/** User and password in a URL. */
export function loginOf(url: URL, from: string): { user: string; password: string } | undefined {
  if (!url.username && !url.password) return undefined
  try {
    return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  } catch {
    throw configError(
      `${from}: a % in its user or password is not followed by two hex digits (a plain one is %25)`,
    )
  }
}
