/**
 * Rule `number`: reads a rating or a score.
 *
 * ```yaml
 * verdict:
 *   rule: number
 *   pattern: 'Rating: \[\[(\d+)'    # the first group is the number, or its beginning; or
 *   patterns: [...]                 # several, the closing statement first: the first that matches decides
 *   name: Score                     # in place of a pattern: `Score:` where a line or a sentence begins; `Final Score: 4`
 *                                   # counts if there is no other, and is a conflict behind one that differs
 *   flags: i                        # i: any case, m: ^ and $ at line ends
 *   pick: last                      # which match counts: last (a conflict if its line has another), first, or only (none if they differ)
 *   first: true                     # the score comes first: the first match counts, also in a reply cut short after it
 *   range: [1, 10]                  # a score outside of it is out_of_range, never clamped
 *   reason: after                   # the explanation: the text after the score's line
 *   fallback: 1                     # the score of a reply without one, or with one out of range; still counted as a failure
 *   weighted: true                  # the mean over the numbers the model might have said (logprobs)
 * ```
 * The number is read whole: `8`, `8.5`, `8,5`, `-1`. With `/ 10`, `out of 10` or `%` (of 100) after it there has to be a
 * range, which ends with 10 (100); a range (`7-8`, `7 to 8`) is a conflict. With neither pattern nor name the reply is a number and nothing else.
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { endingOf } from '../rows/finish_reason.ts'
import { RowFailure, type Verdict } from '../rows/record.ts'
import { type Found, formOf } from './_form.ts'
import { FORM } from './_keys.ts'
import { confidenceIn, logprobsIn, numberIn, sharesOf, weighted } from './_logprobs.ts'
import { type Numeral, numeralAt } from './_numbers.ts'
import { type Match, matcherOf } from './_pattern.ts'
import { checkedRange, inRange } from './_range.ts'
import type { ReadContext, Rule } from './_rule.ts'

export const picks = true

export const kinds = ['grade'] as const

/** The reply is a number and nothing else. */
const ALONE = '^[\\s*_`"\'(\\[]*(-?[\\d.,]*\\d)[\\s*_`"\')\\].]*(?:/\\s*\\d+[\\s*_`"\')\\].]*)?$'

/** The keys of its `verdict`. */
export const keys = [...FORM, 'name', 'range', 'reason', 'fallback', 'weighted']

export const rule: Rule = (config, judge) => {
  const range = checkedRange(config.range ?? judge.range, judge)
  const find = finderOf(config, judge)
  return (reply, context) => {
    const found = find(reply, context)
    const { value: numeral, within } = found
    const score = checkedScore(judge.scaleless ? { ...numeral, scale: undefined } : numeral, range)
    // A pattern may catch the beginning of the number.
    const end = Math.max(found.end, numeral.index + numeral.text.length)
    const label = within.slice(found.starts[0], end).trim()
    const verdict: Verdict = { label, score, ...(range && { range }) }
    const logprobs = logprobsIn(context)
    if (config.weighted) Object.assign(verdict, weighted(numeral, within, logprobs, range))
    if (logprobs !== undefined) {
      const shares = sharesOf(numeral, within, logprobs, (candidate) => numberIn(candidate, range))
      Object.assign(verdict, confidenceIn(shares, numeral.value))
    }
    if (config.reason !== undefined) verdict.reason = afterLine(within, found.index)
    return verdict
  }
}

type FindNumeral = (reply: string, context: ReadContext) => Found<Printed>

/** A numeral that prints as its value: matches of one value are no conflict. */
type Printed = Numeral & { toString(): string }

