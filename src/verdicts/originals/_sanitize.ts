/**
 * EvalAssist's clean-up of a reply before it is read as JSON, for --compat evalassist. It breaks valid JSON that has a
 * backtick, a curly double quote, or an escaped backslash before most letters.
 */
import { withoutNaN } from '../../python/json.ts'
import { SPACE, strip } from '../../python/unicode.ts'
import { completePrefix } from './_json_prefix.ts'

/**
 * The text that EvalAssist passes to its JSON validator (observed at IBM/eval-assist 5a1bd42).
 * @throws Error if the reply is empty: EvalAssist crashes
 */
export function sanitize(reply: string): string {
  let text = strip(reply)
  const fence = text.indexOf('```')
  const close = fence < 0 ? -1 : text.indexOf('```', fence + 3)
  if (close >= 0) text = strip(text.slice(fence + 3, close).replace(/^json/, ''))
  text = text
    .replace(/[“”`]/g, '"')
    .replace(/[‘’]/g, "'")
    .replaceAll("\\'", "'")
    // A backslash that does not begin an escape.
    .replace(/\\(?!["\\/bfnrtu])/g, '\\\\')
    // A value ends at its first quote, escaped or not.
    .replace(MEMBER, (_, before: string, value: string) => `${before}${escapeLines(value)}"`)
  if (isPythonJson(text)) return text
  if (text === '') throw new Error('the reply has no JSON')
  return closed(text)
}

const MEMBER = new RegExp(`("[^"]*"[${SPACE}]*:[${SPACE}]*")([^"]*)"`, 'g')

const escapeLines = (value: string) =>
  value.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

/** A string, or one that the text ends in, and in it what is before the quote, or before a backslash at the text's end. */
const STRING = /"((?:[^"\\]|\\.)*)(?:"|\\?$)/gs
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs

/** Escapes line ends in strings, closes open strings and brackets, and cuts the end off until the text parses; "" if brackets cross. */
function closed(text: string): string {
  const whole = text.replace(STRING, (_, inside: string) => {
    const escaped = inside.replace(/\\.|\n/gs, (char) => (char === '\n' ? '\\n' : char))
    return `"${escaped}"`
  })
  const closers: string[] = []
  for (const [token] of whole.matchAll(STRING_OR_BRACKET)) {
    if (token === '{') closers.push('}')
    else if (token === '[') closers.push(']')
    else if ((token === '}' || token === ']') && closers.pop() !== token) return ''
  }
  closers.reverse()
  const length = completePrefix(whole, closers)
  return length > 0 ? whole.slice(0, length) + closers.join('') : text
}

/** Whether Python's json.loads accepts the text. */
function isPythonJson(text: string): boolean {
  try {
    JSON.parse(withoutNaN(text))
    return true
  } catch {
    return false
  }
}
