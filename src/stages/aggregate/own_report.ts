/** jb's own report, from rows or from what --partial wrote. */
import type { Room } from '../../formats/_fit.ts'
import { writtenReport } from '../../formats/_report.ts'
import type { Style } from '../../formats/_table.ts'
import { noRowHas, noteAlike, UnseenFields } from '../../options/nearest.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, Fatal, type JsonObject } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { scoreSettings } from '../../scoring/kind.ts'
import { Ledger } from '../../scoring/ledger.ts'
import { mergedTwice } from '../../scoring/merged_twice.ts'
import { onResults } from '../../scoring/options.ts'
import { noteScorings } from '../../scoring/provenance.ts'
import { Report } from '../../scoring/report.ts'
import { noteProbes } from '../../scoring/rows.ts'
import { nameOfRun, runsOfVersions } from '../../scoring/run_identity.ts'
import { haveSameItems, type RunSums } from '../../scoring/run_sums.ts'
import { checkedState, notAState, optionalText } from '../../scoring/states.ts'
import { countMissing } from './expected.ts'
import { checkGates } from './gates.ts'
import { checkMeasured, noteUnmeasured } from './measured.ts'
import type { AggregateOptions } from './options.ts'
import { type Printed, type PrintSettings, recordsOf, reportObjects } from './print.ts'
import { printMarkdown, printTable } from './table.ts'
import { type DecidedGate, gateDecided } from './until.ts'

/** The place of what shows only when all states are added up. */
const MERGED = '--merge'

/** Yields the text of one report over all rows; nothing where the input ended before its end. */
export async function* ownReport(
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): AsyncGenerator<string> {
  const { report, decided } = options.merge
    ? { report: await merged(rows, options, context), decided: undefined }
    : await added(rows, options, context)
  if (context.cut()) return
  if (options.partial) {
    const states = checkedState(MERGED, () => [...report.states()])
    checkTwice(report)
    for (const state of states) yield `${JSON.stringify(state)}\n`
    return
  }
  const runs = options.merge ? checkedState(MERGED, () => report.finish()) : report.finish()
  checkTwice(report)
  if (options.merge) noteUngrouped(runs, options.by, context)
  const mismatches =
    options.expect === undefined || decided
      ? []
      : await countMissing(options.expect, runs, report, options, context)
  // The file of items may have a bad row.
  if (context.cut()) return
  const differ = !haveSameItems(runs)
  if (differ && !options.common)
    context.note(
      `the judges have different valid items (${runs.map(({ all }) => all.valid).join(', ')}): figures side by side are not of the same items (--common takes those that are valid for all)`,
    )
  for (const run of runsOfVersions(runs, context.note)) run.ambiguous = true
  noteAlike(
    'models',
    runs.flatMap(({ identity }) => identity.model ?? []),
    context.note,
  )
  for (const field of new Set(runs.flatMap(({ by }) => [...by.keys()])))
    noteAlike(
      `groups of ${field}`,
      runs.flatMap(({ by }) => [...(by.get(field)?.keys() ?? [])]),
      context.note,
    )
  for (const run of runs) noteScorings(nameOfRun(run), run.provenance, context.note)
  const printed = print({ runs, differ: differ && !options.common }, { ...options, decided }, context)
  yield await printed.catch((error) => {
    throw options.merge ? notAState(MERGED, error) : error
  })
  noteUnmeasured(runs, options, context)
  for (const message of mismatches) context.finish(EXIT.gate, message)
  checkMeasured(runs, report.firstFailure, context)
  if (decided && decided.conclusion !== 'pass')
    context.finish(EXIT.gate, `${decided.sentence} (--fail-under)`)
  checkGates(runs, decided ? { maxErrorRate: options.maxErrorRate } : options, context)
}

/** @throws Fatal (data) where an item that failed before it had a model is in two states */
function checkTwice({ twice }: Report): void {
  if (twice > 0) throw mergedTwice(MERGED, twice)
}

/** Notes items of shards without sums by a field. Without --by, an item has one of several fields. */
function noteUngrouped(runs: readonly RunSums[], by: readonly string[], { note }: Context): void {
  for (const run of runs) {
    const { items } = run.all
    const counted = [...run.by].map(([field, groups]) => ({
      field,
      grouped: [...groups.values()].reduce((sum, group) => sum + group.items, 0),
    }))
    const all = counted.reduce((sum, { grouped }) => sum + grouped, 0)
    for (const { field, grouped } of counted)
      if ((by.length > 0 ? grouped : all) < items)
        note(`${nameOfRun(run)}: ${items - grouped} of ${items} items are in no group by ${field}`)
  }
}

async function merged(rows: Rows, options: AggregateOptions, context: Context): Promise<Report> {
  const report = new Report(options.by)
  const files = new Set<string>()
  for await (const batch of rows)
    for (const row of batch) {
      files.add(row.file)
      checkClusters(report, row)
      const twice = checkedState(row.place, () => report.merge(stateOf(row.item, row.place)))
      if (twice > 0) throw mergedTwice(row.place, twice)
    }
  for (const { name } of context.sources)
    if (!files.has(name))
      context.note(`${name}: there is no state in it: a shard without items, or one that failed`)
  for (const field of report.lacking())
    context.note(`--by ${field}: no state has sums by it, --partial --by ${field} makes them`)
  return report
}

/** @throws Fatal (data) for a state whose sums are by other clusters than those of earlier ones */
function checkClusters(report: Report, { item, place }: Row): void {
  const cluster = checkedState(place, () => optionalText(item.cluster))
  if (report.runs.length > 0 && cluster !== report.cluster) {
    const words = (field: string | undefined) =>
      field === undefined ? 'not by cluster' : `by cluster of ${field}`
    throw new Fatal(
      EXIT.data,
      `${place}: the sums of this state are ${words(cluster)}, those before ${words(report.cluster)}: --partial with the same --cluster on all makes states that add up`,
    )
  }
  report.cluster = cluster
}

/** The report of rows. */
async function added(
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): Promise<{ report: Report; decided: DecidedGate | undefined }> {
  const settings = {
    ...(await scoreSettings(options)),
    onResult: onResults(options, context),
    clusters: options.cluster,
  }
  const ledger = new Ledger(settings, context)
  const unseen = new UnseenFields({ cluster: options.cluster })
  const take = (row: Row) => {
    unseen.see(row)
    ledger.add(row)
  }
  const decided = options.until === undefined ? undefined : await gateDecided(rows, ledger, options, context)
  if (!decided) for await (const batch of rows) for (const row of batch) take(row)
  const report = Report.of(ledger, options)
  if (context.cut()) return { report, decided }
  for (const field of report.lacking()) context.note(noRowHas('by', field, ledger.fields.names))
  unseen.tell(context.note)
  noteProbes(ledger.probes, context.note)
  return { report, decided }
}

function stateOf(item: JsonObject, place: string): JsonObject {
  if (item.state !== 1 || !item.all)
    throw new Fatal(EXIT.data, `${place}: --merge reads what --partial wrote, this is another row`)
  return item
}

function print(
  printed: Printed,
  options: AggregateOptions & PrintSettings,
  context: Context,
): Promise<string> {
  const forms = {
    json: () => reportObjects(printed, options),
    records: () => recordsOf(printed, options),
    table: (style: Style, room: Room) => printTable(printed, options, style, room),
    markdown: () => printMarkdown(printed, options),
  }
  return writtenReport(forms, options, context)
}
