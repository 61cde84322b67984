/**
 * Pairwise: the games of a pair are combined to a decision.
 *
 * Each game is a vote in the item's own terms: +1 for A>B, -1 for B>A, 0 for a tie or (under --compat) for a game that
 * the original could not read. With a label of A>B or B>A this is JudgeBench's two-game counter: the pair is correct if
 * the sum has the label's sign, a tie at 0, else incorrect.
 */

import {
  type Decision,
  type JsonObject,
  type Result,
  RowFailure,
  type TrialResult,
  usageError,
  type Verdict,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { histogramOf } from '../statistics/describe.ts'
import { wilson } from '../statistics/interval.ts'
import { Sum } from '../statistics/sum.ts'
import { decisionIn } from './_label.ts'
import { zeros } from './_report_parts.ts'
import type { ScoreSettings, Scoring, Tally } from './_scoring.ts'
import { countIn } from './_states.ts'

const SCORES: Record<Decision, [number, number]> = { 'A>B': [1, 0], 'B>A': [0, 1], 'A=B': [0.5, 0.5] }

const vote = (decision: unknown): number => (decision === 'A>B' ? 1 : decision === 'B>A' ? -1 : 0)

/** Labels that `jb-parse --compat` keeps unchanged, as the original does: `A<B`, `A`, or none. */
const UNCHANGED = /^[AB<>=]*$/

/**
 * Whether the original kept another value in place of a decision, which counts as a game without a winner. It shows in
 * two ways (jb-parse --compat): a reply that could not be read has a `failure` with its null or empty decision; a label
 * that is not normalised is itself the decision, with `>` for `>>`. Any other value is a failure, not a tie.
 */
function isKept({ label, decision, failure }: Verdict): boolean {
  if (failure !== undefined) return true
  return typeof label === 'string' && UNCHANGED.test(label) && decision === label.replaceAll('>>', '>')
}

/** A game's decision. @throws RowFailure no_verdict if it is neither a decision nor a value that an original keeps */
function gameOf({ trial, verdict }: TrialResult): Decision | null {
  const decision = verdict!.decision ?? null
  if (vote(decision) !== 0 || decision === 'A=B' || isKept(verdict!)) return decision
  throw new RowFailure(
    'no_verdict',
    `${trial.of > 1 ? `trial ${trial.n}: ` : ''}the decision is ${JSON.stringify(decision)}, expected A>B, B>A or A=B`,
  )
}

/**
 * Combines the games: the sign of the sum of the votes (vote, mean), the median vote, the decision of most games
 * (majority) or of all (agree), else a tie, or the first game's decision.
 */
function decide(decisions: (string | null)[], combine: string): Decision {
  const votes = decisions.map(vote)
  switch (combine) {
    case 'first':
      return toDecision(votes[0]!)
    case 'agree':
      return decisions.every((one) => one === decisions[0]) ? toDecision(votes[0]!) : 'A=B'
    case 'median':
      return toDecision(histogramOf(votes).median!)
    case 'majority': {
      const times = (of: number) => votes.filter((one) => one === of).length
      const [a, b] = [times(1), times(-1)]
      return times(0) >= Math.max(a, b) ? 'A=B' : toDecision(a - b)
    }
    case 'trimmed':
      throw usageError('--combine trimmed is for grades, not for pairs')
    default:
      return toDecision(votes.reduce((sum, one) => sum + one, 0))
  }
}

const toDecision = (sum: number): Decision => (sum > 0 ? 'A>B' : sum < 0 ? 'B>A' : 'A=B')

export const scoring: Scoring = {
  score(trials: TrialResult[], row: Row, settings: ScoreSettings): Result {
    const games = trials.map(gameOf)
    const decision = decide(games, settings.combine ?? 'vote')
    const label = decisionIn(row, settings)
    const result: Result = { kind: 'pairwise', decision, scores: SCORES[decision] }
    if (label) {
      result.label = label
      result.correct = decision === label
      result.credit = decision === label ? 1 : decision === 'A=B' ? (settings.tie ?? 0) : 0
    } else result.correct = null
    if (games.length > 1) result.consistent = games.every((game) => game === games[0])
    return result
  },
  reads: ({ label }) => [label ?? 'label'],
  tally: () => new PairwiseTally(),
}

const COUNTS = [
  'valid',
  'labelled',
  'correct',
  'incorrect',
  'tie',
  'several',
  'inconsistent',
  'all_correct',
  'all_incorrect',
  'some_correct',
  'nulls',
  'a_better',
  'b_better',
  'games',
  'decisive',
  'first_slot',
  'turned',
  'same_slot',
] as const

class PairwiseTally implements Tally {
  private readonly counts = zeros(COUNTS)
  /** The sum of the values of ties; a correct item has the value 1. */
  private readonly credit = new Sum()

  add(result: Result, trials: TrialResult[]): void {
    this.addTimes(result, trials, 1)
  }

  addTimes(result: Result, trials: TrialResult[], times: number): void {
    const { counts } = this
    const { decision } = result
    counts.valid += times
    if (decision === 'A>B') counts.a_better += times
    if (decision === 'B>A') counts.b_better += times
    if (trials.some(({ verdict }) => (verdict?.decision ?? null) === null)) counts.nulls += times
    if (trials.length > 1) counts.several += times
    if (trials.length > 1 && result.consistent === false) counts.inconsistent += times
    if (result.label) this.addLabelled(result, trials, times)
    else if (decision === 'A=B') counts.tie += times
    this.addSlots(trials, times)
  }

  private addLabelled(result: Result, trials: TrialResult[], times: number): void {
    const { counts } = this
    counts.labelled += times
    if (result.correct) counts.correct += times
    else if (result.decision === 'A=B') {
      counts.tie += times
      this.credit.add(result.credit as number, times)
    } else counts.incorrect += times
    const right = trials.filter(({ verdict }) => verdict?.decision === result.label).length
    if (right === trials.length) counts.all_correct += times
    else if (right === 0) counts.all_incorrect += times
    else counts.some_correct += times
  }

  /** Counts which position won: without a preference, a judge takes the first in half of the games. */
  private addSlots(trials: TrialResult[], times: number): void {
    let firsts = 0
    let decisive = 0
    for (const { verdict, trial } of trials) {
      this.counts.games += times
      const decision = verdict?.decision
      if (decision !== 'A>B' && decision !== 'B>A') continue
      decisive++
      if ((decision === 'A>B') === (trial.order !== 'BA')) firsts++
    }
    this.counts.decisive += decisive * times
    this.counts.first_slot += firsts * times
    // Asked in both orders, and the same position won all games.
    if (trials.length < 2) return
    const turned = trials.filter(({ trial }) => trial.order === 'BA').length
    if (turned === 0 || turned === trials.length) return
    this.counts.turned += times
    if (decisive === trials.length && (firsts === 0 || firsts === decisive)) this.counts.same_slot += times
  }

  state(): JsonObject {
    return { ...this.counts, credit: this.credit.state() }
  }

  merge(state: JsonObject): void {
    for (const name of COUNTS) this.counts[name] += countIn(state[name])
    this.credit.merge(state.credit as number[])
  }

  report({ ci }: { ci: number }): JsonObject {
    const { counts } = this
    const { labelled } = counts
    const credit = counts.correct + this.credit.value
    const share = (count: number, of: number) => (of === 0 ? null : count / of)
    const report: JsonObject = {}
    if (labelled > 0) {
      Object.assign(report, {
        accuracy: share(credit, labelled),
        ci: wilson(credit, labelled, ci),
        labelled,
        correct: counts.correct,
        incorrect: counts.incorrect,
      })
    }
    // Ties of items without a label count only if no item has a label.
    const tie = labelled > 0 ? labelled - counts.correct - counts.incorrect : counts.tie
    Object.assign(report, { tie, a_better: counts.a_better, b_better: counts.b_better })
    if (labelled > 0)
      Object.assign(report, {
        all_correct: counts.all_correct,
        some_correct: counts.some_correct,
        all_incorrect: counts.all_incorrect,
      })
    if (counts.several > 0)
      Object.assign(report, {
        inconsistent: counts.inconsistent,
        consistency: share(counts.several - counts.inconsistent, counts.several),
      })
    if (counts.turned > 0) report.same_slot = counts.same_slot
    return Object.assign(report, {
      nulls: counts.nulls,
      games: counts.games,
      decisive: counts.decisive,
      first_slot: counts.first_slot,
      first_slot_share: share(counts.first_slot, counts.decisive),
    })
  }
}
