/**
 * Rule `pair`: reads two numbers, one for each answer in the order shown; the larger wins.
 *
 * ```yaml
 * verdict:
 *   rule: pair
 *   pattern: '\[\[(\d+\.?\d*),\s?(\d+\.?\d*)\]\]'   # or patterns: [...], tried in order; two groups. Without it, a
 *                           # line of two scores (`9 3`, `Scores: 9/10, 3/10`), or two named ones (`A: 9, B: 3`)
 *   flags: i                # i: any case, m: ^ and $ at line ends
 *   pick: last              # last, first, or only (different scores are a conflict)
 *   line: first             # read only the first line that is not blank; without a pattern also the next, if
 *                           # the first does not have two scores
 *   range: [1, 10]
 *   tie_within: 0.1         # scores this close are a tie
 *   literal: true           # for originals: 08, which Python refuses, fails the row
 * ```
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { readFloat } from '../python/numbers.ts'
import { type Decision, RowFailure, type Verdict } from '../rows/record.ts'
import { checkKeys, FIRST_LINE, MATCHING, UNDECIDED } from './_keys.ts'
import { groupsOf } from './_pattern.ts'
import { picked } from './_pick.ts'
import { asLiteral } from './_python.ts'
import { checkedRange } from './_range.ts'
import type { Rule } from './_rule.ts'
import { scoresIn } from './_scores.ts'

const KEYS = [...MATCHING, 'line', 'range', 'tie_within', 'split', 'literal']

/** Finds statements of two scores in a reply, in order. The first finder with a result decides. */
type Finder = (text: string) => string[][]

export const picks = true

export const kinds = ['pairwise'] as const

export const rule: Rule = (config, judge) => {
  checkKeys(config, KEYS, judge, { line: FIRST_LINE, otherwise: UNDECIDED })
  const range = checkedRange(config.range, judge)
  const finders = findersOf(config, judge)
  /** For two lines of one score each: `Assistant 1: 8`, and below it `Assistant 2: 6`. */
  const second =
    config.line === 'first' && config.split === undefined && sourcesOf(config).length === 0 ? finders : []
  const near = Number(config.tie_within ?? 0)

  return (whole) => {
    // JudgeLM reads the first line even if it is blank.
    const lines = config.split === undefined ? whole.trim() : whole
    const text = config.line === 'first' ? lines.split('\n')[0]! : whole
    const pieces = find(finders, text, config.pick) ?? find(second, FIRST_TWO.exec(lines)![0], config.pick)
    const found = pieces && numeric(config.literal ? pieces.map(asLiteral) : pieces)
    if (!found) {
      if ('otherwise' in config)
        return { label: null, decision: config.otherwise as Verdict['decision'], failure: 'no_verdict' }
      throw new RowFailure('no_verdict', `no two scores found in "${text.slice(0, 40)}"`)
    }
    const [a, b] = found
    if (range && found.some((score) => score < range[0] || score > range[1]))
      throw new RowFailure(
        'out_of_range',
        `scores ${a} and ${b} are not both within ${range[0]} to ${range[1]}`,
      )
    return { label: `${a} ${b}`, decision: decisionOf(a, b, near), scores: found }
  }
}

function decisionOf(a: number, b: number, near: number): Decision {
  // Two equal infinities are a tie, although their difference is NaN.
  if (a === b || Math.abs(a - b) <= near) return 'A=B'
  return a > b ? 'A>B' : 'B>A'
}

const sourcesOf = ({ pattern, patterns }: VerdictConfig) =>
  (patterns as unknown[] | undefined) ?? (pattern === undefined ? [] : [pattern])

function findersOf(config: VerdictConfig, judge: Judge): Finder[] {
  const { split, flags } = config
  // JudgeLM: commas become spaces, and splitting at single spaces must give two numbers.
  if (split !== undefined) return [(text) => [text.replaceAll(',', ' ').split(String(split))]]
  const sources = sourcesOf(config)
  if (sources.length === 0) return [(text) => scoresIn(text).map(({ scores }) => scores)]
  return sources.map((source) => {
    const match = groupsOf(source, String(flags ?? ''), judge, 2)
    return (text) => match(text).map(([, first, second]) => [first ?? '', second ?? ''])
  })
}

const FIRST_TWO = /^.*(?:\n\s*.*)?/

/** @throws RowFailure conflict */
function find(finders: Finder[], text: string, pick: unknown = 'last'): string[] | undefined {
  for (const finder of finders) {
    const found = finder(text)
    if (found.length === 0) continue
    return picked(found, pick, 'scores', (pieces) => numeric(pieces)?.join(' and '))
  }
  return undefined
}

/** Two texts as numbers; undefined unless both are. NaN is not a score. */
function numeric(pieces: string[]): [number, number] | undefined {
  if (pieces.length !== 2) return undefined
  const [a, b] = [readFloat(pieces[0]!), readFloat(pieces[1]!)]
  return a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b) ? undefined : [a, b]
}
