/** Requests as JSON text, joined from texts that are escaped once. */
import type { Judge } from '../../judges/_judge.ts'
import type { JsonObject, Request } from '../../rows/record.ts'
import { ascii, decode, encode, type Latin1, Spliced } from '../../rows/row.ts'

/** Text in which JSON escapes only line ends, quotes and backslashes. */
const PLAIN = /^[\n\x20-\x7e]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const CONTROL = /[\x00-\x09\x0b-\x1f]/

/** UTF-8 of U+FFFD, which replaces half a surrogate pair. */
const REPLACED = '\xef\xbf\xbd'

/** The text of a JSON string without its quotes. */
export function escaped(text: string): Latin1 {
  // JSON.stringify looks at each character, which would take most of the time of a long prompt.
  let result = text
  if (!PLAIN.test(text)) {
    result = encode(text)
    if (CONTROL.test(result) || result.includes(REPLACED)) return encode(JSON.stringify(text).slice(1, -1))
  }
  if (result.includes('\\')) result = result.replace(/\\/g, '\\\\')
  if (result.includes('"')) result = result.replace(/"/g, '\\"')
  return (result.includes('\n') ? result.replace(/\n/g, '\\n') : result) as Latin1
}

/** JSON before, between and after the texts of a judge's request. */
export interface RequestFrame {
  before: Latin1[]
  /** Closes the last text and the list of messages; the parameters follow. */
  end: Latin1
  parameters: Latin1
}

export function frameOf(judge: Judge): RequestFrame {
  const parameters = rest(judge.request ?? {})
  if (!judge.messages) return { before: [ascii('{"prompt":"')], end: ascii('"'), parameters }
  const before = judge.messages.map(
    ({ role }, index) =>
      `${index > 0 ? '"},' : '{"messages":['}{"role":${encode(JSON.stringify(role))},"content":"` as Latin1,
  )
  return { before, end: ascii('"}]'), parameters }
}

/** JSON of the parameters, to follow other members. */
function rest(parameters: JsonObject): Latin1 {
  const text = encode(JSON.stringify(parameters))
  return (text === '{}' ? '}' : `,${text.slice(1)}`) as Latin1
}

/** The request with its texts; `more` adds parameters to the judge's or replaces them. */
export function requestWith(
  frame: RequestFrame,
  texts: readonly string[],
  judge: Judge,
  more?: JsonObject,
): Spliced {
  const pieces: Latin1[] = []
  for (let i = 0; i < texts.length; i++) pieces.push(frame.before[i]!, escaped(texts[i]!))
  const parameters = more ? rest({ ...judge.request, ...more }) : frame.parameters
  pieces.push((frame.end + parameters) as Latin1)
  return new Spliced(pieces)
}

/** A request as an object. */
export const requestOf = (request: Request | Spliced): Request =>
  request instanceof Spliced ? (JSON.parse(decode(request.raw)) as Request) : request
