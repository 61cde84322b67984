/** The overview of all runs. */
import { getOrInsert } from '../../../rows/maps.ts'
import type { Warning } from '../../../scoring/warnings.ts'
import type { RunOverview, ShareFigure } from '../model.ts'
import type { App } from './app.ts'
import { axisFor, isShown } from './charts.ts'
import { differencesSection, groupsSection } from './comparisons.ts'
import { button, type Child, fold, h, marked, name, refill } from './dom.ts'
import { figuresSection } from './figures.ts'
import { runName, runNumber } from './run_names.ts'
import { chanceOf, DIFFERING, estimateTable } from './table.ts'
import {
  capital,
  counted,
  duration,
  figureName,
  interval,
  money,
  percent,
  roundPercent,
  shortCount,
  thousands,
} from './words_for.ts'

export function overviewView(app: App): HTMLElement {
  const { overview } = app
  const { runs } = overview
  return h(
    'div.overview',
    h(
      'p.lead',
      `${counted(overview.items, 'item')}, ${overview.copies ? `${overview.copies} changed ${overview.copies === 1 ? 'copy' : 'copies'}, ` : ''}${counted(overview.rows, 'row')}, ${counted(runs.length, 'run')}`,
      app.names.shared !== '' && [' of ', name(app.names.shared)],
    ),
    runs.length === 0
      ? h('p', 'No judge has seen these items yet: you can read and label them.')
      : [
          runsSection(app),
          warningsSection(app),
          groupsSection(app),
          differencesSection(app),
          figuresSection(app),
          madeSection(app),
        ],
  )
}

const shareOf = ({ value, ci, n }: ShareFigure, noun: string) =>
  h('span', { title: `${interval(ci, 'accuracy')}, ${counted(n, noun)}` }, percent(value))

/** The columns with a value for at least one run: heading, and cell of a run. */
function columnsOf(app: App): [string, (run: RunOverview) => Child][] {
  const words = [...new Set(app.overview.runs.flatMap(({ totals }) => Object.keys(totals)))]
  const columns: [string, (run: RunOverview) => Child][] = [
    ['items', ({ report }) => thousands(Number(report.items))],
    ['failed', (run) => failures(app, run)],
    ['consistent', ({ consistency }) => consistency && shareOf(consistency, 'item')],
    ['first slot', ({ slot }) => slot && shareOf(slot, 'decisive game')],
    ['tokens', ({ report }) => tokens(report.usage)],
    ...words.map((word): [string, (run: RunOverview) => Child] => [
      word,
      ({ totals: { [word]: value } }) =>
        value === undefined ? '' : word === 'cost' ? money(value) : thousands(value),
    ]),
    [
      'time a call',
      ({ ms }) => ms && h('span', { title: `95 % below ${duration(ms.p95)}` }, duration(ms.median)),
    ],
  ]
  return columns.filter(([, cell]) => app.overview.runs.some(cell))
}

function runsSection(app: App): HTMLElement {
  const { runs, ci } = app.overview
  const axis = axisFor(
    runs.map(({ estimate }) => estimate),
    chanceOf(app),
  )
  const kinds = [...new Set(runs.flatMap(({ estimate }) => (estimate ? [figureName(estimate)] : [])))]
  const columns = columnsOf(app)
  const means = columns.flatMap(([head]) => (MEANS[head] ? `${capital(head)}: ${MEANS[head]}.` : []))
  const [title, value] = kinds.length === 1 ? [capital(kinds[0]!), kinds[0]!] : ['Runs', DIFFERING]
  const heads: [string, string, ...string[]] = ['run', value, ...columns.map(([head]) => head)]
  const order = [...runs.keys()]
  const byValue = order.toSorted((a, b) => estimated(runs[b]!) - estimated(runs[a]!))
  const table = (places: number[]) =>
    estimateTable(
      'Runs',
      axis,
      heads,
      places.map((i) => ({
        head: [
          runNumber(app, i),
          h('a', { href: app.link({ view: 'items', run: i, item: null }) }, name(app.names.own[i]!)),
        ],
        title: runs[i]!.name,
        estimate: runs[i]!.estimate,
        instead: h('span.note', progress(runs[i]!)),
        cells: columns.map(([, cell]) => cell(runs[i]!)),
      })),
    )
  const box = h('div', table(order))
  const sort = button(
    'Highest first',
    () => {
      const pressed = sort.getAttribute('aria-pressed') !== 'true'
      sort.setAttribute('aria-pressed', String(pressed))
      refill(box, table(pressed ? byValue : order))
    },
    { 'aria-pressed': 'false' },
  )
  return h(
    'section',
    h('div.section-head', h('h2', title), runs.length > 2 && kinds.length === 1 && sort),
    kinds.length > 0 &&
      axis &&
      h(
        'p.note',
        `Dot and whisker: the value and its ${roundPercent(ci)} interval.`,
        isShown(axis) && ' Dotted line: a coin flipped once for each item.',
      ),
    box,
    runs.map(
      ({ sentence }, i) =>
        sentence !== undefined && h('p.conclusion', runNumber(app, i), marked(sentence), '.'),
    ),
    means.length > 0 && h('p.note.small', means.join(' ')),
  )
}

