/** One request in flight: undici's callbacks, put together to an answer or a failure in words. */

import type { Dispatcher } from 'undici'
import { monotonicMs } from '../../../rows/clock.ts'
import { RowFailure } from '../../../rows/record.ts'
import type { Connections } from './connections.ts'

export interface HttpResponse {
  status: number
  /** Names in lower case; of a header that stands twice, the last. */
  headers: Record<string, string>
  body: Buffer
}

/** The status of an answer to read. Some servers answer a POST with 201. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A request that went out and may have been answered in part: what it cost is unknown. */
export class Unfinished extends RowFailure {}

/** A larger answer is refused. */
const MAX_BODY = 64 * 1024 * 1024
/** Turns of the event loop, each of which must bring something, for reading what was there at the end of the time. */
const LATE_TURNS = 100

/** An object with methods instead of functions made for each request: a thousand of them are under way at once. */
export class Transfer implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpResponse | RowFailure>
  /** The end of its time, by monotonicMs(); infinite once that has passed. */
  due: number
  private readonly url: URL
  private readonly timeout: number
  private readonly sent: (() => void) | undefined
  private readonly underWay: Set<Transfer>
  private readonly connections: Connections
  private readonly connection: Dispatcher
  /** The body so far: mostly it is one piece. */
  private first: Buffer | undefined
  private more: Buffer[] | undefined
  private size = 0
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private controller: Dispatcher.DispatchController | undefined
  private resolve!: (outcome: HttpResponse | RowFailure) => void

  /**
   * @param timeout ms from now to the last byte of the answer
   * @param underWay holds it until it is settled
   * @param connections one of them is taken, and given back then
   * @param sent is called when the request goes out
   */
  constructor(
    url: URL,
    timeout: number,
    underWay: Set<Transfer>,
    connections: Connections,
    sent?: () => void,
  ) {
    this.url = url
    this.timeout = timeout
    this.sent = sent
    this.due = monotonicMs() + timeout
    this.underWay = underWay
    this.connections = connections
    this.connection = connections.take()
    underWay.add(this)
    this.answer = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  /** Sends the request on its connection. */
  begin(options: Dispatcher.DispatchOptions): void {
    this.connection.dispatch(options, this)
  }

  abort(reason: RowFailure): void {
    this.settle(reason)
    this.controller?.abort(reason)
  }

  /**
   * Its time is over. In a process that was stopped or starved the answer may lie in the socket, and has been paid for:
   * that is read first.
   */
  timedOut(turns = LATE_TURNS): void {
    this.due = Number.POSITIVE_INFINITY
    const before = this.size + this.status
    setImmediate(() => {
      if (!this.underWay.has(this)) return
      if (this.size + this.status > before && turns > 1) return this.timedOut(turns - 1)
      const phase = this.status ? `the answer was cut off after ${this.size} bytes` : 'no answer'
      const seconds = this.timeout / 1000
      const words = `${phase} within ${seconds} s (--timeout)`
      // Without a connection nothing was sent.
      const Lost = this.controller ? Unfinished : RowFailure
      this.abort(new Lost('timeout', words, { retryable: true }))
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (!this.underWay.has(this)) controller.abort(new Error('ended'))
    this.sent?.()
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.status = status
    this.headers = flat(headers)
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.size += chunk.length
    if (this.size > MAX_BODY) this.abort(tooLong())
    if (!this.first) this.first = chunk
    else (this.more ??= [this.first]).push(chunk)
  }

  onResponseEnd(): void {
    this.settle()
  }

  onResponseError(_: unknown, error: Error): void {
    const { code, message, detail } = connectionFailure(error, this.url, this.connections.through)
    // Who began to answer may count it all.
    this.settle(new (isSuccess(this.status) ? Unfinished : RowFailure)(code, message, detail))
  }

  private settle(failure?: RowFailure): void {
    if (!this.underWay.delete(this)) return
    this.connections.give(this.connection)
    if (failure) {
      this.resolve(failure)
      return
    }
    const { status, headers, first, more } = this
    const whole = more ? Buffer.concat(more) : (first ?? NOTHING)
    const body = unpacked(whole, headers['content-encoding'])
    if (!(body instanceof RowFailure)) this.resolve({ status, headers, body })
    // Whatever it says, a refusal is one.
    else this.resolve(isSuccess(status) ? body : { status, headers, body: NOTHING })
  }
}

const NOTHING = Buffer.alloc(0)
const tooLong = () => new Unfinished('bad_response', `the answer is longer than ${MAX_BODY} bytes`)

/** Compression is never asked for; some servers use it all the same. */
function unpacked(body: Buffer, encoding: string | undefined): Buffer | RowFailure {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  const { brotliDecompressSync, unzipSync } = process.getBuiltinModule('node:zlib')
  if (!/^(x-gzip|gzip|deflate|br)$/i.test(encoding))
    return new Unfinished('bad_response', `the answer is packed as "${encoding}", which was not asked for`)
  try {
    const limit = { maxOutputLength: MAX_BODY }
    return /br/i.test(encoding) ? brotliDecompressSync(body, limit) : unzipSync(body, limit)
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return tooLong()
    return new Unfinished('bad_response', 'the answer’s compression is broken', { retryable: true })
  }
}

/** Of a header that stands twice, the last. */
export function flat(headers: Record<string, string | string[] | undefined>): HttpResponse['headers'] {
  for (const name in headers) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value[value.length - 1]
  }
  return headers as HttpResponse['headers']
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
  EMFILE: 'too many open files: a lower -j needs fewer, a higher ulimit -n allows more',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS (http:// in place of https://?)',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
}
/** A certificate of one's own, or of a company. */
const UNKNOWN_SIGNER = /SELF_SIGNED|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER/
/** Failures of TLS: the same every time. */
const FINAL = /CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|UNABLE_TO/

export function connectionFailure(error: Error & { code?: string }, url: URL, through?: string): RowFailure {
  const code = error.code ?? (error.cause as { code?: string } | undefined)?.code ?? error.name
  const reason = UNKNOWN_SIGNER.test(code)
    ? `its certificate is self-signed, or its signer is unknown (${code}): set NODE_EXTRA_CA_CERTS to a file with the signer's certificate`
    : (REASONS[code] ?? (error.message || code))
  const refused = through && /^Proxy .*\((\d+)\)/.exec(error.message)?.[1]
  if (refused) {
    const words = refused === '407' ? `${through} wants a user and password` : `${through} refuses`
    return new RowFailure('unavailable', `${words} (HTTP ${refused})`, {
      retryable: Number(refused) >= 500,
      cause: `PROXY_${refused}`,
    })
  }
  const where = through ? `${url.host} through ${through}` : url.host
  if (/^HPE_|^HTTPParserError|CONTENT_LENGTH_MISMATCH/.test(code))
    return new RowFailure('bad_response', `${where} does not speak HTTP properly: ${reason}`, {
      retryable: true,
      cause: code,
    })
  return new RowFailure('unavailable', `${where}: ${reason}`, {
    retryable: !FINAL.test(code),
    cause: code,
  })
}
