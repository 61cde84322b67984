/**
 * The definition of a provider: one file for each API (`--api NAME`). A provider owns everything in which APIs differ: URL,
 * headers, body, list of models, how to read an answer and its usage, batches. Connections, retries, limits and the cache
 * are jb-call's.
 */
import type { Answers, Question } from '../rows/questions.ts'
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import type { Access, Authorize, Env } from './_access.ts'
import type { Batch } from './_batch.ts'
import type { Params } from './_params.ts'

/** An answer, before jb-call adds the requested model, the time and the number of tries. */
export interface Answer {
  text: string
  reasoning?: string
  finish_reason?: string | null
  served_model?: string
  usage?: Usage | undefined
  logprobs?: unknown
  /** Of a decision model: the probability of each value of each question. */
  answers?: Answers
  /** The stop sequence that ended the text, if reported. */
  stop_text?: string
  /** Of several answers all, and the failures of some; this is the first one, with the usage of all. */
  all?: (Answer | RowFailure)[]
}

export interface Provider {
  /** The default base URL. `{NAME}` stands for an environment variable, `{ONE|OTHER}` for the first one that is set. */
  base: string
  /** Environment variables for the key and the base URL, in order, after LLM_JUDGE_…. */
  keyNames: readonly string[]
  baseNames: readonly string[]
  /** The path that `url` adds to a base URL, for messages. */
  path: string
  /** The URL of requests. Leaves a base URL that ends in the API's path unchanged, and preserves the query. */
  url(base: URL, model: string, env: Env): URL
  headers(key: string | undefined, url: URL, env: Env): Record<string, string>
  /** For APIs with signed requests or expiring tokens. Returns undefined if `headers` are enough. */
  authorize?(access: Access): Authorize | undefined
  /** Translates the parameters to this API's. @throws RowFailure if the API has no equivalent */
  prepare(params: Params, env: Env): Params
  /** The request's body, from prepared parameters. */
  body(params: Params, model: string): Buffer
  /** The URL of the list of models, given the URL of requests, and the names in the list. */
  models?: { url(url: URL): URL; read(body: JsonObject): string[] }
  /** Reads the JSON of a successful answer. @param questions the request's @throws RowFailure bad_response, refused or truncated */
  read(body: JsonObject, questions?: readonly Question[]): Answer
  /** Joins the events of a streamed answer, which some servers send unasked. @param done it has OpenAI's `[DONE]` */
  join?(events: JsonObject[], done: boolean): JsonObject
  /** The token counts in the JSON of a successful answer. */
  usage(body: JsonObject): Usage | undefined
  /**
   * The status that an error means, for APIs that send another one: 429, 503 or 529 of a busy server, which is asked again and
   * later, 5xx of one that failed, which is asked again, 401 of a wrong key, which ends the run.
   */
  status?(status: number, error: JsonObject): number
  /** Seconds to wait before the next attempt, for APIs that put it in the error, not in a header. */
  wait?(error: JsonObject): number | undefined
  batch?: Batch
  /** Answers typed questions with probabilities, and writes nothing. */
  decides?: boolean
  /** Gives as many answers, in `choices`, as the parameter `n` asks for. */
  takesN?: boolean
}

/** A whole answer without a text, and why. It may be by chance, so it is asked for once more. */
export class EmptyAnswer extends RowFailure {
  constructor(why: string) {
    super('bad_response', `the text is empty${why}`, { retryable: true })
  }
}

/** A successful answer without a required part; retryable. */
export const badResponse = (message: string) => new RowFailure('bad_response', message, { retryable: true })

/** What an error in an answer says. */
export const errorWords = (error: unknown): string =>
  typeof error === 'string'
    ? error
    : String((isObject(error) ? error.message : undefined) ?? JSON.stringify(error))

/**
 * The error in a 200 body, or in an event of a stream: `{"error":…}`, `{"object":"error",…}`, `{"type":"error",…}`,
 * `{"error_code":50002,…}`, or `{"detail":…}` in place of an answer. Some send false, '', 0 or null with every answer.
 */
function errorIn(body: JsonObject): unknown {
  const { error, object, type, error_code, detail, choices } = body
  if (error) return error
  if (object === 'error' || type === 'error' || Number(error_code ?? 0) !== 0) return body
  return choices === undefined ? detail : undefined
}

/** @throws RowFailure if a 200 body is an error, as some gateways send */
export function checkError(body: JsonObject): void {
  const error = errorIn(body)
  if (!error) return
  const detail = isObject(error) ? error : {}
  const status = Number(detail.code ?? detail.status)
  const retryable = !(status >= 400 && status < 500) || status === 429 || status === 408
  const code = status === 429 ? 'rate_limited' : 'bad_response'
  throw new RowFailure(code, `the answer is an error: ${errorWords(error)}`, { retryable })
}