/** What has to be known before the figures are believed: each once, with the runs that it is about. */
function warningsSection(app: App): Child {
  const { runs } = app.overview
  const found = new Map<string, { warning: Warning; of: number[] }>()
  for (const [run, { warnings }] of runs.entries())
    for (const warning of warnings)
      getOrInsert(found, JSON.stringify(warning), () => ({ warning, of: [] })).of.push(run)
  if (found.size === 0) return null
  return h(
    'section',
    h('h2', 'Warnings'),
    h(
      'ul.warnings',
      [...found.values()].map(({ warning, of }) =>
        h(
          'li',
          of.map((run) => runNumber(app, run)),
          marked(capital(warning.sentence)),
          h('span.note', ` (${warning.code}): `),
          marked(warning.do),
        ),
      ),
    ),
  )
}

/** Explanations of columns. */
const MEANS: Record<string, string> = {
  consistent: 'items on which both orders, or all samples, agree',
  'first slot': 'decisive games in which the answer shown first was chosen; 50 % is no preference',
}

const estimated = ({ estimate }: RunOverview) => estimate?.value ?? Number.NEGATIVE_INFINITY

/** The number of rows by stage. */
const progress = ({ stages }: RunOverview) =>
  Object.entries(stages)
    .map(([stage, n]) => counted(n, stage))
    .join(', ')

function failures(app: App, run: RunOverview): Child {
  const { failed, failures: codes } = run.report as { failed: number; failures: Record<string, number> }
  if (!failed) return '0'
  const href = app.link({ view: 'items', run: app.overview.runs.indexOf(run), is: ['failed'], item: null })
  const list = Object.entries(codes)
  return [
    h('a.bad', { href }, thousands(failed)),
    h(
      'small',
      list.map(([code, n], i) => [i > 0 && ', ', h('span.code', list.length === 1 ? code : `${code} ${n}`)]),
    ),
  ]
}

function tokens(usage: unknown): Child {
  const {
    prompt_tokens: into,
    completion_tokens: out,
    total_tokens: all,
  } = (usage ?? {}) as Record<string, number>
  if (into === undefined && out === undefined) return all === undefined ? '' : shortCount(all)
  const exact = `${thousands(into ?? 0)} in, ${thousands(out ?? 0)} out`
  return h('span', { title: exact }, `${shortCount(into ?? 0)} + ${shortCount(out ?? 0)}`)
}

function madeSection(app: App): HTMLElement {
  const { runs } = app.overview
  const words = (value: unknown) =>
    [value]
      .flat()
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
      .join(', ')
  const pairs = (object: Record<string, unknown>) =>
    h(
      'dl',
      Object.entries(object).map(([key, value]) => [h('dt', name(key)), h('dd', name(words(value)))]),
    )
  return h(
    'section',
    h('h2', 'What made it'),
    runs.map((run, i) =>
      fold(
        runName(app, i),
        () => [
          pairs({
            ...(run.judge !== undefined && { judge: run.judge }),
            ...(run.model !== undefined && { model: run.model }),
            ...run.made,
            rows: progress(run),
          }),
          fold('the whole report', () => h('pre.code', JSON.stringify(run.report, null, 2))),
        ],
        { open: runs.length === 1 },
      ),
    ),
  )
}
