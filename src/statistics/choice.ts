/**
 * The best of several candidates, and what it is worth once the choice is allowed for: each item is judged by the choices
 * of resamples that do not hold it. Efron and Tibshirani, "Improvements on cross-validation" (1997); Tsamardinos,
 * Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions" (2018).
 */
import { getOrInsert } from '../rows/maps.ts'
import { addSeededWeights, seedKeys } from './bootstrap.ts'
import { clusteredMean, clusteredShareInterval, clusterSums, meanOf } from './clusters.ts'
import { tQuantile } from './distributions.ts'
import { normalQuantile, wilson } from './interval.ts'
import { newcombe } from './mcnemar.ts'

export type Interval = [low: number, high: number]

/** A run's values, one an item: whether it is right (a tie's value between), or scores of which thresholds are tried; null where it failed. */
export type RunValues =
  | { name: string; right: readonly (number | null)[] }
  | { name: string; scores: readonly (number | null)[] }

export interface ChoiceSettings {
  /** `balanced`: the mean of the share right of each kind of label. */
  by: 'accuracy' | 'balanced'
  /** The name of the run that one has; it wins equal ones. */
  against: string | null
  seed: string
  rounds: number
  level: number
}

export interface Worth {
  value: number
  ci: Interval
  sensitivity: number | null
  sensitivityCi: Interval | null
  specificity: number | null
  specificityCi: Interval | null
}

export interface Choice extends Worth {
  best: string
  /** A score of so much or more is a yes; null for a run that is no grade. */
  threshold: number | null
  candidates: number
  /** The best's figure on all items, before the choice is allowed for. */
  apparent: number
  /** Share of resamples that choose it. */
  picked: number
  runs: (Worth & { name: string; threshold: number | null; failed: number; picked: number })[]
  /** Null without a run that one has. */
  verdict: 'better' | 'no better' | null
  choice: string
  /** From the run that one has to the best; undefined without one. */
  difference?: number
  differenceCi?: Interval | null
  labelsNeeded?: number | null
  /** Out-of-bag share right of each item, and what the best is worth on it, in the order given. */
  outOfBag: number[]
  ofBest: number[]
}

/** Values this close are equal. */
const CLOSE = 1e-9
/** Resamples that are drawn in one pass. */
const AT_ONCE = 100
/** The power that `labelsNeeded` is for. */
const POWER = 0.8

interface Candidate {
  run: number
  threshold: number | null
}

/**
 * Chooses among runs of the same items.
 * @param runs in the order given, one value an item each
 * @param ids the item's id, or its cluster: what a resample takes or leaves
 * @param labels yes or no, of each item; null where labels are of another kind
 * @param clustered whether several items may share an id
 */
export function choose(
  runs: readonly RunValues[],
  ids: readonly string[],
  labels: readonly boolean[] | null,
  clustered: boolean,
  settings: ChoiceSettings,
): Choice {
  const { by, against, level } = settings
  const items: Items = {
    ids,
    labels,
    clusters: clustered ? ids : null,
    classes: classesOf(ids.length, labels, by),
  }
  const { candidates, values } = candidatesOf(runs, labels, against)
  const first = candidates.findIndex(
    ({ run, threshold }) => runs[run]!.name === against && threshold === null,
  )
  const whole = valuesOf(values, items.classes, new Int32Array(ids.length).fill(1))!
  const best = bestOf(whole)
  const { outOfBag, wins, usable } = resampled(candidates, values, items, settings)
  const ofBest = rightOf(values, candidates[best]!)
  const name = (at: number) => runs[candidates[at]!.run]!.name
  const out: Choice = {
    best: name(best),
    threshold: candidates[best]!.threshold,
    candidates: candidates.length,
    ...worthOf(outOfBag, ofBest, items, by, level),
    apparent: criterionOf(ofBest, items.classes),
    picked: wins[best]! / usable,
    runs: runs.flatMap(({ name, ...run }, place) => {
      const own = [...candidates.keys()].filter((at) => candidates[at]!.run === place)
      if (own.length === 0) return []
      const most = own.reduce((one, at) => (whole[at]! > whole[one]! + CLOSE ? at : one))
      const right = rightOf(values, candidates[most]!)
      const told = 'right' in run ? run.right : run.scores
      return [
        {
          name,
          threshold: candidates[most]!.threshold,
          ...worthOf(right, right, items, by, level),
          failed: told.filter((one) => one === null).length,
          picked: own.reduce((sum, at) => sum + wins[at]!, 0) / usable,
        },
      ]
    }),
    verdict: null,
    choice: name(best),
    outOfBag,
    ofBest,
  }
  if (first < 0) return out
  if (best === first)
    return { ...out, verdict: 'no better', difference: 0, differenceCi: null, labelsNeeded: null }
  return {
    ...out,
    ...differenceOf(
      outOfBag,
      ofBest,
      rightOf(values, candidates[first]!),
      items,
      settings,
      name(first),
      name(best),
    ),
  }
}

