/** Whether items with people's labels are like the items without, as estimates over all items take for granted. */
import { clusterError, clusteredTest, effectiveNumber, meanOf } from './clusters.ts'
import { normalQuantile } from './interval.ts'
import { holm } from './multiple.ts'
import { sameMeanTest } from './two_samples.ts'

/** Something that is known of each item with a label, and of each of the others. */
interface Known<T> {
  name: string
  labelled: readonly T[]
  others: readonly T[]
}

/** A mean, or a group's share, among items with a label and among the others. */
export interface LabelDifference {
  /** What has the mean; of a share the field of the group. */
  name: string
  group?: string
  labelled: number
  others: number
  /** Two-sided, adjusted by Holm over all that was looked at. */
  p: number
}

/**
 * The difference with the smallest p, whether that is beyond chance or not. Of two values Fisher's test, of more Welch's; by
 * cluster that of the clustered means. Undefined where there is no test, as of values that are all the same.
 * @param values numbers, such as what a judge said
 * @param groups by field, the group of each item
 * @param clusters the cluster of each labelled item, then of each of the others
 */
export function labelDifference(
  values: readonly Known<number>[],
  groups: readonly Known<string | undefined>[] = [],
  clusters?: readonly string[],
): LabelDifference | undefined {
  const looks = [...values, ...groups.flatMap(sharesOf)]
  const tests = looks.flatMap(({ labelled, others, ...what }): LabelDifference[] => {
    if (labelled.length === 0 || others.length === 0) return []
    const p = clusters ? clusteredMeanTest(labelled, others, clusters) : meanTest(labelled, others)
    return p === null ? [] : [{ ...what, labelled: meanOf(labelled), others: meanOf(others), p }]
  })
  for (const [i, p] of holm(tests.map(({ p }) => p)).entries()) tests[i]!.p = p
  return tests.sort((x, y) => x.p - y.p)[0]
}

/** Of each group whether an item is in it; of two groups that of the first says all. */
function sharesOf({ name, labelled, others }: Known<string | undefined>) {
  const all = [...new Set([...labelled, ...others])].filter((one) => one !== undefined).sort()
  const told = all.length === 2 ? all.slice(0, 1) : all
  return told.map((group) => ({
    name,
    group,
    labelled: labelled.map((one) => Number(one === group)),
    others: others.map((one) => Number(one === group)),
  }))
}

function meanTest(x: readonly number[], y: readonly number[]): number | null {
  const kinds = [...new Set([...x, ...y])]
  if (kinds.length !== 2) return sameMeanTest(x, y)
  const isFirst = (one: number) => Number(one === kinds[0])
  return sameMeanTest(x.map(isFirst), y.map(isFirst))
}

/** Two-sided p of equal means, by the clustered error of their difference; null without one. */
function clusteredMeanTest(x: readonly number[], y: readonly number[], clusters: readonly string[]) {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  const residuals = [...x.map((one) => (one - meanX) / x.length), ...y.map((one) => (meanY - one) / y.length)]
  return clusteredTest({ mean: meanX - meanY, ...clusterError(residuals, clusters) })
}

/** What labels of items that were taken with known probabilities stand for. */
export interface WeightedSample {
  n: number
  /** How many of equal weight they come to. */
  effective: number
  /** Σ 1/p, which estimates `items`. */
  stands_for: number
  items: number
  /** Fewer items than there are, beyond chance: those with a small probability are missing. */
  short: boolean
}

/**
 * Of items taken independently, Σ 1/p has the variance Σ (1 − p)/p² (Horvitz and Thompson 1952).
 * @param weights 1/p of each labelled item @param items how many could have been taken @param alpha how rarely chance is called short
 */
export function weightedSample(weights: readonly number[], items: number, alpha: number): WeightedSample {
  const sum = meanOf(weights) * weights.length
  const error = Math.sqrt(weights.reduce((all, one) => all + one * (one - 1), 0))
  return {
    n: weights.length,
    effective: effectiveNumber(weights),
    stands_for: sum,
    items,
    short: items - sum > normalQuantile(1 - alpha) * error,
  }
}
