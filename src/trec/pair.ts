/** A truth measure and a judge measure on the same runs: all figures that --correlation names. */

import { someNames } from '../options/nearest.ts'
import type { Exact as Value } from '../python/json.ts'
import { byCodePoint } from '../python/unicode.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { blandAltman, CORRELATIONS, meanOrNull, topOf } from './correlation.ts'
import { ALL, fills } from './leaderboard.ts'
import type { BoardSettings } from './options.ts'

/** The lowest and the highest value of a measure. */
export type Scale = readonly [low: number, high: number]

export interface MetaSettings extends Pick<BoardSettings, 'onMissing' | 'default'> {
  /** Measures of the truth to compare; all if empty. */
  truthMeasure: readonly string[]
  methods: readonly string[]
  /** A measure's lowest and highest value by name, for Bland and Altman. */
  ranges: ReadonlyMap<string, Scale>
  /** Count as autojudge-evaluate does: with any NAME@K only runs of both sides are compared, and NaN is a value. */
  compat: boolean
  onMethod?: (diagnosis: Diagnosis) => void
}

/** The runs that one method compared. */
export interface Diagnosis {
  truthMeasure: string
  evalMeasure: string
  method: string
  issue: 'too_few' | 'all_tied' | null
  runs: readonly { run: string; truth?: number; judge?: number; inTop: boolean; kept: boolean }[]
}

/** One row of the report. */
export type MetaRow = Record<string, Value>

type Scores = Map<string, number>
/** Scores by topic and run. */
export type Board = Map<string, Scores>

interface Scored {
  run: string
  truth: number
  judge: number
}

const isFinitePair = ({ truth, judge }: Scored) => Number.isFinite(truth) && Number.isFinite(judge)
const hasNaN = ({ truth, judge }: Scored) => Number.isNaN(truth) || Number.isNaN(judge)

