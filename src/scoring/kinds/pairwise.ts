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
  usageError,
  type Verdict,
} from '../../rows/record.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { Sum } from '../../statistics/sum.ts'
import { addToCluster, clusterSums } from '../by_cluster.ts'
import { type Added, type JudgeKind, plainMeaning, type Scored } from '../kind.ts'
import { decisionIn } from '../label.ts'
import { decisionOf } from '../label_terms.ts'
import { addShare, itemShare, shareFigures, shareSums } from '../share.ts'
import { ByName, Shared } from '../sums.ts'
import { accuracyInterval, shareOf } from './parts.ts'

const SCORES: Record<Decision, [number, number]> = { 'A>B': [1, 0], 'B>A': [0, 1], 'A=B': [0.5, 0.5] }
/** Under --compat, of a pair in no game of which the original found a decision. */
const UNDECIDED: [number, number] = [0, 0]

const vote = (decision: unknown): number => (decision === 'A>B' ? 1 : decision === 'B>A' ? -1 : 0)
const isDecision = (decision: unknown): boolean => vote(decision) !== 0 || decision === 'A=B'

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
function gameOf({ trial, verdict }: Scored): Decision | null {
  const decision = verdict!.decision ?? null
  if (isDecision(decision) || isKept(verdict!)) return decision
  throw new RowFailure(
    'no_verdict',
    `${trial.of! > 1 ? `trial ${trial.n}: ` : ''}the decision is ${JSON.stringify(decision)}, expected A>B, B>A or A=B`,
  )
}

/**
 * Combines the games: the sign of the sum of the votes (vote, mean), the median vote, the decision of most games
 * (majority) or of all (agree), else a tie, or the first game's decision.
 */
