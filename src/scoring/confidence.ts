/** How sure an item's trials are of what it came to. */
import { count, grouped } from '../rows/maps.ts'
import type { Json, Result, Verdict } from '../rows/record.ts'
import type { Scored } from './kind.ts'

/** What tells two trials of the same part apart, and how they were asked. */
const ASKED = new Set([
  ...['n', 'of', 'order', 'sample', 'seed', 'member', 'options', 'answers', 'shown', 'window', 'nuggets'],
  ...['feedback', 'on_generation_failure'],
])

/** The part of an item that a trial is about, as text: a criterion, an element of a list, a pair of answers; empty for all of it. */
export function partOf({ trial }: Pick<Scored, 'trial'>): string {
  const about = Object.entries(trial).filter(([key, value]) => value !== undefined && !ASKED.has(key))
  return about.length === 0 ? '' : JSON.stringify(about.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What a verdict says; of a weighted score the number that was said. */
export const saidIn = ({ decision, option, winner, said, score }: Verdict): unknown =>
  decision ?? option ?? winner ?? said ?? score

/** The probability of each thing that a trial may have said: all of it on what it did say, if nothing else is known. */
function chancesOf(verdict: Verdict): [said: string, p: number][] {
  const { probabilities, confidence } = verdict
  if (probabilities && Object.keys(probabilities).length > 0) return Object.entries(probabilities)
  return [[String(saidIn(verdict)), typeof confidence === 'number' ? confidence : 1]]
}

/**
 * Of each part the mean, over its trials, of the probability that each gives to the part's decision: the result's, of grades the
 * likeliest number of the mean. Of several parts the least. A trial without probabilities gives its confidence to what it said, or 1
 * without one. Undefined for a part of a single trial without a confidence, and for a jury, whose votes are no probabilities.
 * @param trials those that count, of windows each element by itself
 */
export function itemConfidence(result: Result, trials: readonly Scored[]): number | undefined {
  if (trials.some(({ trial }) => trial.member !== undefined)) return undefined
  if (trials.length === 1 && typeof trials[0]!.verdict?.confidence !== 'number') return undefined
  const parts = [...grouped(trials, partOf).values()]
  let least: number | undefined
  for (const of of parts) {
    const verdicts = of.flatMap(({ verdict }) => verdict ?? [])
    if (verdicts.length === 0) return undefined
    if (verdicts.length === 1 && typeof verdicts[0]!.confidence !== 'number') return undefined
    const mean = new Map<string, number>()
    for (const verdict of verdicts)
      for (const [said, p] of chancesOf(verdict)) count(mean, said, p / verdicts.length)
    const decided = decisionOf(result, of[0]!, parts.length)
    const sure = decided === undefined ? Math.max(...mean.values()) : (mean.get(String(decided)) ?? 0)
    least = Math.min(sure, least ?? sure)
  }
  return least
}

/**
 * How sure an item's trials are of its result, as a learned jury says of itself. Undefined where one states no confidence of its own
 * (votes are no probabilities), and for a tie that no trial said.
 */
export function statedConfidence(result: Result, trials: readonly Scored[]): number | undefined {
  const isJury = trials.some(({ trial }) => trial.member !== undefined)
  if (isJury) return result.confidence
  if (trials.some(({ verdict }) => typeof verdict?.confidence !== 'number')) return undefined
  const decided = result.decision ?? result.winner
  const isTie = decided === 'A=B' || decided === 'tie'
  if (isTie && !trials.some(({ verdict }) => saidIn(verdict!) === decided)) return undefined
  return result.confidence ?? itemConfidence(result, trials)
}

/** What a result decides of a part; undefined for a number. */
function decisionOf(result: Result, { trial }: Scored, parts: number): unknown {
  const { decision, option, winner } = result
  const own = decision ?? option ?? winner
  if (parts === 1 && own !== undefined) return own
  const items = (result.items ?? []) as Partial<Record<'criterion' | 'nugget' | 'option', Json>>[]
  return items.find(
    ({ criterion, nugget }) =>
      (criterion !== undefined && criterion === trial.criterion) ||
      (nugget !== undefined && nugget === trial.nugget),
  )?.option
}
