/**
 * Rule `pair`: two numbers, one for each answer, in the order shown; the larger wins.
 *
 * ```yaml
 * verdict:
 *   rule: pair
 *   pattern: '\[\[(\d+\.?\d*),\s?(\d+\.?\d*)\]\]'   # two groups; without it, the first two numbers
 *   line: first             # read only the first line that is not blank
 *   range: [1, 10]
 *   tie_within: 0.1         # scores this close are a tie
 * ```
 */
import { RowFailure, type Verdict } from '../record.ts'
import { readFloat } from '../trec/python.ts'
import { checkKeys, FIRST_LINE } from './_keys.ts'
import { groupsOf } from './_pattern.ts'
import { rangeOf } from './_range.ts'
import type { Rule } from './_read.ts'

const KEYS = ['pattern', 'line', 'range', 'tie_within', 'split', 'otherwise', 'example']
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g

export const kinds = ['pairwise'] as const

export const rule: Rule = (config, judge) => {
  checkKeys(config, KEYS, judge, { line: FIRST_LINE })
  const range = rangeOf(config.range, judge)
  const match = config.pattern === undefined ? undefined : groupsOf(config.pattern, '', judge, 2)
  const near = Number(config.tie_within ?? 0)

  const numbers = (text: string): number[] | undefined => {
    if (match) {
      const [, first, second] = match(text)[0] ?? []
      return numeric([first ?? '', second ?? ''])
    }
    if (config.split === undefined) {
      const found = text.match(NUMBER)?.map(Number) ?? []
      return found.length >= 2 ? found.slice(0, 2) : undefined
    }
    // JudgeLM's reader: commas become spaces, and single spaces must cut out exactly two numbers.
    const pieces = text.replaceAll(',', ' ').split(String(config.split))
    return numeric(pieces)
  }

  return (whole) => {
    // JudgeLM's reader takes the first line as it is, blank or not.
    const lines = config.split === undefined ? whole.trim() : whole
    const text = config.line === 'first' ? lines.split('\n')[0]! : whole
    const found = numbers(text)
    if (!found) {
      if ('otherwise' in config)
        return { label: null, decision: config.otherwise as Verdict['decision'], failure: 'no_verdict' }
      throw new RowFailure('no_verdict', `no two scores found in "${text.slice(0, 40)}"`)
    }
    const [a, b] = found as [number, number]
    if (range && [a, b].some((score) => score < range[0] || score > range[1]))
      throw new RowFailure(
        'out_of_range',
        `scores ${a} and ${b} are not both within ${range[0]} to ${range[1]}`,
      )
    const decision = Math.abs(a - b) <= near ? 'A=B' : a > b ? 'A>B' : 'B>A'
    return { label: `${a} ${b}`, decision, scores: [a, b] }
  }
}

/** Two pieces as numbers, where they are. */
function numeric(pieces: string[]): number[] | undefined {
  // nan is no score.
  const read = pieces.map((piece) => readFloat(piece) ?? Number.NaN)
  return read.length === 2 && read.every((value) => !Number.isNaN(value)) ? read : undefined
}