function combined(decisions: (string | null)[], combine: string): Decision {
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

/** What a report adds up over pairs. */
const sums = () => ({
  valid: 0,
  labelled: 0,
  correct: 0,
  incorrect: 0,
  tie: 0,
  several: 0,
  inconsistent: 0,
  all_correct: 0,
  all_incorrect: 0,
  some_correct: 0,
  nulls: 0,
  a_better: 0,
  b_better: 0,
  games: 0,
  decisive: 0,
  first_slot: 0,
  turned: 0,
  same_slot: 0,
  /** The values of ties; a correct item has the value 1. */
  credit: new Sum(),
  /** Of items without a label: the first answer's shares; and by the model's name, or A and B. */
  share: shareSums(),
  shares: new ByName(shareSums),
  /** Whether a model's answers are all the first ones, A, or all the second, B; else null. */
  places: new Shared(),
  right: clusterSums(),
})
type PairwiseSums = ReturnType<typeof sums>

export const kind: JudgeKind<PairwiseSums> = {
  reads: ['decision', 'preference', 'failure', 'label', 'unweighted'],
  labels: ['label'],
  meaning: (label) => decisionOf(label) ?? plainMeaning(label),
  score(trials, about, settings) {
    const games = trials.map(gameOf)
    const decision = combined(games, settings.combine ?? 'vote')
    const label = decisionIn(about, settings)
    const scores = games.some(isDecision) ? SCORES[decision] : UNDECIDED
    const result: Result = { kind: 'pairwise', decision, scores }
    if (label) {
      result.label = label
      result.correct = decision === label
      result.credit = decision === label ? 1 : decision === 'A=B' ? (settings.tie ?? 0) : 0
    } else result.correct = null
    if (games.length > 1) result.consistent = games.every((game) => game === games[0])
    return result
  },
  sums,
  add(sums, result, item) {
    const { trials } = item
    const { decision } = result
    sums.valid++
    if (decision === 'A>B') sums.a_better++
    if (decision === 'B>A') sums.b_better++
    if (trials.some(({ verdict }) => (verdict?.decision ?? null) === null)) sums.nulls++
    if (trials.length > 1) sums.several++
    if (trials.length > 1 && result.consistent === false) sums.inconsistent++
    if (result.label) addLabelled(sums, result, item)
    else {
      if (decision === 'A=B') sums.tie++
      addShares(sums, itemShare(result, trials), item)
    }
    addSlots(sums, trials)
  },
  report(sums, { ci }) {
    const { labelled } = sums
    const credit = sums.correct + sums.credit.value
    const report: JsonObject = {}
    if (labelled > 0) {
      Object.assign(report, {
        accuracy: shareOf(credit, labelled),
        ...accuracyInterval(credit, labelled, sums.right, ci),
        labelled,
        correct: sums.correct,
        incorrect: sums.incorrect,
      })
    }
    if (labelled === 0 && sums.share.all.n > 0) Object.assign(report, sharesReport(sums, ci))
    // Ties of items without a label count only if no item has a label.
    const tie = labelled > 0 ? labelled - sums.correct - sums.incorrect : sums.tie
    Object.assign(report, { tie, a_better: sums.a_better, b_better: sums.b_better })
    if (labelled > 0)
      Object.assign(report, {
        all_correct: sums.all_correct,
        some_correct: sums.some_correct,
        all_incorrect: sums.all_incorrect,
      })
    if (sums.several > 0)
      Object.assign(report, {
        inconsistent: sums.inconsistent,
        consistency: shareOf(sums.several - sums.inconsistent, sums.several),
      })
    if (sums.turned > 0) report.same_slot = sums.same_slot
    return Object.assign(report, {
      nulls: sums.nulls,
      games: sums.games,
      decisive: sums.decisive,
      first_slot: sums.first_slot,
      first_slot_share: shareOf(sums.first_slot, sums.decisive),
    })
  },
}

function addShares(
  { share, shares, places }: PairwiseSums,
  ofFirst: number | undefined,
  { models, cluster }: Added,
): void {
  if (ofFirst === undefined) return
  addShare(share, ofFirst, cluster)
  const [first, second] = models ?? ['A', 'B']
  if (first === second) return
  if (models) {
    places.add(first, 'A')
    places.add(second, 'B')
  }
  addShare(shares.of(first), ofFirst, cluster)
  addShare(shares.of(second), 1 - ofFirst, cluster)
}

/** The first answer's share, and that of each model, the best first. */
function sharesReport({ share, shares, places }: PairwiseSums, ci: number): JsonObject {
  const each = [...shares].map(([name, sums]) => {
    const answer = places.get(name)
    return { name, ...(answer && { answer }), items: sums.all.n, ...shareFigures(sums, ci) }
  })
  each.sort((x, y) => y.share - x.share || (x.name < y.name ? -1 : 1))
  return { ...shareFigures(share, ci), ...(each.length > 0 && { shares: each as unknown as JsonObject[] }) }
}

function addLabelled(sums: PairwiseSums, result: Result, { trials, cluster }: Added): void {
  sums.labelled++
  const credit = result.credit ?? Number(result.correct === true)
  addToCluster(sums.right, credit, cluster)
  if (result.correct) sums.correct++
  else if (result.decision === 'A=B') {
    sums.tie++
    sums.credit.add(credit)
  } else sums.incorrect++
  const right = trials.filter(({ verdict }) => verdict?.decision === result.label).length
  if (right === trials.length) sums.all_correct++
  else if (right === 0) sums.all_incorrect++
  else sums.some_correct++
}

/** Counts which position won: without a preference, a judge takes the first in half of the games. */
function addSlots(sums: PairwiseSums, trials: readonly Scored[]): void {
  let firsts = 0
  let decisive = 0
  for (const { verdict, trial } of trials) {
    sums.games++
    // A member of a jury that was asked in both orders.
    if (trial.member !== undefined && trial.order === undefined) continue
    const decision = verdict?.decision
    if (decision !== 'A>B' && decision !== 'B>A') continue
    decisive++
    if ((decision === 'A>B') === (trial.order !== 'BA')) firsts++
  }
  sums.decisive += decisive
  sums.first_slot += firsts
  // Asked in both orders, and the same position won all games.
  if (trials.length < 2) return
  const turned = trials.filter(({ trial }) => trial.order === 'BA').length
  if (turned === 0 || turned === trials.length) return
  sums.turned++
  if (decisive === trials.length && (firsts === 0 || firsts === decisive)) sums.same_slot++
}
