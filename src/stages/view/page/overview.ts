/** The overview: what each run came to, and how sure that is. */
import type { RunOverview } from '../model.ts'
import type { App } from './app.ts'
import { axisFor, axisLine, confusion, curve, histogram, scatter } from './charts.ts'
import { differencesSection, groupsSection } from './comparisons.ts'
import { type Child, fold, h, name } from './dom.ts'
import { chanceOf, estimateMark } from './estimates.ts'
import {
  amount,
  count,
  counted,
  duration,
  interval,
  money,
  percent,
  roundPercent,
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
  return h(
    'section',
    {},
    h('h2', {}, kinds.length === 1 ? capital(kinds[0]!) : 'Runs'),
    h('p', { class: 'note' }, `Dot and whisker: the value and its ${roundPercent(ci)} interval.`),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs' },
      h(
        'table',
        { class: 'runs' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'run'),
            h('th', { scope: 'col', class: 'wide' }, axisLine(axis)),
            h('th', { scope: 'col', class: 'number' }, kinds.length === 1 ? kinds[0] : 'value'),
            columns.map(([head]) => h('th', { scope: 'col', class: 'number' }, head)),
          ),
        ),
        h(
          'tbody',
          {},
          runs.map((run, i) =>
            h(
              'tr',
              {},
              h(
                'th',
                { scope: 'row' },
                h('a', { href: app.link({ view: 'items', run: i, item: null }) }, name(run.name)),
              ),
              h(
                'td',
                { class: 'wide' },
                run.estimate
                  ? estimateMark(run.name, run.estimate, axis)
                  : h('span', { class: 'note' }, progress(run)),
              ),
              h(
                'td',
                { class: 'number value' },
                run.estimate && [
                  amount(run.estimate.value, run.estimate.what),
                  h('small', {}, interval(run.estimate.ci, run.estimate.what)),
                ],
              ),
              columns.map(([, cell]) => h('td', { class: 'number' }, cell(run))),
            ),
          ),
        ),
      ),
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
    h('small', {}, words),
  )
}

function tokens(usage: unknown): Child {
  const {
    prompt_tokens: into,
    completion_tokens: out,
    total_tokens: all,
  } = (usage ?? {}) as Record<string, number>
  if (into === undefined && out === undefined) return all === undefined ? '' : count(all)
  return h('span', { title: 'in and out' }, `${count(into ?? 0)} + ${count(out ?? 0)}`)
}

function figuresSection(app: App): Child {
  const figures = app.overview.runs.flatMap((run, i): Child[] => {
    const { confusion: matrix, scatter: points, calibration, length, report } = run
    const title = (what: string) => (app.overview.runs.length > 1 ? `${what}: ${run.name}` : what)
    const open = (label: string, said: string) =>
      app.go({
        view: 'items',
        run: i,
        label,
        item: null,
        ...(matrix?.scores
          ? { number: 'run.score', min: Number(said), max: Number(said) }
          : { verdict: said }),
      })
    const distribution = report.distribution as Record<string, number> | undefined
    return [
      matrix && confusion(title(matrix.scores ? 'Label and score' : 'Label and verdict'), matrix, open),
      distribution && histogram(title('Scores'), distribution),
      points && scatter(title('Score and label'), points),
      calibration && curve(title('Right, by stated confidence'), calibration, 'confidence', true),
      length && curve(title('A preferred, by length'), length, 'characters A is longer by'),
    ].filter(Boolean)
  })
  return (
    figures.length > 0 && h('section', {}, h('h2', {}, 'Figures'), h('div', { class: 'figures' }, figures))
  )
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
      fold(name(run.name), () => [
        pairs({
          ...(run.judge !== undefined && { judge: run.judge }),
          ...(run.model !== undefined && { model: run.model }),
          ...run.made,
          rows: progress(run),
        }),
        fold('the whole report', () => h('pre', { class: 'code' }, JSON.stringify(run.report, null, 2))),
      ]),
    ),
  )
}
