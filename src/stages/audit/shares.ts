/** Intervals and tests of shares and means: of independent items, or by cluster. */
import { clusterField } from '../../options/common.ts'
import {
  type ClusteredMean,
  clusteredInterval,
  clusteredShareInterval,
  clusteredTest,
  clusterFigures,
  clusterSums,
  clustersIn,
  unevenMean,
  weightedMean,
} from '../../statistics/clusters.ts'
import { binomialTest } from '../../statistics/distributions.ts'
import { wilson } from '../../statistics/interval.ts'
import { pairedT, pairedTest } from '../../statistics/paired.ts'
import type { JudgedItem, JudgedItems } from './items.ts'
import type { AuditOptions } from './options.ts'

/**
 * The cluster of each item; undefined where values are independent. A probe's copy is in the cluster of its original.
 * @param repeats whether an item has several values that say the same thing again, such as its samples
 */
export function clustersOf(
  items: Pick<JudgedItems, 'map' | 'some'>,
  options: Pick<AuditOptions, 'cluster'>,
  repeats: (item: JudgedItem, index: number) => boolean = () => false,
): string[] | undefined {
  if (options.cluster === 'none') return undefined
  // An item without the field is its own cluster.
  if (clusterField(options) !== undefined) return items.map((item) => item.cluster ?? `\0${originalOf(item)}`)
  return hasRepeats(items) || items.some(repeats) ? items.map(originalOf) : undefined
}

const originalOf = ({ id, probe }: JudgedItem) => probe?.of ?? id

/** Items come in the order of their ids: only where these are not all in order, as of probes, is a set needed. */
function hasRepeats(items: Pick<JudgedItems, 'map' | 'some'>): boolean {
  let before: string | undefined
  const isOrdered = !items.some((item) => {
    const id = originalOf(item)
    const isAfter = before === undefined || before < id
    before = id
    return !isAfter
  })
  if (isOrdered) return false
  const ids = items.map(originalOf)
  return new Set(ids).size < ids.length
}

/** A share of yes among values of items or of their games. */
export class Share {
  n = 0
  count = 0
  /** Where they are not independent, or of items that were taken with different probabilities: each. */
  private readonly values: number[] = []
  private readonly weights: number[] = []
  private readonly clusters: string[] | undefined
  private readonly clusterOf: readonly string[] | undefined
  /** Of all values, which are all there once it is asked for. */
  private known: ClusteredMean | undefined

  /** @param clusterOf the cluster of each item; undefined where values are independent */
  constructor(clusterOf: readonly string[] | undefined) {
    this.clusterOf = clusterOf
    this.clusters = clusterOf && []
  }

  /** Adds a value of the item with this index. */
  add(yes: boolean, item: number, weight?: number): void {
    this.n++
    if (yes) this.count++
    if (weight !== undefined || this.clusters) this.values.push(Number(yes))
    if (weight !== undefined) this.weights.push(weight)
    this.clusters?.push(this.clusterOf![item]!)
  }

  get value(): number | null {
    return this.n === 0 ? null : this.weights.length > 0 ? this.mean().mean : this.count / this.n
  }

  /** Wilson's interval, by cluster on the effective number of values; null without values. */
  interval(level: number): [number, number] | null {
    if (!this.clusters && this.weights.length === 0) return wilson(this.count, this.n, level)
    return this.n === 0 ? null : clusteredShareInterval(this.mean(), level)
  }

  /** Two-sided p against a half: the exact binomial test, by cluster that of the clustered mean. */
  test(): number | null {
    if (!this.clusters || this.n === 0) return binomialTest(this.count, this.n)
    const { mean, ...error } = this.mean()
    return clusteredTest({ mean: mean - 0.5, ...error })
  }

  /** Figures of a section. @param n,count what the number of values and of those that are yes are called */
  figures(n: string, count: string, level: number) {
    return {
      [n]: this.n,
      ...clusterCount(this.clusterOf),
      [count]: this.count,
      share: this.value,
      ci: this.interval(level),
    }
  }

  private mean() {
    const { values, weights } = this
    this.known ??=
      weights.length > 0
        ? weightedMean(values, weights, this.clusters)
        : unevenMean(clusterSums(values, this.clusters!))
    return this.known
  }
}

/** Interval and p of a mean difference: those of paired differences, by cluster of the clustered mean. */
export function meanFigures(
  differences: readonly number[],
  clusters: readonly string[] | undefined,
  level: number,
) {
  if (clusters) {
    const mean = unevenMean(clusterSums(differences, clusters))
    return { ci: clusteredInterval(mean, level), p: clusteredTest(mean) }
  }
  return { ci: pairedT(differences, level)?.ci ?? null, p: pairedTest(differences).p }
}

/** The number of clusters, for a section whose intervals depend on them. */
export const clusterCount = (clusters: readonly string[] | undefined) =>
  clusters && clusterFigures(clustersIn(clusters))
