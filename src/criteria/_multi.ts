/**
 * Combines several criteria into one score. The criteria are checked before any call; jb-score computes the score.
 *
 * score = Σ weightᵢ · sᵢ, where sᵢ is the option's score, scaled to 0 to 1 (unless normalize_scores is false), or 1 or 0
 * for a target option or a threshold. The score is 0 if a required criterion is not at its best.
 */
import { didYouMean } from '../options/nearest.ts'
import { roundFloat } from '../python/numbers.ts'
import { type Criterion, configError } from '../rows/record.ts'
import { isWeighed } from './_criterion.ts'

const scoresOf = (one: Criterion) => one.options.map(({ score }) => score)
const isScored = (one: Criterion) => one.options.length > 0 && !scoresOf(one).includes(null)

/** The lowest and the highest score of the options; undefined if one has no score. */
export function optionRange(one: Criterion): [number, number] | undefined {
  if (!isScored(one)) return undefined
  const scores = scoresOf(one) as number[]
  return [Math.min(...scores), Math.max(...scores)]
}

/**
 * Completes the names and weights of criteria. Those without a name become `criteria_1`, …; without any weights all weigh
 * the same. A single criterion without
 * weight, target and threshold is returned unchanged.
 * @param compat `evalassist`: items of a configuration need weights; an unknown target scores 0; options that cannot be normalised are refused in spite of a
 *   target; without normalising, options are not needed; with several criteria every option has a score
 * @param listed the criteria are a list: with `compat` a list of one is treated as several
 * @throws Fatal (configuration) for weights, targets and scores that cannot be combined
 */
export function checkedTogether(
  criteria: Criterion[],
  where: string,
  compat?: string,
  listed = false,
): Criterion[] {
  const explicit = criteria.some(isWeighed)
  // Criteria for comparing answers have no options, and so no score.
  const original = compat === 'evalassist' && criteria.every(({ options }) => options.length > 0)
  if (criteria.length === 1 && !explicit && !(original && listed)) return criteria
  const named = criteria.map((one, index) => ({ ...one, name: one.name || `criteria_${index + 1}` }))
  for (const one of named) checkItem(one, named, where)
  if (compat === 'evalassist' && named.every((one) => one.normalize_scores !== undefined && !hasWeight(one)))
    throw configError(`${where}: no item has a weight: evalassist scores no items without weights`)
  const weighed = checkWeights(named, where)
  for (const one of weighed) if (explicit || original) checkScores(one, where, compat)
  const names = weighed.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw configError(`${where}: two criteria are called "${repeated}"`)
  return weighed
}

function checkItem(one: Criterion, all: Criterion[], where: string): void {
  const at = `${where}: criterion "${one.name}"`
  if (one.target_option !== undefined && one.score_threshold !== undefined)
    throw configError(`${at} has both a target_option and a score_threshold`)
  if (one.weight !== undefined && !(one.weight >= 0 && one.weight <= 1))
    throw configError(`${at}: weight is ${one.weight}, expected 0 to 1`)
  if (one.weight !== undefined) return
  const other = all.find(
    ({ weight, target_option, score_threshold }) =>
      weight !== undefined || target_option !== undefined || score_threshold !== undefined,
  )
  if (other)
    throw configError(
      `${at} has no weight, but others have a weight, a target or a threshold: give all a weight`,
    )
}

const hasWeight = ({ weight }: Criterion) => weight !== undefined

function checkWeights(criteria: Criterion[], where: string): Criterion[] {
  if (!criteria.some(hasWeight)) return criteria.map((one) => ({ ...one, weight: 1 / criteria.length }))
  const sum = criteria.reduce((sum, { weight }) => sum + weight!, 0)
  if (Math.abs(sum - 1) > 1e-9)
    throw configError(`${where}: the weights add up to ${Number(sum.toFixed(9))}, expected 1`)
  return criteria
}

function checkScores(one: Criterion, where: string, compat: string | undefined): void {
  const at = `${where}: criterion "${one.name}"`
  const names = one.options.map(({ name }) => name)
  const original = compat === 'evalassist'
  if (names.length === 0 && original && one.normalize_scores === false) return
  if (names.length === 0) throw configError(`${at} has no options to score`)
  if (one.target_option !== undefined && !names.includes(one.target_option) && !original) {
    const hint = didYouMean(one.target_option, names, `, expected one of ${names.join(', ')}`)
    throw configError(`${at}: target_option is "${one.target_option}"${hint}`)
  }
  if (!isScored(one) && one.target_option === undefined) {
    const unscored = one.options.find(({ score }) => score === null)!
    throw configError(`${at}: option "${unscored.name}" has no score, and the criterion no target_option`)
  }
  const range = optionRange(one)
  const flat = range !== undefined && range[0] === range[1]
  if (flat && one.normalize_scores !== false && (one.target_option === undefined || original))
    throw configError(
      `${at}: all options score ${range[0]} and cannot be normalised (normalize_scores: false takes scores as they are)`,
    )
}

