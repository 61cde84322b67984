/**
 * Choice: the samples of each criterion are combined to an option and a score, several criteria to a weighted score.
 *
 * Trials with the options in reverse order (`--order both`) are a check, not further votes: the verdict is that of the
 * first order, and the result has both.
 */
import { scoreOf } from '../criteria/_criterion.ts'
import { itemScore, scaled, total } from '../criteria/_multi.ts'
import { countEach, grouped } from '../rows/maps.ts'
import {
  type Criterion,
  isObject,
  type Json,
  type JsonObject,
  type Result,
  RowFailure,
  type TrialResult,
  usageError,
  type Verdict,
} from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { ChoiceTally } from './_choice_tally.ts'
import { labelOf, labelOfCriterion, unreadLabel } from './_label.ts'
import { expectedOption, labelNumber, optionOf } from './_label_terms.ts'
import type { ScoreSettings, Scoring } from './_scoring.ts'

const EXPECTED_OF_SEVERAL = 'an object with an option for each criterion, or a score'

export const scoring: Scoring = {
  score(trials: TrialResult[], row: Row, settings: ScoreSettings): Result {
    if (trials.some(({ verdict }) => (verdict!.option ?? null) === null))
      throw new RowFailure('no_verdict', 'jb.verdict has no option')
    if (trials.some(({ trial }) => trial.nugget !== undefined)) return ofNuggets(trials, settings)
    const asked = (row.get('criteria') ?? []) as Criterion[]
    const criteria = criteriaOf(row, asked, settings)
    if (criteria !== asked) trials = trials.map((one) => rescored(one, asked, criteria))
    const groups = grouped(trials, ({ trial }) => trial.criterion ?? '')
    const label = labelOf(row, settings, 'label', 'expected_result')
    if (!criteria.some((one) => one.weight !== undefined || one.normalize_scores !== undefined)) {
      const result = ofOne(trials, settings)
      const truth = labelOfCriterion(label, criteria[0]?.name ?? '')
      return { kind: 'choice', ...result, ...compared(result, truth, criteria[0], settings) }
    }
    const items = criteria.map((criterion) => {
      const group = groups.get(criterion.name) ?? (criteria.length === 1 ? groups.get('') : undefined)
      if (!group) throw new RowFailure('incomplete', `no trial asked about criterion "${criterion.name}"`)
      const result = ofOne(group, settings)
      const item = itemScore(
        criterion,
        result.option as string,
        scaledScore(criterion, group, result, settings),
      )
      const truth = isObject(label) ? label[criterion.name] : undefined
      return {
        criterion,
        item,
        entry: {
          criterion: criterion.name,
          ...onScale(criterion, { ...result, ...compared(result, truth, criterion, settings) }),
          ...item,
          weight: criterion.weight ?? null,
          required: criterion.required === true,
        } as JsonObject,
      }
    })
    const sum = total(items, settings.compat)
    const overall: Result = { kind: 'choice', ...sum, items: items.map(({ entry }) => entry) }
    if (label === undefined || isObject(label)) return overall
    const number = typeof label === 'boolean' ? undefined : labelNumber(label)
    if (number === undefined) Object.assign(overall, unreadLabel(label, EXPECTED_OF_SEVERAL, settings))
    else overall.label = number
    return overall
  },
  tally: () => new ChoiceTally(),
}

/** The scores beside an entry's own on its scale, so that verdict and label can be compared. */
function onScale(criterion: Criterion, result: Result): Result {
  const on: Result = { ...result }
  for (const key of ['score_of_option', 'mean', 'label_score', 'score'])
    if (typeof on[key] === 'number') on[key] = scaled(criterion, on[key])
  const { positional_bias: bias } = on as { positional_bias?: { result: Result } }
  if (bias) on.positional_bias = { ...bias, result: onScale(criterion, bias.result) } as Json
  return on
}

/** EvalAssist scales each score before it takes the mean, which can differ in the last digit. */
function scaledScore(
  criterion: Criterion,
  trials: TrialResult[],
  { score = null }: Result,
  settings: ScoreSettings,
): number | null {
  if (settings.compat !== 'evalassist') return scaled(criterion, score)
  const onScale = ({ verdict, ...one }: TrialResult) => ({
    ...one,
    verdict: { ...verdict!, score: scaled(criterion, verdict!.score ?? null) },
  })
  return ofOne(trials.map(onScale), settings).score ?? null
}

/** A judge that is asked about each nugget of an item: the options by nugget, their counts, the mean score. */
function ofNuggets(trials: TrialResult[], settings: ScoreSettings): Result {
  const items = [...grouped(trials, ({ trial }) => String(trial.nugget))].map(([nugget, of]) => ({
    nugget,
    ...ofOne(of, settings),
  }))
  const votes = countEach(items.map(({ option }) => option!))
  return {
    kind: 'choice',
    score: meanOf(items),
    votes: Object.fromEntries(votes),
    items: items as unknown as Json[],
  }
}

/** The criteria of `--criteria`, else those of the trials. */
function criteriaOf(row: Row, asked: Criterion[], { criteriaSource }: ScoreSettings): Criterion[] {
  if (!criteriaSource) return asked
  const named = criteriaSource.of(row)
  row.set('criteria', named)
  return named
}

