/** The overview: what each run came to, and how sure that is. */
import type { RunOverview } from '../model.ts'
import type { App } from './app.ts'
import { axisFor, isShown } from './charts.ts'
import { differencesSection, groupsSection } from './comparisons.ts'
import { type Child, fold, h, name } from './dom.ts'
import { chanceOf } from './estimates.ts'
import { figuresSection } from './figures.ts'
import { estimateTable } from './table.ts'
import {
  count,
  counted,
  duration,
  interval,
  money,
  percent,
  roundPercent,
  shortCount,
  WHAT,
} from './words_for.ts'

export function overviewView(app: App): HTMLElement {
  const { overview } = app
  const { runs } = overview
  return h(
    'div',
    { class: 'overview' },
    h(
      'p',
      { class: 'lead' },
      `${counted(overview.items, 'item')}, ${counted(overview.rows, 'row')}, ${counted(runs.length, 'run')}`,
    ),
    runs.length === 0
      ? h('p', {}, 'No row was put before a judge yet: the items are there to read and to label.')
      : [runTable(app), groupsSection(app), differencesSection(app), figuresSection(app), madeSection(runs)],
  )
}

/** The columns that some run has something for: head, and cell of a run. */
function columnsOf(app: App): [string, (run: RunOverview) => Child][] {
  const { runs } = app.overview
  const has = (of: (run: RunOverview) => unknown) =>
    runs.some((run) => of(run) !== undefined && of(run) !== null)
  const columns: [string, (run: RunOverview) => Child][] = [
    ['items', ({ report }) => count(Number(report.items))],
    ['failed', (run) => failures(app, run)],
  ]
  if (has(({ consistency }) => consistency))
    columns.push([
      'consistent',
      ({ consistency }) =>
        consistency &&
        h(
          'span',
          { title: `${interval(consistency.ci, 'accuracy')}, ${counted(consistency.n, 'item')}` },
          percent(consistency.value),
        ),
    ])
  if (has(({ slot }) => slot))
    columns.push([
      'first slot',
      ({ slot }) =>
        slot &&
        h(
          'span',
          { title: `${interval(slot.ci, 'accuracy')}, ${counted(slot.n, 'decisive game')}` },
          percent(slot.value),
        ),
    ])
  if (has(({ report }) => report.usage)) columns.push(['tokens', ({ report }) => tokens(report.usage)])
  if (has(({ report }) => report.cost))
    columns.push(['cost', ({ report }) => (typeof report.cost === 'number' ? money(report.cost) : '')])
  if (has(({ ms }) => ms))
    columns.push([
      'time a call',
      ({ ms }) => ms && h('span', { title: `95 % below ${duration(ms.p95)}` }, duration(ms.median)),
    ])
  return columns
}

function runTable(app: App): HTMLElement {
  const { runs, ci } = app.overview
  const axis = axisFor(
    runs.map(({ estimate }) => estimate),
    chanceOf(app),
  )
  const kinds = [...new Set(runs.flatMap(({ estimate }) => (estimate ? [WHAT[estimate.what]] : [])))]
  const columns = columnsOf(app)
  const [title, value] = kinds.length === 1 ? [capital(kinds[0]!), kinds[0]!] : ['Runs', 'value']
  return h(
    'section',
    {},
    h('h2', {}, title),
    h(
      'p',
      { class: 'note' },
      `Dot and whisker: the value and its ${roundPercent(ci)} interval.`,
      isShown(axis) && ' Dotted line: what chance would reach.',
    ),
    estimateTable(
      'Runs',
      axis,
      ['run', value, ...columns.map(([head]) => head)],
      runs.map((run, i) => ({
        head: h('a', { href: app.link({ view: 'items', run: i, item: null }) }, name(run.name)),
        title: run.name,
        estimate: run.estimate,
        instead: h('span', { class: 'note' }, progress(run)),
        cells: columns.map(([, cell]) => cell(run)),
      })),
    ),
  )
}

const capital = (words: string) => words.replace(/^./, (letter) => letter.toUpperCase())

/** How far a run is that has no result yet. */
const progress = ({ stages }: RunOverview) =>
  Object.entries(stages)
    .map(([stage, n]) => counted(n, stage))
    .join(', ')

function failures(app: App, run: RunOverview): Child {
  const { failed, failures: codes } = run.report as { failed: number; failures: Record<string, number> }
  if (!failed) return '0'
  const words = Object.entries(codes)
    .map(([code, n]) => `${code} ${n}`)
    .join(', ')
  return h(
    'a',
    {
      class: 'bad',
      title: words,
      href: app.link({ view: 'items', run: app.overview.runs.indexOf(run), is: ['failed'], item: null }),
    },
    count(failed),
    h('small', {}, Object.keys(codes).length === 1 ? Object.keys(codes) : words),
  )
}

function tokens(usage: unknown): Child {
  const {
    prompt_tokens: into,
    completion_tokens: out,
    total_tokens: all,
  } = (usage ?? {}) as Record<string, number>
  if (into === undefined && out === undefined) return all === undefined ? '' : shortCount(all)
  const exact = `${count(into ?? 0)} in, ${count(out ?? 0)} out`
  return h('span', { title: exact }, `${shortCount(into ?? 0)} + ${shortCount(out ?? 0)}`)
}

function madeSection(runs: RunOverview[]): HTMLElement {
  const pairs = (object: Record<string, unknown>) =>
    h(
      'dl',
      {},
      Object.entries(object).map(([key, value]) => [
        h('dt', {}, name(key)),
        h('dd', {}, name(typeof value === 'string' ? value : JSON.stringify(value))),
      ]),
    )
  return h(
    'section',
    {},
    h('h2', {}, 'What made it'),
    runs.map((run) =>
      fold(
        name(run.name),
        () => [
          pairs({
            ...(run.judge !== undefined && { judge: run.judge }),
            ...(run.model !== undefined && { model: run.model }),
            ...run.made,
            rows: progress(run),
          }),
          fold('the whole report', () => h('pre', { class: 'code' }, JSON.stringify(run.report, null, 2))),
        ],
        { open: runs.length === 1 },
      ),
    ),
  )
}
