/** Converts verdicts from the order shown to the item's own order. */

import { scoreOf } from '../../criteria/_criterion.ts'
import type { Judge } from '../../judges/_judge.ts'
import { type Decision, flip, RowFailure, type Trial, type Verdict } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { optionNames } from '../../verdicts/_options.ts'

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
  if (trial?.order !== 'BA' || judge.kind !== 'pairwise' || verdict.decision === undefined) return verdict
  const turned: Verdict = { ...verdict, decision: flip(verdict.decision) as Decision }
  if (typeof verdict.preference === 'number') turned.preference = 1 - verdict.preference
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
  if (verdict.ranking) turned.ranking = verdict.ranking.map((place) => shown[place] ?? place)
  return turned
}

/**
 * Adds to a verdict what comes from the row: the option's score, and the explanation that an earlier call gave.
 * @throws RowFailure no_verdict for an option that was not shown
 */
export function completed(verdict: Verdict, row: Row, judge: Judge): Verdict {
  const { chain } = judge
  if (verdict.option === undefined && chain === undefined) return verdict
  const made = { ...verdict }
  const shown = typeof made.option === 'string' ? row.get('trial')?.options : undefined
  if (shown && !shown.includes(made.option!))
    throw new RowFailure(
      'no_verdict',
      `"${made.option}" is not one of the options shown: ${shown.join(', ')}`,
    )
  if (typeof made.option === 'string' && made.score === undefined)
    made.score = scoreOf(row.get('criterion'), made.option, shown ?? optionNames(judge))
  if (made.explanation === undefined && chain !== undefined)
    made.explanation = row.get('chain')?.at(-1)?.reply.text
  return made
}
