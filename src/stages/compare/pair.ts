/** Two runs on the items of both: which is better, by how much, and how sure that is. */
import { rounded } from '../../formats/_table.ts'
import type { JsonObject } from '../../rows/record.ts'
import { MEASURES } from '../../scoring/_outcome.ts'
import { cohenKappa } from '../../statistics/agreement.ts'
import { bootstrapTest, meanReplicates, percentileInterval } from '../../statistics/bootstrap.ts'
import { gwet } from '../../statistics/chance_agreement.ts'
import {
  type ClusteredMean,
  clusteredInterval,
  clusteredMean,
  clusteredTest,
  clusterSums,
  meanOf,
  resamples,
  varianceOf,
} from '../../statistics/clusters.ts'
import { pearson } from '../../statistics/correlation.ts'
import {
  cohensH,
  matchedOdds,
  mcnemarExact,
  mcnemarMidP,
  newcombe,
  type PairedCounts,
} from '../../statistics/mcnemar.ts'
import { pairedT, wilcoxon } from '../../statistics/paired.ts'
import { minimalDifference } from '../../statistics/power.ts'
import { clusterField } from './collect.ts'
import type { CompareOptions } from './compare.ts'
import { ABSENT, type Run, type Runs } from './runs.ts'

/** What both runs said, of the items that both have an outcome of, and what was left out. */
interface Paired {
  value: string
  ids: string[]
  a: number[]
  b: number[]
  clusters: string[] | undefined
  missing: { a: number; b: number }
  failed: { a: number; b: number }
  /** Items without an outcome on either side. */
  lacking: number
  /** How far two values can be apart; undefined where that is not known. */
  width: number | undefined
  samples: { a?: JsonObject; b?: JsonObject }
}

interface Inference {
  ci: [number, number] | null
  method: string
  p: number | null
  test: string
  clusters?: number
  design_effect?: number | null
}

/** The figures of a pair, as they are printed; `items` limits them to a slice. */
export function comparePair(
  runs: Runs,
  a: Run,
  b: Run,
  options: CompareOptions,
  within?: (item: number) => boolean,
): JsonObject {
  const paired = pairUp(runs, a, b, options, within)
  const { value, missing, failed, lacking, width } = paired
  const n = paired.a.length
  const head = { a: a.name, b: b.name, value, items: n, missing, failed }
  if (n === 0)
    return {
      ...head,
      mean_a: null,
      mean_b: null,
      difference: null,
      ci: null,
      p: null,
      reason: 'no item has an outcome in both runs',
    }
  const differences = paired.a.map((one, i) => one - paired.b[i]!)
  const [meanA, meanB] = [meanOf(paired.a), meanOf(paired.b)]
  const wins = differences.filter((one) => one > TIE).length
  const losses = differences.filter((one) => one < -TIE).length
  const binary = isBinary(paired.a) && isBinary(paired.b)
  const difference = binary ? (wins - losses) / n : meanOf(differences)
  const naive = naiveError(differences, binary)
  const inference = inferenceOf(paired, differences, naive, options)
  const sum = difference * n
  return rounded({
    ...head,
    mean_a: meanA,
    mean_b: meanB,
    difference,
    ci: inference.ci,
    method: inference.method,
    ...(inference.clusters !== undefined && {
      clusters: inference.clusters,
      design_effect: inference.design_effect,
    }),
    wins,
    losses,
    ties: n - wins - losses,
    p: inference.p,
    test: inference.test,
    ...(!binary && { p_wilcoxon: wilcoxon(differences).p }),
    effect: binary ? binaryEffect(paired, options.ci) : scoreEffect(differences),
    mde:
      naive === null
        ? null
        : minimalDifference(
            inference.clusters === undefined ? naive : (errorOf(paired, differences) ?? naive),
            1 - options.ci,
          ),
    bounds:
      width === undefined
        ? null
        : [(sum - lacking * width) / (n + lacking), (sum + lacking * width) / (n + lacking)],
    agreement: agreementOf(paired, binary || value !== 'score'),
    ...(Object.keys(paired.samples).length > 0 && { samples: paired.samples }),
  }) as JsonObject
}

