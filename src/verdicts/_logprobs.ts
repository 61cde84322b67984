/**
 * Scores weighted by token probabilities: Σ p(n)·n / Σ p(n) over the numbers among the likeliest tokens at the position
 * of the score (Liu et al. 2023, G-Eval, section 3; one call instead of their samples).
 */
import { count } from '../rows/maps.ts'
import type { Verdict } from '../rows/record.ts'
import type { ReadContext } from './_rule.ts'

/** The reply's log probabilities, without reading all of the reply where a row has it. */
export const logprobsIn = (context: ReadContext): unknown =>
  'logprobs' in context ? context.logprobs : context.reply?.logprobs

interface Token {
  token: string
  top: [token: string, logprob: number][]
}

/**
 * The weighted score, the number in the reply (`said`), and the total probability of numbers (`mass`). `unweighted` if the
 * server sent no probabilities of other tokens, or the number spans several tokens.
 */
export function weighted(
  found: Spoken,
  text: string,
  logprobs: unknown,
  range: [number, number] | undefined,
): Partial<Verdict> {
  let mass = 0
  let sum = 0
  for (const [candidate, logprob] of candidates(found, text, logprobs)) {
    const value = numberIn(candidate, range)
    if (value === undefined) continue
    const p = Math.exp(logprob)
    mass += p
    sum += p * value
  }
  if (mass === 0) return { unweighted: true }
  return { score: sum / mass, said: Number(found.text), mass }
}

/**
 * The probability of the second answer's labels, as a share of that of both answers' labels, at the position of the
 * reply's label (alpaca_eval's logprob_parser). Labels that are not among the likeliest tokens count as 0.
 * Undefined if the server sent no probabilities of other tokens for that position.
 */
export function logprobPreference(
  said: string,
  text: string,
  logprobs: unknown,
  labels: ReadonlyMap<string, string>,
): number | undefined {
  const sums = { 'A>B': 0, 'B>A': 0 }
  for (const [candidate, logprob] of candidates(
    { text: said, index: text.lastIndexOf(said) },
    text,
    logprobs,
  )) {
    const decision = labels.get(candidate)
    if (decision === 'A>B' || decision === 'B>A') sums[decision] += Math.exp(logprob)
  }
  const mass = sums['A>B'] + sums['B>A']
  return mass === 0 ? undefined : sums['B>A'] / mass
}

/** The number that a token is, within a range. */
export function numberIn(candidate: string, range: [number, number] | undefined): number | undefined {
  const number = candidate.trim()
  if (!/^\d+(\.\d+)?$/.test(number)) return undefined
  const value = Number(number)
  return range && (value < range[0] || value > range[1]) ? undefined : value
}

/**
 * The probabilities of what might have been said in a verdict's place, by what it means; undefined if the server sent none of
 * other tokens, or what was said spans several.
 */
export function sharesOf<Meaning>(
  said: Spoken,
  text: string,
  logprobs: unknown,
  meaningOf: (candidate: string) => Meaning | undefined,
): Map<Meaning, number> | undefined {
  const mass = new Map<Meaning, number>()
  for (const [candidate, logprob] of candidates(said, text, logprobs)) {
    const meaning = meaningOf(candidate)
    if (meaning !== undefined) count(mass, meaning, Math.exp(logprob))
  }
  const sum = [...mass.values()].reduce((all, p) => all + p, 0)
  if (!(sum > 0)) return undefined
  return new Map([...mass].map(([meaning, p]) => [meaning, p / sum]))
}

/** How sure a verdict is of what it says, and the probability of each meaning; nothing where these are not known. */
export function confidenceIn<Meaning>(
  shares: ReadonlyMap<Meaning, number> | undefined,
  said: Meaning,
): Partial<Verdict> {
  const confidence = shares?.get(said)
  if (confidence === undefined) return {}
  return { confidence, probabilities: Object.fromEntries([...shares!].map(([one, p]) => [String(one), p])) }
}

/** Where a verdict stands in the text of a reply. */
interface Spoken {
  text: string
  index: number
}

/** Alternatives to what was said, with their log probabilities; none unless it lies within one token. */
function candidates(
  { text: said, index }: Spoken,
  text: string,
  logprobs: unknown,
): [text: string, logprob: number][] {
  const tokens = tokensOf(logprobs)
  if (!tokens) return []
  const spoken = tokens.map(({ token }) => token).join('')
  // Thinking was removed from the start of the text, so positions are counted from the end.
  const at = spoken.trimEnd().length - (text.trimEnd().length - index)
  if (at < 0 || spoken.slice(at, at + said.length) !== said) return []
  let start = 0
  const token = tokens.find((one) => {
    if (at < start + one.token.length) return true
    start += one.token.length
    return false
  })
  if (!token || at + said.length > start + token.token.length) return []
  // Without alternatives there is nothing to weight.
  if (token.top.every(([one]) => one === token.token)) return []
  const before = token.token.slice(0, at - start)
  const after = token.token.slice(at - start + said.length)
  return token.top
    .filter(([one]) => one.startsWith(before) && one.endsWith(after))
    .map(([one, logprob]) => [one.slice(before.length, one.length - after.length), logprob])
}

/** The tokens of a chat reply (`content`) or of a completion (parallel lists); undefined for any other form. */
function tokensOf(logprobs: unknown): Token[] | undefined {
  const { content, tokens, top_logprobs } = (logprobs ?? {}) as {
    content?: { token: string; logprob: number; top_logprobs?: { token: string; logprob: number }[] | null }[]
    tokens?: string[]
    top_logprobs?: (Record<string, number> | null)[]
  }
  let found: Token[] | undefined
  if (Array.isArray(content))
    found = content.map((one) => ({
      token: one?.token,
      top: listOf(one?.top_logprobs).map((other) => [other?.token, other?.logprob]),
    }))
  else if (Array.isArray(tokens))
    found = tokens.map((token, i) => ({ token, top: Object.entries(top_logprobs?.[i] ?? {}) }))
  return found?.every(isToken) ? found : undefined
}

const listOf = <T>(list: T[] | null | undefined) => (Array.isArray(list) ? list : [])

const isToken = ({ token, top }: Token) =>
  typeof token === 'string' && top.every(([other, p]) => typeof other === 'string' && typeof p === 'number')
