/** Turns an HTTP status into a row's failure. */
import type { Provider } from '../../../providers/_provider.ts'
import { foreignJson } from '../../../rows/foreign_json.ts'
import { type ErrorCode, isObject, type JsonObject, RowFailure } from '../../../rows/record.ts'
import type { Secrets } from './secrets.ts'
import type { HttpResponse } from './transfer.ts'

const CODES: Record<number, ErrorCode> = {
  401: 'auth',
  403: 'auth',
  408: 'timeout',
  429: 'rate_limited',
  504: 'timeout',
}
/** Temporary failures below 500, with Groq's own code for no capacity. */
const RETRYABLE = new Set([408, 409, 425, 429, 498])
const LONGEST = 300
/** Control, bidirectional and invisible characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it says
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Error codes of content filters. */
const REFUSED = new Set(['content_filter', 'content_policy_violation', 'moderation_blocked'])

/** Whether an error is about what this request says: by its code, or OpenRouter's reasons of a moderation. */
const isModeration = ({ code, metadata }: JsonObject): boolean =>
  REFUSED.has(String(code)) || (isObject(metadata) && Array.isArray(metadata.reasons))

/** A server's refusal. */
export class HttpFailure extends RowFailure {
  readonly status: number
  /** The error object of its body; empty if it has none. */
  readonly error: JsonObject

  constructor(code: ErrorCode, message: string, status: number, error: JsonObject, detail: JsonObject) {
    super(code, message, { ...detail, status })
    this.status = status
    this.error = error
  }
}

/** The failure for an unsuccessful status, with `detail.status`. @param provider may translate the status */
export function failureOf(
  exchange: HttpResponse,
  secrets: Secrets,
  provider?: Pick<Provider, 'status'>,
): HttpFailure {
  const error = errorObject(exchange.body)
  const status = provider?.status?.(exchange.status, error) ?? exchange.status
  const retryable = RETRYABLE.has(status) || status >= 500
  const { code: reason } = error
  const code = isModeration(error)
    ? 'refused'
    : (CODES[status] ?? (retryable ? 'unavailable' : 'bad_request'))
  const message = serverMessage(exchange, secrets)
  // Without credit, retrying does not help.
  const noCredit = status === 402 || reason === 'insufficient_quota'
  const words = `HTTP ${exchange.status}${message && `: ${message}`}`
  return new HttpFailure(noCredit ? 'budget' : code, words, status, error, {
    retryable: retryable && !noCredit,
    ...(typeof reason === 'string' && { reason: secrets.hide(reason) }),
  })
}

/** The error object of a body, in any of the usual forms. */
export function errorObject(body: Buffer): JsonObject {
  try {
    const value = foreignJson(body.toString().replace(/^\ufeff/, ''))
    const inner = Array.isArray(value) ? value[0] : value
    if (!isObject(inner)) return {}
    const listed = Array.isArray(inner.errors) ? inner.errors[0] : undefined
    const error = inner.error ?? inner.detail ?? listed ?? inner
    // Mistral's message about a body is an object.
    if (isObject(error))
      return isObject(error.message) ? { ...error, message: JSON.stringify(error.message) } : error
    return { message: typeof error === 'string' ? error : JSON.stringify(error) }
  } catch {
    return {}
  }
}

/** The code and message of S3's errors. */
const xmlError = (text: string) =>
  /<Error><Code>[^<]*<\/Code><Message>[^<]*<\/Message>/.exec(text)?.[0].replace('</Code>', ':') ?? text

function serverMessage({ status, headers, body }: HttpResponse, secrets: Secrets): string {
  if (status >= 300 && status < 400)
    return `redirected to ${(headers.location ?? 'nowhere').replace(UNSEEN, escaped)} (set --base-url to where it really is)`
  const { message } = errorObject(body)
  const words =
    typeof message === 'string' ? message : xmlError(body.toString('utf8', 0, 2000)).replace(/<[^>]*>/g, ' ')
  // Servers quote a part of a refused key.
  const hidden = secrets.hide(words).replace(/\bsk-[\w*.-]{4,}/g, '[key]')
  const line = hidden.replace(/\s+/g, ' ').trim().replace(UNSEEN, escaped)
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
