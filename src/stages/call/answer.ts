/** A server's body, read: what its provider finds in it, and the text's own bytes, which the row and the cache get. */
import { type Answer, isObject, type Provider } from '../../providers/_provider.ts'
import { type JsonObject, RowFailure } from '../../rows/record.ts'
import { isSpace, QUOTE, stringEnd } from '../../rows/scan.ts'
import type { Secrets } from './http/secrets.ts'

/** @throws RowFailure bad_response, refused, truncated */
export function readAnswer(body: Buffer, provider: Provider, secrets: Secrets): Answer {
  const { value, text } = parse(body, secrets)
  if (!isObject(value))
    throw new RowFailure('bad_response', 'the answer is no JSON object', { retryable: true })
  const answer = readBody(value, provider)
  if (text && provider.textKey) answer.json = onlyString(text, provider.textKey)
  return answer
}

/** The same of a body's value. What was counted was paid for, whatever is wrong with the rest: a failure has it, too. */
export function readBody(body: JsonObject, provider: Provider): Answer {
  try {
    return provider.read(body)
  } catch (error) {
    const usage = error instanceof RowFailure ? provider.usage(body) : undefined
    if (usage) (error as RowFailure).detail.usage = usage
    throw error
  }
}

function parse(body: Buffer, secrets: Secrets): ReturnType<Secrets['readJson']> {
  try {
    return secrets.readJson(body)
  } catch {
    const start = JSON.stringify(secrets.hide(body.toString()).slice(0, 60))
    throw new RowFailure('bad_response', `the answer is not JSON: ${start}`, { retryable: true })
  }
}

/**
 * The JSON of a string that stands behind a key where the key stands once in a JSON text: within strings its
 * quotes are escaped, so it is found nowhere else, and in the string itself it need not be looked for.
 */
function onlyString(text: string, key: string): string | undefined {
  const name = `"${key}":`
  const at = text.indexOf(name)
  if (at < 0) return undefined
  let start = at + name.length
  while (isSpace(text.charCodeAt(start))) start++
  if (text.charCodeAt(start) !== QUOTE) return undefined
  const end = stringEnd(text, start + 1)
  if (text.indexOf(name, end) >= 0) return undefined
  const json = text.slice(start, end)
  // Escapes that JSON.stringify writes otherwise: the row is to have the same bytes when it is read from the cache.
  return json.includes('\\u') || json.includes('\\/') ? undefined : json
}
