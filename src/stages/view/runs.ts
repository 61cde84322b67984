/** The runs among the rows: who judged, with what settings, and what it adds up to. */

import { getOrInsert } from '../../rows/maps.ts'
import type { JsonObject, Trial } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Modules, Report } from '../../scoring/_report.ts'
import { type RunIdentity, runTitle } from '../../scoring/_run_identity.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { RunCells } from './columns.ts'

/** Rows of a run whose request is looked at for its settings: a prompt is most of a row. */
const LOOKED_AT = 100
/** Different settings that are listed. */
const LISTED = 8

/** Members of `jb` that say what made a row, where they are there. */
const VERSIONS = ['judge_digest', 'judge_version', 'version', 'seed'] as const

/** Whose rows those of a run are, and of --by-file the file they are in. */
type ViewIdentity = RunIdentity & { file: string | undefined }

/** One judge with one model, or one file's where files are kept apart. */
export class ViewRun {
  readonly identity: ViewIdentity
  /** Another run has the same name: the digest tells them apart. */
  ambiguous = false
  readonly report: Report
  readonly cells = new RunCells()
  readonly stages: Record<string, number> = {}
  readonly ms: number[] = []
  private readonly settings = new Map<string, Set<string>>()
  private looked = 0

  constructor(identity: ViewIdentity, modules: Modules, by: string[]) {
    this.identity = identity
    this.report = new Report(modules, by)
  }

  get plainName(): string {
    return (
      runTitle(this.identity.judge, this.identity.name, this.identity.model, this.identity.file) || 'no judge'
    )
  }

  get name(): string {
    return this.ambiguous
      ? `${this.plainName} · ${this.identity.judge_digest?.slice(0, 8) ?? 'no digest'}`
      : this.plainName
  }

  /** What a row of the run says of how it was made. */
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
    if (this.looked >= LOOKED_AT || !row.has('request')) return
    this.looked++
    for (const [key, text] of row.members('request') ?? [])
      if (key !== 'messages' && key !== 'prompt') this.setting(key, text.slice(0, 200))
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

/** How far a row is. */
export function stageOf(row: Row): string {
  for (const key of ['error', 'result', 'verdict', 'reply', 'trial'] as const) if (row.has(key)) return key
  return 'item'
}

/** The model a row names: as asked for, of its reply, result, verdict or failure. */
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