/** What the choice is worth on some of the items; null where they lack a class. */
export function worthOn(
  members: readonly number[],
  { outOfBag, ofBest }: Choice,
  ids: readonly string[],
  labels: readonly boolean[] | null,
  clustered: boolean,
  { by, level }: ChoiceSettings,
): Worth | null {
  const of = <T>(all: readonly T[]) => members.map((i) => all[i]!)
  const own = labels && of(labels)
  const classes = classesOf(members.length, own, by)
  if (classes.some(({ length }) => length === 0)) return null
  const items = { ids: of(ids), labels: own, clusters: clustered ? of(ids) : null, classes }
  return worthOf(of(outOfBag), of(ofBest), items, by, level)
}

interface Items {
  ids: readonly string[]
  labels: readonly boolean[] | null
  clusters: readonly string[] | null
  /** The items of each class, whose means are averaged. */
  classes: number[][]
}

function classesOf(n: number, labels: readonly boolean[] | null, by: ChoiceSettings['by']): number[][] {
  const all = Array.from({ length: n }, (_, i) => i)
  return by === 'balanced' ? [all.filter((i) => labels![i]), all.filter((i) => !labels![i])] : [all]
}

/** A run's values as sums can be made of them. */
type Values =
  | { right: Float64Array }
  /** Items in the order of their scores, those that failed left out; where each candidate's first item above is. */
  | { scores: readonly (number | null)[]; labels: readonly boolean[]; sorted: number[]; from: number[] }

function candidatesOf(runs: readonly RunValues[], labels: readonly boolean[] | null, against: string | null) {
  const order = [...runs.keys()].sort(
    (i, j) => Number(runs[j]!.name === against) - Number(runs[i]!.name === against) || i - j,
  )
  const candidates: Candidate[] = []
  const values = new Map<number, Values>()
  for (const run of order) {
    const tried = runs[run]!
    if ('right' in tried) {
      values.set(run, { right: Float64Array.from(tried.right, (one) => one ?? 0) })
      candidates.push({ run, threshold: null })
      continue
    }
    const { scores } = tried
    const sorted = [...scores.keys()]
      .filter((i) => scores[i] !== null)
      .sort((i, j) => scores[i]! - scores[j]!)
    const whole = sorted.every((i) => Number.isInteger(scores[i]))
    const from: number[] = []
    for (let at = 1; at < sorted.length; at++) {
      const [below, above] = [scores[sorted[at - 1]!]!, scores[sorted[at]!]!]
      if (below === above) continue
      from.push(at)
      candidates.push({ run, threshold: whole ? above : (below + above) / 2 })
    }
    values.set(run, { scores, labels: labels!, sorted, from })
  }
  return { candidates, values }
}

/** Whether a candidate is right on each item. */
function rightOf(values: ReadonlyMap<number, Values>, { run, threshold }: Candidate): number[] {
  const own = values.get(run)!
  if ('right' in own) return [...own.right]
  return own.scores.map((score, i) => Number(score !== null && score >= threshold! === own.labels[i]))
}