/** Finds the number in the form that the judge asks for. */
export function finderOf(config: VerdictConfig, judge: Judge): FindNumeral {
  const { name, pattern, patterns, example } = config
  const what =
    name !== undefined
      ? `"${name}:" and a number`
      : typeof example === 'string'
        ? `a number as in ${JSON.stringify(example.replace('{score}', 'N'))}`
        : String(pattern ?? (patterns as string[] | undefined)?.join(', ') ?? 'a number and nothing else')
  const meaningOf = (match: Match, text: string): Printed | undefined => {
    const numeral = numeralAt(text, match)
    return numeral && { ...numeral, toString: () => String(numeral.value) }
  }
  const form = (sources?: string[], flags = config.flags) =>
    formOf({ ...config, flags }, judge, { what, meaningOf, ...(sources && { patterns: sources }) })
  if (name === undefined) return pattern === undefined && patterns === undefined ? form([ALONE]) : form()
  const word = String(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const number = `${word}[*_\`"')\\]]*\\s*[:：][\\s*_\`"'(\\[]*([-−]?\\.?\\d)`
  const bareForm = `(?:^|[.,;!?)] )[ \\t>#*_•+-]*${number}`
  const named = form([bareForm], 'im')
  const barely = matcherOf(bareForm, 'im', judge)
  const anywhere = matcherOf(`(?:^|[^\\p{L}\\p{N}_])${number}`, 'im', judge)
  // A prompt that ends with `Score:` is continued: the reply begins with the number.
  const asked = new RegExp(`(?:^|\\s)[*_]*${word}[*_]*\\s*[:：][*_]*\\s*$`, 'iu')
  const start = form(['^[\\s*_`"\'(\\[]*([-−]?\\.?\\d)'], '')
  const bare: FindNumeral = (text, context) => {
    try {
      return named(text, context)
    } catch (error) {
      const prompt = context.request?.messages?.at(-1)?.content ?? context.request?.prompt ?? ''
      if ((error as RowFailure).code === 'no_verdict' && asked.test(String(prompt)))
        return start(text, context)
      throw error
    }
  }
  const isFirst = (config.pick ?? (config.first === true ? 'first' : 'last')) === 'first'
  return (text, context) => {
    const bares = new Set(barely(text).map(({ index }) => index))
    const others = behindWords(text, anywhere(text)).flatMap((match) => {
      const value = bares.has(match.index) ? undefined : meaningOf(match, text)
      return value === undefined ? [] : [Object.assign(match, { value, within: text })]
    })
    const differing = (from: number, { value }: Found<Printed>) => {
      const values = others.filter(({ index }) => index > from).map((one) => one.value.value)
      const all = new Set([value.value, ...values])
      if (all.size > 1)
        throw new RowFailure('conflict', `the reply has different verdicts: ${[...all].join(', ')}`)
    }
    let chosen: Found<Printed>
    try {
      chosen = bare(text, context)
    } catch (error) {
      const last = others.at(-1)
      if ((error as RowFailure).code !== 'no_verdict' || !last) throw error
      // More digits might have followed.
      if (endingOf(context.finish) === 'cut') throw error
      differing(-1, last)
      return last
    }
    if (!isFirst) differing(chosen.index, chosen)
    return chosen
  }
}

/** The matches before which their line has words: `Final Score: 4`. What the words say is not read. */
function behindWords(text: string, matches: readonly Match[]): Match[] {
  const letter = /[\p{L}\p{N}]/gu
  let end = text.indexOf('\n')
  let word = letter.exec(text)?.index ?? Number.POSITIVE_INFINITY
  return matches.filter(({ starts }) => {
    const at = starts[0]!
    while (end >= 0 && end <= at) {
      letter.lastIndex = end + 1
      if (word <= end) word = letter.exec(text)?.index ?? Number.POSITIVE_INFINITY
      end = text.indexOf('\n', end + 1)
    }
    return word < at
  })
}

/** @throws RowFailure conflict for a range, out_of_range outside of the judge's or on a scale that is not known to be its */
export function checkedScore(
  { value, text, scale, range: open }: Numeral,
  range: [number, number] | undefined,
): number {
  if (open) throw new RowFailure('conflict', `${text} is one end of a range: no single score`)
  if (scale !== undefined && scale !== range?.[1])
    throw new RowFailure(
      'out_of_range',
      `the score ${text} is on a scale up to ${scale}, ${
        range
          ? `not on ${range[0]} to ${range[1]}`
          : 'and the judge file names none (verdict.range: [LOWEST, HIGHEST])'
      }`,
    )
  if (range) inRange(value, range)
  return value
}

function afterLine(text: string, index: number): string {
  const end = text.indexOf('\n', index)
  return end < 0 ? '' : text.slice(end + 1).trim()
}
