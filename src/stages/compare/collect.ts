/** Reads rows into runs: results as they are, trials scored first, plain rows by --value. */

import { noteUnread } from '../../formats/_marks.ts'
import { clusterField } from '../../options/common.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Source } from '../../rows/reader.ts'
import type { Json } from '../../rows/record.ts'
import { encode, type Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { Accumulator, type Sums } from '../../scoring/_accumulator.ts'
import { itemDigest } from '../../scoring/_digest.ts'
import type { Modules } from '../../scoring/_group.ts'
import { hashItem, hashItemOf } from '../../scoring/_item_hash.ts'
import { type Outcome, outcomeOf } from '../../scoring/_outcome.ts'
import type { Known } from '../../scoring/_result_cache.ts'
import { groupName } from '../../scoring/_run.ts'
import { identityOf, identityTitle, runKey } from '../../scoring/_run_identity.ts'
import { forEachRow, isProbe, noteProbes, noteRepeats, type OnRepeat } from '../../scoring/_scored_rows.ts'
import { scoringModules } from '../../scoring/_scorer.ts'
import { kindIn } from '../../scoring/_scoring.ts'
import type { CompareOptions } from './options.ts'
import { type ComparedRun, type ItemOutcome, Runs, stateOf } from './runs.ts'

/** The outcome of a result, shared by all rows that differ only in their items. */
interface KnownOutcome extends ItemOutcome, Known {
  run: ComparedRun
}

export async function collectRuns(
  options: CompareOptions,
  context: Context,
): Promise<{ runs: Runs; found: ComparedRun[] }> {
  const { sources } = context
  const cluster = clusterField(options)
  const fields = [...options.by, ...(cluster === undefined ? [] : [cluster])]
  const named = options.show !== undefined || options.bootstrap > 0 || cluster !== undefined
  const runs = new Runs(fields, named)
  const modules = await scoringModules()
  // A file is a run if there are several, or if it has a name.
  const byFile =
    options.run === undefined && (sources.length > 1 || sources.some(({ label }) => label !== undefined))
  const groups = byFile ? sources.map((source) => [source]) : [sources]
  for (const group of groups) {
    const name = byFile ? (group[0]!.label ?? group[0]!.name) : undefined
    await new Collector(runs, modules, name, options, context).read(group)
  }
  for (const [field, column] of runs.columns) if (column.empty) context.note(`no row has the field ${field}`)
  return { runs, found: runs.finish(!byFile, context.note) }
}

class Collector implements Sums<KnownOutcome> {
  readonly modules: Modules
  private readonly runs: Runs
  /** Of the run, if the file names it. */
  private readonly name: string | undefined
  private readonly options: CompareOptions
  private readonly context: Context
  private readonly repeated: OnRepeat

  constructor(
    runs: Runs,
    modules: Modules,
    name: string | undefined,
    options: CompareOptions,
    context: Context,
  ) {
    this.runs = runs
    this.modules = modules
    this.name = name
    this.options = options
    this.context = context
    this.repeated = noteRepeats(context)
  }

  async read(sources: Source[]): Promise<void> {
    const { context, options } = this
    const given = context.rows(sources, true)
    const rows = options.value === undefined ? noteUnread(given, context) : given
    if (options.value !== undefined) {
      let probes = 0
      for await (const batch of rows)
        forEachRow(batch, context, (row) => {
          if (isProbe(row)) probes++
          else this.plain(row)
        })
      noteProbes(probes, context.note)
      return
    }
    // --show writes each row's own result.
    const each = options.show !== undefined
    const results = await Accumulator.create<KnownOutcome, this>(this, { ...options, each }, context)
    await results.add(rows)
    await results.end()
    noteProbes(results.probes, context.note)
  }

  add(row: Row): KnownOutcome {
    const result = row.has('error') ? undefined : row.get('result')
    const trials = row.get('trials') ?? []
    const error = result ? undefined : row.get('error')?.code
    const outcome = result && outcomeOf(result, trials)
    const known: KnownOutcome = {
      outcome,
      state: stateOf(outcome),
      digest: trials.length > 0 ? itemDigest(trials, error) : 0,
      run: this.runOf(row),
      trials,
      result,
      error,
      kind: kindIn(result, trials),
      fieldsDigest: 0,
      similar: undefined,
    }
    const identity = identityOf(row)
    known.run.judges?.set(runKey(identity), { identity })
    this.take(row, known)
    return known
  }

  addSimilar(known: KnownOutcome, row: Row, second?: Row): boolean {
    this.take(row, known, known.similar?.digest(row.unchanged!, second?.unchanged))
    return true
  }

  reads(): string[] {
    const { run } = this.options
    return run === undefined ? [] : [run]
  }

  private plain(row: Row): void {
    const value = row.has('error') ? undefined : row.field(this.options.value!)
    const number = typeof value === 'boolean' ? Number(value) : value
    const outcome: Outcome | undefined =
      typeof number === 'number' && Number.isFinite(number)
        ? { measure: 'score', value: number, width: number >= 0 && number <= 1 ? 1 : undefined }
        : undefined
    this.take(row, { outcome, state: stateOf(outcome), digest: 0, run: this.runOf(row) })
  }

  private runOf(row: Row): ComparedRun {
    if (this.name !== undefined) return this.runs.run(this.name)
    const { run } = this.options
    if (run !== undefined) {
      const value = row.field(run)
      const name = value === undefined || value === null ? '' : groupName(value, row, run)
      return this.runs.run(name)
    }
    const identity = identityOf(row)
    return this.runs.run(identityTitle(identity), identity)
  }

  private take(row: Row, known: ItemOutcome & { run: ComparedRun }, digest = known.digest): void {
    const { runs } = this
    const { duplicates, show } = this.options
    this.hash(row)
    const item = runs.item(row, this.idOf)
    const { run, outcome } = known
    if (!run.set(item, row, known, digest, duplicates)) {
      this.repeated('same', encode(JSON.stringify(this.idOf(row))), row)
      return
    }
    if (show === undefined) return
    runs.rows[item] ??= row.bare().detached()
    // Of several samples the first one with an outcome is shown.
    const before = run.shown.get(item)
    if (before && !(outcome && before.error)) return
    const [result, error] = [row.get('result'), row.get('error')]
    run.shown.set(item, {
      ...(result && { result: result as Json }),
      ...(error && { error: error as unknown as Json }),
    })
  }

  /** Hashes the row's item for the table of items. */
  private hash(row: Row): void {
    const line = this.options.id === undefined ? row.unchanged : undefined
    if (line && line.item >= 0 && line.isString(line.item)) hashItemOf(line)
    else hashItem(encode(JSON.stringify(this.idOf(row))))
  }

  private readonly idOf = (row: Row): string => {
    const { id } = this.options
    return id === undefined ? (row.get('item') ?? itemId(row)) : itemId(row, id)
  }
}
