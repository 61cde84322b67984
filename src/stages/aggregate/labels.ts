/** `--labels FILE`: what people said of the items, as jb-view's page writes it, against what each judge said. */

import { fittedLines, type Room, roomOf, sentenceLines } from '../../formats/_fit.ts'
import { labelsOf, numbersOf } from '../../formats/_label_file.ts'
import { jsonLines } from '../../formats/_report.ts'
import { styled, type Table } from '../../formats/_table.ts'
import { inLine, shortId } from '../../rows/controls.ts'
import { itemId } from '../../rows/item_id.ts'
import { byKey, count, getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, type Json, type JsonObject, type Result, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { byCriterion, criterionNames } from '../../scoring/by_criterion.ts'
import type { ScoreSettings } from '../../scoring/kind.ts'
import {
  addClasses,
  addScores,
  agreementReport,
  agreementSums,
  gradeDistances,
  spelledAs,
} from '../../scoring/label_agreement.ts'
import { itemsInNoRow, LabelNotes, termsOf } from '../../scoring/label_terms.ts'
import { identityOf, type RunIdentity, runKey, runsOfVersions, runTitle } from '../../scoring/run_identity.ts'
import { LabelScales, scaleOption } from '../../scoring/scale.ts'
import { scoredRows } from '../../scoring/scored_rows.ts'
import { raised, warningLines, wordsApart } from '../../scoring/warnings.ts'
import { sortedLabels } from '../../statistics/agreement.ts'
import { wilson } from '../../statistics/interval.ts'

interface LabelSettings extends ScoreSettings {
  labels: string
  item?: string | undefined
  rescale?: string | undefined
  ci: number
  format?: string
}

interface Label {
  label: Json
  note?: Json
}

/** By item, then by criterion (of a label without one: undefined). */
type Labels = ReadonlyMap<string, ReadonlyMap<string | undefined, Label>>

/** Yields one report: an object a judge and model as JSON, or tables. */
export async function* agreeWithLabels(
  rows: Rows,
  settings: LabelSettings,
  context: Context,
): AsyncGenerator<string> {
  const format = settings.format ?? (context.terminal.output ? 'table' : 'json')
  if (format !== 'json' && format !== 'table')
    throw usageError(`--labels writes json or a table, not ${format}`)
  const labels = await readLabels(settings, context)
  const criteria = [...new Set([...labels.values()].flatMap((of) => [...of.keys()]))]
  const runs = new Map<string, Agreement>()
  const notes = new LabelNotes()
  const numbers = numbersOf([...labels.values()].flatMap((of) => [...of.values()].map(({ label }) => label)))
  const scales = new LabelScales(scaleOption(settings), numbers)
  // --label names the file's column, and the row's own label need not be one of a judge.
  const { labels: _, label: _column, labelMap: _map, ...given } = settings
  const scoring = { ...given, fields: [], isLabelled: () => false }
  for await (const batch of scoredRows(rows, scoring, context)) {
    for (const row of batch) {
      const identity = identityOf(row)
      for (const criterion of criteria.filter(
        (one) => one === undefined || criterionNames(row).includes(one),
      )) {
        const key = JSON.stringify([runKey(identity), criterion])
        const run = getOrInsert(runs, key, () => new Agreement(identity, criterion, labels))
        const result =
          criterion === undefined
            ? row.get('result')
            : byCriterion(row.get('result'), row.get('criteria') ?? [], criterion)
        run.add(row, result, { notes, scales })
      }
    }
  }
  for (const run of runs.values()) run.spellLabels(notes)
  notes.tell('--labels: ', context.note)
  scales.tell(context.note)
  for (const run of runsOfVersions(runs.values(), context.note)) run.ambiguous = true
  noteUnmatched(labels, runs.values(), context.note)
  const reports = [...runs.values()].map((run) => run.report(settings.ci))
  if (!reports.some(({ compared }) => compared !== 0))
    context.finish(EXIT.gate, `no label was compared with a verdict: ${whyNone(reports, labels)}`)
  yield format === 'json' ? jsonLines(reports) : printTables(reports, context.terminal.color, roomOf(context))
}

/** Tells of labels of items that are in no row, where others are. */
function noteUnmatched(labels: Labels, runs: Iterable<Agreement>, note: Context['note']): void {
  const judged = new Set([...runs].flatMap(({ seen }) => [...seen]))
  const others = [...labels.keys()].filter((item) => !judged.has(item))
  if (judged.size > 0 && others.length > 0) note(`--labels: ${itemsInNoRow(others, labels.size)}`)
}

function whyNone(reports: JsonObject[], labels: Labels): string {
  if (labels.size === 0) return 'the file has none'
  if (reports.length === 0) return 'there is no judged item in the input'
  if (reports.every(({ missing, labels }) => missing === labels))
    return `their items are in no row, such as ${JSON.stringify([...labels.keys()][0])} (--item FIELD names the column with the item's id)`
  return 'the items failed, or no label could be read'
}

/** Of two labels of the same the last one counts. @throws Fatal (data) for a line that is no label */
async function readLabels(settings: LabelSettings, context: Context): Promise<Labels> {
  const labels = new Map<string, Map<string | undefined, Label>>()
  for await (const one of labelsOf([settings.labels], settings, context)) {
    const { item, criterion, label, note, file, line } = one
    if (label === null) continue
    const known = getOrInsert(labels, item, () => new Map<string | undefined, Label>())
    if (known.has(criterion) && known.get(criterion)!.label !== label)
      context.note(
        `item ${JSON.stringify(shortId(item))} has another label before: the last one counts (jb-audit --truth takes those of several people)`,
        { file, line, kind: 'two labels' },
      )
    known.set(criterion, { label, ...(note !== undefined && { note }) })
  }
  return labels
}

/** What one judge with one model said, of one criterion where labels name them, against the labels. */
class Agreement {
  readonly identity: RunIdentity
  private readonly criterion: string | undefined
  /** Another has the same names, of another version of the judge. */
  ambiguous = false
  private readonly labels: ReadonlyMap<string, Label>
  readonly seen = new Set<string>()
  private readonly meta = agreementSums()
  private readonly confusion = new Map<string, Map<string, number>>()
  private readonly differ: JsonObject[] = []
  /** Of grades: how far they may be from people's and not be listed. */
  private near: number | undefined
  /** The judge's options are not known: any word is read as one of them. */
  private isOpen = false
  private compared = 0
  private same = 0
  private failed = 0
  private leftOut = 0

  constructor(identity: RunIdentity, criterion: string | undefined, labels: Labels) {
    this.identity = identity
    this.criterion = criterion
    this.labels = new Map(
      [...labels].flatMap(([item, of]) => {
        const label = of.get(criterion)
        return label === undefined ? [] : [[item, label]]
      }),
    )
  }

  add(
    row: Row,
    result: Result | undefined,
    { notes, scales }: { notes: LabelNotes; scales: LabelScales },
  ): void {
    const id = row.get('item') ?? itemId(row)
    const given = this.labels.get(id)
    if (!given || this.seen.has(id)) return
    this.seen.add(id)
    const terms =
      result &&
      termsOf(
        result,
        { criteria: row.get('criteria') ?? [], trials: row.get('trials') ?? [] },
        this.criterion,
        scales,
      )
    if (!terms) {
      this.failed++
      return
    }
    const { label, note } = given
    const number = terms.score?.(label)
    // A score that people gave need not be one of the options' scores.
    if (typeof result!.score === 'number' && number !== undefined) addScores(this.meta, number, result!.score)
    const read = terms.read(label)
    if (read === undefined) {
      this.leftOut++
      notes.unread(label, terms.expected, id, this.criterion)
      return
    }
    notes.read(label, read)
    const { said } = terms
    this.isOpen ||= terms.isOpen === true
    this.compared++
    if (typeof said === 'number') this.near ??= nearOf(result!)
    if (said === read) this.same++
    if (apart(said, read) > (this.near ?? 0))
      this.differ.push({ item: id, label: read, judged: said, ...(note !== undefined && { note }) })
    if (typeof said === 'string') addClasses(this.meta, String(read), said)
    count(
      getOrInsert(this.confusion, String(read), () => new Map<string, number>()),
      String(said),
    )
  }

  /** Gives labels the judge's spelling, where its options were not known when they were read. */
  spellLabels(notes: LabelNotes): void {
    const spelled = spelledAs(new Set([...this.confusion.values()].flatMap((said) => [...said.keys()])))
    for (const [label, said] of [...this.confusion]) {
      const option = spelled(label)
      if (option === label) continue
      notes.read(label, option)
      const of = getOrInsert(this.confusion, option, () => new Map<string, number>())
      for (const [one, times] of said) count(of, one, times)
      this.confusion.delete(label)
    }
    for (const one of this.differ) if (typeof one.label === 'string') one.label = spelled(one.label)
  }

  report(ci: number): JsonObject {
    const { compared, same, labels, seen, failed, leftOut } = this
    const { accuracy: _, ...classes } = agreementReport(this.meta)
    const areGrades = this.near !== undefined
    const measures = { ...classes, ...(areGrades && gradeDistances(this.meta)) }
    const { judge, judge_digest, name, model, variant } = this.identity
    const all = { judge, judge_digest: this.ambiguous ? judge_digest : undefined, name, model, variant }
    const said = new Set([...this.confusion.values()].flatMap((of) => [...of.keys()]))
    const warnings = raised(this.isOpen && wordsApart(this.confusion.keys(), said))
    const subject = Object.fromEntries(
      Object.entries({ ...all, criterion: this.criterion }).filter(([, value]) => value !== undefined),
    )
    return {
      ...subject,
      labels: labels.size,
      compared,
      failed,
      ...(leftOut > 0 && { left_out: leftOut }),
      missing: labels.size - seen.size,
      agreement: compared === 0 ? null : same / compared,
      ci: wilson(same, compared, ci),
      ...measures,
      confusion: Object.fromEntries(
        byKey(this.confusion).map(([label, said]) => [label, Object.fromEntries(byKey(said))]),
      ),
      ...(areGrades && { far: this.near }),
      ...(warnings.length > 0 && { warnings }),
      differ: areGrades ? this.differ.sort((one, other) => distance(other) - distance(one)) : this.differ,
    } as JsonObject
  }
}

/** How far two labels are apart: 1 where there is no distance between them. */
const apart = (one: Json, other: Json): number =>
  typeof one === 'number' && typeof other === 'number' ? Math.abs(one - other) : Number(one !== other)

const distance = ({ label, judged }: JsonObject) => apart(label!, judged!)

/** A quarter of the scale: grades that are closer are not listed as different. 1 where the scale is not known. */
const nearOf = ({ range }: Result): number => {
  const [low, high] = (range ?? [0, 4]) as [number, number]
  return (high - low) / 4
}

/** Figures in the order of the table, and their words. */
const FIGURES = [
  ['kappa', 'kappa'],
  ['kappa_quadratic', 'kappa, quadratic weights,'],
  ['pearson', 'pearson'],
  ['spearman', 'spearman'],
  ['kendall', 'kendall'],
  ['bias', 'judge less people, mean,'],
  ['mae', 'mean distance'],
  ['within_1', 'share at most 1 apart'],
] as const

/** The name of a class, or the number that it is. */
const asNumber = (name: string): string | number => {
  const number = Number(name)
  return String(number) === name ? number : name
}

function printTables(reports: JsonObject[], color: boolean, room: Room): string {
  const style = styled(color)
  const laidOut = (table: Table) => fittedLines(table, style, { room })
  const blocks: string[] = []
  for (const report of reports) {
    const { labels, compared, failed, left_out, missing, agreement, ci, confusion, far, differ } =
      report as JsonObject & {
        confusion: Record<string, Record<string, number>>
        differ: JsonObject[]
      }
    const [criterion, ...who] = ['criterion', 'judge', 'name', 'model', 'variant', 'judge_digest'].map(
      (key) => report[key] as string,
    )
    const title = [runTitle(...who) || 'no judge', criterion ?? []].flat().join(' · ')
    const lines = [
      ...sentenceLines([title], room).map((line) => style(1, line)),
      ...sentenceLines(
        [
          `${labels} labels, ${compared} compared, ${failed} failed, ${left_out === undefined ? '' : `${left_out} left out, `}${missing} on items that are not in the rows`,
        ],
        room,
      ),
    ]
    if (typeof agreement === 'number') {
      const bounds = (ci as number[]).map((bound) => (bound * 100).toFixed(1)).join('–')
      lines.push(`agreement ${(agreement * 100).toFixed(1)} % (${bounds})`)
    }
    for (const [name, words] of FIGURES)
      if (typeof report[name] === 'number') lines.push(`${words} ${(report[name] as number).toFixed(3)}`)
    const judged = sortedLabels(
      Object.values(confusion)
        .flatMap((row) => Object.keys(row))
        .map(asNumber),
    )
    const matrix: Table = {
      head: ['label \\ judge', ...judged.map((said) => inLine(String(said)))],
      lines: sortedLabels(Object.keys(confusion).map(asNumber)).map((label) => [
        inLine(String(label)),
        ...judged.map((said) => String(confusion[label]![said] ?? 0)),
      ]),
    }
    if (compared !== 0) lines.push('', ...laidOut(matrix))
    const items: Table = {
      head: [far === undefined ? 'they differ on' : `more than ${far} apart`, 'label', 'judge'],
      lines: differ.map(({ item, label, judged }) => [item, label, judged].map((one) => inLine(String(one)))),
    }
    if (differ.length > 0) lines.push('', ...laidOut(items))
    lines.push(...sentenceLines(warningLines(report.warnings), room))
    blocks.push(`${lines.join('\n')}\n`)
  }
  return blocks.join('\n')
}