/** Differences that are 0 but for rounding. */
const TIE = 1e-12
const isBinary = (values: readonly number[]) => values.every((one) => one === 0 || one === 1)

function pairUp(
  runs: Runs,
  a: Run,
  b: Run,
  options: CompareOptions,
  within?: (item: number) => boolean,
): Paired {
  const places = [a.measure, b.measure].filter((place) => place >= 0)
  const measure = places.length === 0 ? -1 : Math.min(...places)
  const cluster = clusterField(options)
  const paired: Paired = {
    value: options.value ?? MEASURES[measure] ?? 'score',
    ids: [],
    a: [],
    b: [],
    clusters: cluster === undefined ? undefined : [],
    missing: { a: 0, b: 0 },
    failed: { a: 0, b: 0 },
    lacking: 0,
    width: a.width === undefined || b.width === undefined ? undefined : Math.max(a.width, b.width),
    samples: {},
  }
  const column = cluster === undefined ? undefined : runs.columns.get(cluster)
  for (let item = 0; item < runs.ids.length; item++) {
    if (within && !within(item)) continue
    if (a.has(item, measure) && b.has(item, measure)) {
      paired.a.push(a.values[item]!)
      paired.b.push(b.values[item]!)
      if (options.bootstrap > 0 || column) paired.ids.push(runs.ids[item]!)
      // An item without the field stands for itself.
      paired.clusters?.push(column!.get(item) ?? `\0${runs.ids[item]}`)
      continue
    }
    const [ofA, ofB] = [a.state(item), b.state(item)]
    if (ofA === ABSENT && ofB === ABSENT) continue
    paired.lacking++
    for (const [side, run, state] of [
      ['a', a, ofA],
      ['b', b, ofB],
    ] as const) {
      if (state === ABSENT) paired.missing[side]++
      else if (!run.has(item, measure)) paired.failed[side]++
    }
  }
  for (const [side, run] of [
    ['a', a],
    ['b', b],
  ] as const)
    if (run.samples.size > 0) paired.samples[side] = samplesOf(run, measure)
  return paired
}

/** What more samples, or more items, would help. */
function samplesOf(run: Run, measure: number): JsonObject {
  const items: number[][] = []
  for (let item = 0; item < run.states.length; item++)
    if (run.has(item, measure)) items.push(run.samples.get(item) ?? [run.values[item]!])
  const { se, within, between, seOneSample, seManySamples } = resamples(items)
  return { se, within, between, se_one_sample: seOneSample, se_many_samples: seManySamples }
}

/** Standard error of the mean difference, each item for itself; null for fewer than two. */
function naiveError(differences: readonly number[], binary: boolean): number | null {
  const n = differences.length
  if (n < 2 && !binary) return null
  return Math.sqrt(varianceOf(differences, binary ? 0 : 1) / n)
}

function clusteredOf({ clusters, a }: Paired, differences: readonly number[]): ClusteredMean {
  return clusteredMean(
    clusters ? clusterSums(differences, clusters) : a.map((_, i) => [1, differences[i]!] as const),
  )
}

const errorOf = (paired: Paired, differences: readonly number[]) => clusteredOf(paired, differences).se

