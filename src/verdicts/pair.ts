/**
 * Rule `pair`: reads two numbers, one for each answer in the order shown; the larger wins.
 *
 * ```yaml
 * verdict:
 *   rule: pair
 *   pattern: '\[\[(\d+\.?\d*),\s?(\d+\.?\d*)\]\]'   # two groups; without it a line of two numbers: `9 3`; or
 *   patterns: [...]         # several, the closing statement first: the first that matches decides
 *   flags: i                # i: any case, m: ^ and $ at line ends
 *   pick: last              # which match counts: last, first, or only (different scores are a conflict)
 *   first: true             # the scores come first: the first match counts, also in a reply cut short after it
 *   range: [1, 10]
 *   tie_within: 0.1         # scores this close are a tie
 * ```
 */
import { type Decision, RowFailure } from '../rows/record.ts'
import { formOf } from './_form.ts'
import { checkKeys, FORM } from './_keys.ts'
import { checkedRange } from './_range.ts'
import type { Rule } from './_rule.ts'

export const picks = true

export const kinds = ['pairwise'] as const

/** A line of two numbers and nothing else. */
const LINE =
  '^[ \\t*_`"\'(\\[]*(-?\\d+(?:\\.\\d+)?)[*_`"\')\\]]*(?:[ \\t]*,[ \\t]*|[ \\t]+)[*_`"\'(\\[]*(-?\\d+(?:\\.\\d+)?)[ \\t\\r*_`"\')\\].]*$'

export const rule: Rule = (config, judge) => {
  checkKeys(config, [...FORM, 'range', 'tie_within'], judge)
  const range = checkedRange(config.range, judge)
  const near = Number(config.tie_within ?? 0)
  const plain = config.pattern === undefined && config.patterns === undefined
  const find = formOf<[number, number]>(plain ? { ...config, flags: 'm' } : config, judge, {
    groups: 2,
    ...(plain && { patterns: [LINE] }),
    what: 'two scores',
    meaningOf: ({ groups: [, first, second] }) => {
      const scores: [number, number] = [Number(first?.replace('−', '-')), Number(second?.replace('−', '-'))]
      return first?.trim() && second?.trim() && scores.every(Number.isFinite) ? scores : undefined
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

/** Of two scores the larger wins. */
export function largerWins(a: number, b: number, near = 0): Decision {
  // Two equal infinities are a tie, although their difference is NaN.
  if (a === b || Math.abs(a - b) <= near) return 'A=B'
  return a > b ? 'A>B' : 'B>A'
}