export class Pair {
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
    if (settings.compat) for (const board of [truth, judge]) this.fillAll(board)
    const [expected, scored] = this.totals
    this.runs = [...expected.keys()]
    this.missing = this.runs.filter((run) => !scored.has(run))
    this.extra = [...scored.keys()].filter((run) => !expected.has(run))
  }

  /** Columns on runs that were left out or filled in. @throws Fatal (data) under `error` */
  remarks(judge: string): MetaRow {
    const { missing, extra, settings } = this
    if (settings.onMissing === 'error' && missing.length > 0)
      throw new Fatal(EXIT.data, `${judge} has no value for ${someNames(missing)} (--on-missing error)`)
    if (settings.onMissing === 'error' && extra.length > 0)
      throw new Fatal(
        EXIT.data,
        `${judge} has runs that the truth lacks: ${someNames(extra)} (--on-missing error)`,
      )
    if (settings.compat) return {}
    return {
      ...(missing.length > 0 && {
        missing_runs: missing,
        on_missing: fills(this.settings.onMissing) ? `counted as ${settings.default}` : 'left out',
      }),
      ...(extra.length > 0 && { runs_not_in_truth: extra }),
    }
  }

  /** As autojudge-evaluate does for a measure without `all` rows: 0 for every run if gaps are filled, else nothing. */
  private fillAll(board: Board): void {
    if (board.has(ALL)) return
    if (this.settings.onMissing === 'error')
      throw new Fatal(EXIT.data, 'a measure has no "all" rows (--on-missing error)')
    const runs = [...board.values()].flatMap((scores) => [...scores.keys()])
    if (fills(this.settings.onMissing)) board.set(ALL, new Map(runs.map((run) => [run, 0])))
  }

  /** The `all` rows of both sides. */
  private get totals(): [truth: Scores, judge: Scores] {
    return [this.truth.get(ALL) ?? new Map(), this.judge.get(ALL) ?? new Map()]
  }

  values(truthMeasure: string, evalMeasure: string): MetaRow {
    const row: MetaRow = {}
    const all = this.aligned(ALL)
    const summed = this.truth.has(ALL) && this.judge.has(ALL)
    for (const method of this.settings.methods) {
      const compared = this.topRuns(method, all).length
      if (this.settings.compat && summed && compared < 3)
        throw new Fatal(
          EXIT.data,
          `${truthMeasure} and ${evalMeasure}, ${method}: ${compared} runs to compare, at least 3 are needed`,
        )
      if (method === 'bland_altman') Object.assign(row, this.limits(truthMeasure, evalMeasure))
      else row[method] = this.one(method, all)
      this.settings.onMethod?.(this.diagnosis(method, truthMeasure, evalMeasure, all))
    }
    return row
  }

  private one(method: string, all: readonly Scored[]): number | null {
    if (method === 'coverage')
      return this.runs.length === 0 ? null : (this.runs.length - this.missing.length) / this.runs.length
    if (method.endsWith('_per_topic')) return this.perTopic(method.slice(0, -'_per_topic'.length))
    if (all.length < 3) return null
    return this.correlate(method.split('@')[0]!, this.topRuns(method, all))
  }

  /** Sorts runs by name first, so that the order of equal scores does not depend on the file. */
  private correlate(base: string, scored: readonly Scored[]): number | null {
    const byRun = [...scored].sort((a, b) => byCodePoint(a.run, b.run))
    // With a NaN the ranks of tau_AP are NaN; the other methods leave the pair out.
    if (base === 'tauap_b' && byRun.some(hasNaN)) return null
    // pandas, with which the original counts, leaves out infinities, too.
    const whole = this.settings.compat && base !== 'tauap_b' ? isFinitePair : (one: Scored) => !hasNaN(one)
    const kept = base === 'tau_gap' ? byRun : byRun.filter(whole)
    return CORRELATIONS[base]!(
      kept.map(({ truth }) => truth),
      kept.map(({ judge }) => judge),
    )
  }

  /** A topic's values on both sides, in the truth's order. */
  private aligned(topic: string): Scored[] {
    const [expected, scored] = [this.truth.get(topic) ?? new Map(), this.judge.get(topic)]
    return [...expected].flatMap(([run, truth]) => {
      const judge = scored?.get(run) ?? (fills(this.settings.onMissing) ? this.settings.default : undefined)
      return judge === undefined ? [] : [{ run, truth, judge }]
    })
  }

  /** For `NAME@K` the K best runs by truth, and those that tie with the last of them; else all runs. */
  private topRuns(method: string, all: readonly Scored[]): readonly Scored[] {
    const [, k] = method.split('@')
    if (k === undefined) return all
    if (!this.settings.compat) {
      const kth = all.map(({ truth }) => truth).sort((x, y) => y - x)[Number(k) - 1]
      return all.filter(({ truth }) => kth === undefined || truth >= kth)
    }
    // autojudge-evaluate takes the first of equal runs, of the truth's, and then drops runs that the judge lacks.
    const from = [...(this.truth.get(ALL) ?? [])]
    const places = topOf(
      from.map(([, truth]) => truth),
      Number(k),
    )
    const top = new Set(places.map((i) => from[i]![0]))
    return all.filter(({ run }) => top.has(run))
  }

  private diagnosis(method: string, truthMeasure: string, evalMeasure: string, all: Scored[]): Diagnosis {
    const top = new Set(this.topRuns(method, all).map(({ run }) => run))
    const [truth, judge] = this.totals
    const runs = [...new Set([...truth.keys(), ...judge.keys()])].sort(byCodePoint)
    const kept = all.filter(({ run }) => top.has(run))
    const keptRuns = new Set(kept.map(({ run }) => run))
    const tied = (of: 'truth' | 'judge') => new Set(kept.map((one) => one[of])).size === 1
    return {
      truthMeasure,
      evalMeasure,
      method,
      issue: kept.length < 3 ? 'too_few' : tied('truth') && tied('judge') ? 'all_tied' : null,
      runs: runs.map((run) => ({
        run,
        truth: truth.get(run),
        judge: judge.get(run),
        inTop: !method.includes('@') || top.has(run),
        kept: keptRuns.has(run),
      })),
    }
  }

  /** Mean correlation over the topics with at least three runs and no constant side. */
  private perTopic(base: string): number | null {
    const values: number[] = []
    for (const topic of this.truth.keys()) {
      if (topic === ALL) continue
      const scored = this.aligned(topic)
      const constant = (of: 'truth' | 'judge') => new Set(scored.map((one) => one[of])).size < 2
      if (scored.length < 3 || constant('truth') || constant('judge')) continue
      const value = this.correlate(base, scored)
      if (value !== null) values.push(value)
    }
    return meanOrNull(values)
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
      row[`ba_${name}_bias`] = found?.bias ?? null
      row[`ba_${name}_loa_low`] = found?.low ?? null
      row[`ba_${name}_loa_high`] = found?.high ?? null
    }
    return row
  }

  /** judge − truth, both scaled to 0 to 1. Missing values are never filled. */
  private differences(topics: readonly string[], [lowT, highT]: Scale, [lowJ, highJ]: Scale): number[] {
    return topics.flatMap((topic) =>
      [...(this.truth.get(topic) ?? [])].flatMap(([run, value]) => {
        const score = this.judge.get(topic)?.get(run)
        if (score === undefined) return []
        return (score - lowJ) / (highJ - lowJ) - (value - lowT) / (highT - lowT)
      }),
    )
  }
}
