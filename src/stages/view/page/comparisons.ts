/** The overview's comparisons: runs by group, and differences between runs. */
import {
  areOfOneScale,
  type Difference,
  type GroupFigure,
  type Interval,
  type RunFigure,
  type RunOverview,
} from '../model.ts'
import type { App } from './app.ts'
import { type Axis, axisFor, axisLine, whisker } from './charts.ts'
import { type Child, h, name, scrolled, table } from './dom.ts'
import { runName } from './run_names.ts'
import { chanceOf, DIFFERING, estimateMark, estimateTable } from './table.ts'
import { amount, change, counted, figureName, fixed, roundPercent, thousands } from './words_for.ts'

/** The most values of a field that are drawn: as small multiples of several runs, or as rows of one. */
const MULTIPLES = 24
const ROWS = 80
/** The most runs whose columns have names; with more runs they have numbers. */
const NAMED = 6

export function groupsSection(app: App): Child {
  const { by, runs } = app.overview
  return by.map((field) => {
    const values = [...new Set(runs.flatMap((run) => Object.keys(run.groups[field] ?? {})))].sort()
    if (values.length === 0) return null
    const shown = values.slice(0, runs.length === 1 ? ROWS : MULTIPLES)
    const axis = axisFor(
      shown.flatMap((value) => runs.map((run) => groupOf(run, field, value)?.estimate)),
      chanceOf(app),
    )
    return h(
      'section',
      h('h2', 'By ', name(field)),
      runs.length === 1 ? groupRows(app, field, shown, axis) : multiples(app, field, shown, axis),
      values.length > shown.length &&
        h('p.note', `${values.length - shown.length} more values are in the filters of the items.`),
    )
  })
}

/** A value may have the name of a property that every object has. */
function groupOf({ groups }: RunOverview, field: string, value: string): GroupFigure | undefined {
  const values = Object.hasOwn(groups, field) ? groups[field]! : {}
  return Object.hasOwn(values, value) ? values[value] : undefined
}

const linkTo = (app: App, field: string, value: string) =>
  h('a', { href: app.link({ view: 'items', groups: { [field]: value }, item: null }) }, name(value))

/** How many items of a group failed: a link to them. */
const failedOf = (app: App, field: string, value: string, run: number, failed: number): Child =>
  failed === 0
    ? '0'
    : h(
        'a.bad',
        { href: app.link({ view: 'items', run, is: ['failed'], groups: { [field]: value }, item: null }) },
        thousands(failed),
      )

function groupRows(app: App, field: string, values: string[], axis: Axis | undefined): HTMLElement {
  const run = app.overview.runs[0]!
  const found = values.map((value) => ({ value, ...(groupOf(run, field, value) ?? { items: 0, failed: 0 }) }))
  const kinds = new Set(found.flatMap(({ estimate }) => (estimate ? [figureName(estimate)] : [])))
  return estimateTable(
    `By ${field}`,
    axis,
    [field, kinds.size === 1 ? [...kinds][0]! : DIFFERING, 'items counted', 'failed'],
    found.map(({ value, estimate, failed }) => ({
      head: linkTo(app, field, value),
      title: value,
      estimate,
      cells: [thousands(estimate?.n ?? 0), failedOf(app, field, value, 0, failed)],
    })),
  )
}

function multiples(app: App, field: string, values: string[], axis: Axis | undefined): HTMLElement {
  const { runs } = app.overview
  return h(
    'div.multiples',
    values.map((value) => {
      const n = Math.max(...runs.map((run) => groupOf(run, field, value)?.estimate?.n ?? 0))
      return h(
        'figure.multiple',
        h('figcaption', linkTo(app, field, value), h('small', ` ${counted(n, 'item')} counted`)),
        runs.map((run, i) => {
          const { estimate, failed = 0 } = groupOf(run, field, value) ?? {}
          return h(
            'div.multiple-row',
            h('span.run-of', { title: run.name }, runName(app, i)),
            estimate && axis ? estimateMark(`${run.name}, ${value}`, estimate, axis) : h('span'),
            h(
              'span.number',
              estimate ? amount(estimate) : '–',
              failed > 0 && h('small', ' ', failedOf(app, field, value, i, failed), ' failed'),
            ),
          )
        }),
        axis && h('div.multiple-row', { 'aria-hidden': 'true' }, h('span'), axisLine(axis), h('span')),
      )
    }),
  )
}

