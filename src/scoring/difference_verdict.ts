/** What the figures of a pair come to: a word for gates, and a sentence that says it of b. */

import type { JsonObject } from '../rows/record.ts'
import type { LabelDifference } from '../statistics/label_sample.ts'
import { decimalsOf } from './digits.ts'
import { pWords, unlikeLabels } from './warnings.ts'

type Verdict = 'better' | 'worse' | 'level' | 'undecided'

interface Conclusion {
  verdict: Verdict
  sentence: string
}

/** What is asked of a pair. */
interface Claims {
  ci: number
  margin?: number
  failUnlessLevel?: number
}

/** Shares are percentages, and their differences percentage points. */
export const isShare = ({ value }: JsonObject) => value === 'correct' || value === 'share'

/** A mean of a run. */
export const meanWords = (mean: number, value: string | undefined) =>
  value === 'correct' || value === 'share' ? `${(100 * mean).toFixed(1)} %` : mean.toPrecision(3)

/**
 * b is better or worse where both the test (of several pairs adjusted by Holm) and the interval tell the difference from 0; level
 * where two one-sided tests exclude a difference of `margin`, or the interval a loss of `failUnlessLevel`; else it is undecided.
 * @param pair its figures as printed, `difference` and `ci` of b − a; `margin_ci` is the interval at 1 − 2α
 */
export function conclude(pair: JsonObject, claims: Claims): Conclusion {
  const { verdict, sentence } = ofAll(pair, claims)
  return { verdict, sentence: sentence + groupWords(pair, claims.ci) }
}

function ofAll(pair: JsonObject, { ci: level, margin, failUnlessLevel: loss }: Claims): Conclusion {
  const { a, b, difference } = pair
  const unlike = unlikeLabels(pair.unlike as LabelDifference | undefined)
  if (unlike)
    return {
      verdict: 'undecided',
      sentence: `undecided: what people would say of ${b} against ${a} is not known: ${unlike.sentence}`,
    }
  if (typeof difference !== 'number')
    return { verdict: 'undecided', sentence: `undecided: ${b} and ${a} cannot be compared: ${pair.reason}` }
  const [interval, within] = [pair.ci, pair.margin_ci] as ([number, number] | null | undefined)[]
  if (margin !== undefined && within && within[0] > -margin && within[1] < margin) {
    const words = `${+(200 * level - 100).toPrecision(6)} % interval ${range(within, pair)}`
    const sentence = `${b} and ${a} are level within ${sizeOf(margin, pair)}: ${signedAmount(difference, pair)} (${words})`
    return { verdict: 'level', sentence }
  }
  const by = typeof pair.labels === 'number' ? `, by people’s labels of ${pair.labels} items` : ''
  const gain = signedAmount(difference, pair) + (interval ? ` (${range(interval, pair)})` : '') + by
  const isKnown = isBeyondChance(pair, { ci: level })
  // Items that all differ by the same amount have no interval; a single one tells nothing of others.
  const least = interval?.[0] ?? (Number(pair.items) > 1 ? difference : Number.NEGATIVE_INFINITY)
  if (loss !== undefined && least > -loss && !(isKnown && difference > 0)) {
    const within = `level with ${a} within a loss of ${sizeOf(loss, pair)}`
    return { verdict: 'level', sentence: `${b} is ${within}: ${gain}` }
  }
  if (isKnown)
    return difference > 0
      ? { verdict: 'better', sentence: `${claim(pair, true)}: ${gain}` }
      : { verdict: 'worse', sentence: `${claim(pair, false)}: ${gain}` }
  return { verdict: 'undecided', sentence: `undecided: ${b} against ${a} ${gain}${moreWords(pair)}` }
}

/** Whether the test (of several pairs adjusted by Holm) and the interval both tell a pair's difference from 0. */
export function isBeyondChance({ p_holm, p, ci }: JsonObject, { ci: level }: { ci: number }): boolean {
  const tested = (p_holm ?? p ?? null) as number | null
  const [low, high] = (ci ?? [1, 1]) as [number, number]
  return tested !== null && tested <= 1 - level + 1e-12 && (low > 0 || high < 0)
}

/** Only of right and wrong is it known that more is better. */
export function claim({ a, b, value }: JsonObject, more: boolean): string {
  const higher = more ? 'higher' : 'lower'
  if (value === 'correct') return `${b} is ${more ? 'better' : 'worse'} than ${a}`
  if (value === 'score') return `${b} scores ${higher} than ${a}`
  return `${value === 'share' ? 'the first answer’s share' : value} is ${higher} in ${b} than in ${a}`
}

/** How many items would show the difference seen, where these are too few. */
function moreWords({ items, items_needed: needed }: JsonObject): string {
  if (typeof needed !== 'number' || needed <= (items as number)) return ''
  return `; about ${needed.toLocaleString('en')} items would decide it`
}

/** Where the difference is not the same in all groups of a field: the groups that are most apart. */
function groupWords(pair: JsonObject, level: number): string {
  const found = (pair.heterogeneity ?? []) as unknown as Heterogeneity[]
  const words = found
    .filter(({ p_holm }) => p_holm <= 1 - level + 1e-12)
    .map(({ by, p_holm, most, least }) => {
      const groups = [most, least].map(
        ({ group, difference, ci }) =>
          `${group} ${signedAmount(difference, pair)}${ci ? ` (${range(ci, pair)})` : ''}`,
      )
      return `; not the same in all groups of ${by} (${pWords(p_holm)}): ${groups.join(', ')}`
    })
  return words.join('')
}

interface Heterogeneity {
  by: string
  p_holm: number
  most: GroupDifference
  least: GroupDifference
}

interface GroupDifference {
  group: string
  difference: number
  ci: [number, number] | null
}

/** Bounds in the unit of the pair's values. */
export const range = (interval: readonly [number, number], pair: JsonObject) =>
  interval.map((one) => digits(one, pair, true)).join(' to ')

/** A difference with its sign and unit. */
export function signedAmount(value: number, pair: JsonObject, isIn = true): string {
  const text = digits(value, pair, isIn)
  return (value > 0 ? `+${text}` : text) + (isShare(pair) ? ' points' : '')
}

/** Without a sign, with its unit. */
export const sizeOf = (value: number, pair: JsonObject) =>
  signedAmount(Math.abs(value), pair, false).replace('+', '')

/** The decimals of a difference and its intervals. */
export const decimalsIn = ({ difference, ci, margin_ci }: JsonObject): number =>
  decimalsOf(
    [difference, ci, margin_ci].flat().filter((one) => typeof one === 'number'),
    3,
  )

/** @param isIn it is the pair's difference, or an end of its interval */
function digits(value: number, pair: JsonObject, isIn: boolean): string {
  const text = isShare(pair)
    ? Math.abs(value * 100).toFixed(1)
    : isIn
      ? Math.abs(value).toFixed(decimalsIn(pair))
      : Math.abs(value).toPrecision(3)
  return value < 0 && Number(text) !== 0 ? `−${text}` : text
}
