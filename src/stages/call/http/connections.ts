/** Connections to endpoints, each for one request at a time. As many are opened as calls are in flight. */

import type { Dispatcher, Pool } from 'undici'
import type { ProxyServer } from './proxy.ts'

/** The longest wait for a connection, in ms. */
const CONNECT_MS = 30_000
/** Unused connections are closed after this time, in ms. */
const IDLE_MS = 30_000

/** @param timeout of a request in ms */
export async function connectionsTo(
  origin: string,
  timeout: number,
  proxy: ProxyServer | undefined,
): Promise<Dispatcher> {
  const connect = { timeout: Math.min(timeout, CONNECT_MS) }
  const settings = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_MS, connect }
  const pool = await opened(origin, settings, proxy)
  pool.once('connect', (_, targets) => ignoreContinue(targets.at(-1)))
  return pool
}

async function opened(origin: string, settings: Pool.Options, proxy: ProxyServer | undefined) {
  const { Pool, ProxyAgent } = await import('undici')
  // As with curl, the proxy forwards plain HTTP: many refuse to tunnel it.
  return proxy
    ? new ProxyAgent({ ...settings, proxyTunnel: false, uri: proxy.url.href })
    : new Pool(origin, settings)
}

/**
 * Makes undici ignore "100 Continue", at which it closes the connection: a client must ignore interim answers that it did not
 * request (RFC 9110, section 15.2).
 */
function ignoreContinue(client: unknown): void {
  const parser = memberOf(memberOf(client, 'socket'), 'parser')
  const prototype = parser && Object.getPrototypeOf(parser)
  const read = prototype?.onHeadersComplete
  if (typeof read !== 'function' || read.name === 'ignoringContinue') return
  prototype.onHeadersComplete = function ignoringContinue(status: number, ...rest: unknown[]) {
    return read.call(this, status === CONTINUE ? EARLY_HINTS : status, ...rest)
  }
}

const CONTINUE = 100
const EARLY_HINTS = 103

/** A member with one of undici's symbols as key. */
function memberOf(owner: unknown, name: string): object | undefined {
  if (owner === null || typeof owner !== 'object') return undefined
  const symbol = Object.getOwnPropertySymbols(owner).find(({ description }) => description === name)
  return symbol && (owner as Record<symbol, object>)[symbol]
}
