/** Finds how much of broken JSON becomes valid once brackets close it. One pass, linear time. */

/** What the next token may be. */
type State = 'value' | 'value or ]' | 'key or }' | 'key' | ':' | ', or }' | ', or ]' | 'end'

/** The state after a token, by its first character; `done`: after a value. */
type Next = { [character: string]: State | 'done' }

const SCALARS: Next = Object.fromEntries([...'"tfnNI-0123456789'].map((character) => [character, 'done']))
const VALUE: Next = { ...SCALARS, '{': 'key or }', '[': 'value or ]' }
const NEXT: Record<State, Next> = {
  value: VALUE,
  'value or ]': { ...VALUE, ']': 'done' },
  'key or }': { '"': ':', '}': 'done' },
  key: { '"': ':' },
  ':': { ':': 'value' },
  ', or }': { ',': 'key', '}': 'done' },
  ', or ]': { ',': 'value', ']': 'done' },
  end: {},
}
/** States in which brackets alone do not complete the text. */
const UNFINISHED: State[] = ['value', 'key', ':']

const CLOSER: Record<string, '}' | ']'> = { '{': '}', '[': ']' }
/** A token in white space. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  /[ \t\n\r]*("(?:[^"\\\0-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}[\],:])[ \t\n\r]*/gy

/**
 * The length of the text's longest prefix that is JSON when followed by `closers`; 0 if there is none.
 * NaN and the infinities are JSON here, as for Python's json module.
 */
export function completePrefix(text: string, closers: readonly string[]): number {
  /** The closing brackets of those that are open. */
  const open: ('}' | ']')[] = []
  /** How many of the outermost of them match the last of `closers`. */
  let agreed = 0
  let state: State = 'value'
  let at = 0
  let longest = 0
  for (const [spaced, token] of text.matchAll(TOKEN) as Iterable<[string, string]>) {
    const next: State | 'done' | undefined = NEXT[state][token[0]!]
    if (next === undefined) break
    const closer = CLOSER[token]
    if (closer) {
      open.push(closer)
      if (agreed === open.length - 1 && closers[closers.length - open.length] === closer) agreed++
    } else if (token === '}' || token === ']') {
      open.pop()
      agreed = Math.min(agreed, open.length)
    }
    const inside = open.at(-1)
    state = next !== 'done' ? next : inside ? `, or ${inside}` : 'end'
    at += spaced.length
    if (!UNFINISHED.includes(state) && open.length === closers.length && agreed === open.length) longest = at
  }
  return longest
}
