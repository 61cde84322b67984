/**
 * Scores weighted by what the model might have said: Σ p(n)·n / Σ p(n) over the numbers among the likeliest
 * tokens at the place of the score (Liu et al. 2023, G-Eval, 3; one call in place of their samples).
 */
import type { Reply, Verdict } from '../rows/record.ts'
import type { Match } from './_pattern.ts'

interface Token {
  token: string
  top: [token: string, logprob: number][]
}

/**
 * The weighted score, the number said, and the probability that was on numbers. Nothing where the server
 * gave no probabilities, or wrote the number in several tokens.
 */
export function weighted(
  found: Match,
  text: string,
  reply: Partial<Reply> | undefined,
  range: [number, number] | undefined,
): Partial<Verdict> {
  let mass = 0
  let sum = 0
  for (const [candidate, logprob] of candidates(found.text, found.index, text, reply)) {
    const number = candidate.trim()
    if (!/^\d+(\.\d+)?$/.test(number)) continue
    const value = Number(number)
    if (range && (value < range[0] || value > range[1])) continue
    const p = Math.exp(logprob)
    mass += p
    sum += p * value
  }
  if (mass === 0) return {}
  return { score: sum / mass, said: Number(found.text), mass }
}

/**
 * How likely the second answer was to be named: the probability of its labels among those of both, at the place of the
 * label that was said (alpaca_eval's logprob_parser). A label that is not among the likeliest tokens counts nothing.
 * Undefined where the server gave no probabilities there.
 */
export function logprobPreference(
  said: string,
  text: string,
  reply: Partial<Reply> | undefined,
  labels: ReadonlyMap<string, string>,
): number | undefined {
  const sums = { 'A>B': 0, 'B>A': 0 }
  for (const [candidate, logprob] of candidates(said, text.lastIndexOf(said), text, reply)) {
    const decision = labels.get(candidate)
    if (decision === 'A>B' || decision === 'B>A') sums[decision] += Math.exp(logprob)
  }
  const mass = sums['A>B'] + sums['B>A']
  return mass === 0 ? undefined : sums['B>A'] / mass
}

/** What might stand in the place of `said`, which the text has at `index`, and its log probability; none where it is not within one token. */
function candidates(
  said: string,
  index: number,
  text: string,
  reply: Partial<Reply> | undefined,
): [text: string, logprob: number][] {
  const tokens = tokensOf(reply?.logprobs)
  if (!tokens) return []
  const spoken = tokens.map(({ token }) => token).join('')
  // Thinking was taken from the front of the text, so places are counted from the end.
  const at = spoken.trimEnd().length - (text.trimEnd().length - index)
  if (at < 0 || spoken.slice(at, at + said.length) !== said) return []
  let start = 0
  const token = tokens.find((one) => {
    if (at < start + one.token.length) return true
    start += one.token.length
    return false
  })
  if (!token || at + said.length > start + token.token.length) return []
  const before = token.token.slice(0, at - start)
  const after = token.token.slice(at - start + said.length)
  return token.top
    .filter(([one]) => one.startsWith(before) && one.endsWith(after))
    .map(([one, logprob]) => [one.slice(before.length, one.length - after.length), logprob])
}

/** Tokens of the chat form (`content`) or of the completions form (parallel lists); of any other form none. */
function tokensOf(logprobs: unknown): Token[] | undefined {
  const { content, tokens, top_logprobs } = (logprobs ?? {}) as {
    content?: { token: string; logprob: number; top_logprobs?: { token: string; logprob: number }[] }[]
    tokens?: string[]
    top_logprobs?: (Record<string, number> | null)[]
  }
  let found: Token[] | undefined
  if (Array.isArray(content))
    found = content.map((one) => ({
      token: one?.token,
      top: listOf(one?.top_logprobs ?? [], one).map((other) => [other?.token, other?.logprob]),
    }))
  else if (Array.isArray(tokens))
    found = tokens.map((token, i) => ({ token, top: Object.entries(top_logprobs?.[i] ?? {}) }))
  return found?.every(isToken) ? found : undefined
}

/** The list, or where it is empty the one. */
const listOf = <T>(list: T[], one: T) => (Array.isArray(list) && list.length > 0 ? list : [one])

const isToken = ({ token, top }: Token) =>
  typeof token === 'string' && top.every(([other, p]) => typeof other === 'string' && typeof p === 'number')