/** The criterion of each candidate, in their order; null where a class has no weight. */
function valuesOf(
  values: ReadonlyMap<number, Values>,
  classes: readonly number[][],
  weights: Int32Array,
): number[] | null {
  const all: number[][] = []
  for (const members of classes) {
    const total = members.reduce((sum, i) => sum + weights[i]!, 0)
    if (total === 0) return null
    const own = classes.length === 1 ? weights : new Int32Array(weights.length)
    if (classes.length > 1) for (const i of members) own[i] = weights[i]!
    all.push([...values.values()].flatMap((of) => weightRight(of, own).map((right) => right / total)))
  }
  return all[0]!.map((_, i) => all.reduce((sum, shares) => sum + shares[i]!, 0) / classes.length)
}

/** The weight of the items on which each candidate of a run is right. */
function weightRight(own: Values, weights: Int32Array): number[] {
  if ('right' in own) {
    const { right } = own
    let sum = 0
    for (let i = 0; i < right.length; i++) sum += right[i]! * weights[i]!
    return [sum]
  }
  const { sorted, labels, from } = own
  // With everything a yes, then each score in turn a no.
  let right = sorted.reduce((sum, i) => sum + (labels[i] ? weights[i]! : 0), 0)
  let at = 0
  return from.map((start) => {
    for (; at < start; at++) right += (labels[sorted[at]!] ? -1 : 1) * weights[sorted[at]!]!
    return right
  })
}

/** The first of the candidates with the highest value. */
function bestOf(values: readonly number[]): number {
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  return values.findIndex((value) => value >= most - CLOSE)
}

function resampled(
  candidates: readonly Candidate[],
  values: ReadonlyMap<number, Values>,
  { ids, classes }: Items,
  { seed, rounds }: ChoiceSettings,
) {
  const n = ids.length
  const [hits, times] = [new Float64Array(n), new Int32Array(n)]
  const wins = candidates.map(() => 0)
  const rights = new Map<number, number[]>()
  let usable = 0
  for (const weights of resamples(ids, rounds, seed)) {
    const figures = valuesOf(values, classes, weights)
    if (!figures) continue
    usable++
    const win = bestOf(figures)
    wins[win]!++
    const right = getOrInsert(rights, win, () => rightOf(values, candidates[win]!))
    for (let i = 0; i < n; i++) {
      if (weights[i]! > 0) continue
      hits[i]! += right[i]!
      times[i]!++
    }
  }
  return { outOfBag: [...hits].map((sum, i) => sum / times[i]!), wins, usable }
}

/** How often each resample takes each item, those of one id alike. The array is filled anew. */
function* resamples(ids: readonly string[], rounds: number, seed: string): Generator<Int32Array> {
  const places = new Map([...new Set(ids)].map((id, i) => [id, i]))
  const keys = [...places.keys()].map((id) => seedKeys(seed, id))
  const drawn = new Int32Array(keys.length * AT_ONCE)
  const placeOf = Int32Array.from(ids, (id) => places.get(id)!)
  const weights = new Int32Array(ids.length)
  for (let start = 0; start < rounds; start += AT_ONCE) {
    const count = Math.min(AT_ONCE, rounds - start)
    drawn.fill(0)
    for (const [i, [k1, k2]] of keys.entries()) addSeededWeights(k1, k2, start, drawn, i * AT_ONCE, count)
    for (let round = 0; round < count; round++) {
      for (let i = 0; i < ids.length; i++) weights[i] = drawn[placeOf[i]! * AT_ONCE + round]!
      yield weights
    }
  }
}

/** The mean, or the mean of the means of each class. */
const criterionOf = (values: readonly number[], classes: readonly number[][]): number =>
  classes.reduce((sum, members) => sum + meanOf(members.map((i) => values[i]!)), 0) / classes.length

/** The figure of honest values, between intervals around them and around apparent ones. */
function worthOf(
  honest: readonly number[],
  apparent: readonly number[],
  { ids, labels, clusters }: Items,
  by: ChoiceSettings['by'],
  level: number,
): Worth {
  const part = (members: readonly number[]) => {
    if (members.length === 0) return null
    const of = (values: readonly number[]) => {
      const own = members.map((i) => values[i]!)
      return {
        mean: meanOf(own),
        ci: shareInterval(own, clusters && members.map((i) => clusters[i]!), level),
      }
    }
    return [of(honest), of(apparent)] as const
  }
  const all = [...ids.keys()]
  const yes = labels ? part(all.filter((i) => labels[i])) : null
  const no = labels ? part(all.filter((i) => !labels[i])) : null
  const kinds = {
    sensitivity: yes?.[0].mean ?? null,
    sensitivityCi: yes && hull(yes[0].ci, yes[1].ci),
    specificity: no?.[0].mean ?? null,
    specificityCi: no && hull(no[0].ci, no[1].ci),
  }
  if (by === 'accuracy') {
    const [x, y] = part(all)!
    return { value: x.mean, ci: hull(x.ci, y.ci), ...kinds }
  }
  const both = (at: 0 | 1) => squareAndAdd(yes![at], no![at])
  return { value: (yes![0].mean + no![0].mean) / 2, ci: hull(both(0), both(1)), ...kinds }
}

