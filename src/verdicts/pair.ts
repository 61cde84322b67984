/**
 * Rule `pair`: reads two numbers, one for each answer in the order shown; the larger wins.
 *
 * ```yaml
 * verdict:
 *   rule: pair
 *   pattern: '\[\[(\d+\.?\d*),\s?(\d+\.?\d*)\]\]'   # two groups; without it a line of two numbers: `9 3`; or
 *   patterns: [...]         # several, the closing statement first: the first that matches decides
 *   flags: i                # i: any case, m: ^ and $ at line ends
 *   pick: last              # which match counts: last (a conflict if its line has another), first, or only (none if they differ)
 *   first: true             # the scores come first: the first match counts, also in a reply cut short after it
 *   range: [1, 10]
 *   tie_within: 0.1         # scores this close are a tie
 * ```
 */
import { type Decision, RowFailure } from '../rows/record.ts'
import { formOf } from './_form.ts'
import { FORM } from './_keys.ts'
import { checkedRange } from './_range.ts'
import type { Rule } from './_rule.ts'

export const picks = true

export const kinds = ['pairwise'] as const

/** A line of two numbers and nothing else. */
const LINE =
  '^[ \\t*_`"\'(\\[]*(-?\\d+(?:\\.\\d+)?)[*_`"\')\\]]*(?:[ \\t]*,[ \\t]*|[ \\t]+)[*_`"\'(\\[]*(-?\\d+(?:\\.\\d+)?)[ \\t\\r*_`"\')\\].]*$'

/** The keys of its `verdict`. */
export const keys = [...FORM, 'range', 'tie_within']

export const rule: Rule = (config, judge) => {
  const range = checkedRange(config.range, judge)
  const near = Number(config.tie_within ?? 0)
  const plain = config.pattern === undefined && config.patterns === undefined
  const find = formOf<[number, number]>(plain ? { ...config, flags: 'm' } : config, judge, {
    groups: 2,
    ...(plain && { patterns: [LINE] }),
    what: 'two scores',
    meaningOf: ({ starts: [, first, second] }, text) => {
      const scores: [number, number] = [numberFrom(text, first!), numberFrom(text, second!)]
      return scores.every(Number.isFinite) ? scores : undefined
    },
  })
  return (reply, context) => {
    const { value: scores } = find(reply, context)
    const [a, b] = scores
    if (range && scores.some((score) => score < range[0] || score > range[1]))
      throw new RowFailure(
        'out_of_range',
        `scores ${a} and ${b} are not both within ${range[0]} to ${range[1]}`,
      )
    return { label: `${a} ${b}`, decision: largerWins(a, b, near), scores }
  }
}

/** The whole number at a place, of which a group may have caught a part (8 of 8.5). */
const numberFrom = (text: string, at: number) => Number.parseFloat(text.slice(at).replace(/^\s*−/, '-'))

/** Of two scores the larger wins. */
export function largerWins(a: number, b: number, near = 0): Decision {
  // Two equal infinities are a tie, although their difference is NaN.
  if (a === b || Math.abs(a - b) <= near) return 'A=B'
  return a > b ? 'A>B' : 'B>A'
}
