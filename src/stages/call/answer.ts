/** Reads a server's answer, and the JSON of its text, which is written to the row and the cache unchanged. */
import type { Answer, Provider } from '../../providers/_provider.ts'
import type { Latin1 } from '../../rows/bytes.ts'
import { isObject, type JsonObject, RowFailure } from '../../rows/record.ts'
import { isJsonSpace, QUOTE, stringEnd } from '../../rows/text_scan.ts'
import type { Secrets } from './http/secrets.ts'

/** @throws RowFailure bad_response, refused, truncated */
export function readAnswer(body: Buffer, provider: Provider, secrets: Secrets): Answer {
  const { value, text } = parse(body, secrets)
  if (!isObject(value))
    throw new RowFailure('bad_response', 'the answer is not a JSON object', { retryable: true })
  const answer = readBody(value, provider)
  if (text && provider.textKey) answer.json = onlyString(text, provider.textKey)
  return answer
}

/** Reads a parsed body. A failure has its usage: those tokens were paid for. */
export function readBody(body: JsonObject, provider: Provider): Answer {
  try {
    const answer = provider.read(body)
    if (isDeep(answer.usage) || isDeep(answer.logprobs)) throw tooDeep()
    return answer
  } catch (error) {
    // JSON.stringify overflows the stack at some thousand levels.
    const failure = error instanceof RangeError ? tooDeep() : error
    const usage = failure instanceof RowFailure ? provider.usage(body) : undefined
    if (usage && !isDeep(usage)) (failure as RowFailure).detail.usage = usage
    throw failure
  }
}

/** The most levels of nesting in an answer. */
const DEEPEST = 100
const tooDeep = () => new RowFailure('bad_response', `the answer is nested more than ${DEEPEST} levels deep`)

function isDeep(value: unknown, levels = DEEPEST): boolean {
  if (value === null || typeof value !== 'object') return false
  if (levels === 0) return true
  for (const key in value) if (isDeep((value as JsonObject)[key], levels - 1)) return true
  return false
}

function parse(body: Buffer, secrets: Secrets): ReturnType<Secrets['readJson']> {
  try {
    return secrets.readJson(body)
  } catch {
    const start = JSON.stringify(secrets.hide(body.toString()).slice(0, 60))
    throw new RowFailure('bad_response', `the answer is not JSON: ${start}`, { retryable: true })
  }
}

/** The string value of a key, as JSON, if the key occurs once in a JSON text. In strings, its quotes would be escaped. */
function onlyString(text: Latin1, key: string): Latin1 | undefined {
  const name = `"${key}":`
  const at = text.indexOf(name)
  if (at < 0) return undefined
  let start = at + name.length
  while (isJsonSpace(text.charCodeAt(start))) start++
  if (text.charCodeAt(start) !== QUOTE) return undefined
  const end = stringEnd(text, start + 1)
  if (text.indexOf(name, end) >= 0) return undefined
  const json = text.slice(start, end) as Latin1
  // JSON.stringify writes these escapes differently: a reply from the cache would have other bytes.
  return json.includes('\\u') || json.includes('\\/') ? undefined : json
}
