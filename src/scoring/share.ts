/**
 * The share of an answer: how much of its games it won. docs/report.md#the-share defines it for jb-aggregate, jb-compare,
 * jb-rank and jb-view.
 */
import type { Decision, Result, Verdict } from '../rows/record.ts'
import {
  type ClusteredMean,
  clusteredShareInterval,
  clusteredTest,
  clusterFigures,
  FEW,
} from '../statistics/clusters.ts'
import { Histogram } from '../statistics/describe.ts'
import { tTest } from '../statistics/distributions.ts'
import { signFlips } from '../statistics/paired.ts'
import { addToCluster, type Cluster, clusterSums, meanByCluster } from './by_cluster.ts'
import type { Scored } from './kind.ts'

const WON: Record<Decision, number> = { 'A>B': 1, 'A=B': 0.5, 'B>A': 0 }

/** Of one game the first answer's share, from 0 to 1; undefined where it was not decided. */
export const gameShare = ({ decision, preference }: Verdict): number | undefined =>
  typeof preference === 'number' ? 1 - preference : WON[decision as Decision]

/** Of an item the first answer's share: the mean of its games (of a jury its verdict); undefined if one of them was not decided. */
export function itemShare({ decision }: Result, trials: readonly Scored[]): number | undefined {
  if (trials.length === 0 || trials[0]!.trial.member !== undefined) return WON[decision as Decision]
  let sum = 0
  for (const { verdict } of trials) {
    const share = verdict && gameShare(verdict)
    if (share === undefined) return undefined
    sum += share
  }
  return sum / trials.length
}

/** A mean share with its interval (null for one item), and p of the two answers being equally good. */
export interface ShareFigures {
  share: number
  ci: [low: number, high: number] | null
  /** With --cluster. */
  clusters?: number
  effective_clusters?: number
  p: number | null
}

/** Shares of items, as a report adds them up. */
export const shareSums = () => ({ all: new Histogram(), by: clusterSums() })
type ShareSums = ReturnType<typeof shareSums>

export function addShare({ all, by }: ShareSums, share: number, cluster: Cluster): void {
  all.add(share)
  addToCluster(by, share, cluster)
}

/** @param shares of items, at least one */
export function shareFigures({ all, by }: ShareSums, level: number): ShareFigures {
  const share = all.mean!
  const clustered = meanByCluster(by)
  if (clustered) {
    const p = clusteredTest({ ...clustered, mean: clustered.mean - 0.5 })
    return { share, ci: shareInterval(clustered, level), ...clusterFigures(clustered), p }
  }
  const { n } = all
  const deviation = all.deviation(1)
  const estimate = {
    n,
    clusters: n,
    effective: n,
    mean: share,
    se: deviation === null ? null : deviation / Math.sqrt(n),
    ...(n < FEW && { freedom: n - 1 }),
  }
  return { share, ci: shareInterval(estimate, level), p: chanceOf(all, estimate) }
}

/** Up to so many items all sign patterns are counted, as a t test needs more. */
const FEWEST = 20

/** The p of both answers being equally good. */
function chanceOf(shares: Histogram, { n, mean, se }: ClusteredMean): number | null {
  if (!se || n <= FEWEST)
    return signFlips(shares.entries().flatMap(([share, times]) => new Array<number>(times).fill(share - 0.5)))
  return tTest((mean - 0.5) / se, n - 1)
}

/** The interval of a mean share, of items or of clusters of them; null for fewer than two. */
export const shareInterval = (estimate: ClusteredMean, level: number): [low: number, high: number] | null =>
  // Ties spread less than wins and losses, and so count as more than one value.
  clusteredShareInterval({ ...estimate, n: estimate.se === 0 ? estimate.effective : Infinity }, level)