/** A message about a threshold that no score can exceed, else undefined. Thresholds are compared with normalised scores. */
export function deadThreshold(one: Criterion): string | undefined {
  const { score_threshold: threshold } = one
  const range = optionRange(one)
  if (threshold === undefined || !range) return undefined
  const best = one.normalize_scores === false ? range[1] : 1
  if (threshold < best) return undefined
  return `criterion "${one.name}": no score can be above the threshold ${threshold}, the best is ${best}${one.normalize_scores === false ? '' : ' after normalising'}`
}

/** The contribution of one criterion. */
interface ItemScore {
  /** The verdict's score, see {@link scaled}; null if the option has none. */
  score: number | null
  weighted_score: number | null
  strategy: 'target_option' | 'score_threshold' | 'none'
}

/** A score scaled to 0 to 1, or unchanged if the criterion does not normalise scores. */
export function scaled(one: Criterion, raw: number | null): number | null {
  const range = one.normalize_scores === false ? undefined : optionRange(one)
  return raw === null || !range || range[0] === range[1] ? raw : (raw - range[0]) / (range[1] - range[0])
}

/** The lowest and the highest score of the options as {@link scaled}; undefined if one has no score. */
export function scaledRange(one: Criterion): [number, number] | undefined {
  const range = optionRange(one)
  return range && [scaled(one, range[0])!, scaled(one, range[1])!]
}

/**
 * The lowest and the highest score of an item: of one criterion without a weight those of its options, of several the
 * sums of their contributions; undefined where not all options have one.
 */
export function scoreRange(criteria: readonly Criterion[]): [number, number] | undefined {
  const [one] = criteria
  if (criteria.length === 1 && one!.weight === undefined && one!.normalize_scores === undefined)
    return optionRange(one!)
  let [low, high] = [0, 0]
  for (const one of criteria) {
    const each = one.options.map(({ name, score }) => itemScore(one, name, scaled(one, score)).weighted_score)
    if (each.length === 0 || each.includes(null)) return undefined
    low += Math.min(...(each as number[]))
    high += Math.max(...(each as number[]))
  }
  if (criteria.some(({ required }) => required)) low = Math.min(low, 0)
  return criteria.length === 0 ? undefined : [roundFloat(low, 9), roundFloat(high, 9)]
}

/** The contribution of one criterion's verdict: its score or the outcome of its target or threshold, times its weight. */
export function itemScore(one: Criterion, option: string | undefined, score: number | null): ItemScore {
  const { target_option: target, score_threshold: threshold } = one
  const strategy =
    target !== undefined ? 'target_option' : threshold !== undefined ? 'score_threshold' : 'none'
  const counted =
    target !== undefined
      ? Number(option === target)
      : score === null || threshold === undefined
        ? score
        : Number(score > threshold)
  const weighted = counted === null || one.weight === undefined ? null : counted * one.weight
  return { score, weighted_score: weighted, strategy }
}

interface Total {
  score: number | null
  /** Why the score is null or 0: names of criteria. */
  unscored?: string[]
  failed_required?: string[]
}

/**
 * The sum of the contributions, rounded to 9 digits; 0 if a required criterion is not at its best, else null if one has
 * no score.
 * @param compat `evalassist`: the first of the two in the order of the items decides, and "at its best" is a
 *   weighted score that reaches the weight (on a raw scale 1 of 5 does)
 */
export function total(items: { criterion: Criterion; item: ItemScore }[], compat?: string): Total {
  if (compat === 'evalassist') return originalTotal(items)
  const failed = items.filter(({ criterion, item }) => criterion.required && isBelowBest(criterion, item))
  if (failed.length > 0) return { score: 0, failed_required: failed.map(({ criterion }) => criterion.name) }
  const unscored = items.filter(({ item }) => item.weighted_score === null)
  if (unscored.length > 0) return { score: null, unscored: unscored.map(({ criterion }) => criterion.name) }
  return {
    score: roundFloat(
      items.reduce((sum, { item }) => sum + item.weighted_score!, 0),
      9,
    ),
  }
}

function isBelowBest(one: Criterion, { score, weighted_score, strategy }: ItemScore): boolean {
  // With weight 0 the score of 0 is the best.
  if (weighted_score === null || one.weight === 0) return false
  if (strategy !== 'none') return weighted_score < one.weight!
  const best = one.normalize_scores === false ? (optionRange(one)?.[1] ?? 1) : 1
  return score! < best
}

function originalTotal(items: { criterion: Criterion; item: ItemScore }[]): Total {
  let sum = 0
  for (const { criterion, item } of items) {
    if (item.weighted_score === null) return { score: null, unscored: [criterion.name] }
    if (criterion.required && item.weighted_score < criterion.weight!)
      return { score: 0, failed_required: [criterion.name] }
    sum += item.weighted_score
  }
  return { score: roundFloat(sum, 9) }
}
