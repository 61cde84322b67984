/** Finds how much of broken JSON becomes valid once brackets close it. One pass, linear time. */

/** What the next token may be. */
type Expected = 'value' | 'value or ]' | 'key or }' | 'key' | ':' | ', or end'

const SPACE = ' \t\n\r'
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  /"(?:[^"\\\0-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}[\],:]/y

/**
 * The length of the text's longest prefix that is JSON when followed by `closers`; 0 if there is none.
 * NaN and the infinities are JSON here, as for Python's json module.
 */
export function completePrefix(text: string, closers: readonly string[]): number {
  const open: string[] = []
  /** How many of the outermost open brackets match the last of `closers`. */
  let agreed = 0
  let expected: Expected = 'value'
  let longest = 0
  const complete = (at: number) => {
    const whole = expected === ', or end' || expected === 'value or ]' || expected === 'key or }'
    if (whole && open.length === closers.length && agreed === open.length) longest = at
  }
  for (let at = 0; at < text.length; ) {
    if (SPACE.includes(text[at]!)) {
      complete(++at)
      continue
    }
    TOKEN.lastIndex = at
    const [token] = TOKEN.exec(text) ?? []
    if (token === undefined) break
    const next = after(token, expected, open)
    if (next === undefined) break
    if (token === '{' || token === '[') {
      open.push(token === '{' ? '}' : ']')
      if (agreed === open.length - 1 && closers[closers.length - open.length] === open.at(-1)) agreed++
    } else if (token === '}' || token === ']') {
      open.pop()
      agreed = Math.min(agreed, open.length)
    }
    expected = next
    at += token.length
    complete(at)
  }
  return longest
}

/** What is expected after a token; undefined if the token itself is unexpected. */
function after(token: string, expected: Expected, open: readonly string[]): Expected | undefined {
  const inside = open.at(-1)
  const value = expected === 'value' || expected === 'value or ]'
  switch (token[0]) {
    case '{':
      return value ? 'key or }' : undefined
    case '[':
      return value ? 'value or ]' : undefined
    case '}':
    case ']': {
      const empty = expected === (token === '}' ? 'key or }' : 'value or ]')
      return inside === token && (empty || expected === ', or end') ? ', or end' : undefined
    }
    case ',':
      if (expected !== ', or end' || inside === undefined) return undefined
      return inside === '}' ? 'key' : 'value'
    case ':':
      return expected === ':' ? 'value' : undefined
    case '"':
      if (expected === 'key or }' || expected === 'key') return ':'
      return value ? ', or end' : undefined
    default:
      return value ? ', or end' : undefined
  }
}
