/** Exchanges with endpoints: connections to each, and one clock for all that is under way. */
import { setFlagsFromString } from 'node:v8'
import type { Dispatcher } from 'undici'
import { RowFailure } from '../record.ts'
import { type Exchange, type Outgoing, Transfer } from './transfer.ts'

/** Longest wait for a connection, in ms, where the timeout is longer. */
const CONNECT_MS = 30_000

/** What a WebAssembly function may do before it is optimized, in V8's own measure: by V8's version, and without end. */
const WASM_BUDGET: Record<string, number> = { 11: 1_800_000, 12: 1_800_000, 13: 13_000_000 }
const WASM_ENDLESS = 1_000_000_000

/** An endpoint's connections, and what every request to it says alike. */
interface Connected {
  dispatcher: Dispatcher
  origin: string
  path: string
}

export class Http {
  private readonly connections: number
  private readonly timeout: number
  private readonly env: Record<string, string | undefined>
  private readonly pools = new Map<string, Promise<Dispatcher>>()
  private readonly connected = new Map<URL, Connected>()
  private readonly underWay = new Set<Transfer>()
  /** Looks for those whose time is over: one timer, when the first of them may be. */
  private clock: NodeJS.Timeout | undefined
  private nextDue = Number.POSITIVE_INFINITY

  /** @param connections at most, to each origin; @param timeout ms from a call's start to its last byte */
  constructor(connections: number, timeout: number, env: Record<string, string | undefined>) {
    this.connections = connections
    this.timeout = timeout
    this.env = env
  }

  /**
   * @param url is not changed afterwards: what is made of it is kept
   * @param sent is called when a connection is there and the request goes out
   * @throws RowFailure timeout, unavailable or bad_response, with `detail.cause` the system's code
   */
  post(url: URL, headers: Outgoing['headers'], body: Buffer, sent?: () => void): Promise<Exchange> {
    return this.send({ method: 'POST', url, headers, body, timeout: this.timeout, sent })
  }

  get(url: URL, headers: Outgoing['headers'], timeout: number): Promise<Exchange> {
    return this.send({ method: 'GET', url, headers, timeout })
  }

  /** Requests that have not been answered yet. */
  get inFlight(): number {
    return this.underWay.size
  }

  /** Ends what is under way and closes all connections. */
  async close(): Promise<void> {
    for (const transfer of this.underWay) transfer.abort(new RowFailure('incomplete', 'the run was ended'))
    clearTimeout(this.clock)
    for (const pool of this.pools.values()) await (await pool).destroy()
    this.pools.clear()
  }

  private send(outgoing: Outgoing): Promise<Exchange> {
    const { url } = outgoing
    const known = this.connected.get(url)
    if (known) return this.exchange(known, outgoing)
    const { origin } = url
    let pool = this.pools.get(origin)
    if (!pool) this.pools.set(origin, (pool = this.open(url)))
    return pool.then((dispatcher) => {
      const connected = { dispatcher, origin, path: url.pathname + url.search }
      this.connected.set(url, connected)
      return this.exchange(connected, outgoing)
    })
  }

  private exchange({ dispatcher, origin, path }: Connected, outgoing: Outgoing): Promise<Exchange> {
    const { method, headers, body } = outgoing
    const transfer = new Transfer(outgoing, this.underWay)
    if (transfer.due < this.nextDue) this.lookAt(transfer.due)
    dispatcher.dispatch({ origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 }, transfer)
    return transfer.answer
  }

  private lookAt(due: number): void {
    clearTimeout(this.clock)
    this.nextDue = due
    this.clock = setTimeout(() => this.look(), due - performance.now())
    // What is under way keeps the process alive by itself.
    this.clock.unref()
  }

  private look(): void {
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const transfer of this.underWay) {
      if (transfer.due <= now) transfer.late()
      else next = Math.min(next, transfer.due)
    }
    this.nextDue = next
    if (next < Number.POSITIVE_INFINITY) this.lookAt(next)
  }

  private async open(url: URL): Promise<Dispatcher> {
    const settings = {
      connections: this.connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      connect: { timeout: Math.min(this.timeout, CONNECT_MS) },
    }
    const { env } = this
    if (env.http_proxy || env.HTTP_PROXY || env.https_proxy || env.HTTPS_PROXY) {
      const { EnvHttpProxyAgent } = await import('undici')
      // Plain HTTP is forwarded by the proxy, as curl has it: many refuse to open tunnels for it.
      return new EnvHttpProxyAgent({ ...settings, proxyTunnel: false } as object)
    }
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
    const pool = new Pool(url.origin, settings)
    leaveParser(pool)
    return pool
  }
}

/**
 * undici's parser of answers is WebAssembly, made with the first connection: optimizing it takes 30 MB, and more
 * time than it saves in ten thousand calls.
 */
function leaveParser(pool: Dispatcher): void {
  // An engine that no longer knows the flag would say so on stderr.
  const usual = WASM_BUDGET[process.versions.v8.split('.')[0]!]
  if (usual === undefined) return
  setFlagsFromString(`--wasm-tiering-budget=${WASM_ENDLESS}`)
  // Code that is kept at the end (launch.ts) is for processes with V8's own flags.
  pool.once('connect', () => setFlagsFromString(`--wasm-tiering-budget=${usual}`))
}
