/** Reads rows into runs: results as they are, trials scored first, plain rows by --value. */

import { clusterField } from '../../options/common.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Source } from '../../rows/reader.ts'
import type { Json } from '../../rows/record.ts'
import { encode, type Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { itemDigest } from '../../scoring/_digest.ts'
import { type Outcome, outcomeOf } from '../../scoring/_outcome.ts'
import { groupName } from '../../scoring/_run.ts'
import { forEachRow, noteProbes, noteRepeats, type OnRepeat } from '../../scoring/_scored.ts'
import { Scorer } from '../../scoring/_scorer.ts'
import type { CompareOptions } from './options.ts'
import { type ComparedRun, Runs } from './runs.ts'

interface Said {
  outcome: Outcome | undefined
  /** Of what the trials said; 0 where that is not known. */
  digest: number
}

/** What rows that differ only in their item have in common. */
interface Known {
  run: ComparedRun
  /** By the text of the label it depends on; undefined for results, which depend on none. */
  outcomes: Map<string | undefined, Said>
}

/** Known outcomes that are kept: rows without twins are not collected for ever. */
const KEPT = 4096
/** Labels of which each of them is kept. */
const LABELS = 16

export async function collectRuns(
  options: CompareOptions,
  context: Context,
): Promise<{ runs: Runs; found: ComparedRun[] }> {
  const { sources } = context
  const fields = [...options.by, ...(clusterField(options) === undefined ? [] : [options.cluster])]
  const runs = new Runs(fields)
  // A file is a run where there are several, or where it has a name.
  const byFile =
    options.run === undefined && (sources.length > 1 || sources.some(({ label }) => label !== undefined))
  const groups = byFile ? sources.map((source) => [source]) : [sources]
  for (const group of groups) {
    const name = byFile ? (group[0]!.label ?? group[0]!.name) : undefined
    await new Collector(runs, name, options, context).read(group)
  }
  for (const [field, column] of runs.columns) if (column.empty) context.note(`no row has the field ${field}`)
  return { runs, found: runs.finish(!byFile) }
}

class Collector {
  private readonly runs: Runs
  private readonly name: string | undefined
  private readonly options: CompareOptions
  private readonly context: Context
  private readonly repeated: OnRepeat
  private probes = 0
  private readonly known = new Map<unknown, Known>()

  constructor(runs: Runs, name: string | undefined, options: CompareOptions, context: Context) {
    this.runs = runs
    this.name = name
    this.options = options
    this.context = context
    this.repeated = noteRepeats(context)
  }

  async read(sources: Source[]): Promise<void> {
    const scorer =
      this.options.value === undefined ? await Scorer.create({ ...this.options }, this.context) : undefined
    for await (const batch of this.context.rows(sources))
      forEachRow(batch, this.context, (row) => (scorer ? this.judged(row, scorer) : this.plain(row)))
    forEachRow([...(scorer?.rest() ?? [])], this.context, (row) => this.scored(row))
    noteProbes(this.probes, this.context.note)
  }

  private judged(row: Row, scorer: Scorer): void {
    const { sharedJb } = row
    const known = sharedJb && this.known.get(sharedJb)
    const before = known?.outcomes.get(undefined) ?? known?.outcomes.get(this.labelText(row))
    if (before) {
      this.add(row, known!.run, before)
      return
    }
    if (row.has('probe')) {
      this.probes++
      return
    }
    const result = scorer.add(row)
    if (!result) return
    const [run, said] = this.scored(result)
    const alone = result === row || result.get('trials')?.length === 1
    if (!sharedJb || !said.outcome || !alone || this.options.run !== undefined) return
    if (this.known.size >= KEPT) this.known.clear()
    const label = result === row ? undefined : this.labelText(row)
    const outcomes = known?.outcomes ?? new Map<string | undefined, Said>()
    if (outcomes.size < LABELS) this.known.set(sharedJb, { run, outcomes: outcomes.set(label, said) })
  }

  private readonly labelText = (row: Row): string => row.fieldBytes(this.options.label ?? 'label') ?? ''

  private scored(row: Row): [ComparedRun, Said] {
    const result = row.has('error') ? undefined : row.get('result')
    const trials = row.get('trials')
    const said: Said = {
      outcome: result && outcomeOf(result, trials),
      digest: trials?.length ? itemDigest(trials, result ? undefined : row.get('error')?.code) : 0,
    }
    const run = this.runOf(row)
    this.add(row, run, said)
    return [run, said]
  }

  private plain(row: Row): void {
    const value = row.has('error') ? undefined : row.field(this.options.value!)
    const number = typeof value === 'boolean' ? Number(value) : value
    const outcome: Outcome | undefined =
      typeof number === 'number' && Number.isFinite(number)
        ? { measure: 'score', value: number, width: number >= 0 && number <= 1 ? 1 : undefined }
        : undefined
    this.add(row, this.runOf(row), { outcome, digest: 0 })
  }

  private runOf(row: Row): ComparedRun {
    if (this.name !== undefined) return this.runs.run(this.name, true)
    const { run } = this.options
    if (run !== undefined) {
      const value = row.field(run)
      const name = value === undefined || value === null ? '' : groupName(value, row, run)
      return this.runs.run(name, true)
    }
    const trials = row.get('trials')
    const model = row.get('result')?.model ?? trials?.find((one) => one.model)?.model
    const parts = [row.get('judge'), row.get('name'), model].filter((part) => part !== undefined)
    return this.runs.run(parts.join(' · '), model !== undefined || row.get('result') !== undefined)
  }

  private add(row: Row, run: ComparedRun, { outcome, digest }: Said): void {
    const { id, duplicates, show } = this.options
    const item = this.runs.item(id === undefined ? (row.get('item') ?? itemId(row)) : itemId(row, id), row)
    if (!run.set(item, row, outcome, digest, duplicates)) {
      this.repeated('same', encode(JSON.stringify(this.runs.ids[item])), row)
      return
    }
    if (show === undefined) return
    this.runs.rows[item] ??= row.bare().detached()
    const [result, error] = [row.get('result'), row.get('error')]
    run.shown.set(item, {
      ...(outcome && { value: outcome.value }),
      ...(result && { result: result as Json }),
      ...(error && { error: error as unknown as Json }),
    })
  }
}
