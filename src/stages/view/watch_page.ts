/** A page of `jb-audit --watch`: a line a night. It has no script. */
import { readText } from '../../files/text.ts'
import { EXIT } from '../../rows/record.ts'
import { meanWords, range, signedAmount } from '../../scoring/difference_verdict.ts'
import { identityWords } from '../../scoring/provenance.ts'
import { type Watch, watchIn } from '../../scoring/watch_file.ts'
import {
  type NightReport,
  nightReport,
  reportWords,
  systemBaseIn,
  watchBase,
} from '../../scoring/watch_report.ts'
import { BASE, type FigureName, type Movement } from '../../statistics/watch.ts'
import { escaped } from './html.ts'
import type { ViewOptions } from './options.ts'
import { drawn, reportPage, table } from './report_page.ts'

/** @throws Fatal (data) for a damaged file */
export function watchPage(path: string, options: ViewOptions): string {
  const { ci } = options
  const watch = watchIn(readText(path, EXIT.data), path)
  const base = watchBase(watch)
  // What moved is what the file says: a night's own figures do not decide it again.
  const settings = { margin: Number.POSITIVE_INFINITY, alpha: 1 - ci }
  const nights = watch.nights.map((_, i) => nightReport(watch, i + 1, settings, base))
  return reportPage(
    path,
    `<p>${escaped(identityWords(watch.judge))}</p>
<p class="answer">${escaped(reportWords(nights.at(-1)!))}</p>
${tableOf(watch, nights)}
<p>Each night’s value, and the change since the base so far, in points, with its interval, which holds on all nights at once (${+(100 * ci).toPrecision(6)} %); from the night on since which it moved, the change from there on. The system’s change is less that of the judge on the anchors.</p>`,
  )
}

/** The figures that a watch may have; the system's has no name in it. */
const FIGURES: [name: FigureName | 'system', title: string][] = [
  ['score', 'Judge: score'],
  ['differs', 'Judge: other than in the base'],
  ['right', 'Judge: right'],
  ['system', 'System: score as judged'],
]

interface Cell {
  /** Of the night. */
  value: number
  /** So far. */
  movement: Movement | undefined
}

/** The last night comes first. */
function tableOf(watch: Watch, nights: readonly NightReport[]): string {
  const { system } = watch
  const level = system && system.nights.length >= BASE ? systemBaseIn(system).level : undefined
  // Also of the base's nights, whose reports have none, the figures are known once it is complete.
  const base = watchBase(watch)
  const cells = nights.map((report) =>
    FIGURES.map(([name]) =>
      name === 'system' ? systemCell(level, watch, report) : judgeCell(watch, { ...report, base }, name),
    ),
  )
  const shown = FIGURES.flatMap(([, title], i) => (cells.some((row) => row[i]) ? [{ title, i }] : []))
  const reach = Math.max(0.01, ...cells.flat().flatMap((cell) => cell?.movement?.ci.map(Math.abs) ?? []))
  const rows = nights.map((report, at) => {
    const columns = shown.map(({ i }) => cellHtml(cells[at]![i], reach))
    const marks = marksOf(watch, report.night)
    const isMoved = [watch.moved, watch.system?.moved].some((moved) => moved?.night === report.night)
    return { name: String(report.night), cells: [marks.join('<br>'), ...columns], marked: isMoved }
  })
  return table(['Night', '', ...shown.map(({ title }) => title)], rows.reverse())
}

/** Of the night that a report is of. */
function judgeCell(
  { nights }: Watch,
  { night, judge, base }: NightReport,
  name: FigureName,
): Cell | undefined {
  const change = nights[night - 1]![name]
  const level = base?.levels[name]
  if (change === undefined || level === undefined) return undefined
  return { value: level + change, movement: judge?.figures[name] }
}

function systemCell(level: number | undefined, { system }: Watch, report: NightReport): Cell | undefined {
  const change = system?.nights.find(({ night }) => night === report.night)?.change
  if (change === undefined || level === undefined) return undefined
  return { value: level + change, movement: report.system?.score }
}

/** What was said on a night, and of it later. */
function marksOf({ moved, system }: Watch, night: number): string[] {
  const marks: string[] = night <= BASE ? ['base'] : []
  for (const [who, one] of [
    ['the judge', moved],
    ['the system', system?.moved],
  ] as const) {
    if (one?.night === night) marks.push(`<strong>${who} moved, since ${one.since}</strong>`)
    else if (one?.since === night) marks.push(`${who} moved since here`)
  }
  return marks
}

const SHARE = { value: 'share' }

/** @param reach what stands at the edge of the drawing */
function cellHtml(cell: Cell | undefined, reach: number): string {
  if (!cell) return ''
  const { value, movement } = cell
  const level = `<span>${meanWords(value, 'share')}</span>`
  if (!movement) return level
  const { change, ci } = movement
  const words = `${signedAmount(change, SHARE).replace(' points', '')} (${range(ci, SHARE)})`
  return `${level} ${drawn(change, ci, [-reach, reach], 0)} <small>${words}</small>`
}
