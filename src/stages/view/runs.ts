/** The runs in the rows: judge, model, results. */

import type { Row } from '../../rows/row.ts'
import { identityTitle, isHomeOf, type RunIdentity } from '../../scoring/run_identity.ts'
import type { RunSums } from '../../scoring/run_sums.ts'
import { histogramOf } from '../../statistics/describe.ts'
import { RunCells } from './columns.ts'
import { ShuffledItems } from './narrowing.ts'

type ViewIdentity = RunIdentity & { file: string | undefined }

/** One judge with one model, in one file with --by-file. */
export class ViewRun {
  readonly identity: ViewIdentity
  /** Another run has the same name, so the name gets the judge's digest. */
  ambiguous = false
  /** Sums over its items; undefined if it has none. */
  sums: RunSums | undefined
  readonly cells = new RunCells()
  readonly shuffled = new ShuffledItems()
  readonly stages: Record<string, number> = {}
  readonly ms: number[] = []

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

  /** Counts a row. */
  note(row: Row, index: number): void {
    const stage = stageOf(row)
    this.stages[stage] = (this.stages[stage] ?? 0) + 1
    if (row.has('reply')) this.noteReply(row, index)
    if (row.has('shuffle')) this.shuffled.mark(index, row.get('shuffle')!)
  }

  private noteReply(row: Row, index: number): void {
    const ms = row.part('reply', 'ms')
    if (typeof ms === 'number') {
      this.ms.push(ms)
      this.cells.number('ms').add(index, ms)
    }
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
    const home = ofFile.find(({ identity }) => isHomeOf(identity, lost.identity))
    if (!home) continue
    home.join(lost)
    joined.set(lost, home)
  }
  const runs = all.filter((run) => !joined.has(run))
  return { runs, places: all.map((run) => runs.indexOf(joined.get(run) ?? run)) }
}

/** The last stage that a row went through. */
function stageOf(row: Row): string {
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
