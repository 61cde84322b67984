/** A request in flight. */

import type { Dispatcher } from 'undici'
import { RowFailure } from '../../../rows/record.ts'

export interface HttpResponse {
  status: number
  /** Names in lower case; of a repeated header, the last value. */
  headers: Record<string, string>
  body: Buffer
}

/** Some servers answer a POST with 201. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The failure of a request that was sent and may have an incomplete answer, with unknown cost. */
export class Unfinished extends RowFailure {}

/** The largest answer. */
const MAX_BODY = 64 * 1024 * 1024
/** The most turns of the event loop for reading what has arrived before the timeout. */
const LATE_TURNS = 100

/** undici's callbacks as methods, because there may be thousands of requests in flight. */
export class Transfer implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpResponse | RowFailure>
  private readonly url: URL
  private readonly timeout: number
  private readonly timer: NodeJS.Timeout
  private readonly sent: (() => void) | undefined
  private readonly inFlight: Set<Transfer>
  private readonly through: string | undefined
  private readonly pieces: Buffer[] = []
  private size = 0
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private controller: Dispatcher.DispatchController | undefined
  private resolve!: (outcome: HttpResponse | RowFailure) => void

  /**
   * @param timeout ms from now to the last byte of the answer
   * @param inFlight contains this until it is settled
   * @param through the proxy, for messages
   * @param sent called when the request is sent
   */
  constructor(url: URL, timeout: number, inFlight: Set<Transfer>, through?: string, sent?: () => void) {
    this.url = url
    this.timeout = timeout
    this.sent = sent
    // Sockets keep the process alive.
    this.timer = setTimeout(() => this.timedOut(), timeout).unref()
    this.inFlight = inFlight
    this.through = through
    inFlight.add(this)
    this.answer = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  abort(reason: RowFailure): void {
    this.settle(reason)
    this.controller?.abort(reason)
  }

  /** Handles the timeout. First reads an answer that has arrived, for example while the process was stopped. */
  private timedOut(turns = LATE_TURNS): void {
    const before = this.size + this.status
    setImmediate(() => {
      if (!this.inFlight.has(this)) return
      if (this.size + this.status > before && turns > 1) return this.timedOut(turns - 1)
      const phase = this.status ? `the answer was cut off after ${this.size} bytes` : 'no answer'
      const seconds = this.timeout / 1000
      const words = `${phase} within ${seconds} s (--timeout)`
      // Without a connection, nothing was sent.
      const Lost = this.controller ? Unfinished : RowFailure
      this.abort(new Lost('timeout', words, { retryable: true }))
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (!this.inFlight.has(this)) controller.abort(new Error('ended'))
    this.sent?.()
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.status = status
    this.headers = flat(headers)
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.size += chunk.length
    if (this.size > MAX_BODY) this.abort(tooLong())
    this.pieces.push(chunk)
  }

  onResponseEnd(): void {
    this.settle()
  }

  onResponseError(_: unknown, error: Error): void {
    const { code, message, detail } = connectionFailure(error, this.url, this.through)
    // The server may charge for an incomplete answer.
    this.settle(new (isSuccess(this.status) ? Unfinished : RowFailure)(code, message, detail))
  }

  private settle(failure?: RowFailure): void {
    if (!this.inFlight.delete(this)) return
    clearTimeout(this.timer)
    if (failure) {
      this.resolve(failure)
      return
    }
    const { status, headers, pieces } = this
    const body = unpacked(
      pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces),
      headers['content-encoding'],
    )
    if (!(body instanceof RowFailure)) this.resolve({ status, headers, body })
    // The status of a refusal is enough.
    else this.resolve(isSuccess(status) ? body : { status, headers, body: NOTHING })
  }
}

const NOTHING = Buffer.alloc(0)
const tooLong = () => new Unfinished('bad_response', `the answer is longer than ${MAX_BODY} bytes`)

/** The lower half of the first byte of a zlib stream (RFC 1950), and the first byte of gzip (RFC 1952). */
const ZLIB = 8
const GZIP = 0x1f

/** Decompresses a body. jb-call does not request compression, but some servers use it. */
function unpacked(body: Buffer, encoding: string | undefined): Buffer | RowFailure {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  const { brotliDecompressSync, inflateRawSync, unzipSync } = process.getBuiltinModule('node:zlib')
  if (!/^(x-gzip|gzip|deflate|br)$/i.test(encoding))
    return new Unfinished(
      'bad_response',
      `the answer has the encoding "${encoding}", which was not requested`,
    )
  try {
    const limit = { maxOutputLength: MAX_BODY }
    if (/br/i.test(encoding)) return brotliDecompressSync(body, limit)
    // Some servers send deflate without its zlib header (RFC 9110, section 8.4.1.2).
    const raw = /deflate/i.test(encoding) && (body[0]! & 0x0f) !== ZLIB && body[0] !== GZIP
    return raw ? inflateRawSync(body, limit) : unzipSync(body, limit)
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return tooLong()
    return new Unfinished('bad_response', 'the answer’s compression is broken', { retryable: true })
  }
}

/** The last value of each header. */
export function flat(headers: Record<string, string | string[] | undefined>): HttpResponse['headers'] {
  for (const name in headers) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value[value.length - 1]
  }
  return headers as HttpResponse['headers']
}

/** Messages for errors of sockets, DNS, TLS and the HTTP parser. */
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
/** Certificates that are self-signed, or have an unknown signer. */
const UNKNOWN_SIGNER = /SELF_SIGNED|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER/
/** Errors of TLS, which are permanent. */
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