function inferenceOf(
  paired: Paired,
  differences: readonly number[],
  naive: number | null,
  options: CompareOptions,
): Inference {
  const { ci: level, bootstrap } = options
  const none = differences.every((one) => Math.abs(one) <= TIE)
  const clustered = paired.clusters ? clusteredOf(paired, differences) : undefined
  const groups = clustered && {
    clusters: clustered.clusters,
    design_effect: clustered.se === null || !naive ? null : (clustered.se / naive) ** 2,
  }
  if (bootstrap > 0) {
    const sums = paired.clusters
      ? clusterSums(differences, paired.clusters)
      : differences.map((one) => [1, one] as const)
    const ids = paired.clusters ? [...new Set(paired.clusters)].sort() : paired.ids
    const replicates = meanReplicates(sums, ids, bootstrap, options.seed)
    const ci = differences.length < 2 ? null : percentileInterval(replicates, level)
    return {
      ...groups,
      ci,
      method: 'bootstrap percentile',
      p: none ? 1 : bootstrapTest(replicates),
      test: 'bootstrap',
    }
  }
  if (clustered) {
    const words = clustered.freedom === undefined ? 'clustered' : 'clustered t'
    return {
      ...groups,
      ci: clusteredInterval(clustered, level),
      method: words,
      p: none ? 1 : clusteredTest(clustered),
      test: words,
    }
  }
  if (isBinary(paired.a) && isBinary(paired.b)) {
    const counts = countsOf(paired)
    return options.exact
      ? { ci: newcombe(counts, level), method: 'newcombe', p: mcnemarExact(counts), test: 'mcnemar exact' }
      : { ci: newcombe(counts, level), method: 'newcombe', p: mcnemarMidP(counts), test: 'mcnemar mid-p' }
  }
  const t = pairedT(differences, level)
  return { ci: t?.ci ?? null, method: 't', p: t?.p ?? (none ? 1 : null), test: 't' }
}

function countsOf({ a, b }: Paired): PairedCounts {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 }
  for (const [i, one] of a.entries()) {
    if (one === 1) counts[b[i] === 1 ? 'both' : 'onlyA']++
    else counts[b[i] === 1 ? 'onlyB' : 'neither']++
  }
  return counts
}

function binaryEffect(paired: Paired, level: number): Record<string, unknown> {
  const counts = countsOf(paired)
  const n = paired.a.length
  const odds = matchedOdds(counts, level)
  return {
    cohens_h: cohensH((counts.both + counts.onlyA) / n, (counts.both + counts.onlyB) / n),
    odds_ratio: odds.ratio,
    odds_ratio_ci: odds.ci,
  }
}

function scoreEffect(differences: readonly number[]): Record<string, unknown> {
  const n = differences.length
  const sd = n < 2 ? 0 : Math.sqrt(varianceOf(differences))
  return {
    d_z: sd === 0 ? null : meanOf(differences) / sd,
    rank_biserial: wilcoxon(differences).rankBiserial,
  }
}

/** How often the runs say the same: of outcomes with few values beyond chance, of scores their correlation. */
function agreementOf({ a, b }: Paired, labels: boolean): Record<string, unknown> {
  if (!labels) {
    // In the order of the values: sums of floats depend on it.
    const order = [...a.keys()].sort((i, j) => a[i]! - a[j]! || b[i]! - b[j]!)
    return {
      pearson: pearson(
        order.map((i) => a[i]!),
        order.map((i) => b[i]!),
      ),
    }
  }
  const { x, y, counts } = distinct(a, b)
  const same = counts.reduce((sum, n, i) => sum + (x[i] === y[i] ? n : 0), 0)
  return { po: same / a.length, kappa: cohenKappa(x, y, 'none', { counts }), ac1: gwet(x, y, 'none', counts) }
}

/** The distinct pairs of values, in their order, and how often each came. */
function distinct(a: readonly number[], b: readonly number[]) {
  const seen = new Map<number, Map<number, number>>()
  for (const [i, one] of a.entries()) {
    let of = seen.get(one)
    if (!of) seen.set(one, (of = new Map()))
    of.set(b[i]!, (of.get(b[i]!) ?? 0) + 1)
  }
  const all = [...seen].flatMap(([x, of]) => [...of].map(([y, n]) => [x, y, n] as const))
  all.sort(([x, y], [u, v]) => x - u || y - v)
  return { x: all.map(([x]) => x), y: all.map(([, y]) => y), counts: all.map(([, , n]) => n) }
}
