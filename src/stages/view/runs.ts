/** The runs in the rows: judge, model, settings, results. */

import { getOrInsert } from '../../rows/maps.ts'
import type { JsonObject, Trial } from '../../rows/record.ts'
import { encode, type Latin1, type Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { digestOfFields } from '../../scoring/_item_fields.ts'
import { labelFields } from '../../scoring/_label.ts'
import { Repeats } from '../../scoring/_repeats.ts'
import { type Modules, Report } from '../../scoring/_report.ts'
import { identityTitle, possibleRuns, type RunIdentity } from '../../scoring/_run_identity.ts'
import type { Subject } from '../../scoring/_scoring.ts'
import { parametersOf } from '../../scoring/_trial.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { RunCells } from './columns.ts'
import type { ViewOptions } from './options.ts'

/** The number of rows of a run whose requests are read for its settings, because requests are long. */
const READ = 100
/** The most values of a setting that are listed. */
const LISTED = 8

/** Members of `jb` that are settings of a run. */
const VERSIONS = ['judge_digest', 'judge_version', 'version', 'seed'] as const

type ViewIdentity = RunIdentity & { file: string | undefined }

/** One judge with one model, in one file with --by-file. */
export class ViewRun {
  readonly identity: ViewIdentity
  /** Another run has the same name, so the name gets the judge's digest. */
  ambiguous = false
  report: Report
  cells = new RunCells()
  readonly stages: Record<string, number> = {}
  readonly ms: number[] = []
  private readonly settings = new Map<string, Set<string>>()
  private requests = 0

  private readonly newReport: () => Report

  constructor(identity: ViewIdentity, modules: Modules, by: string[]) {
    this.identity = identity
    this.newReport = () => new Report(modules, by)
    this.report = this.newReport()
  }

  /** Forgets all results. */
  restart(): void {
    const ms = this.cells.numbers.get('ms')
    this.report = this.newReport()
    this.cells = new RunCells()
    if (ms) this.cells.numbers.set('ms', ms)
  }

  get items(): number {
    return [...this.report.runs.values()].reduce((sum, { all }) => sum + all.items, 0)
  }

  get valid(): number {
    return [...this.report.runs.values()].reduce((sum, { valid }) => sum + valid, 0)
  }

  /** Adds a run of failures without a model. */
  join({ report, stages, cells }: ViewRun): void {
    for (const [key, run] of report.runs) this.report.runs.set(key, run)
    for (const [stage, rows] of Object.entries(stages)) this.stages[stage] = (this.stages[stage] ?? 0) + rows
    this.cells.join(cells)
  }

  get plainName(): string {
    return identityTitle(this.identity, this.identity.file) || 'no judge'
  }

  get name(): string {
    return this.ambiguous
      ? `${this.plainName} · ${this.identity.judge_digest ?? 'no digest'}`
      : this.plainName
  }

  /** Counts a row, and collects its settings. */
  note(row: Row, index: number): void {
    const stage = stageOf(row)
    this.stages[stage] = (this.stages[stage] ?? 0) + 1
    if (row.has('reply')) this.noteReply(row, index)
    const trial = row.get('trial') as Trial | undefined
    if (typeof trial?.order === 'string') this.setting('order', trial.order)
    for (const key of VERSIONS) {
      const value: unknown = row.has(key) ? row.get(key) : undefined
      if (typeof value === 'string' || typeof value === 'number') this.setting(key, String(value))
    }
    if (this.requests >= READ || !row.has('request')) return
    this.requests++
    for (const [key, value] of Object.entries(parametersOf(row) ?? {}))
      this.setting(key, JSON.stringify(value).slice(0, 200))
  }

  private noteReply(row: Row, index: number): void {
    const served = row.part('reply', 'served_model')
    if (typeof served === 'string') this.setting('served_model', served)
    const ms = row.part('reply', 'ms')
    if (typeof ms === 'number') {
      this.ms.push(ms)
      this.cells.number('ms').add(index, ms)
    }
  }

  private setting(key: string, value: string): void {
    const values = getOrInsert(this.settings, key, () => new Set())
    if (values.size < LISTED) values.add(value)
  }

  get made(): JsonObject {
    return Object.fromEntries([...this.settings].map(([key, values]) => [key, [...values].join(', ')]))
  }

  get latency(): { median: number; p95: number } | undefined {
    if (this.ms.length === 0) return undefined
    const sorted = this.ms.toSorted((a, b) => a - b)
    return {
      median: histogramOf(sorted).median!,
      p95: sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)]!,
    }
  }
}

/** The runs without those of items that failed before they had a model, which belong to the only run they may be of; and the place there of each. */
export function withoutModelless(all: readonly ViewRun[]): { runs: ViewRun[]; places: number[] } {
  const joined = new Map<ViewRun, ViewRun>()
  for (const modelless of all) {
    const ofFile = all.filter(({ identity }) => identity.file === modelless.identity.file)
    const [run, other] = possibleRuns(modelless, ofFile) ?? []
    // What was tried again in all of them counts in none.
    if (!run || (other && modelless.items > 0)) continue
    run.join(modelless)
    joined.set(modelless, run)
  }
  const runs = all.filter((run) => !joined.has(run))
  return { runs, places: all.map((run) => runs.indexOf(joined.get(run) ?? run)) }
}

/** What tells which rows count, where trials are there again. */
export function repeatsOf({ label, by, byFile }: ViewOptions, context: Context): Repeats {
  const subject: Subject = (row, item) => `[${encode(JSON.stringify(row.file))},${item}]` as Latin1
  // What an item says is what its first trial's row says.
  const fieldsDigest = (row: Row, trial: number) =>
    digestOfFields(row, {}, trial > 0 ? [] : [...labelFields({ label }), ...by])
  return new Repeats(context, byFile ? subject : undefined, fieldsDigest)
}

/** The last stage that a row went through. */
export function stageOf(row: Row): string {
  for (const key of ['error', 'result', 'verdict', 'reply', 'trial'] as const) if (row.has(key)) return key
  return 'item'
}

/** The requested model, from a row's reply, result, verdict or failure. */
export function modelOf(row: Row): string | undefined {
  const named = row.has('reply')
    ? row.part('reply', 'model')
    : row.has('result')
      ? row.part('result', 'model')
      : (row.get('error')?.model ??
        row.get('verdict')?.model ??
        row.get('trials')?.find(({ model }) => model)?.model)
  return typeof named === 'string' ? named : undefined
}
