/**
 * `jb-aggregate --truth`: how a judge's leaderboard agrees with the assessors'. A row for every pair of a
 * truth measure and a judge measure.
 *
 * Runs the judge has no value for are left out, or count as `--default` (`--on-missing default`), for every
 * method alike; runs that the truth does not have are always left out. Where either happens the row says so.
 */

import type { Exact as Value } from '../python/json.ts'
import { byCodePoint } from '../python/unicode.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { blandAltman, CORRELATIONS, topOf } from './correlation.ts'
import { ALL, distinct, type Entry, type Missing, preview } from './leaderboard.ts'

export interface MetaSettings {
  methods: readonly string[]
  onMissing: Missing
  default: number
  /** NAME=LOW:HIGH, for Bland and Altman. */
  ranges: ReadonlyMap<string, readonly [number, number]>
}

export const DEFAULT_METHODS = ['kendall', 'pearson', 'spearman', 'tauap_b', 'kendall@10']

/** One row of the report. */
export type MetaRow = Record<string, Value>

type Scores = Map<string, number>
/** By topic, by run. */
type Board = Map<string, Scores>

/** Refuses names of methods that there are not. @throws Fatal (usage) */
export function checkMethods(methods: readonly string[]): void {
  for (const method of methods) {
    const [, base, k, perTopic] = /^(.*?)(?:@(\d+)|(_per_topic))?$/.exec(method)!
    const special = (method === 'coverage' || method === 'bland_altman') && !k && !perTopic
    if (!special && (!(base! in CORRELATIONS) || k === '0'))
      throw usageError(
        `--correlation ${method}: expected ${Object.keys(CORRELATIONS).join(', ')}, one of them with @K (K at least 1) or _per_topic, coverage, or bland_altman`,
      )
  }
}

/** @throws Fatal (data) for a truth of fewer than three runs, and under `error` for a run the judge lacks */
export function metaEvaluate(
  judge: string,
  truth: readonly Entry[],
  given: readonly Entry[],
  settings: MetaSettings,
): MetaRow[] {
  const runs = distinct(truth, 'run')
  if (runs.length < 3)
    throw new Fatal(
      EXIT.data,
      `the truth has ${runs.length} run${runs.length === 1 ? '' : 's'}, at least 3 are needed`,
    )
  const rows: MetaRow[] = []
  for (const truthMeasure of numberMeasures(truth))
    for (const evalMeasure of numberMeasures(given)) {
      const pair = new Pair(boardOf(truth, truthMeasure), boardOf(given, evalMeasure), settings)
      rows.push({
        Judge: judge,
        TruthMeasure: truthMeasure,
        EvalMeasure: evalMeasure,
        ...pair.values(truthMeasure, evalMeasure),
        ...pair.remarks(judge),
      })
    }
  return rows
}

/** Measures all whose values are numbers, by name. */
function numberMeasures(entries: readonly Entry[]): string[] {
  const words = new Set(
    entries.filter(({ value }) => typeof value !== 'number').map(({ measure }) => measure),
  )
  return distinct(entries, 'measure')
    .filter((measure) => !words.has(measure))
    .sort(byCodePoint)
}

/** A measure's values; of two for one run and topic the last counts. */
function boardOf(entries: readonly Entry[], measure: string): Board {
  const board: Board = new Map()
  for (const entry of entries) {
    if (entry.measure !== measure) continue
    let scores = board.get(entry.topic)
    if (!scores) board.set(entry.topic, (scores = new Map()))
    scores.set(entry.run, entry.value as number)
  }
  return board
}

class Pair {
  private readonly truth: Board
  private readonly judge: Board
  private readonly settings: MetaSettings
  private readonly runs: string[]
  private readonly missing: string[]
  private readonly extra: string[]

  constructor(truth: Board, judge: Board, settings: MetaSettings) {
    this.truth = truth
    this.judge = judge
    this.settings = settings
    const [expected, scored] = [truth.get(ALL) ?? new Map(), judge.get(ALL) ?? new Map()]
    this.runs = [...expected.keys()]
    this.missing = this.runs.filter((run) => !scored.has(run))
    this.extra = [...scored.keys()].filter((run) => !expected.has(run))
  }

