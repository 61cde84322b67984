/** Values of items that come in clusters (`--cluster`), as a report adds them up. */
import {
  boundedInterval,
  type ClusteredMean,
  clusteredInterval,
  clusterFigures,
  unevenMean,
} from '../statistics/clusters.ts'
import { Histogram } from '../statistics/describe.ts'
import { Sum } from '../statistics/sum.ts'
import { ByName } from './sums.ts'

/** Of an item the value of --cluster's field; null where it has none, and is a cluster of its own; undefined without --cluster. */
export type Cluster = string | null | undefined

/** Sums by cluster, and the values of items that are their own; empty without --cluster. */
export const clusterSums = () => ({
  named: new ByName(() => ({ n: 0, sum: new Sum() })),
  alone: new Histogram(),
})
export type ClusterSums = ReturnType<typeof clusterSums>

export function addToCluster({ named, alone }: ClusterSums, value: number, cluster: Cluster): void {
  if (cluster === null) alone.add(value)
  else if (cluster !== undefined) {
    const sums = named.of(cluster)
    sums.n++
    sums.sum.add(value)
  }
}

export const hasClusters = ({ named, alone }: ClusterSums): boolean => named.size > 0 || alone.n > 0

/** Their mean with its error by cluster; undefined without --cluster. */
export function meanByCluster({ named, alone }: ClusterSums): ClusteredMean | undefined {
  if (!hasClusters({ named, alone })) return undefined
  const each: [number, number][] = [...named.values()].map(({ n, sum }) => [n, sum.value])
  for (const [value, times] of alone.entries()) for (let i = 0; i < times; i++) each.push([1, value])
  return unevenMean(each)
}

/**
 * The interval of the mean of scores, by Student's t or by cluster; null for fewer than two, and if all are the same.
 * @param range of a scale that is known, which it does not leave
 */
export function scoreInterval(
  scores: Histogram,
  by: ClusterSums,
  range: readonly [number, number] | null | undefined,
  level: number,
): { ci: [number, number] | null; clusters?: number; effective_clusters?: number } {
  const { n, mean } = scores
  const deviation = scores.deviation(1)
  const clustered = meanByCluster(by)
  const clusters = clustered && clusterFigures(clustered)
  const { se, freedom } = clustered ?? { se: (deviation ?? 0) / Math.sqrt(n), freedom: n - 1 }
  if (!deviation || !se) return { ci: null, ...clusters }
  const estimate = { mean: mean!, se, ...(freedom !== undefined && { freedom }) }
  const isWithin = range && range[0] <= scores.min! && scores.max! <= range[1]
  return {
    ci: isWithin ? boundedInterval(estimate, range, level) : clusteredInterval(estimate, level),
    ...clusters,
  }
}
