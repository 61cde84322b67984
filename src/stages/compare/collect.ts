/** Reads rows into runs: what each item comes to by the ledger, or plain rows by --value. */
import { noteUnread } from '../../formats/_marks.ts'
import { clusterField } from '../../options/common.ts'
import { noRowHas, UnseenFields } from '../../options/nearest.ts'
import { fieldNames, isNamedByLine, itemId } from '../../rows/item_id.ts'
import type { Rows, Source } from '../../rows/reader.ts'
import { EXIT, Fatal, type Json, type Result, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { Marks } from '../../scoring/followed.ts'
import { groupName } from '../../scoring/group_name.ts'
import type { Run } from '../../scoring/item.ts'
import type { ItemResult } from '../../scoring/item_result.ts'
import { type ScoreSettings, scoredWith, scoreSettings } from '../../scoring/kind.ts'
import { KIND } from '../../scoring/kinds.ts'
import { firstOf, isLabel, labelFields } from '../../scoring/label.ts'
import { checkLabelMap, meantBy } from '../../scoring/label_map.ts'
import { labelNumber } from '../../scoring/label_terms.ts'
import { Ledger } from '../../scoring/ledger.ts'
import { onResults } from '../../scoring/options.ts'
import { type Outcome, outcomeOf } from '../../scoring/outcome.ts'
import { forEachRow, isProbe, noteProbes } from '../../scoring/rows.ts'
import { identityTitle, type RunIdentity } from '../../scoring/run_identity.ts'
import { type Asked, askedIn, placeText } from '../../scoring/same_items.ts'
import { sampleNumbers } from '../../scoring/samples.ts'
import { type GradeScale, rescaled, scaleOption } from '../../scoring/scale.ts'
import { merge, sumsState } from '../../scoring/sums.ts'
import { PlainIds } from './ids.ts'
import { addItemLabels } from './item_labels.ts'
import type { CompareOptions } from './options.ts'
import { type ComparedRun, Runs } from './runs.ts'
import { addLabels, LabelReader, truthPlaces } from './truth.ts'

/** What the rows of a run go to, and what reads them. */
export interface RowsOfRun {
  ledger: Ledger
  runs: Runs
}
type Read = (rows: Rows, reading: RowsOfRun) => Promise<void>

/** @param last the source that is read last, and by whom: by default all rows are read, in the order of the sources */
export async function collectRuns(
  options: CompareOptions,
  context: Context,
  last?: { source: number; read: Read },
): Promise<{ runs: Runs; found: ComparedRun[] }> {
  const { sources } = context
  const cluster = clusterField(options)
  const fields = [...options.by, ...(cluster === undefined ? [] : [cluster])]
  // Each of several files is a run, and so is a file with a name.
  const byFile =
    options.run === undefined && (sources.length > 1 || sources.some(({ label }) => label !== undefined))
  const runs = new Runs(fields, new PlainIds(options))
  const marks = new Marks(options, context)
  let refused: Fatal | undefined
  for (const { group, read } of readings(runs, sources, byFile, last)) {
    const { name, label = name } = group[0]!
    // With --choose a file without rows lacks all items.
    if (options.choose !== undefined && byFile) runs.run(label)
    const collector = new Collector(runs, fields, byFile ? label : undefined, options, context)
    const rows = context.rows(group)
    await (options.value === undefined
      ? collector.judged(await marks.of(noteUnread(rows, context)), read)
      : collector.plain(rows))
    refused ??= collector.refused
  }
  if (options.run !== undefined && runs.nameless)
    throw usageError(noRowHas('run', options.run, runs.fieldNames))
  if (refused) throw refused
  checkSame(runs, options, context)
  noteEmpty(runs, options, context)
  const found = runs.finish(!byFile, context.note)
  if (options.choose !== undefined) await addItemLabels(runs, options, context)
  else if (options.truth.length > 0) await addLabels(runs, found, options, context)
  for (const run of found) run.checkTruth()
  return { runs, found }
}

/** @throws Fatal (data) for runs of different items, unless --differ allows them */
function checkSame(runs: Runs, { differ }: CompareOptions, context: Context): void {
  const message = runs.same.message(runs.items.size)
  if (message === undefined) return
  if (differ.includes('questions')) context.note(message)
  else
    throw new Fatal(
      EXIT.data,
      `${message} (--id FIELD names the field that tells items apart; --differ questions compares them all the same)`,
    )
}

/** Fields of --by and --cluster that no row has. */
function noteEmpty(runs: Runs, { by }: CompareOptions, { note }: Context): void {
  for (const field of runs.lacking)
    note(noRowHas(by.includes(field) ? 'by' : 'cluster', field, runs.fieldNames))
}

/** The sources of each run, in the order in which they are read. */
function readings(
  runs: Runs,
  sources: readonly Source[],
  byFile: boolean,
  last: { source: number; read: Read } | undefined,
): { group: Source[]; read?: Read }[] {
  if (!last) return byFile ? sources.map((one) => ({ group: [one] })) : [{ group: [...sources] }]
  const { source, read } = last
  // Runs stand in the order of the sources.
  for (const { name, label = name } of sources) runs.run(label)
  return [{ group: sources.filter((_, i) => i !== source) }, { group: [sources[source]!], read }]
}

const readAll: Read = async (rows, { ledger }) => {
  for await (const batch of rows) for (const row of batch) ledger.add(row)
}

/** What is kept of the row of an item, besides what it came to. */
interface OwnFields {
  asked: Asked
  /** People's labels in fields of --truth. */
  labels: readonly Json[]
  /** --show: the user's fields. */
  row: Row | undefined
}

const NO_LABELS: readonly never[] = []

class Collector {
  /** The error of the first item with several outcomes. */
  refused: Fatal | undefined
  private readonly runs: Runs
  private readonly fields: readonly string[]
  /** The run's name, if it is the file's. */
  private readonly name: string | undefined
  private readonly options: CompareOptions
  /** That of --rescale. */
  private readonly scale: GradeScale | undefined
  private readonly context: Context
  /** The fields of --truth. */
  private readonly truth: readonly string[]
  private readonly unseen: UnseenFields
  private readonly labels = new LabelReader()

  constructor(
    runs: Runs,
    fields: readonly string[],
    name: string | undefined,
    options: CompareOptions,
    context: Context,
  ) {
    this.runs = runs
    this.fields = fields
    this.name = name
    this.options = options
    this.scale = scaleOption(options)
    this.truth = truthPlaces(options).fields
    const { value, choose, label } = options
    this.unseen = new UnseenFields({ truth: this.truth, value, label: choose && label })
    this.context = context
  }

  /** Trials and results. */
  async judged({ rows, compat }: Awaited<ReturnType<Marks['of']>>, read: Read = readAll): Promise<void> {
    const { options, context, runs } = this
    const { label, labelMap, tie } = options
    checkLabelMap({ labelMap })
    // With --truth, --label names a column of its files, and the judge's own figures are compared, not whether they are right.
    // So they are with --choose, which reads labels of items that failed, too.
    const isCorrected = options.truth.length > 0 || options.choose !== undefined
    const settings: ScoreSettings = {
      ...(isCorrected ? { isLabelled: () => false } : { label, labelMap, tie }),
      compat,
    }
    const onResult = onResults(isCorrected ? {} : options, context)
    const by = this.fields.length > 0 ? this.fields : ['none']
    const shows = options.show !== undefined
    const ledger = new Ledger(
      {
        ...(await scoreSettings(settings)),
        ...{ by, onResult, idOf: this.idOf, partOf: this.partOf() },
        reads: shows ? 'all' : [],
        own: (row: Row): OwnFields => ({
          asked: askedIn(row),
          labels: this.truth.length > 0 || options.choose !== undefined ? this.labelsIn(row) : NO_LABELS,
          row: shows ? row.bare() : undefined,
        }),
      },
      context,
    )
    await read(rows, { ledger, runs })
    const compared = new Map<Run, ComparedRun>()
    // What a label means depends on what the run's values are, which its first item may not say.
    const told: { run: ComparedRun; id: string; item: string; label: Json }[] = []
    for (const result of ledger.results()) {
      const { item, groups } = result
      const id = item.id!
      const { asked, labels, row } = item.own as OwnFields
      runs.same.asked(id, asked)
      const known = runs.item(id)
      known.row ??= row
      for (const [field, value] of groups) runs.setField(known, field, value)
      const run = this.runOf(item.run.identity)
      // A failure that several models of a named run may have had is one there.
      if (item.isGiven && run.has(id)) continue
      compared.set(item.run, run)
      if (options.choose === undefined) {
        runs.same.label(id, item.fields!.meaning, asked.place)
        for (const label of labels) told.push({ run, id, item: placeText(asked.place), label })
      } else this.keep(run, id, result)
      this.take(run, id, result)
      // Where rows are that contradict each other is told at the end.
      if (result.failure?.code !== 'conflict') item.letGo()
    }
    for (const { run, id, ...one } of told) this.labels.add(run, id, one)
    for (const [{ provenance }, run] of compared) merge(run.provenance, sumsState(provenance))
    runs.fieldNames ??= ledger.fields.names
    noteProbes(ledger.probes, context.note)
    this.labels.tell(context.note)
    this.unseen.tell(context.note)
  }

  /** People's labels in the row's own fields. */
  private labelsIn(row: Row): Json[] {
    const { choose, truth } = this.options
    this.unseen.see(row)
    const labels =
      choose !== undefined && truth.length === 0
        ? [firstOf(row, labelFields(this.options))].filter(isLabel)
        : this.truth.flatMap((field) => [row.field(field) ?? null].flat().filter(isLabel))
    return labels.map((label) => meantBy(label, this.options.labelMap))
  }

  /** --choose: the result, and the item's labels. */
  private keep(run: ComparedRun, id: string, { item, ...found }: ItemResult): void {
    const { asked, labels } = item.own as OwnFields
    const { result, kind, criteria, trials } = found
    run.results.set(id, { result, kind, criteria, trials: kind === 'listwise' ? trials : [] })
    if (labels.length === 0) return
    if (result) {
      const { meaning } = KIND[kind]
      this.runs.same.label(id, labels.map(meaning).sort().join('\n'), asked.place)
    }
    if (!this.runs.labels.has(id)) this.runs.labels.set(id, [...labels])
  }

  private take(run: ComparedRun, id: string, { item, result, trials, failure }: ItemResult): void {
    const { options } = this
    const { correct: _, ...plain } = result ?? {}
    const known = options.truth.length > 0 ? (plain as Result) : result
    const outcome = result && rescaled(outcomeOf(known!, trials), this.scale)
    this.refused ??= run.set(id, item.last, outcome, options.duplicates === 'mean')
    if (options.show === undefined) return
    // Of several samples the first one with an outcome is shown.
    const before = run.shown.get(id)
    if (before && !(outcome && before.error)) return
    const scored_with = scoredWith(options)
    run.shown.set(id, {
      ...(result && {
        result: { ...result, ...(scored_with && !result.scored_with && { scored_with }) } as Json,
      }),
      ...(!result && { error: { code: failure!.code } }),
    })
  }

  /** Rows with a number in the field of --value, which are not scored. */
  async plain(rows: Rows): Promise<void> {
    const { context, options, runs } = this
    let probes = 0
    const take = (row: Row) => {
      // Of rows of CSV numbers are texts.
      const value = row.has('error') ? undefined : labelNumber(row.field(options.value!))
      const range: Outcome['range'] = value !== undefined && value >= 0 && value <= 1 ? [0, 1] : undefined
      const outcome: Outcome | undefined =
        value === undefined ? undefined : { measure: 'score', value, range }
      runs.plainIds.see(row)
      const id = this.idOf(row)
      const item = runs.item(id)
      if (options.show !== undefined) item.row ??= row.bare()
      runs.setFields(item, row)
      const part = this.runField(row)
      const name = this.name ?? part ?? ''
      const run =
        part === undefined && this.name === undefined ? this.runs.run(name, {}) : this.runs.run(name)
      if (value !== undefined) run.seeSize(value, row.field(options.value!))
      const place = { file: row.file, line: row.line }
      runs.same.asked(id, askedIn(row))
      this.refused ??= run.set(id, place, outcome, options.duplicates === 'mean')
      for (const label of this.labelsIn(row)) this.labels.add(run, id, { item: row.place, label })
      if (options.show !== undefined) run.shown.set(id, {})
    }
    for await (const batch of rows)
      forEachRow(batch, context, (row) => {
        if (isProbe(row)) probes++
        else take(row)
      })
    noteProbes(probes, context.note)
    this.labels.tell(context.note)
    this.unseen.tell(context.note)
  }

  /** The part of the input that a row is of: by --run, and by sample (the second reply to a trial is one of the second). */
  private partOf(): ((row: Row) => string) | undefined {
    const { run, duplicates } = this.options
    const sampled = duplicates === 'mean'
    if (run === undefined && !sampled) return undefined
    const sampleOf = sampled ? sampleNumbers((row) => this.runField(row) ?? '') : () => 0
    return (row) => JSON.stringify([this.runField(row) ?? null, sampleOf(row)])
  }

  /** A row's value of the field of --run; empty if it has none. */
  private runField(row: Row): string | undefined {
    const { run } = this.options
    if (run === undefined) return undefined
    const value = row.field(run) ?? null
    if (value === null) this.runs.fieldNames ??= fieldNames(row)
    return value === null ? '' : groupName(row, run)
  }

  private runOf({ part, ...identity }: RunIdentity): ComparedRun {
    const value = part === undefined ? null : (JSON.parse(part)[0] as string | null)
    const name = this.name ?? value
    if (name === null) return this.runs.run(identityTitle(identity), identity)
    const run = this.runs.run(name)
    run.seeJudge(identity)
    return run
  }

  private readonly idOf = (row: Row): string => {
    const { id } = this.options
    if (id !== undefined) return itemId(row, id)
    if (this.runs.namedByLine === undefined)
      this.runs.namedByLine = isNamedByLine(row) ? fieldNames(row) : null
    return row.get('item') ?? itemId(row)
  }
}
