/** Reads rows into runs: results as they are, trials scored first, plain rows by --value. */

import { noteUnread } from '../../formats/_marks.ts'
import { clusterField } from '../../options/common.ts'
import { noRowHas } from '../../options/nearest.ts'
import { fieldNames, itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type Json, usageError } from '../../rows/record.ts'
import { encode, type Latin1, type Row } from '../../rows/row.ts'
import { type Context, soundRows } from '../../rows/stage.ts'
import { Accumulator, type Sums } from '../../scoring/_accumulator.ts'
import { settled as onResults } from '../../scoring/_already_scored.ts'
import { itemDigest } from '../../scoring/_digest.ts'
import type { CountedItem, Modules } from '../../scoring/_group.ts'
import { digestOfFields } from '../../scoring/_item_fields.ts'
import { hashItem } from '../../scoring/_item_hash.ts'
import { labelFields } from '../../scoring/_label.ts'
import { labelNumber } from '../../scoring/_label_terms.ts'
import { type Outcome, outcomeOf } from '../../scoring/_outcome.ts'
import { Repeats } from '../../scoring/_repeats.ts'
import { groupName } from '../../scoring/_run.ts'
import { identityOf, identityTitle, runKey } from '../../scoring/_run_identity.ts'
import { forEachRow, isProbe, noteProbes, noteRepeats, type OnRepeat } from '../../scoring/_scored_rows.ts'
import { kindIn, type Subject, scoringModules } from '../../scoring/_scoring.ts'
import { TwoPasses } from '../../scoring/_two_passes.ts'
import type { CompareOptions } from './options.ts'
import { type ComparedRun, type ItemOutcome, Runs, stateOf } from './runs.ts'

/** The outcome of a result, shared by all rows that differ only in their items. */
interface KnownOutcome extends ItemOutcome, CountedItem {
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
  const modules = await scoringModules()
  // Each of several files is a run, and so is a file with a name.
  const byFile =
    options.run === undefined && (sources.length > 1 || sources.some(({ label }) => label !== undefined))
  const groups = byFile ? sources.map((source) => [source]) : [sources]
  const { value, combine, duplicates } = options
  const all = groups.map(
    (group) => new TwoPasses(context.rows(group, true), options, { ...context, sources: group }),
  )
  const read = async (rowsOf: (passes: TwoPasses) => Rows, within: Context) => {
    const runs = new Runs(fields, named)
    let refused: Fatal | undefined
    for (const [i, passes] of all.entries()) {
      const { name, label = name } = groups[i]![0]!
      const collector = new Collector(runs, modules, byFile ? label : undefined, options, within)
      await collector.read(rowsOf(passes))
      refused ??= collector.refused
    }
    return { runs, refused }
  }
  const collected = async () => {
    const { runs, refused } = await read((passes) => passes.first(), context)
    if (options.run !== undefined && runs.nameless)
      throw usageError(noRowHas('run', options.run, runs.fieldNames))
    if (!refused || context.cut()) return runs
    // Of repeated or retried trials, what counts is known when all rows are in.
    const mayCount = value === undefined && combine === undefined && duplicates !== 'mean'
    const quiet: Context = { ...context, note() {} }
    const second = mayCount && (await read((passes) => settled(passes, options, quiet), quiet))
    if (!second || second.refused) throw refused
    return second.runs
  }
  const runs = await collected().finally(() => all.map((passes) => passes.close()))
  for (const [field, column] of runs.columns)
    if (column.empty)
      context.note(noRowHas(options.by.includes(field) ? 'by' : 'cluster', field, runs.fieldNames))
  return { runs, found: runs.finish(!byFile, context.note) }
}

/** The rows that count, each item and trial once. */
async function* settled(passes: TwoPasses, options: CompareOptions, context: Context): Rows {
  const rows = () => soundRows(passes.second('items occur several times'), context)
  // The label is that of the first trial.
  const fieldsDigest = (row: Row, trial: number) =>
    digestOfFields(row, {}, trial > 0 ? [] : labelFields(options))
  const repeats = new Repeats(context, subjectOf(options), fieldsDigest)
  for await (const _ of repeats.withoutRepeats(rows()));
  yield* repeats.deduplicated(rows())
}

