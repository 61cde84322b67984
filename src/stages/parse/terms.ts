/** Converts verdicts from the order shown to the item's own order. */

import { scoreOf } from '../../criteria/_criterion.ts'
import type { Judge } from '../../judges/_judge.ts'
import { type Decision, flip, isObject, RowFailure, type Trial, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { optionNames, optionScores } from '../../verdicts/_options.ts'

/** @throws RowFailure out_of_range unless the winner is one of the `n` answers shown */
function checkWinner(winner: Verdict['winner'], n = Number.POSITIVE_INFINITY): void {
  if (typeof winner !== 'number' || (Number.isInteger(winner) && winner >= 0 && winner < n)) return
  throw new RowFailure(
    'out_of_range',
    `the winner is ${winner}, not the index of an answer${Number.isFinite(n) ? ` (0 to ${n - 1})` : ''}`,
  )
}

/** Maps a verdict from shown terms to the item's; `label` keeps the reply's words. */
export function inItemTerms(verdict: Verdict, judge: Judge, trial: Trial | undefined): Verdict {
  if (judge.kind === 'listwise') return ofAnswers(verdict, trial)
  if (trial?.order !== 'BA' || judge.kind !== 'pairwise') return verdict
  return verdict.each ? eachOf(verdict, turned) : turned(verdict)
}

/** A verdict on several elements, each of which is changed; a part without a verdict stays as it is. */
function eachOf(verdict: Verdict, change: (one: Verdict, place: number) => Verdict): Verdict {
  const each = verdict.each as (Verdict | null)[]
  return {
    ...verdict,
    each: each.map((one, place) => (one && one.error === undefined ? change(one, place) : one)),
  }
}

/** The verdict of a game in order BA. */
function turned(verdict: Verdict): Verdict {
  if (verdict.decision === undefined) return verdict
  const turned: Verdict = { ...verdict, decision: flip(verdict.decision) as Decision }
  if (typeof verdict.preference === 'number') turned.preference = 1 - verdict.preference
  if (isObject(verdict.probabilities))
    turned.probabilities = Object.fromEntries(
      Object.entries(verdict.probabilities).map(([decision, p]) => [flip(decision), p]),
    )
  if (verdict.scores?.length === 2) turned.scores = [verdict.scores[1]!, verdict.scores[0]!]
  return turned
}

/** Maps indices of the answers shown to indices of the item's answers. */
function ofAnswers(verdict: Verdict, trial: Trial | undefined): Verdict {
  const { pair, order } = trial ?? {}
  const n = trial?.answers
  checkWinner(verdict.winner, pair ? 2 : n)
  if (!pair && !trial?.shown && (order !== 'BA' || typeof n !== 'number')) return verdict
  const all = pair ?? Array.from({ length: n! }, (_, index) => index)
  const shown = trial?.shown ?? (order === 'BA' ? all.toReversed() : all)
  const turned: Verdict = { ...verdict }
  if (typeof verdict.winner === 'number') turned.winner = shown[verdict.winner] ?? verdict.winner
  if (isObject(verdict.probabilities))
    turned.probabilities = Object.fromEntries(
      Object.entries(verdict.probabilities).map(([winner, p]) => [
        String(winner === 'tie' ? winner : (shown[Number(winner)] ?? winner)),
        p,
      ]),
    )
  if (verdict.ranking) turned.ranking = verdict.ranking.map((place) => shown[place] ?? place)
  return turned
}

/**
 * Adds to a verdict what comes from the row: the option's score, and the explanation that an earlier call gave.
 * @throws RowFailure no_verdict for an option that was not shown
 */
export function completed(verdict: Verdict, row: Row, judge: Judge): Verdict {
  const { chain, questions } = judge
  const criteria = verdict.each ? row.get('criteria') : undefined
  if (criteria)
    return eachOf(verdict, (one, place) =>
      one.option === undefined ? one : { ...one, score: scoreOf(criteria[place], one.option) },
    )
  if (verdict.option === undefined && chain === undefined) return verdict
  const made = { ...verdict }
  const shown = typeof made.option === 'string' ? row.get('trial')?.options : undefined
  if (shown && !shown.includes(made.option!))
    throw new RowFailure(
      'no_verdict',
      `"${made.option}" is not one of the options shown: ${shown.join(', ')}`,
    )
  const criterion = row.get('criterion')
  if (typeof made.option === 'string' && made.score === undefined && !questions)
    made.score = scoreOf(criterion, made.option, shown ?? optionNames(judge))
  const options = made.option === undefined || criterion ? undefined : optionScores(judge)
  if (options) made.options = options
  if (made.explanation === undefined && chain !== undefined)
    made.explanation = row.get('chain')?.at(-1)?.reply.text
  return made
}
