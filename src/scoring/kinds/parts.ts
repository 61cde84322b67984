/** Parts that the reports of several kinds share. */
import type { Json, JsonObject, Result } from '../../rows/record.ts'
import { positionalBiasRate } from '../../statistics/agreement.ts'
import { clusteredShareInterval, clusterFigures } from '../../statistics/clusters.ts'
import type { Histogram } from '../../statistics/describe.ts'
import { wilson } from '../../statistics/interval.ts'
import { passK } from '../../statistics/pass_k.ts'
import { type ClusterSums, meanByCluster } from '../by_cluster.ts'
import type { JudgeKind } from '../kind.ts'
import type { Sums } from '../sums.ts'

/** `count` as a share of `of`; null where `of` is 0. */
export const shareOf = (count: number, of: number): number | null => (of === 0 ? null : count / of)

/** How often the judge agreed with the label, and how many labels could not be read; nothing if no item has a label. */
export function accuracyPart(
  sums: { labelled: number; correct: number; unread_labels: number; right: ClusterSums },
  ci: number,
): JsonObject {
  const { labelled, correct, unread_labels, right } = sums
  const unread = unread_labels > 0 && { unread_labels }
  if (labelled === 0) return { ...unread }
  return {
    accuracy: correct / labelled,
    ...accuracyInterval(correct, labelled, right, ci),
    labelled,
    correct,
    ...unread,
  }
}

/** Wilson's interval of `correct` in `labelled`, by cluster on the effective number of items. */
export function accuracyInterval(
  correct: number,
  labelled: number,
  right: ClusterSums,
  ci: number,
): JsonObject {
  const mean = meanByCluster(right)
  return mean
    ? { ci: clusteredShareInterval(mean, ci), ...clusterFigures(mean) }
    : { ci: wilson(correct, labelled, ci) }
}

/**
 * pass^k and pass@k of attempts: with --cluster the field names the task, and each of its items is an attempt. Nothing without
 * clusters, where an item has none or a task one attempt, or where scores are not 1 and 0.
 * @param range of the scores, where it is known
 */
export function attemptsPart(
  { named, alone }: ClusterSums,
  scores: Histogram,
  range: readonly [number, number] | null | undefined,
  level: number,
): JsonObject {
  const isRate = range ? range[0] === 0 && range[1] === 1 : scores.min === 0 && scores.max === 1
  const areBits = scores.entries().every(([score]) => score === 0 || score === 1)
  const tasks = [...named.values()].map(({ n, sum }): [number, number, number] => [sum.value, n, 1])
  if (!isRate || !areBits || alone.n > 0 || tasks.length === 0 || tasks.some(([, n]) => n < 2)) return {}
  const { all, any } = passK(tasks, level)
  return { pass_hat_k: all as unknown as Json, pass_at_k: any as unknown as Json }
}

/** How often the order was checked, and how often it decided. */
export function countBias(
  sums: { checked: number; detected: number },
  { positional_bias: bias }: Result,
): void {
  if (!bias) return
  sums.checked++
  if ((bias as { detected: boolean }).detected) sums.detected++
}

/** How often the order decided; nothing if no item was judged in both orders. */
export function biasPart(sums: { checked: number; detected: number; valid: number }): JsonObject {
  const { checked, detected, valid } = sums
  if (checked === 0) return {}
  return { positional_bias: detected, positional_bias_rate: positionalBiasRate(detected, valid) }
}

/** The figures of each criterion of items that have several. */
export function criteriaReport<S extends Sums & { valid: number }>(
  criteria: ReadonlyMap<string, S>,
  kind: JudgeKind<S>,
  settings: { ci: number },
): JsonObject {
  if (criteria.size === 0) return {}
  const reports = [...criteria].map(([name, sums]) => [
    name,
    { valid: sums.valid, ...kind.report(sums, settings) },
  ])
  return { criteria: Object.fromEntries(reports) }
}
