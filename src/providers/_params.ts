/** A request's parameters. They are copied from the row to the body as bytes, and parsed only by providers that translate them. */
import { ascii, decode, encode, type Latin1 } from '../rows/bytes.ts'

/** Parameters in order, without `model`: name and JSON text. */
export type Params = Map<string, Latin1>

/** Returns a buffer of exactly this many bytes. */
export type Allocate = (length: number) => Buffer

/** Shorter texts are joined: each write costs as much as a thousand characters. */
const SHORT = 1024

/**
 * The body of a request: `{"model":…,` and the parameters, byte for byte.
 * @param model undefined for APIs with the model in the URL
 */
export function bodyOf(
  params: Params,
  model: string | undefined,
  allocate: Allocate = Buffer.allocUnsafe,
): Buffer {
  const pieces: Latin1[] = []
  let last = model === undefined ? '{' : `{"model":${jsonText(model)}`
  let comma = model === undefined ? '' : ','
  let length = 1
  params.forEach((text, key) => {
    last += `${comma}${jsonText(key)}:`
    comma = ','
    if (text.length < SHORT) last += text
    else {
      pieces.push(ascii(last), text)
      length += last.length + text.length
      last = ''
    }
  })
  const body = allocate(length + last.length)
  let at = 0
  for (let i = 0; i < pieces.length; i++) at += body.latin1Write(pieces[i]!, at)
  body.latin1Write(`${last}}` as Latin1, at)
  return body
}

export const jsonText = (value: unknown): Latin1 => encode(JSON.stringify(value))

// biome-ignore lint/suspicious/noExplicitAny: a parameter holds whatever its user put there
export const parsed = (text: Latin1): any => JSON.parse(decode(text))

/** The request's limit on the tokens of an answer; undefined if it has none, or null. */
export function maxTokens(params: Params): number | undefined {
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) {
    const limit = numberOf(params.get(name))
    if (limit !== undefined) return limit
  }
  return undefined
}

/** The number of answers that the request generates, all of which are paid for. */
export const answerCount = (params: Params): number =>
  Math.max(1, numberOf(params.get('n')) ?? 1, numberOf(params.get('best_of')) ?? 1)

/** Some servers take `"100"` for 100. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text[0] === '"' ? text.slice(1, -1) : text)
  return number > 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}
