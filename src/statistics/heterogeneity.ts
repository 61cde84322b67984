/** Whether several groups have the same mean. */
import { append } from '../rows/maps.ts'
import { type ClusteredMean, clusterError, meanOf, varianceOf } from './clusters.ts'
import { fTest } from './distributions.ts'

/** A group's mean, its standard error, and the degrees of freedom of that. */
export interface GroupMean {
  mean: number
  se: number
  freedom: number
}

/** p of equal means, and how many standard errors each group is above the common mean. */
interface Heterogeneity {
  p: number
  apart: number[]
}

/**
 * Welch's analysis of variance, "On the comparison of several mean values" (1951): means weigh 1 / se², which need not be
 * alike. Values agree with statsmodels' anova_oneway.
 * @param groups at least two, with errors above 0
 */
export function welchAnova(groups: readonly GroupMean[]): Heterogeneity {
  const k = groups.length
  const weights = groups.map(({ se }) => 1 / se ** 2)
  const total = weights.reduce((sum, one) => sum + one, 0)
  const common = groups.reduce((sum, { mean }, i) => sum + weights[i]! * mean, 0) / total
  const apart = groups.map(({ mean, se }) => (mean - common) / se)
  const between = apart.reduce((sum, z) => sum + z * z, 0) / (k - 1)
  const lack = groups.reduce((sum, { freedom }, i) => sum + (1 - weights[i]! / total) ** 2 / freedom, 0)
  const f = between / (1 + ((2 * (k - 2)) / (k * k - 1)) * lack)
  return { p: fTest(f, k - 1, (k * k - 1) / (3 * lack)), apart }
}

/**
 * The same of values by group. Each group has two imaginary values beside its own, one standard deviation of all values
 * above their mean and one below: a few values that happen to be alike show too small an error, or none. How often groups that
 * are alike are told apart is in test/stages/compare/null.check.ts.
 * @param groups of the values, one each
 * @param clusters values that belong together; those of several groups count as apart
 * @returns the groups of two values (or clusters) and more, in order of their names; null for fewer than two of these, or without spread
 */
export function heterogeneity(
  values: readonly number[],
  groups: readonly (string | undefined)[],
  clusters?: readonly string[],
): { names: string[]; p: number; apart: number[] } | null {
  const members = new Map<string, number[]>()
  for (const [i, group] of groups.entries()) if (group !== undefined) append(members, group, i)
  const known = [...members].filter(([, of]) => new Set(of.map((i) => clusters?.[i] ?? i)).size > 1)
  const all = known.flatMap(([, of]) => of.map((i) => values[i]!))
  if (known.length < 2) return null
  const [centre, sd] = [meanOf(all), Math.sqrt(varianceOf(all))]
  if (sd === 0) return null
  const sorted = known.sort(([x], [y]) => (x < y ? -1 : 1))
  const found = welchAnova(
    sorted.map(([, of]) => {
      const own = [...of.map((i) => values[i]!), centre - sd, centre + sd]
      const mean = meanOf(own)
      const parts = own.map((_, at) => (at < of.length ? (clusters?.[of[at]!] ?? `${at}`) : `\0${at}`))
      const { se } = clusterError(
        own.map((one) => (one - mean) / own.length),
        parts,
      ) as Pick<ClusteredMean, 'se'>
      return { mean, se: se!, freedom: new Set(parts).size - 3 }
    }),
  )
  return { names: sorted.map(([name]) => name), ...found }
}
