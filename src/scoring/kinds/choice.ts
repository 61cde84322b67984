/**
 * Choice: the samples of each criterion are combined to an option and a score, several criteria to a weighted score.
 *
 * Trials with the options in reverse order (`--order both`) are a check, not further votes: the verdict is that of the
 * first order, and the result has both.
 */
import { scoreOf } from '../../criteria/_criterion.ts'
import { itemScore, optionRange, scaled, scaledRange, scoreRange, total } from '../../criteria/_multi.ts'
import { areYesNo } from '../../criteria/_yes_no.ts'
import { someNames } from '../../options/nearest.ts'
import { byKey, count, countEach, grouped } from '../../rows/maps.ts'
import {
  type Criterion,
  isObject,
  type Json,
  type JsonObject,
  type Result,
  RowFailure,
  usageError,
  type Verdict,
} from '../../rows/record.ts'
import { Histogram } from '../../statistics/describe.ts'
import { type PassK, passK } from '../../statistics/pass_k.ts'
import {
  addToCluster,
  type Cluster,
  type ClusterSums,
  clusterSums,
  hasClusters,
  scoreInterval,
} from '../by_cluster.ts'
import {
  type About,
  type Added,
  type JudgeKind,
  plainMeaning,
  type Scored,
  type ScoreSettings,
} from '../kind.ts'
import { labelOf, labelOfCriterion, unreadLabel } from '../label.ts'
import { addClasses, addScores, agreementReport, agreementSums, spelledAs } from '../label_agreement.ts'
import { criterionOf, expectedOption, labelNumber, optionOf } from '../label_terms.ts'
import { ByName, Shared, type Sums } from '../sums.ts'
import { raised, wordsApart } from '../warnings.ts'
import { accuracyInterval, accuracyPart, attemptsPart, biasPart, countBias, criteriaReport } from './parts.ts'

const EXPECTED_OF_SEVERAL = 'an object with an option for each criterion, or a score'

/** What a report adds up over choices, of one criterion or of all. */
const sums = (): ChoiceSums => ({
  valid: 0,
  sampled: 0,
  unanimous: 0,
  checked: 0,
  detected: 0,
  labelled: 0,
  correct: 0,
  unread_labels: 0,
  scored: new Histogram(),
  agreement: new Histogram(),
  options: new Map(),
  distinct: new Map(),
  passed: new Map(),
  meta: agreementSums(),
  open: new Map(),
  right: clusterSums(),
  by: clusterSums(),
  scale: new Shared(),
  criteria: new ByName(sums),
})
interface ChoiceSums extends Sums {
  valid: number
  sampled: number
  unanimous: number
  checked: number
  detected: number
  labelled: number
  correct: number
  unread_labels: number
  scored: Histogram
  /** The shares of samples that agree with the result. */
  agreement: Histogram
  options: Map<string, number>
  /** Items by the number of different options in their samples. */
  distinct: Map<string, number>
  /** Items by how many of their samples have score 1, the others 0: `3/4`. */
  passed: Map<string, number>
  meta: ReturnType<typeof agreementSums>
  /** Labels of items whose judge's options are not known, so that any word is read as one. */
  open: Map<string, number>
  /** By cluster: whether items are right, and their scores. */
  right: ClusterSums
  by: ClusterSums
  /** The range of the scores; null if criteria differ in it, or say none. */
  scale: Shared
  criteria: ByName<ChoiceSums>
}

