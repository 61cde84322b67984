/** A page of `jb-audit --watch`: a line a night. It has no script. */
import { readText } from '../../files/text.ts'
import { EXIT, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
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
import { escaped, hashOf } from './html.ts'
import type { ViewOptions } from './options.ts'

/** @throws Fatal (data) for a damaged file, (usage) for a page on a terminal */
export function watchPage(path: string, { title, ci, text }: ViewOptions, context: Context): string {
  if (text || context.terminal.output) throw usageError('a watch is a page: give -o watch.html')
  const watch = watchIn(readText(path, EXIT.data), path)
  const base = watchBase(watch)
  // What moved is what the file says: a night's own figures do not decide it again.
  const settings = { margin: Number.POSITIVE_INFINITY, alpha: 1 - ci }
  const nights = watch.nights.map((_, i) => nightReport(watch, i + 1, settings, base))
  const name = title ?? path.replace(/^.*\//, '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${hashOf(STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(name)}</h1>
<p>${escaped(identityWords(watch.judge))}</p>
<p class="answer">${escaped(reportWords(nights.at(-1)!))}</p>
${tableOf(watch, nights)}
<p>Each night’s value, and the change since the base so far, in points, with its interval, which holds on all nights at once (${+(100 * ci).toPrecision(6)} %); from the night on since which it moved, the change from there on. The system’s change is less that of the judge on the anchors.</p>
</body>
</html>
`
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
  const lines = nights.map((report, at) => {
    const columns = shown.map(({ i }) => cellHtml(cells[at]![i], reach))
    const marks = marksOf(watch, report.night)
    const isMoved = [watch.moved, watch.system?.moved].some((moved) => moved?.night === report.night)
    return `<tr${isMoved ? ' class="moved"' : ''}><th scope="row">${report.night}</th><td>${marks.join('<br>')}</td>${columns.join('')}</tr>`
  })
  const head = shown.map(({ title }) => `<th scope="col">${title}</th>`).join('')
  return `<table>\n<thead><tr><th scope="col">Night</th><th scope="col"></th>${head}</tr></thead>\n<tbody>\n${lines.reverse().join('\n')}\n</tbody>\n</table>`
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

/** Half the width of the drawing of an interval, and its height. */
const [HALF, HEIGHT] = [36, 12]
const SHARE = { value: 'share' }

/** @param reach what stands at the edge of the drawing */
function cellHtml(cell: Cell | undefined, reach: number): string {
  if (!cell) return '<td></td>'
  const { value, movement } = cell
  const level = `<span>${meanWords(value, 'share')}</span>`
  if (!movement) return `<td>${level}</td>`
  const { change, ci } = movement
  const at = (one: number) => (HALF + (HALF * one) / reach).toFixed(1)
  const middle = HEIGHT / 2
  const words = `${signedAmount(change, SHARE).replace(' points', '')} (${range(ci, SHARE)})`
  return `<td>${level} <svg width="${2 * HALF}" height="${HEIGHT}" aria-hidden="true"><line class="zero" x1="${HALF}" x2="${HALF}" y1="0" y2="${HEIGHT}"/><line x1="${at(ci[0])}" x2="${at(ci[1])}" y1="${middle}" y2="${middle}"/><circle cx="${at(change)}" cy="${middle}" r="3"/></svg> <small>${words}</small></td>`
}

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#fbfbfa, #15181c); --ink: light-dark(#1d2126, #e4e7ea);
  --soft: light-dark(#5a626c, #9da6b0); --line: light-dark(#dfe2e6, #31373e); --accent: light-dark(#1f5fa8, #82b4ee);
  --mark: light-dark(#fff0b8, #574a12); }
body { margin: 1.5rem auto; padding: 0 1rem;  background: var(--page); color: var(--ink);
  font: 0.9375rem / 1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.15rem; margin: 0; }
p { margin: 0.25rem 0; color: var(--soft); }
p.answer { margin: 0.75rem 0; color: var(--ink); font-weight: 600; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0.4rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-size: 0.8rem; }
td span { display: inline-block; min-width: 3.6rem; }
small { color: var(--soft); }
svg { vertical-align: middle; }
line { stroke: var(--accent); stroke-width: 2; }
line.zero { stroke: var(--line); stroke-width: 1; }
circle { fill: var(--accent); }
tr.moved { background: var(--mark); }
tr.moved small { color: var(--ink); }
`
