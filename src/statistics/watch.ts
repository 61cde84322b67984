/**
 * Whether a judge moved, and whether the system that it judges did, with an error rate that holds however often one looks.
 * Each night is compared with a base of seven: e-values of a normal mixture, summed over all nights on which a change may
 * have begun. Ville 1939; Robbins 1970; Shin, Ramdas and Rinaldo, "E-detectors" (2022).
 */
import { meanOf, varianceOf } from './clusters.ts'

/** Nights of the base. */
export const BASE = 7
/** A night counts if so many of the base's items have a verdict. */
export const SEEN = 0.9
/** Standard deviation of the changes that are looked for. */
const CHANGE = 0.05

/** What a judge said of an item. */
export interface Opinion {
  /** The verdict: a decision or an option, or a grade from 0 to 1. */
  said: string | number
  /** From 0 to 1; null for an option without a score. */
  amount: number | null
  /** Whether it is people's label; null without one. */
  right: boolean | null
}

/** A night's verdicts by item. */
export type Night = ReadonlyMap<string, Opinion>

/** A night's figures, beside those of the base. */
export interface Figures {
  /** Mean change of the amounts. */
  score?: number
  /** Share of verdicts other than in the base. */
  differs: number
  /** Mean change of the share right. */
  right?: number
}

export type FigureName = keyof Figures

export interface Base {
  /** The verdicts of each item in the base's nights; null for none. */
  said: ReadonlyMap<string, readonly (Opinion | null)[]>
  /** Half the mean squared distance of two nights' verdicts: it bounds the variance of an item in each figure. */
  noise: number
  names: FigureName[]
  counts: Record<string, number>
  levels: Record<string, number>
  nights: Figures[]
}

const distance = (a: Opinion, b: Opinion): number =>
  typeof a.said === 'number' && typeof b.said === 'number'
    ? Math.abs(a.said - b.said)
    : Number(a.said !== b.said)

const known = <T>(values: readonly (T | null | undefined)[]): T[] =>
  values.filter((value): value is T => value !== null && value !== undefined)

const amountsOf = (said: readonly (Opinion | null)[]) => known(known(said).map(({ amount }) => amount))
const rightsOf = (said: readonly (Opinion | null)[]) =>
  known(known(said).map(({ right }) => right)).map(Number)

/** The base of `nights`; items with fewer than two verdicts are left out. Null if none is left. */
export function baseOf(nights: readonly Night[], items: readonly string[]): Base | null {
  const said = new Map<string, (Opinion | null)[]>()
  for (const item of items) {
    const all = nights.map((night) => night.get(item) ?? null)
    if (known(all).length >= 2) said.set(item, all)
  }
  if (said.size === 0) return null
  const rows = [...said.values()]
  const noises = rows.map((all) => {
    const own = known(all)
    return meanOf(own.flatMap((a, k) => own.slice(0, k).map((b) => distance(a, b) ** 2)))
  })
  const scored = rows.map(amountsOf).filter(({ length }) => length > 0)
  const labelled = rows.map(rightsOf).filter(({ length }) => length > 0)
  const levels: Base['levels'] = { differs: 0 }
  const counts: Base['counts'] = { differs: said.size }
  const names: FigureName[] = ['differs']
  for (const [name, values] of [
    ['score', scored],
    ['right', labelled],
  ] as const) {
    // A figure that only some of the verdicts allow would compare other items each night.
    if (values.length === 0 || (name === 'score' && values.length < said.size)) continue
    names.push(name)
    counts[name] = values.length
    levels[name] = meanOf(values.map(meanOf))
  }
  const base: Base = { said, noise: meanOf(noises) / 2, names, counts, levels, nights: [] }
  base.nights = nights.map((night, own) => figuresOf(base, night, own))
  return base
}

/** The figures of a night. @param own its place in the base, if it is one of these nights */
export function figuresOf({ said, names }: Base, night: Night, own?: number): Figures {
  const [score, differs, right]: [number[], number[], number[]] = [[], [], []]
  for (const [item, all] of said) {
    const now = night.get(item)
    if (!now) continue
    if (names.includes('score') && now.amount !== null) score.push(now.amount - meanOf(amountsOf(all)))
    const others = all.filter((one, k): one is Opinion => one !== null && k !== own)
    differs.push(meanOf(others.map((one) => distance(now, one))))
    const before = rightsOf(all)
    if (now.right !== null && before.length > 0) right.push(Number(now.right) - meanOf(before))
  }
  return {
    ...(names.includes('score') && { score: meanOf(score) }),
    differs: meanOf(differs),
    ...(names.includes('right') && { right: meanOf(right) }),
  }
}

