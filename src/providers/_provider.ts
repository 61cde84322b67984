/**
 * Where replies come from: one file an API. A provider knows how a request is written for its endpoint
 * and how an answer is read; connections, retries, limits and the cache are jb-call's own affair.
 */

import { decode, encode } from '../rows/bytes.ts'
import type { JsonObject, Usage } from '../rows/record.ts'
import { RowFailure } from '../rows/record.ts'

/**
 * A request's parameters as JSON texts (a character a byte, as rows are read), in order, without `model`: they
 * go on without being parsed.
 */
export type Params = Map<string, string>

/** What an endpoint answered, before jb-call adds the model asked for, the time and the tries. */
export interface Answer {
  text: string
  reasoning?: string
  finish_reason?: string | null
  served_model?: string
  usage?: Usage
  logprobs?: unknown
  /** Text that stopped the reply, where the server tells it. */
  stop_text?: string
  /** JSON of the text as the server wrote it, a character a byte, where it was found. */
  json?: string
}

export interface Provider {
  /** Behind the base URL. */
  path: string
  /** Put behind any base URL that does not end in a version; without it, only behind a bare host. */
  version?: string
  /** The endpoint where none is named. */
  base: string
  /** Environment variables that hold the key and the base URL, in order, behind LLM_JUDGE_…. */
  keyNames: readonly string[]
  baseNames: readonly string[]
  headers(key: string | undefined, url: URL): Record<string, string>
  /** The parameters as this API has them. @throws RowFailure where the request cannot be put to it */
  prepare(params: Params): Params
  /** The key of the answer's text: where it stands once in an answer, with a string, that is the text. */
  textKey?: string
  /** Reads the JSON of a 200. @throws RowFailure bad_response, refused or truncated */
  read(body: JsonObject): Answer
  /** What the JSON of a 200 counts, as `read` has it. */
  usage(body: JsonObject): Usage | undefined
  /** A batch file's line and how its result is read. */
  batch: Batch
}

/** How a provider's batch files look. Limits are those its documentation names, for one file. */
export interface Batch {
  requests: number
  bytes: number
  line(id: string, body: Buffer): Buffer
}

/** Texts shorter than this are joined: each write costs as much as a thousand letters. */
const SHORT = 1024

/**
 * `{"model":…,` and the parameters as they stand.
 * @param place gives just so many bytes to write it to
 */
export function bodyOf(
  params: Params,
  model: string,
  place: (length: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  const pieces: string[] = []
  let last = `{"model":${nameText(model)}`
  let length = 1
  params.forEach((text, key) => {
    last += `,${nameText(key)}:`
    if (text.length < SHORT) last += text
    else {
      pieces.push(last, text)
      length += last.length + text.length
      last = ''
    }
  })
  const body = place(length + last.length)
  let at = 0
  for (let i = 0; i < pieces.length; i++) at += body.latin1Write(pieces[i]!, at)
  body.latin1Write(`${last}}`, at)
  return body
}

/** JSON of names, which come again with every request. */
const names = new Map<string, string>()
const NAMES = 256

function nameText(name: string): string {
  let text = names.get(name)
  if (text === undefined) {
    text = jsonText(name)
    if (names.size < NAMES) names.set(name, text)
  }
  return text
}

/** Parameters as values. */
export function valuesOf(params: Params): JsonObject {
  const values: JsonObject = {}
  for (const [key, text] of params) values[key] = parsed(text)
  return values
}

/** A value's JSON, a character a byte. */
export const jsonText = (value: unknown): string => encode(JSON.stringify(value))

/** A parameter's value. */
// biome-ignore lint/suspicious/noExplicitAny: a parameter holds whatever its user put there
export const parsed = (text: string): any => JSON.parse(decode(text))

/** The limit on an answer that a request sets; undefined where it has none, or one that is no number (null). */
export function maxTokens(params: Params): number | undefined {
  return numberOf(params.get('max_tokens')) ?? numberOf(params.get('max_completion_tokens'))
}

/** Answers that are made, and paid for, though one of them is read. */
export const answersOf = (params: Params): number =>
  Math.max(1, numberOf(params.get('n')) ?? 1, numberOf(params.get('best_of')) ?? 1)

/** Some servers take `"100"` for 100. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text[0] === '"' ? text.slice(1, -1) : text)
  return number > 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}

/** A 200 that does not hold what it must: counted as a failure and tried again. */
export const badResponse = (message: string) => new RowFailure('bad_response', message, { retryable: true })

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

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
