/**
 * The services that answer requests: one file for each API, found by its name (`--api NAME`). A provider owns
 * everything in which APIs differ: the URL, headers, the request's body, the list of models, how an answer and its
 * usage are read, and the batch file format. Connections, retries, limits and the cache are jb-call's.
 */
import type { Latin1 } from '../rows/bytes.ts'
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import type { Access, Authorize, Env } from './_access.ts'
import type { Batch } from './_batch.ts'
import type { Allocate, Params } from './_params.ts'

/** What an endpoint answered, before jb-call adds the model asked for, the time and the number of tries. */
export interface Answer {
  text: string
  reasoning?: string
  finish_reason?: string | null
  served_model?: string
  usage?: Usage
  logprobs?: unknown
  /** The stop sequence that ended the text, where the server reports it. */
  stop_text?: string
  /** The text as JSON in the server's own spelling, where it was found. */
  json?: Latin1
}

export interface Provider {
  /** The base URL where none is given; `{NAME}` in it is a variable of the environment, `{ONE|OTHER}` the first one set. */
  base: string
  /** Environment variables that hold the key and the base URL, in order, after LLM_JUDGE_…. */
  keyNames: readonly string[]
  baseNames: readonly string[]
  /** What `url` adds to a base URL, for messages. */
  path: string
  /** The URL of requests. A base URL that ends in the API's path is not changed; the query is preserved. */
  url(base: URL, model: string, env: Env): URL
  headers(key: string | undefined, url: URL, env: Env): Record<string, string>
  /** For APIs whose requests are signed, or whose tokens expire; undefined where the headers are enough. */
  authorize?(access: Access): Authorize | undefined
  /** The parameters in this API's words. @throws RowFailure where it has no such request */
  prepare(params: Params, env: Env): Params
  /** The request's body, from prepared parameters. */
  body(params: Params, model: string, allocate?: Allocate): Buffer
  /** Where the models are listed, given the URL of requests, and how the list is read. */
  models?: { url(url: URL): URL; read(body: JsonObject): string[] }
  /** The key of the answer's text. If it occurs once in an answer, with a string, that string is the text. */
  textKey?: string
  /** Reads the JSON of a successful answer. @throws RowFailure bad_response, refused or truncated */
  read(body: JsonObject): Answer
  /** The token counts in the JSON of a successful answer. */
  usage(body: JsonObject): Usage | undefined
  /** The HTTP status that a refusal means, where the API sends another; given the error in its body. */
  status?(status: number, error: JsonObject): number
  /** Seconds to wait before the next attempt, for APIs that say so in the error, not in a header. */
  wait?(error: JsonObject): number | undefined
  /** The batch file format, where the API has batches. */
  batch?: Batch
}

/** A successful answer without what it must hold: a failure that is tried again. */
export const badResponse = (message: string) => new RowFailure('bad_response', message, { retryable: true })

/** A failure inside a 200 body: some gateways answer `{"error":…}` that way. */
export function checkError(body: JsonObject): void {
  const { error } = body
  // false, '' and null say that there is none.
  if (!error) return
  const detail = isObject(error) ? error : { message: error }
  const message = String(detail.message ?? JSON.stringify(error))
  const status = Number(detail.code ?? detail.status)
  const retryable = !(status >= 400 && status < 500) || status === 429 || status === 408
  throw new RowFailure(
    status === 429 ? 'rate_limited' : 'bad_response',
    `the answer is an error: ${message}`,
    {
      retryable,
    },
  )
}