/** --run: items of several runs may have one id. */
const subjectOf = ({ run }: CompareOptions): Subject | undefined =>
  run === undefined ? undefined : (row, item) => `[${item},${row.fieldText(run) ?? null}]` as Latin1

class Collector implements Sums<KnownOutcome> {
  readonly modules: Modules
  private readonly runs: Runs
  /** The run's name, if it is the file's. */
  private readonly name: string | undefined
  private readonly options: CompareOptions
  private readonly context: Context
  private readonly repeated: OnRepeat
  /** The error of the first item with several outcomes. */
  refused: Fatal | undefined

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

  async read(given: Rows): Promise<void> {
    const { context, options } = this
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
    const sampled = options.duplicates === 'mean' && options.combine === undefined
    const settings = { ...options, sampled, subject: subjectOf(options) }
    const results = await Accumulator.create<KnownOutcome, this>(
      this,
      settings,
      context,
      onResults(options, context),
    )
    await results.add(rows)
    await results.end()
    noteProbes(results.probes, context.note)
  }

  add(row: Row): KnownOutcome {
    const result = row.has('error') ? undefined : row.get('result')
    const trials = row.get('trials') ?? []
    const error = result ? undefined : row.get('error')?.code
    const outcome = result && outcomeOf(result, trials)
    if (error === 'conflict') this.refuse(row)
    const fieldsDigest = digestOfFields(row, result ?? {}, [])
    const known: KnownOutcome = {
      outcome,
      state: stateOf(outcome),
      digest: trials.length > 0 ? itemDigest(trials, error, fieldsDigest) : 0,
      run: this.runOf(row),
      trials,
      result,
      error,
      kind: kindIn(result, trials),
    }
    const identity = identityOf(row)
    known.run.judges?.set(runKey(identity), { identity })
    if (result) known.run.scoredWith.add(JSON.stringify(result.scored_with ?? {}))
    this.take(row, known)
    return known
  }

  /** Refuses an item whose rows conflict, unless they are samples or all are taken. */
  private refuse(row: Row): void {
    const { combine, duplicates } = this.options
    if (combine !== undefined || duplicates === 'mean' || row.get('error')?.stage !== 'compare') return
    this.refused ??= new Fatal(
      EXIT.data,
      `${row.place}: item ${JSON.stringify(this.idOf(row))} occurs several times in the same run, with replies or labels that differ (--combine takes all replies, --run FIELD tells runs apart)`,
    )
  }

  private plain(row: Row): void {
    // Of rows of CSV numbers are texts.
    const number = row.has('error') ? undefined : labelNumber(row.field(this.options.value!))
    const outcome: Outcome | undefined =
      number !== undefined
        ? { measure: 'score', value: number, range: number >= 0 && number <= 1 ? [0, 1] : undefined }
        : undefined
    this.take(row, { outcome, state: stateOf(outcome), digest: 0, run: this.runOf(row) })
  }

  private runOf(row: Row): ComparedRun {
    if (this.name !== undefined) return this.runs.run(this.name)
    const { run } = this.options
    if (run !== undefined) {
      const value = row.field(run) ?? null
      if (value === null) this.runs.fieldNames ??= fieldNames(row)
      return this.runs.run(value === null ? '' : groupName(value, row, run))
    }
    const identity = identityOf(row)
    return this.runs.run(identityTitle(identity), identity)
  }

  private take(row: Row, known: ItemOutcome & { run: ComparedRun }): void {
    const { runs } = this
    const { duplicates, show } = this.options
    this.hash(row)
    const item = runs.item(row, this.idOf)
    const { run, outcome } = known
    const taken = run.set(item, row, known, known.digest, duplicates)
    if (taken instanceof Fatal) {
      this.refused ??= taken
      return
    }
    if (!taken) {
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
    hashItem(encode(JSON.stringify(this.idOf(row))))
  }

  private readonly idOf = (row: Row): string => {
    const { id } = this.options
    return id === undefined ? (row.get('item') ?? itemId(row)) : itemId(row, id)
  }
}
