/** How sure a share or a mean is: of items that stand for themselves, or by cluster. */
import { clusterField } from '../../options/common.ts'
import {
  clusteredInterval,
  clusteredMean,
  clusteredShareInterval,
  clusteredTest,
  clusterSums,
} from '../../statistics/clusters.ts'
import { binomialTest } from '../../statistics/distributions.ts'
import { wilson } from '../../statistics/interval.ts'
import { pairedT } from '../../statistics/paired.ts'
import type { JudgedItem } from './collect.ts'
import type { AuditOptions } from './options.ts'

/** What each item belongs to; undefined where each stands for itself. A changed copy belongs with what it is a copy of. */
export function clustersOf(
  items: readonly JudgedItem[],
  options: Pick<AuditOptions, 'cluster'>,
): string[] | undefined {
  if (options.cluster === 'none') return undefined
  const ids = items.map(({ id, probe }) => probe?.of ?? id)
  // An item without the field stands for itself.
  if (clusterField(options) !== undefined) return items.map(({ cluster }, i) => cluster ?? `\0${ids[i]}`)
  return new Set(ids).size < ids.length ? ids : undefined
}

/** Values of 0 and 1, an item's or a game's, and the clusters of these. */
export class Shares {
  private readonly values: number[] = []
  private readonly clusters: string[] | undefined

  constructor(clustered: boolean) {
    this.clusters = clustered ? [] : undefined
  }

  add(yes: boolean, cluster: string | undefined): void {
    this.values.push(Number(yes))
    this.clusters?.push(cluster!)
  }

  get n(): number {
    return this.values.length
  }

  get count(): number {
    return this.values.reduce((sum, one) => sum + one, 0)
  }

  get share(): number | null {
    return this.n === 0 ? null : this.count / this.n
  }

  /** Wilson's interval; by cluster on the effective number of values. */
  interval(level: number): [number, number] | null {
    if (!this.clusters) return wilson(this.count, this.n, level)
    return this.n === 0 ? null : clusteredShareInterval(this.mean(), level)
  }

  /** Two-sided p against a half: exact binomial; by cluster of the clustered mean. */
  test(): number | null {
    if (!this.clusters || this.n === 0) return binomialTest(this.count, this.n)
    const { mean, ...error } = this.mean()
    return clusteredTest({ mean: mean - 0.5, ...error })
  }

  private mean() {
    return clusteredMean(clusterSums(this.values, this.clusters!))
  }
}

/** Interval and p of a mean difference: paired t; by cluster of the clustered mean. */
export function sureMean(
  differences: readonly number[],
  clusters: readonly string[] | undefined,
  level: number,
) {
  if (clusters) {
    const mean = clusteredMean(clusterSums(differences, clusters))
    return { ci: clusteredInterval(mean, level), p: clusteredTest(mean) }
  }
  const t = pairedT(differences, level)
  return { ci: t?.ci ?? null, p: t?.p ?? null }
}

/** How many clusters there are, for a section that is measured by them. */
export const clusterCount = (clusters: readonly string[] | undefined) =>
  clusters && { clusters: new Set(clusters).size }
