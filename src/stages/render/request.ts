/** Requests as JSON text, joined from texts that are escaped once. */
import type { Judge } from '../../judges/_judge.ts'
import type { JsonObject, Request } from '../../rows/record.ts'
import { JsonText } from '../../rows/row.ts'

/** Text in which JSON escapes only line ends, quotes and backslashes. */
const PLAIN = /^[\n\x20-\x7e]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them, and half a surrogate pair
const ESCAPED = /[\x00-\x09\x0b-\x1f\ud800-\udfff]/

/** The text of a JSON string without its quotes. */
export function escaped(text: string): string {
  // JSON.stringify looks at each character, which would take most of the time of a long prompt.
  if (!PLAIN.test(text) && ESCAPED.test(text)) return JSON.stringify(text).slice(1, -1)
  let result = text
  if (result.includes('\\')) result = result.replace(/\\/g, '\\\\')
  if (result.includes('"')) result = result.replace(/"/g, '\\"')
  return result.includes('\n') ? result.replace(/\n/g, '\\n') : result
}

/** JSON before, between and after the texts of a judge's request. */
export interface RequestFrame {
  before: string[]
  /** Closes the last text and the list of messages; the parameters follow. */
  end: string
  parameters: string
}

export function frameOf(judge: Judge): RequestFrame {
  const parameters = rest(judge.request ?? {})
  if (!judge.messages) return { before: ['{"prompt":"'], end: '"', parameters }
  const before = judge.messages.map(
    ({ role }, index) => `${index > 0 ? '"},' : '{"messages":['}{"role":${JSON.stringify(role)},"content":"`,
  )
  return { before, end: '"}]', parameters }
}

/** JSON of the parameters, to follow other members. */
function rest(parameters: JsonObject): string {
  const text = JSON.stringify(parameters)
  return text === '{}' ? '}' : `,${text.slice(1)}`
}

/** A request's parameters: typed questions first, then the judge's own, and those of this request. */
export const parametersWith = ({ request }: Judge, more: JsonObject = {}): JsonObject => ({
  ...(more.questions !== undefined && { questions: more.questions }),
  ...request,
  ...more,
})

/** The request with its texts; `more` adds parameters to the judge's or replaces them. */
export function requestWith(
  frame: RequestFrame,
  texts: readonly string[],
  judge: Judge,
  more?: JsonObject,
): JsonText {
  const pieces: string[] = []
  for (let i = 0; i < texts.length; i++) pieces.push(frame.before[i]!, escaped(texts[i]!))
  const parameters = more ? rest(parametersWith(judge, more)) : frame.parameters
  pieces.push(frame.end + parameters)
  return new JsonText(pieces.join(''))
}

/** A request as an object. */
export const requestOf = (request: Request | JsonText): Request =>
  request instanceof JsonText ? (JSON.parse(request.text) as Request) : request