interface Share {
  mean: number
  ci: Interval
}

/** Interval of the mean of two independent shares: Zou and Donner, "Construction of confidence limits about effect measures" (2008). */
function squareAndAdd(p: Share, q: Share): Interval {
  const middle = (p.mean + q.mean) / 2
  return [
    middle - Math.hypot(p.mean - p.ci[0], q.mean - q.ci[0]) / 2,
    middle + Math.hypot(p.ci[1] - p.mean, q.ci[1] - q.mean) / 2,
  ]
}

function shareInterval(
  values: readonly number[],
  clusters: readonly string[] | null,
  level: number,
): Interval {
  if (!clusters) return wilson(meanOf(values) * values.length, values.length, level)!
  return clusteredShareInterval(clusteredMean(clusterSums(values, clusters)), level) ?? [0, 1]
}

const hull = (a: Interval, b: Interval): Interval => [Math.min(a[0], b[0]), Math.max(a[1], b[1])]

function differenceOf(
  outOfBag: readonly number[],
  best: readonly number[],
  first: readonly number[],
  items: Items,
  { by, level }: ChoiceSettings,
  firstName: string,
  bestName: string,
): Pick<Choice, 'verdict' | 'choice' | 'difference' | 'differenceCi' | 'labelsNeeded'> {
  const honest = pairedInterval(
    outOfBag.map((one, i) => one - first[i]!),
    items,
    level,
  )
  const isCount =
    by === 'accuracy' &&
    !items.clusters &&
    [best, first].every((of) => of.every((one) => one === 0 || one === 1))
  const own = isCount
    ? newcombe(countsOf(best, first), level)!
    : pairedInterval(
        best.map((one, i) => one - first[i]!),
        items,
        level,
      ).ci
  const differenceCi = hull(honest.ci, own)
  const better = differenceCi[0] > CLOSE
  const { mean, se } = honest
  const wanted = (normalQuantile((1 + level) / 2) + normalQuantile(POWER)) * se
  return {
    difference: mean,
    differenceCi,
    labelsNeeded:
      better || mean <= CLOSE || se === 0 ? null : Math.ceil(items.ids.length * (wanted / mean) ** 2),
    verdict: better ? 'better' : 'no better',
    choice: better ? bestName : firstName,
  }
}

/** The weighted mean of differences, each class with the same weight, and Student's interval by clusters. */
function pairedInterval(
  d: readonly number[],
  { ids, classes }: Items,
  level: number,
): { mean: number; se: number; ci: Interval } {
  const residuals = new Map<string, number>()
  let mean = 0
  for (const members of classes) {
    const centre = meanOf(members.map((i) => d[i]!))
    mean += centre / classes.length
    for (const i of members) {
      const residual = (d[i]! - centre) / (members.length * classes.length)
      residuals.set(ids[i]!, (residuals.get(ids[i]!) ?? 0) + residual)
    }
  }
  const clusters = residuals.size
  const squares = [...residuals.values()].reduce((sum, one) => sum + one * one, 0)
  const se = Math.sqrt((squares * clusters) / (clusters - 1))
  const reach = tQuantile(level, clusters - 1) * se
  return { mean, se, ci: [mean - reach, mean + reach] }
}

function countsOf(a: readonly number[], b: readonly number[]) {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 }
  for (const [i, one] of a.entries())
    counts[one === 1 ? (b[i] === 1 ? 'both' : 'onlyA') : b[i] === 1 ? 'onlyB' : 'neither']++
  return counts
}
