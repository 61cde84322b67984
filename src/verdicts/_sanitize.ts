/**
 * EvalAssist's clean-up of a reply before it is read as JSON, for --compat evalassist. It breaks valid JSON that has a
 * backtick, a curly double quote, or an escaped backslash before most letters.
 */
import { SPACE, strip } from '../python/unicode.ts'
import { completePrefix } from './_json_prefix.ts'
import { withoutNaN } from './_python.ts'

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

/** Escapes line ends in strings, closes open strings and brackets, and cuts the end off until the text parses; "" if brackets cross. */
function closed(text: string): string {
  const closers: string[] = []
  let inString = false
  let escaped = false
  let copied = 0
  let mended = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (inString) {
      if (char === '"' && !escaped) inString = false
      else if (char === '\n' && !escaped) {
        mended += `${text.slice(copied, at)}\\n`
        copied = at + 1
      }
      escaped = char === '\\' && !escaped
    } else if (char === '"') {
      inString = true
      escaped = false
    } else if (char === '{') closers.push('}')
    else if (char === '[') closers.push(']')
    else if ((char === '}' || char === ']') && closers.pop() !== char) return ''
  }
  mended += text.slice(copied)
  closers.reverse()
  const whole = inString ? `${escaped ? mended.slice(0, -1) : mended}"` : mended
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