/** A change that begins at a night. */
interface Change {
  change: number
  variance: number
}

/** Values of nights, with the mean and the variance of those before each, and the mean of those from it on. */
class Series {
  readonly values: readonly number[]
  private readonly sums = [0]
  /** Squared distances from the mean of those before: Welford 1962. */
  private readonly squares = [0]

  constructor(values: readonly number[]) {
    this.values = values
    for (const [i, value] of values.entries()) {
      const mean = i === 0 ? value : this.before(i)
      this.sums.push(this.sums[i]! + value)
      this.squares.push(this.squares[i]! + (value - mean) * (value - this.before(i + 1)))
    }
  }

  before(start: number): number {
    return this.sums[start]! / start
  }

  from(start: number): number {
    const { length } = this.values
    return (this.sums[length]! - this.sums[start]!) / (length - start)
  }

  varianceBefore(start: number): number {
    return this.squares[start]! / (start - 1)
  }
}

/**
 * From the nights before `start` to those from there on.
 * @param noise variance of a night's value by its items
 * @param count items
 * @param extra variance added
 */
function changeAt(series: Series, start: number, noise: number, count: number, extra = 0): Change {
  const change = series.from(start) - series.before(start)
  // Half of Bernstein's term pays for rare changes.
  const one = Math.max(noise, series.varianceBefore(start)) + Math.abs(change) / (6 * count)
  return { change, variance: one * (1 / start + 1 / (series.values.length - start)) + extra }
}

function evidenceOf({ change, variance }: Change): number {
  const a = CHANGE ** 2 / variance
  return Math.exp(Math.min(700, -0.5 * Math.log1p(a) + (a * change * change) / (2 * (1 + a) * variance)))
}

/** Of the interval of a change, which holds on all nights and for all starts. @param room logarithm of what the evidence must reach */
function intervalOf({ change, variance }: Change, room: number): [number, number] {
  const a = CHANGE ** 2 / variance
  const reach = Math.sqrt(((2 * variance * (1 + a)) / a) * (room + 0.5 * Math.log1p(a)))
  return [change - reach, change + reach]
}

/** Weight of a start; they sum to 1. @param start a night's place, from 0 */
const weightOf = (start: number) => 1 / ((start - BASE + 1) * (start - BASE + 2))

/** A series that is watched, and whether it moved. */
export interface Moved {
  /** Nights counted from 1: when it was said, and since when. */
  night: number
  since: number
}

export interface WatchSettings {
  /** Changes this small are none. */
  margin: number
  alpha: number
}

/** A change of a figure: levels before and now, and the change with its interval. */
export interface Movement {
  before: number
  now: number
  change: number
  ci: [number, number]
}

export interface JudgeMoved {
  moved: Moved | null
  since: number
  evidence: number
  threshold: number
  figures: Record<string, Movement>
}

const starts = (nights: number) => Array.from({ length: Math.max(0, nights - BASE) }, (_, i) => BASE + i)

const largest = (terms: ReadonlyMap<number, number>) =>
  [...terms].reduce((most, one) => (one[1] > most[1] ? one : most))[0]

/** The variance by noise of a mean of `count` items: at least that of one rare change. */
const noiseOf = (noise: number, count: number) => Math.max(noise / count, 1 / count ** 2)

/**
 * Whether the judge moved.
 * @param nights those of the base and all since
 * @param before what was said earlier: it stays said
 * @param threshold of the evidence
 */
export function judgeMoved(
  base: Base,
  nights: readonly Figures[],
  before: Moved | null,
  threshold: number,
  { margin }: WatchSettings,
): JudgeMoved {
  const series = new Map(base.names.map((name) => [name, new Series(nights.map((night) => night[name]!))]))
  const at = (name: FigureName, start: number) => {
    const count = base.counts[name]!
    return changeAt(series.get(name)!, start, noiseOf(base.noise, count), count)
  }
  const terms = new Map<number, number>()
  for (const start of starts(nights.length)) {
    let sum = 0
    for (const name of base.names) {
      const change = at(name, start)
      if ((name === 'differs' ? change.change : Math.abs(change.change)) > margin) sum += evidenceOf(change)
    }
    terms.set(start, (sum / base.names.length) * weightOf(start))
  }
  const evidence = [...terms.values()].reduce((sum, one) => sum + one, 0)
  const moved = before ?? (evidence >= threshold ? { night: nights.length, since: largest(terms) + 1 } : null)
  const since = moved?.since ?? BASE + 1
  const room = Math.log((threshold * base.names.length) / weightOf(since - 1))
  const figures: JudgeMoved['figures'] = {}
  for (const name of base.names) {
    const change = at(name, since - 1)
    const level = base.levels[name]!
    figures[name] = {
      before: level + series.get(name)!.before(since - 1),
      now: level + series.get(name)!.from(since - 1),
      change: change.change,
      ci: intervalOf(change, room),
    }
  }
  return { moved, since, evidence, threshold, figures }
}

