/**
 * Listwise: which of n answers is best. If all are shown at once, the trials vote. If two are shown at a time
 * (`trial.pair`), every pair is a contest.
 */

import { count, countEach, grouped } from '../../rows/maps.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  type Result,
  RowFailure,
  usageError,
  type Verdict,
} from '../../rows/record.ts'
import { addToCluster, type ClusterSums, clusterSums } from '../by_cluster.ts'
import { type Contest, tallyContests } from '../contests.ts'
import { type Added, type JudgeKind, plainMeaning, type Scored, type ScoreSettings } from '../kind.ts'
import { labelOf, labelOfCriterion, unreadLabel } from '../label.ts'
import { addClasses, agreementReport, agreementSums } from '../label_agreement.ts'
import { bestAnswer, expectedAnswer } from '../label_terms.ts'
import { ByName, type Sums } from '../sums.ts'
import { accuracyPart, biasPart, countBias, criteriaReport } from './parts.ts'

type Winner = number | 'tie'

/** The value of a tied contest in the win rates. */
const TIE = 0.5

const EXPECTED_OF_SEVERAL = 'an object with the best answer for each criterion'

/** What a report adds up over winners among n answers, of one criterion or of all. */
const sums = (): ListwiseSums => ({
  valid: 0,
  tie: 0,
  labelled: 0,
  correct: 0,
  unread_labels: 0,
  checked: 0,
  detected: 0,
  cyclic: 0,
  winners: new Map(),
  meta: agreementSums(),
  right: clusterSums(),
  criteria: new ByName(sums),
})
interface ListwiseSums extends Sums {
  valid: number
  tie: number
  labelled: number
  correct: number
  unread_labels: number
  checked: number
  detected: number
  cyclic: number
  /** How often the answer at each index of the item's list won. */
  winners: Map<string, number>
  meta: ReturnType<typeof agreementSums>
  right: ClusterSums
  criteria: ByName<ListwiseSums>
}

export const kind: JudgeKind<ListwiseSums> = {
  reads: ['winner', 'ranking', 'failure'],
  labels: ['label', 'expected_result'],
  meaning: plainMeaning,
  score(trials, about, settings) {
    if (trials.some(({ verdict }) => !isWinner(verdict!)))
      throw new RowFailure('no_verdict', 'jb.verdict has no winner: the index of an answer, or "tie"')
    const names = [...new Set(trials.map(({ trial }) => trial.criterion ?? ''))]
    const label = labelOf(about)
    if (names.length === 1) {
      const result = ofOne(trials, settings)
      const truth = labelOfCriterion(label, names[0]!)
      return { kind: 'listwise', ...result, ...compared(result, truth, trials, settings) }
    }
    // Each of several criteria has its own winner.
    const items = names.map((name) => {
      const of = trials.filter(({ trial }) => (trial.criterion ?? '') === name)
      const result = ofOne(of, settings)
      const truth = isObject(label) ? label[name] : undefined
      return { criterion: name, ...result, ...compared(result, truth, of, settings) } as JsonObject
    })
    const isRead = label === undefined || isObject(label)
    return { kind: 'listwise', items, ...(!isRead && unreadLabel(label, EXPECTED_OF_SEVERAL, settings)) }
  },
  sums,
  add,
  report(sums, settings) {
    const report = accuracyPart(sums, settings.ci)
    if (sums.labelled > 0) Object.assign(report, agreementReport(sums.meta))
    const winners = [...sums.winners].sort(([a], [b]) => Number(a) - Number(b))
    if (sums.criteria.size === 0)
      Object.assign(report, { winners: Object.fromEntries(winners), tie: sums.tie })
    if (sums.cyclic > 0) report.cyclic = sums.cyclic
    return Object.assign(report, biasPart(sums), criteriaReport(sums.criteria, kind, settings))
  },
}

/** A verdict may have a ranking without a winner. */
const isWinner = ({ winner, ranking }: Verdict) => winner === 'tie' || isIndex(winner ?? ranking?.[0])

const isIndex = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

const isTurned = ({ trial }: Scored) => trial.order === 'BA'
/** The winner, else the first of the ranking. */
const winnerOf = ({ verdict }: Scored) => (verdict!.winner ?? verdict!.ranking![0]) as Winner

function ofOne(trials: readonly Scored[], settings: ScoreSettings): Result {
  const combine = settings.combine ?? (settings.compat === 'evalassist' ? 'first' : 'vote')
  return trials.some(({ trial }) => trial.pair)
    ? ofContests(trials, combine, settings)
    : ofCalls(trials, combine)
}

/** The winner of some trials: `first` takes the first trial's, `agree` a tie if they differ, else most votes. */
function winnerBy(trials: readonly Scored[], combine: string): Winner {
  const winners = trials.map(winnerOf)
  if (combine === 'first') return winners[0]!
  if (combine === 'mean' || combine === 'median' || combine === 'trimmed')
    throw usageError(`--combine ${combine} is for scores, not for one of several answers`)
  const votes = countEach(winners)
  if (combine === 'agree') return votes.size === 1 ? winners[0]! : 'tie'
  const most = Math.max(...votes.values())
  const ahead = [...votes].filter(([, n]) => n === most)
  return ahead.length === 1 ? ahead[0]![0] : 'tie'
}