export const kind: JudgeKind<ChoiceSums> = {
  reads: ['option', 'score', 'failure', 'each'],
  labels: ['label', 'expected_result'],
  meaning: plainMeaning,
  score(given, about, settings) {
    let trials = given
    if (trials.some(({ verdict }) => (verdict!.option ?? null) === null))
      throw new RowFailure('no_verdict', 'jb.verdict has no option')
    if (trials.some(({ trial }) => trial.nugget !== undefined)) return ofNuggets(trials, settings)
    const { asked, criteria = asked } = about
    if (criteria !== asked) trials = trials.map((one) => rescored(one, about, settings))
    const groups = grouped(trials, ({ trial }) => trial.criterion ?? '')
    const asking = ({ name }: Criterion) => {
      const group = groups.get(name) ?? (criteria.length === 1 ? groups.get('') : undefined)
      if (!group) throw new RowFailure('incomplete', `no trial asked about criterion "${name}"`)
      return group
    }
    const label = labelOf(about)
    if (!criteria.some((one) => one.weight !== undefined || one.normalize_scores !== undefined)) {
      if (criteria !== asked) criteria.forEach(asking)
      const result = ofOne(trials, settings)
      const truth = labelOfCriterion(label, criteria[0]?.name ?? '')
      const one = criteria[0] ?? criterionOf(result)
      return { kind: 'choice', ...result, ...compared(result, truth, one, settings) }
    }
    const items = criteria.map((criterion) => {
      const group = asking(criterion)
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
  sums,
  add: (sums, result, item) => add(sums, result, item, scoreRange(item.criteria ?? [])),
  warnings({ open, options }) {
    const spelled = spelledAs(new Set(options.keys()))
    return raised(wordsApart([...open.keys()].map(spelled), options.keys()))
  },
  report(sums, settings) {
    const { scored } = sums
    const { accuracy: _same, ...measures } = agreementReport(sums.meta)
    const report: JsonObject = { ...accuracyPart(sums, settings.ci), ...measures }
    if (scored.n > 0) Object.assign(report, scoresPart(sums, settings.ci))
    if (scored.n < sums.valid) report.unscored = sums.valid - scored.n
    if (sums.options.size > 0) report.options = Object.fromEntries(byKey(sums.options))
    if (sums.sampled > 0)
      Object.assign(report, {
        agreement: sums.agreement.mean,
        unanimous: sums.unanimous,
        distinct: Object.fromEntries(byKey(sums.distinct)),
      })
    Object.assign(report, passPart(sums, settings.ci))
    return Object.assign(report, biasPart(sums), criteriaReport(sums.criteria, kind, settings))
  },
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
  trials: readonly Scored[],
  { score = null }: Result,
  settings: ScoreSettings,
): number | null {
  if (settings.compat !== 'evalassist') return scaled(criterion, score)
  const onScale = ({ verdict, ...one }: Scored) => ({
    ...one,
    verdict: { ...verdict!, score: scaled(criterion, verdict!.score ?? null) },
  })
  return ofOne(trials.map(onScale), settings).score ?? null
}

/** A judge that is asked about each nugget of an item: the options by nugget, their counts, the mean score. */
function ofNuggets(trials: readonly Scored[], settings: ScoreSettings): Result {
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

/**
 * The trial with its option's score by `--criteria`, if its own score is that of its criterion.
 * @throws RowFailure missing_field if its criterion there has other options
 */
function rescored(one: Scored, { asked, criteria = asked }: About, { compat }: ScoreSettings): Scored {
  const { criterion = '' } = one.trial
  const named = (of: readonly Criterion[]) =>
    of.find(({ name }) => name === criterion) ?? (criterion === '' && of.length === 1 ? of[0] : undefined)
  const now = named(criteria)
  const { option, score = null } = one.verdict!
  // Raw scores have no options, and EvalAssist takes any.
  if (!now || now.options.length === 0 || score === null || compat === 'evalassist') return one
  const names = now.options.map(({ name }) => name)
  if (!names.includes(option!))
    throw new RowFailure(
      'missing_field',
      `the judge chose "${option}", which is no option of criterion "${now.name}" in --criteria (there: ${someNames(names)})`,
    )
  const before = named(asked) ?? criterionOf(one.verdict!)
  if (!before || score !== scoreOf(before, option!)) return one
  return { ...one, verdict: { ...one.verdict!, score: scoreOf(now, option!) } }
}

/** The result of one criterion's samples. */
function ofOne(trials: readonly Scored[], settings: ScoreSettings): Result {
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
  const pick = combine === 'first' ? (of: readonly Scored[]) => of[0]! : mostChosen
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
      ...passedPart(verdicts),
    })
  }
  for (const key of ['options', 'explanation', 'feedback', 'raw_score', 'ratio'] as const)
    if (verdict![key] !== undefined) Object.assign(result, { [key]: verdict![key] })
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
function mostChosen(trials: readonly Scored[]): Scored {
  const votes = countEach(trials.map(({ verdict }) => verdict!.option!))
  const most = Math.max(...votes.values())
  return trials.find(({ verdict }) => votes.get(verdict!.option!) === most)!
}

/**
 * How choices change with the options in reverse order.
 * @param pick what the samples of an order come to; undefined: as EvalAssist, the kept sample is compared with its repeat
 */
function bias(
  first: readonly Scored[],
  check: readonly Scored[],
  kept: Scored,
  pick: ((of: readonly Scored[]) => Scored) | undefined,
): Partial<Result> {
  const partner = (one: Scored) => {
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
export function compared(
  result: Result,
  label: Json | undefined,
  criterion: Criterion | undefined,
  settings: ScoreSettings,
): Partial<Result> {
  if (label === undefined || label === null) return { correct: null }
  const { options = [] } = criterion ?? {}
  const option = optionOf(label, criterion, result.option)
  const number = typeof label === 'boolean' ? undefined : labelNumber(label)
  if (option === undefined && (number === undefined || isBeyond(number, criterion && optionRange(criterion))))
    return unreadLabel(label, expectedOption(options), settings)
  const score = option === undefined ? number! : scoreOf(criterion, option)
  const labels = { label, label_option: option ?? null, label_score: score }
  // EvalAssist compares scores, also the mean over samples.
  if (settings.compat === 'evalassist')
    return { ...labels, correct: score === null ? null : result.score === score }
  return { ...labels, correct: option === undefined ? null : result.option === option }
}

/** Whether a number cannot be on the scale of the options' scores. */
const isBeyond = (number: number, range: [number, number] | undefined) =>
  range !== undefined && (number < range[0] || number > range[1])

/** @param range of its score, where it is known */
function add(sums: ChoiceSums, result: Result, item: Added, range: [number, number] | undefined): void {
  sums.valid++
  if (typeof result.score === 'number') {
    sums.scored.add(result.score)
    addToCluster(sums.by, result.score, item.cluster)
  }
  sums.scale.add('range', range ?? null)
  if (typeof result.option === 'string') count(sums.options, result.option, 1)
  if (Array.isArray(result.samples)) addSamples(sums, result)
  countBias(sums, result)
  addLabel(sums, result, item.cluster)
  if (typeof result.label_option === 'string' && !result.options && !item.criteria?.length)
    count(sums.open, result.label_option, 1)
  for (const one of (result.items ?? []) as unknown as (Result & { criterion?: string })[]) {
    if (one.criterion !== undefined) {
      const asked = item.criteria?.find(({ name }) => name === one.criterion)
      add(sums.criteria.of(one.criterion), one, item, asked && scaledRange(asked))
    }
    if (one.criterion === undefined && one.option !== undefined) count(sums.options, one.option, 1)
  }
}

function addSamples(sums: ChoiceSums, result: Result): void {
  const { size } = new Set(result.samples as string[])
  sums.sampled++
  sums.agreement.add(result.agreement as number)
  if (size === 1) sums.unanimous++
  count(sums.distinct, String(size), 1)
  if (typeof result.passed === 'number')
    count(sums.passed, `${result.passed}/${(result.samples as string[]).length}`, 1)
}

/** How many samples pass, where each has the score 1 or 0. */
function passedPart(verdicts: readonly Verdict[]): { passed?: number } {
  if (!verdicts.every(({ score }) => score === 0 || score === 1)) return {}
  return { passed: verdicts.filter(({ score }) => score === 1).length }
}

/** pass^k and pass@k, where the samples of all items pass or don't; of items with one, of those of each cluster. */
function passPart(sums: ChoiceSums, level: number): JsonObject {
  const { passed, sampled, by } = sums
  if (sampled === 0) return attemptsPart(by, sums.scored, rangeOf(sums), level)
  const trials = byKey(passed).map(
    ([of, items]) => [...of.split('/').map(Number), items] as [number, number, number],
  )
  if (trials.reduce((sum, [, , items]) => sum + items, 0) < sampled) return {}
  const { all, any } = passK(trials, level)
  // The counts are not kept by cluster, and over items the interval would be too narrow.
  const told = (figures: readonly PassK[]): Json[] =>
    figures.map(({ k, value, ci }) => ({ k, value, ...(!hasClusters(by) && { ci: ci as Json }) }))
  return { pass_hat_k: told(all), pass_at_k: told(any) }
}

function addLabel(sums: ChoiceSums, result: Result, cluster: Cluster): void {
  if (result.label_error !== undefined) sums.unread_labels++
  const { label, label_option: truth, label_score: human, option, score } = result
  if (typeof result.correct === 'boolean') {
    sums.labelled++
    if (result.correct) sums.correct++
    addToCluster(sums.right, Number(result.correct), cluster)
  }
  if (typeof truth === 'string' && typeof option === 'string') {
    const own = result.score_of_option ?? score
    addClasses(sums.meta, truth, option)
    if (typeof human === 'number') sums.meta.worth.add(truth, human)
    if (typeof own === 'number') sums.meta.worth.add(option, own)
  }
  const known = human ?? label
  if (typeof known === 'number' && typeof score === 'number') addScores(sums.meta, known, score)
}

/** Whether the options chosen say yes and no (PASS, …). */
const isYesNo = ({ scored, options }: ChoiceSums): boolean =>
  areYesNo([...options.keys()]) && scored.min! >= 0 && scored.max! <= 1

/** That of the scores, as far as it is known. */
const rangeOf = (sums: ChoiceSums): [number, number] | null =>
  (sums.scale.get('range') as [number, number] | null) ?? (isYesNo(sums) ? [0, 1] : null)

/** Mean and deviation, and the interval of the mean: `ci`, or beside an accuracy, whose interval that is, `score_ci`; of a rate of yes (PASS, …) Wilson's. */
function scoresPart(sums: ChoiceSums, level: number): JsonObject {
  const { scored, labelled, by } = sums
  const { mean } = scored
  const range = rangeOf(sums)
  const scale = range && { range: [...range] }
  if (scored.n < 2) return { score: mean, ...scale }
  const areBits = scored.entries().every(([score]) => score === 0 || score === 1)
  const isRate = areBits && (scored.min !== scored.max || isYesNo(sums))
  const interval = () =>
    isRate
      ? accuracyInterval(Math.round(mean! * scored.n), scored.n, by, level)
      : scoreInterval(scored, by, range, level)
  return {
    score: mean,
    ...(labelled === 0 ? interval() : { score_ci: interval().ci! }),
    std: scored.deviation(),
    ...scale,
  }
}