export function differencesSection(app: App): Child {
  const { differences, runs } = app.overview
  if (differences.length === 0) return null
  const [only] = differences
  return h(
    'section',
    h('h2', 'Differences'),
    runs.length === 2 ? differenceLine(app, only!) : differenceTable(app),
  )
}

/** `+14.6 points` */
function worded(value: number, what: RunFigure['what'], ci: Interval = null): string {
  return `${change(value, what, ci)}${what === 'score' ? '' : ' points'}`
}

const isSure = (ci: Interval | undefined) => !!ci && (ci[0] > 0 || ci[1] < 0)

/** Two runs: a sentence, and the difference with its interval around 0. */
function differenceLine(app: App, { a, b, value, ci = null, n, same }: Difference): Child {
  const [estimate, other] = [a, b].map((run) => app.overview.runs[run]!.estimate)
  if (!areOfOneScale([estimate, other]))
    return h(
      'p',
      runName(app, a),
      ` has a ${figureName(estimate!)}, `,
      runName(app, b),
      ` a ${figureName(other!)}: they cannot be subtracted.`,
    )
  const what = estimate?.what
  const level = roundPercent(app.overview.ci)
  const agreed = same && `The verdict is the same on ${thousands(same.n)} of ${counted(same.of, 'item')}.`
  if (value === undefined || !what) return h('p', agreed)
  const apart = `${worded(value, what, ci)}${ci ? ` (${change(ci[0], what, ci)} to ${change(ci[1], what, ci)})` : ''}`
  const verdict = !ci
    ? ''
    : isSure(ci)
      ? `The ${level} interval excludes 0.`
      : `The ${level} interval includes 0: it may be chance.`
  const edge = 1.1 * Math.max(Math.abs(value), ...(ci ?? []).map(Math.abs), 0.01)
  const axis: Axis = {
    low: -edge,
    high: edge,
    form: (at) => (what === 'score' ? change(at, what, ci) : `${at > 0 ? '+' : ''}${fixed(100 * at, 1)}`),
    reference: 0,
  }
  return [
    h(
      'p',
      runName(app, b),
      ' less ',
      runName(app, a),
      `, ${figureName(estimate!)}${what === 'preferred' ? ' (a tie counts half)' : ''}: `,
      h('strong', apart),
      ` on ${counted(n!, 'item')}. ${verdict} `,
      agreed,
    ),
    h('div.difference', whisker({ value, ci, words: `difference ${apart}` }, axis), axisLine(axis)),
  ]
}

/** More runs: each less each other. */
function differenceTable(app: App): Child {
  const { differences, runs, ci } = app.overview
  const at = (a: number, b: number): Difference | undefined => {
    const found = differences.find((one) => one.a === Math.min(a, b) && one.b === Math.max(a, b))
    if (!found || a > b || found.value === undefined) return found
    return { ...found, value: -found.value, ci: found.ci && [-found.ci[1], -found.ci[0]] }
  }
  const head = [
    h('th', { scope: 'col' }, h('span.visually-hidden', 'run')),
    runs.map((run, i) =>
      h(
        'th',
        { scope: 'col', title: run.name },
        runs.length > NAMED ? h('span.run-number', i + 1) : runName(app, i),
      ),
    ),
  ]
  const cell = (a: number, b: number) => {
    const one = a === b ? undefined : at(a, b)
    if (!one) return h('td.none', '–')
    const { n, value, ci = null, same } = one
    const { what } = runs[a]!.estimate ?? {}
    return h(
      'td',
      {
        class: isSure(ci) ? (value! > 0 ? 'sure higher' : 'sure lower') : '',
        title: n === undefined ? undefined : counted(n, 'item'),
      },
      value !== undefined &&
        what && [
          change(value, what, ci) || '0',
          ci && h('small', `${change(ci[0], what, ci)} to ${change(ci[1], what, ci)}`),
        ],
      same && h('small', `same verdict ${roundPercent(same.n / same.of)}`),
    )
  }
  const rows = runs.map((_, a) => [
    h('th', { scope: 'row' }, runName(app, a)),
    runs.map((_, b) => cell(a, b)),
  ])
  const points = differences.some(({ value }) => value !== undefined) && runs[0]!.estimate?.what !== 'score'
  return [
    h(
      'p.note',
      `Row less column on the items that both judged, with the paired ${roundPercent(ci)} interval${points ? ', in points' : ''}. Bold: the interval excludes 0. With many runs some do so by chance.`,
    ),
    scrolled('Differences', table('differences', head, rows)),
  ]
}