/** The trial with its option's score by `--criteria`, if its own score is that of its criterion. */
function rescored(one: TrialResult, asked: Criterion[], criteria: Criterion[]): TrialResult {
  const named = (of: Criterion[]) =>
    of.find(({ name }) => name === (one.trial.criterion ?? '')) ?? (of.length === 1 ? of[0] : undefined)
  const [before, now] = [named(asked), named(criteria)]
  const { option, score = null } = one.verdict!
  if (!before || score !== scoreOf(before, option!)) return one
  if (!now?.options.some(({ name }) => name === option)) return one
  return { ...one, verdict: { ...one.verdict!, score: scoreOf(now, option!) } }
}

/** The result of one criterion's samples. */
function ofOne(trials: TrialResult[], settings: ScoreSettings): Result {
  const combine = settings.combine ?? 'mean'
  if (combine === 'trimmed') throw usageError('--combine trimmed is for grades, not for options')
  const turned = trials.filter(({ trial }) => trial.order === 'BA')
  const first = turned.length === trials.length ? trials : trials.filter(({ trial }) => trial.order !== 'BA')
  const check = first === trials ? [] : turned
  const all = combine === 'vote' ? trials : first
  const verdicts = all.map(({ verdict }) => verdict!)
  const voters = combine === 'agree' ? trials.map(({ verdict }) => verdict!) : verdicts
  const votes = countEach(voters.map(({ option }) => option!))
  if (combine === 'agree' && votes.size > 1)
    throw new RowFailure('conflict', `the samples differ: ${[...votes.keys()].join(', ')} (--combine agree)`)
  const pick = combine === 'first' ? (of: TrialResult[]) => of[0]! : mostChosen
  const kept = pick(all)
  const option = kept.verdict!.option!
  const { verdict } = kept
  const own = verdict!.score ?? null
  const result: Result = { option, score: scoreOfSamples(verdicts, own, combine) }
  if (verdicts.length > 1) {
    const mean = meanOf(verdicts)
    Object.assign(result, {
      score_of_option: own,
      mean,
      votes: Object.fromEntries(votes),
      agreement: (votes.get(option) ?? 0) / voters.length,
      samples: verdicts.map((one) => one.option!),
    })
  }
  for (const key of ['explanation', 'feedback', 'raw_score', 'ratio'] as const)
    if (verdict![key] !== undefined) result[key] = verdict![key]
  if (check.length > 0)
    Object.assign(result, bias(first, check, kept, settings.compat === 'evalassist' ? undefined : pick))
  return result
}

/** The mean of the scores; null if one is missing. */
function meanOf(scored: { score?: number | null }[]): number | null {
  const scores = scored.map(({ score }) => score ?? null)
  if (scores.includes(null)) return null
  return (scores as number[]).reduce((sum, score) => sum + score, 0) / scores.length
}

/** By --combine: the mean (or the chosen option's score if one is missing), the median, or the option's score. */
function scoreOfSamples(verdicts: Verdict[], own: number | null, combine: string): number | null {
  if (combine === 'mean') return meanOf(verdicts) ?? own
  if (combine !== 'median') return own
  const scores = verdicts.map(({ score }) => score ?? null)
  if (scores.includes(null)) return own
  const sorted = (scores as number[]).toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The first trial with the option of most votes; of equally many the option that came first. */
function mostChosen(trials: TrialResult[]): TrialResult {
  const votes = countEach(trials.map(({ verdict }) => verdict!.option!))
  const most = Math.max(...votes.values())
  return trials.find(({ verdict }) => votes.get(verdict!.option!) === most)!
}

/**
 * How choices change with the options in reverse order.
 * @param pick what the samples of an order come to; undefined: as EvalAssist, the kept sample is compared with its repeat
 */
function bias(
  first: TrialResult[],
  check: TrialResult[],
  kept: TrialResult,
  pick: ((of: TrialResult[]) => TrialResult) | undefined,
): Partial<Result> {
  const partner = (one: TrialResult) => {
    const others = check.includes(one) ? first : check
    return others.find(({ trial }) => (trial.sample ?? 0) === (one.trial.sample ?? 0)) ?? others[0]!
  }
  const [own, other] = (pick ? [pick(first), pick(check)] : [kept, partner(kept)]).map(
    ({ verdict }) => verdict!,
  )
  const changed = first.filter((one) => partner(one).verdict!.option !== one.verdict!.option).length
  const { option, score = null, explanation, feedback } = other!
  return {
    consistent: changed === 0,
    positional_bias: {
      detected: option !== own!.option,
      ...(first.length > 1 && { share: changed / first.length }),
      result: {
        option,
        score,
        ...(explanation !== undefined && { explanation }),
        ...(feedback !== undefined && { feedback }),
      },
    },
  }
}

/** Compares the verdict with the label: an option, or a score of no option or of several. */
function compared(
  result: Result,
  label: Json | undefined,
  criterion: Criterion | undefined,
  settings: ScoreSettings,
): Partial<Result> {
  if (label === undefined || label === null) return { correct: null }
  const { options = [] } = criterion ?? {}
  const option = optionOf(label, options)
  const number = typeof label === 'boolean' ? undefined : labelNumber(label)
  if (option === undefined && number === undefined)
    return unreadLabel(label, expectedOption(options), settings)
  const score = option === undefined ? number! : scoreOf(criterion, option)
  const labels = { label, label_option: option ?? null, label_score: score }
  // EvalAssist compares scores, also the mean over samples.
  if (settings.compat === 'evalassist')
    return { ...labels, correct: score === null ? null : result.score === score }
  return { ...labels, correct: option === undefined ? null : result.option === option }
}
