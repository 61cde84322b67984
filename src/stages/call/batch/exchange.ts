/** Requests to a provider's batch API, with retries. Files are streamed. */
import { createReadStream, createWriteStream, fstatSync, ftruncateSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { PartFile, removeStrayParts } from '../../../files/part_file.ts'
import type { BatchCall } from '../../../providers/_batch.ts'
import { EXIT, Fatal, isObject, type JsonObject, RowFailure } from '../../../rows/record.ts'
import type { Endpoint } from '../endpoint.ts'
import { failureOf } from '../http/failure.ts'
import { proxyTo } from '../http/proxy.ts'
import type { Secrets } from '../http/secrets.ts'
import { connectionFailure, flat, isSuccess } from '../http/transfer.ts'
import { backoff, LONGEST_TIMER, LONGEST_WAIT, pause, retryAfter } from '../limits/waits.ts'
import type { CallOptions } from '../options.ts'

/** The longest answer of the API, except files of results. */
const LONGEST_ANSWER = 1024 * 1024
/** The shortest timeout of an upload, in seconds. */
const UPLOAD_S = 1800

export class BatchExchange {
  private readonly endpoint: Endpoint
  private readonly options: CallOptions
  private readonly secrets: Secrets
  private readonly stop: AbortSignal
  private dispatcher: Promise<Dispatcher> | undefined

  constructor(endpoint: Endpoint, options: CallOptions, secrets: Secrets, stop: AbortSignal) {
    this.endpoint = endpoint
    this.options = options
    this.secrets = secrets
    this.stop = stop
  }

  /**
   * @param once do not retry after a broken connection: the server may have done it
   * @throws RowFailure if it is refused, or there is no answer
   */
  async json(call: BatchCall, once = false): Promise<JsonObject> {
    return this.sendWithRetries(call, once, async (body) => {
      const pieces: Buffer[] = []
      const size = await readInto(pieces, body)
      if (size > LONGEST_ANSWER) throw new RowFailure('bad_response', 'the answer is too long')
      // The answer to an upload may be empty.
      const value = size === 0 ? {} : parsed(Buffer.concat(pieces), this.secrets)
      if (!isObject(value)) throw new RowFailure('bad_response', 'the answer is not a JSON object')
      return value
    })
  }

  /** Downloads to a file, which appears only when it is complete. */
  async download(urls: readonly URL[], path: string): Promise<void> {
    let part: PartFile | undefined
    try {
      removeStrayParts(path)
      part = new PartFile(path)
      const { descriptor: fd } = part
      for (const url of urls) {
        const { size: start } = fstatSync(fd)
        await this.sendWithRetries({ method: 'GET', url, headers: { accept: '*/*' } }, false, (body) => {
          // What a broken answer has left.
          ftruncateSync(fd, start)
          const file = createWriteStream('', { fd, start, autoClose: false })
          return pipeline(body, (pieces: AsyncIterable<Buffer>) => linesWithout(this.secrets, pieces), file)
        })
      }
      if (urls.length > 0) part.complete()
    } catch (error) {
      if (isSystemError(error)) throw new Fatal(EXIT.io, `${path}: ${error.message}`, { cause: error })
      throw error
    } finally {
      part?.close()
    }
  }

  async close(): Promise<void> {
    await (await this.dispatcher)?.destroy()
  }

  private async sendWithRetries<T>(
    call: BatchCall,
    once: boolean,
    read: (body: Readable) => Promise<T>,
  ): Promise<T> {
    const { retries, retryMin, retryMax } = this.options
    for (let tries = 1; ; tries++) {
      try {
        return await this.sendOnce(call, read)
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
        const { retryable, status, retry_after } = error.detail
        const unsure = once && status === undefined
        const delay = retry_after === undefined ? undefined : Number(retry_after) * 1000
        if (!retryable || unsure || tries > retries || (delay ?? 0) > LONGEST_WAIT) throw error
        await pause(delay ?? backoff(tries, retryMin * 1000, retryMax * 1000), this.stop)
        if (this.stop.aborted) throw error
      }
    }
  }

  private async sendOnce<T>(call: BatchCall, read: (body: Readable) => Promise<T>): Promise<T> {
    const { method, url, headers, body } = call
    const { provider, env } = this.endpoint
    const access = { env, url: this.endpoint.url, hide: (secret: string) => this.secrets.add(secret) }
    const signed = await provider.batch?.sign?.(call, access)
    const { request } = await import('undici')
    this.dispatcher ??= this.connect(url)
    const upload = body !== undefined && !Buffer.isBuffer(body)
    const ms = Math.min(LONGEST_TIMER, Math.max(this.options.timeout, upload ? UPLOAD_S : 0) * 1000)
    const sent = {
      ...this.endpoint.headers,
      ...headers,
      ...signed,
      ...(upload && { 'content-length': String(body.size) }),
    }
    let answer: Dispatcher.ResponseData
    try {
      answer = await request(url, {
        method,
        headers: sent,
        body: upload ? Readable.from(body.open()) : body,
        dispatcher: await this.dispatcher,
        signal: this.stop,
        headersTimeout: ms,
        bodyTimeout: this.options.timeout * 1000,
      })
    } catch (error) {
      throw connectionFailure(error as Error, url)
    }
    if (isSuccess(answer.statusCode)) {
      try {
        return await read(answer.body)
      } catch (error) {
        throw error instanceof RowFailure || isSystemError(error)
          ? error
          : connectionFailure(error as Error, url)
      }
    }
    // Whatever could be read of the body serves for the message.
    const pieces: Buffer[] = []
    await readInto(pieces, answer.body).catch(() => {})
    const refused = {
      status: answer.statusCode,
      headers: flat(answer.headers),
      body: Buffer.concat(pieces),
    }
    const failure = failureOf(refused, this.secrets, this.endpoint.provider)
    const wait = retryAfter(refused.headers, Date.now())
    if (wait !== undefined) failure.detail.retry_after = wait / 1000
    throw failure
  }

  private async connect(url: URL): Promise<Dispatcher> {
    const { Agent, ProxyAgent } = await import('undici')
    const proxy = proxyTo(url, this.endpoint.env)
    return proxy
      ? new ProxyAgent({ uri: proxy.url.href, proxyTunnel: url.protocol === 'https:' })
      : new Agent()
  }
}

/** A file to upload. */
export const uploadOf = (path: string, size: number) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  size,
  open: () => createReadStream(path) as AsyncIterable<Buffer>,
})

/** An error of reading or writing a file. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && 'path' in error

/** Reads a body until it ends or exceeds the longest answer. @returns the bytes read */
async function readInto(pieces: Buffer[], body: Readable): Promise<number> {
  let size = 0
  for await (const piece of body) {
    pieces.push(piece)
    size += piece.length
    if (size > LONGEST_ANSWER) break
  }
  return size
}

/** Masks keys in lines. Adds a missing last newline, because another file may follow. */
async function* linesWithout(secrets: Secrets, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = ''
  const hidden = (text: string) => Buffer.from(secrets.hideKnown(text), 'latin1')
  for await (const piece of pieces) {
    const text = piece.toString('latin1')
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) yield hidden(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  }
  if (rest !== '') yield hidden(`${rest}\n`)
}

function parsed(bytes: Buffer, secrets: Secrets): unknown {
  try {
    return secrets.readJson(bytes)
  } catch {
    throw new RowFailure('bad_response', 'the answer is not JSON')
  }
}