/** The items of the system in its base: their amounts. */
export interface SystemBase {
  amounts: ReadonlyMap<string, readonly number[]>
  noise: number
  level: number
}

/** Null if no item has two amounts. */
export function systemBaseOf(nights: readonly Night[], items: readonly string[]): SystemBase | null {
  const amounts = new Map<string, number[]>()
  for (const item of items) {
    const own = amountsOf(nights.map((night) => night.get(item) ?? null))
    if (own.length >= 2) amounts.set(item, own)
  }
  if (amounts.size === 0) return null
  const all = [...amounts.values()]
  return { amounts, noise: meanOf(all.map((own) => varianceOf(own))), level: meanOf(all.map(meanOf)) }
}

/** Mean change of the system's amounts, as judged. */
export function systemChange({ amounts }: SystemBase, night: Night): number {
  const changes: number[] = []
  for (const [item, own] of amounts) {
    const now = night.get(item)?.amount
    if (now !== null && now !== undefined) changes.push(now - meanOf(own))
  }
  return meanOf(changes)
}

export interface SystemMoved {
  moved: Moved | null
  since: number
  evidence: number
  threshold: number
  items: number
  score: Movement
}

/**
 * Whether the system moved: the same evidence, of its change less that of the judge on the anchors.
 * @param changes the night's number, from 1, and {@link systemChange}
 * @param judge what is known of the judge
 */
export function systemMoved(
  system: SystemBase,
  changes: readonly (readonly [night: number, change: number])[],
  before: Moved | null,
  base: Base,
  nights: readonly Figures[],
  judge: JudgeMoved,
  { margin }: WatchSettings,
): SystemMoved {
  const { threshold } = judge
  const corrected = new Series(changes.map(([night, change]) => change - nights[night - 1]!.score!))
  const differs = new Series(changes.map(([night]) => nights[night - 1]!.differs))
  const [anchors, items] = [base.counts.score!, system.amounts.size]
  const at = (start: number) => {
    // A judge that moved did so on other items by another amount.
    const unlike = Math.max(0, differs.from(start) - differs.before(start))
    const noise = Math.max(system.noise / items + base.noise / anchors, 1 / items ** 2 + 1 / anchors ** 2)
    return changeAt(corrected, start, noise, Math.min(anchors, items), unlike * (1 / anchors + 1 / items))
  }
  const plain = new Map<number, number>()
  for (const start of starts(changes.length)) {
    const change = at(start)
    plain.set(start, Math.abs(change.change) > margin ? evidenceOf(change) : 0)
  }
  const from = judge.moved?.since ?? 0
  const first = [...plain.keys()].find((start) => changes[start]![0] >= from)
  const terms = new Map([...plain].map(([start, one]) => [start, one * weightOf(start)]))
  let evidence = [...terms.values()].reduce((sum, one) => sum + one, 0)
  if (judge.moved) {
    // Half of it is about the night on which the judge moved.
    const own = first === undefined ? 0 : plain.get(first)!
    evidence = (evidence + own) / 2
    if (first !== undefined)
      for (const [start, one] of terms) terms.set(start, (one + (start === first ? own : 0)) / 2)
  }
  const moved =
    before ?? (evidence >= threshold ? { night: nights.length, since: changes[largest(terms)]![0] } : null)
  const shown = moved?.since ?? from
  const start = starts(changes.length).find((one) => changes[one]![0] >= shown) ?? BASE
  const change = at(start)
  const asJudged = new Series(changes.map(([, value]) => value))
  return {
    moved,
    since: changes[start]![0],
    evidence,
    threshold,
    items,
    score: {
      before: system.level + asJudged.before(start),
      now: system.level + asJudged.from(start),
      change: change.change,
      ci: intervalOf(change, Math.log(threshold / weightOf(start))),
    },
  }
}
