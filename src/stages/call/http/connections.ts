/** Connections to endpoints, each for one request at a time. */

import type { Dispatcher } from 'undici'
import type { ProxyServer } from './proxy.ts'

/** The longest wait for a connection, in ms. */
const CONNECT_MS = 30_000
/** Unused connections are closed after this time, in ms. */
const IDLE_MS = 30_000

export interface Connections {
  take(): Dispatcher
  /** Returns a connection for reuse. */
  give(connection: Dispatcher): void
  close(): Promise<unknown>
  /** The proxy, for messages. */
  through?: string
}

/** @param count the most connections; @param timeout of a request in ms */
export async function connectionsTo(
  origin: string,
  count: () => number,
  timeout: number,
  proxy: ProxyServer | undefined,
): Promise<Connections> {
  const settings = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_MS }
  const connect = { timeout: Math.min(timeout, CONNECT_MS) }
  if (proxy) {
    const { ProxyAgent } = await import('undici')
    // As with curl, the proxy forwards plain HTTP: many refuse to tunnel it.
    const agent = new ProxyAgent({
      ...settings,
      connections: count(),
      connect,
      proxyTunnel: false,
      uri: proxy.url.href,
    })
    agent.once('connect', (_, targets) => ignoreContinue(targets.at(-1)))
    return { take: () => agent, give: () => {}, close: () => agent.destroy(), through: proxy.label }
  }
  const { default: Client } = await import('undici/lib/dispatcher/client.js')
  return new Direct(() => new Client(origin, { ...settings, connect }), count)
}

/** A pool without the linear search of undici's. */
class Direct implements Connections {
  private readonly open: () => Dispatcher
  private readonly count: () => number
  private readonly all: Dispatcher[] = []
  private readonly free: Dispatcher[] = []
  private next = 0

  constructor(open: () => Dispatcher, count: () => number) {
    this.open = open
    this.count = count
  }

  take(): Dispatcher {
    const free = this.free.pop()
    if (free) return free
    // If all are in use, the request waits for another one on its connection.
    if (this.all.length >= this.count()) return this.all[this.next++ % this.all.length]!
    const made = this.open()
    if (this.all.length === 0) made.once('connect', () => ignoreContinue(made))
    this.all.push(made)
    return made
  }

  give(connection: Dispatcher): void {
    if (this.free.length < this.all.length) this.free.push(connection)
  }

  close(): Promise<unknown> {
    return Promise.all(this.all.map((connection) => connection.destroy()))
  }
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
