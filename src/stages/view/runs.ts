/** The runs in the rows: judge, model, settings, results. */

import { getOrInsert } from '../../rows/maps.ts'
import type { JsonObject, Trial } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { homesOf } from '../../scoring/lost.ts'
import type { Run } from '../../scoring/run.ts'
import { identityTitle, type RunIdentity } from '../../scoring/run_identity.ts'
import { parametersOf } from '../../scoring/trial_result.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { RunCells } from './columns.ts'
import { ShuffledItems } from './narrowing.ts'

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
  /** Sums over its items; undefined if it has none. */
  sums: Run | undefined
  readonly cells = new RunCells()
  readonly shuffled = new ShuffledItems()
  readonly stages: Record<string, number> = {}
  readonly ms: number[] = []
  private readonly settings = new Map<string, Set<string>>()
  private requests = 0

  constructor(identity: ViewIdentity) {
    this.identity = identity
  }

  /** Adds the rows of a run of failures without a model. */
  join({ stages, shuffled }: ViewRun): void {
    this.shuffled.join(shuffled)
    for (const [stage, rows] of Object.entries(stages)) this.stages[stage] = (this.stages[stage] ?? 0) + rows
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
    if (row.has('shuffle')) this.shuffled.mark(index, row.get('shuffle')!)
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

/** The runs without those of items that failed before they had a model, which count in the runs that they may be of; and the place there of each. */
export function withoutModelless(all: readonly ViewRun[]): { runs: ViewRun[]; places: number[] } {
  const joined = new Map<ViewRun, ViewRun>()
  const named = all.filter(({ sums, identity }) => sums?.named ?? identity.model !== undefined)
  for (const lost of all) {
    if (named.includes(lost)) continue
    const ofFile = named.filter(({ identity }) => identity.file === lost.identity.file)
    const [home] = homesOf(lost.identity, ofFile)
    if (!home) continue
    home.join(lost)
    joined.set(lost, home)
  }
  const runs = all.filter((run) => !joined.has(run))
  return { runs, places: all.map((run) => runs.indexOf(joined.get(run) ?? run)) }
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