/** All answers in one call. */
function ofCalls(trials: readonly Scored[], combine: string): Result {
  const [first, turned] = inOrders(trials)
  const winner = winnerBy(trials, combine)
  const n = trials[0]!.trial.answers
  const result: Result = { winner }
  if (trials.length > 1) {
    const winners = trials.map(winnerOf)
    result.votes = Object.fromEntries(countEach(winners))
    if (n !== undefined) result.scores = sharesOf(winners, n)
  }
  const kept = trials.find((one) => winnerOf(one) === winner) ?? trials[0]!
  if (kept.verdict!.explanation !== undefined) result.explanation = kept.verdict!.explanation
  if (turned.length > 0) {
    const [a, b] = [
      winnerBy(first, first.length > 1 ? 'vote' : 'first'),
      winnerBy(turned, turned.length > 1 ? 'vote' : 'first'),
    ]
    const explanation = turned[0]!.verdict!.explanation
    result.consistent = a === b
    result.positional_bias = {
      detected: a !== b,
      result: { winner: b, ...(explanation !== undefined && { explanation }) },
    }
  }
  return result
}

/** Each answer's share of the votes; a tie counts equally for all. */
function sharesOf(winners: Winner[], n: number): number[] {
  const shares = new Array<number>(n).fill(0)
  for (const winner of winners) {
    if (winner === 'tie') for (let i = 0; i < n; i++) shares[i]! += 1 / n
    else if (winner < n) shares[winner]! += 1
  }
  return shares.map((share) => share / winners.length)
}

/** The trials in the first order, and those in the reverse order; if all are reversed, that is the first order. */
function inOrders(trials: readonly Scored[]): [first: readonly Scored[], turned: readonly Scored[]] {
  const turned = trials.filter(isTurned)
  if (turned.length === trials.length) return [trials, []]
  return [trials.filter((one) => !isTurned(one)), turned]
}

/** Two answers in each call: the tally of contests, and with both orders also that of the reverse order. */
function ofContests(trials: readonly Scored[], combine: string, settings: ScoreSettings): Result {
  const pairs = grouped(trials, ({ trial }) => JSON.stringify(trial.pair))
  const n = trials[0]!.trial.answers ?? Math.max(...trials.flatMap(({ trial }) => trial.pair ?? [])) + 1
  if (pairs.size !== (n * (n - 1)) / 2)
    throw new RowFailure(
      'incomplete',
      `the rows have ${pairs.size} of ${(n * (n - 1)) / 2} contests of ${n} answers`,
    )
  const original = settings.compat === 'evalassist'
  const tally = (contests: Contest[]) => tallyContests(n, contests, { tie: TIE, original })
  const contests = (shown: (one: Scored) => boolean, how?: string) =>
    [...pairs.values()].map((of): Contest => {
      const side = of.filter(shown)
      const explanation = side[0]?.verdict?.explanation
      return {
        pair: of[0]!.trial.pair!,
        winner: winnerBy(side, how ?? (side.length > 1 ? 'vote' : 'first')),
        ...(typeof explanation === 'string' && { explanation }),
      }
    })
  const all = tally(contests(() => true, combine))
  if (!trials.some(isTurned) || trials.every(isTurned)) return { ...all }
  const turned = contests(isTurned)
  const [a, b] = [tally(contests((one) => !isTurned(one))), tally(turned)]
  for (const [index, answer] of all.answers.entries())
    answer.positional_bias = a.answers[index]!.selections.map(
      (one, k) => one !== b.answers[index]!.selections[k],
    )
  // EvalAssist tallies the reverse order as shown, and maps only the winner back.
  const shown = original ? tally(turned.map((one) => mirrored(one, n))) : undefined
  const winner = shown ? n - 1 - (shown.winner as number) : b.winner
  return {
    ...all,
    consistent: all.answers.every(({ positional_bias }) => !positional_bias!.includes(true)),
    positional_bias: {
      detected: a.winner !== winner,
      result: { winner, answers: (shown ?? b).answers as unknown as JsonObject[] },
    },
  }
}

/** A contest with the indexes of `n` answers in reverse order. */
const mirrored = ({ pair: [a, b], winner, ...more }: Contest, n: number): Contest => ({
  ...more,
  pair: [n - 1 - b, n - 1 - a],
  winner: winner === 'tie' ? winner : n - 1 - winner,
})

/** Compares the winner with the label. */
function compared(
  result: Result,
  label: Json | undefined,
  trials: readonly Scored[],
  settings: ScoreSettings,
): Partial<Result> {
  if (label === undefined || label === null) return { correct: null }
  const { answers } = trials[0]!.trial
  const truth = bestAnswer(label, answers)
  if (truth === undefined) return unreadLabel(label, expectedAnswer(answers), settings)
  return { label: truth, correct: result.winner === truth }
}

function add(sums: ListwiseSums, result: Result, item: Added): void {
  sums.valid++
  const { winner, label } = result
  if (winner === 'tie') sums.tie++
  else if (winner !== undefined) count(sums.winners, String(winner), 1)
  if (typeof result.correct === 'boolean') {
    sums.labelled++
    if (result.correct) sums.correct++
    addToCluster(sums.right, Number(result.correct), item.cluster)
    addClasses(sums.meta, String(label), String(winner))
  }
  if (result.label_error !== undefined) sums.unread_labels++
  countBias(sums, result)
  if (result.cycles) sums.cyclic++
  for (const one of (result.items ?? []) as unknown as (Result & { criterion: string })[])
    add(sums.criteria.of(one.criterion), one, item)
}
