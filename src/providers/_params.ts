/**
 * A request's parameters, from the row's own bytes to the bytes that are sent: they are spliced together and
 * never parsed unless a provider has to translate them.
 */
import { ascii, decode, encode, type Latin1 } from '../rows/bytes.ts'

/**
 * A request's parameters in order, without `model`, each as JSON text, as rows are read.
 */
export type Params = Map<string, Latin1>

/** Gives a buffer of exactly so many bytes to write a body to. */
export type Allocate = (length: number) => Buffer

/** Texts shorter than this are joined: each write costs as much as a thousand letters. */
const SHORT = 1024

/**
 * The body of an OpenAI-style request: `{"model":…,` and the parameters, byte for byte.
 * @param model left out of the body where it is undefined: some APIs have it in the URL
 */
export function bodyOf(
  params: Params,
  model: string | undefined,
  allocate: Allocate = Buffer.allocUnsafe,
): Buffer {
  const pieces: Latin1[] = []
  let last = model === undefined ? '{' : `{"model":${nameText(model)}`
  let comma = model === undefined ? '' : ','
  let length = 1
  params.forEach((text, key) => {
    last += `${comma}${nameText(key)}:`
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

/** JSON of parameter names, which are the same for every request. */
const names = new Map<string, Latin1>()
const NAMES = 256

function nameText(name: string): Latin1 {
  let text = names.get(name)
  if (text === undefined) {
    text = jsonText(name)
    if (names.size < NAMES) names.set(name, text)
  }
  return text
}

/** A value's JSON. */
export const jsonText = (value: unknown): Latin1 => encode(JSON.stringify(value))

/** A parameter's value. */
// biome-ignore lint/suspicious/noExplicitAny: a parameter holds whatever its user put there
export const parsed = (text: Latin1): any => JSON.parse(decode(text))

/** The limit on an answer that a request sets; undefined where it has none, or one that is no number (null). */
export function maxTokens(params: Params): number | undefined {
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) {
    const limit = numberOf(params.get(name))
    if (limit !== undefined) return limit
  }
  return undefined
}

/** The number of answers generated, and paid for, of which one is read. */
export const answerCount = (params: Params): number =>
  Math.max(1, numberOf(params.get('n')) ?? 1, numberOf(params.get('best_of')) ?? 1)

/** Some servers take `"100"` for 100. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text[0] === '"' ? text.slice(1, -1) : text)
  return number > 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}
