/** One exchange with an endpoint: a POST and its whole answer, or a failure in words. */
import type { Dispatcher } from 'undici'
import { RowFailure } from '../record.ts'

export interface Exchange {
  status: number
  /** Names in lower case; of a header that stands twice, the last. */
  headers: Record<string, string>
  body: Buffer
}

interface Outgoing {
  method: 'POST' | 'GET'
  url: URL
  headers: Record<string, string>
  body?: Buffer
  /** ms from the start to the last byte of the answer. */
  timeout: number
  sent?: () => void
}

/** An answer larger than this is none. */
const MAX_BODY = 64 * 1024 * 1024
/** Longest wait for a connection, in ms, where the timeout is longer. */
const CONNECT_MS = 30_000
/** Turns of the event loop, each of which must bring something, for reading what was there at the end of the time. */
const LATE_TURNS = 100

export class Http {
  private readonly connections: number
  private readonly timeout: number
  private readonly env: Record<string, string | undefined>
  private readonly pools = new Map<string, Promise<Dispatcher>>()
  private readonly ready = new Map<string, Dispatcher>()
  private readonly underWay = new Set<(reason: RowFailure) => void>()

  /** @param connections at most, to each origin; @param timeout ms from a call's start to its last byte */
  constructor(connections: number, timeout: number, env: Record<string, string | undefined>) {
    this.connections = connections
    this.timeout = timeout
    this.env = env
  }

  /**
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
    for (const abort of this.underWay) abort(new RowFailure('incomplete', 'the run was ended'))
    for (const pool of this.pools.values()) await (await pool).destroy()
    this.pools.clear()
  }

  private send(outgoing: Outgoing): Promise<Exchange> {
    const { origin } = outgoing.url
    const ready = this.ready.get(origin)
    if (ready) return this.exchange(ready, outgoing)
    let pool = this.pools.get(origin)
    if (!pool) this.pools.set(origin, (pool = this.open(outgoing.url)))
    return pool.then((dispatcher) => {
      this.ready.set(origin, dispatcher)
      return this.exchange(dispatcher, outgoing)
    })
  }

  private exchange(dispatcher: Dispatcher, outgoing: Outgoing): Promise<Exchange> {
    const { method, url, headers, body, timeout, sent } = outgoing
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined
      let status = 0
      let answered: Exchange['headers'] = {}
      const chunks: Buffer[] = []
      let size = 0
      const { underWay } = this
      const settle = (failure?: RowFailure) => {
        if (!underWay.delete(abort)) return
        clearTimeout(timer)
        if (failure) reject(failure)
        else {
          try {
            const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
            resolve({ status, headers: answered, body: inflated(whole, answered['content-encoding']) })
          } catch {
            reject(new RowFailure('bad_response', 'the answer’s compression is broken', { retryable: true }))
          }
        }
      }
      const abort = (reason: RowFailure) => {
        settle(reason)
        controller?.abort(reason)
      }
      // A process that was stopped or starved meets the time's end before what came meanwhile, and has paid
      // for that: what lies in the socket is read first.
      const late = (turns: number) => {
        const before = size + status
        setImmediate(() => {
          if (!underWay.has(abort)) return
          if (size + status > before && turns > 1) return late(turns - 1)
          const phase = status ? `the answer was cut off after ${size} bytes` : 'no answer'
          abort(
            new RowFailure('timeout', `${phase} within ${timeout / 1000} s (--timeout)`, { retryable: true }),
          )
        })
      }
      const timer = setTimeout(late, timeout, LATE_TURNS)
      underWay.add(abort)
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers,
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(started) {
            controller = started
            if (!underWay.has(abort)) started.abort(new Error('ended'))
            sent?.()
          },
          onResponseStart(_controller, code, given) {
            status = code
            answered = flat(given)
          },
          onResponseData(_controller, chunk) {
            size += chunk.length
            if (size > MAX_BODY)
              abort(new RowFailure('bad_response', `the answer is longer than ${MAX_BODY} bytes`))
            chunks.push(chunk)
          },
          onResponseEnd() {
            settle()
          },
          onResponseError(_controller, error) {
            settle(connectionFailure(error, url))
          },
        },
      )
    })
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
    return new Pool(url.origin, settings)
  }
}

/** Compression is never asked for; some servers use it all the same. */
function inflated(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || encoding === 'identity') return body
  const { brotliDecompressSync, unzipSync } = process.getBuiltinModule('node:zlib')
  return encoding === 'br' ? brotliDecompressSync(body) : unzipSync(body)
}

function flat(headers: Record<string, string | string[] | undefined>): Exchange['headers'] {
  const one: Exchange['headers'] = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) one[name] = Array.isArray(value) ? value[value.length - 1]! : value
  }
  return one
}

/** Words for the errors of sockets, DNS, TLS and the HTTP parser. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up (DNS)',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
}
/** Failures of TLS: the same every time. */
const FINAL = /CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO/

function connectionFailure(error: Error & { code?: string }, url: URL): RowFailure {
  const code = error.code ?? (error.cause as { code?: string } | undefined)?.code ?? error.name
  const reason = REASONS[code] ?? (error.message || code)
  if (/^HPE_|^HTTPParserError|CONTENT_LENGTH_MISMATCH/.test(code))
    return new RowFailure('bad_response', `${url.host} does not speak HTTP properly: ${reason}`, {
      retryable: true,
      cause: code,
    })
  return new RowFailure('unavailable', `${url.host}: ${reason}`, {
    retryable: !FINAL.test(code),
    cause: code,
  })
}