  /** Which runs were not compared as they are, and by which rule. */
  remarks(judge: string): MetaRow {
    const { missing, extra, settings } = this
    if (missing.length > 0 && settings.onMissing === 'error')
      throw new Fatal(EXIT.data, `${judge} has no value for ${preview(missing)} (--on-missing error)`)
    return {
      ...(missing.length > 0 && {
        missing_runs: missing,
        on_missing: this.fills ? `counted as ${settings.default}` : 'left out',
      }),
      ...(extra.length > 0 && { runs_not_in_truth: extra }),
    }
  }

  private get fills(): boolean {
    return this.settings.onMissing === 'default' || this.settings.onMissing === 'fix_aggregate'
  }

  values(truthMeasure: string, evalMeasure: string): MetaRow {
    const row: MetaRow = {}
    const [truth, judge] = this.aligned(ALL)
    for (const method of this.settings.methods) {
      if (method === 'bland_altman') Object.assign(row, this.limits(truthMeasure, evalMeasure))
      else row[method] = rounded(this.one(method, truth, judge))
    }
    return row
  }

  private one(method: string, truth: number[], judge: number[]): number | null {
    if (method === 'coverage')
      return this.runs.length === 0 ? null : (this.runs.length - this.missing.length) / this.runs.length
    if (method.endsWith('_per_topic')) return this.perTopic(method.slice(0, -'_per_topic'.length))
    const [base, k] = method.split('@')
    if (truth.length < 3) return null
    const top = k === undefined ? undefined : topOf(truth, Number(k))
    const correlate = CORRELATIONS[base!]!
    return top
      ? correlate(
          top.map((i) => truth[i]!),
          top.map((i) => judge[i]!),
        )
      : correlate(truth, judge)
  }

  /** A topic's values of both sides, by the truth's runs; NaN on either side drops the run. */
  private aligned(topic: string): [number[], number[]] {
    const [expected, scored] = [this.truth.get(topic) ?? new Map(), this.judge.get(topic)]
    const [truth, judge]: [number[], number[]] = [[], []]
    for (const [run, value] of expected) {
      const score = scored?.get(run) ?? (this.fills ? this.settings.default : undefined)
      if (score === undefined || Number.isNaN(score) || Number.isNaN(value)) continue
      truth.push(value)
      judge.push(score)
    }
    return [truth, judge]
  }

  /** Mean of the topics' correlations, over those with three runs or more and no constant side. */
  private perTopic(base: string): number | null {
    const values: number[] = []
    for (const topic of this.truth.keys()) {
      if (topic === ALL) continue
      const [truth, judge] = this.aligned(topic)
      if (truth.length < 3 || new Set(truth).size < 2 || new Set(judge).size < 2) continue
      const value = CORRELATIONS[base]!(truth, judge)
      if (value !== null) values.push(value)
    }
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  }

  private limits(truthMeasure: string, evalMeasure: string): MetaRow {
    const row: MetaRow = {}
    const scale = (name: string) => this.settings.ranges.get(name) ?? this.settings.ranges.get('*')
    const [forTruth, forJudge] = [scale(truthMeasure), scale(evalMeasure)]
    const topics = [...this.truth.keys()].filter((topic) => topic !== ALL)
    for (const [name, over] of [
      ['sys', [ALL]],
      ['resp', topics],
    ] as const) {
      const found = forTruth && forJudge ? blandAltman(this.differences(over, forTruth, forJudge)) : null
      row[`ba_${name}_bias`] = rounded(found?.bias ?? null)
      row[`ba_${name}_loa_low`] = rounded(found?.low ?? null)
      row[`ba_${name}_loa_high`] = rounded(found?.high ?? null)
    }
    return row
  }

  /** judge − truth, both put on 0 to 1; what is missing is never filled. */
  private differences(
    topics: readonly string[],
    [lowT, highT]: readonly [number, number],
    [lowJ, highJ]: readonly [number, number],
  ): number[] {
    return topics.flatMap((topic) =>
      [...(this.truth.get(topic) ?? [])].flatMap(([run, value]) => {
        const score = this.judge.get(topic)?.get(run)
        if (score === undefined) return []
        return (score - lowJ) / (highJ - lowJ) - (value - lowT) / (highT - lowT)
      }),
    )
  }
}

/** To ten decimals. */
const rounded = (value: number | null): number | null =>
  value === null || Number.isNaN(value) ? null : Number(value.toFixed(10)) + 0
