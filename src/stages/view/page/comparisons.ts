/** The overview's comparisons: runs by group, and differences between runs. */
import type { App } from './app.ts'
import { type Axis, axisFor, axisLine } from './charts.ts'
import { type Child, h, name, scrolled, table } from './dom.ts'
import { runName } from './run_names.ts'
import { chanceOf, estimateMark, estimateTable } from './table.ts'
import { amount, change, counted, roundPercent, thousands, WHAT } from './words_for.ts'

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
      shown.flatMap((value) => runs.map((run) => run.groups[field]?.[value])),
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

const linkTo = (app: App, field: string, value: string) =>
  h('a', { href: app.link({ view: 'items', groups: { [field]: value }, item: null }) }, name(value))

function groupRows(app: App, field: string, values: string[], axis: Axis): HTMLElement {
  const run = app.overview.runs[0]!
  const found = values.map((value) => ({ value, estimate: run.groups[field]?.[value] }))
  const kinds = new Set(found.flatMap(({ estimate }) => (estimate ? [WHAT[estimate.what]] : [])))
  return estimateTable(
    `By ${field}`,
    axis,
    [field, kinds.size === 1 ? [...kinds][0]! : 'value', 'items counted'],
    found.map(({ value, estimate }) => ({
      head: linkTo(app, field, value),
      title: value,
      estimate,
      cells: [estimate && thousands(estimate.n)],
    })),
  )
}

function multiples(app: App, field: string, values: string[], axis: Axis): HTMLElement {
  const { runs } = app.overview
  return h(
    'div.multiples',
    values.map((value) => {
      const n = Math.max(...runs.map((run) => run.groups[field]?.[value]?.n ?? 0))
      return h(
        'figure.multiple',
        h('figcaption', linkTo(app, field, value), h('small', ` ${counted(n, 'item')} counted`)),
        runs.map((run, i) => {
          const estimate = run.groups[field]?.[value]
          return h(
            'div.multiple-row',
            h('span.run-of', { title: run.name }, runName(app, i)),
            estimate ? estimateMark(`${run.name}, ${value}`, estimate, axis) : h('span'),
            h('span.number', estimate ? amount(estimate) : '–'),
          )
        }),
        h('div.multiple-row', { 'aria-hidden': 'true' }, h('span'), axisLine(axis), h('span')),
      )
    }),
  )
}

export function differencesSection(app: App): Child {
  const { differences, runs, ci } = app.overview
  if (differences.length === 0) return null
  const at = (a: number, b: number) => {
    const found = differences.find((one) => one.a === Math.min(a, b) && one.b === Math.max(a, b))
    if (!found || a < b) return found
    return {
      ...found,
      value: -found.value,
      ci: found.ci && ([-found.ci[1], -found.ci[0]] as [number, number]),
    }
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
    const { n, value, ci } = one
    const { what } = runs[a]!.estimate!
    const sure = ci !== null && (ci[0] > 0 || ci[1] < 0)
    return h(
      'td',
      { class: sure ? (value > 0 ? 'sure higher' : 'sure lower') : '', title: counted(n, 'item') },
      change(value, what, ci),
      ci && h('small', `${change(ci[0], what, ci)} to ${change(ci[1], what, ci)}`),
    )
  }
  const rows = runs.map((_, a) => [
    h('th', { scope: 'row' }, runName(app, a)),
    runs.map((_, b) => cell(a, b)),
  ])
  return h(
    'section',
    h('h2', 'Differences'),
    h(
      'p.note',
      `Row less column on the items that both judged, with the paired ${roundPercent(ci)} interval${runs[0]!.estimate?.what === 'score' ? '' : ', in points'}. Bold: the interval excludes 0. Not corrected for multiple comparisons.`,
    ),
    scrolled('Differences', table('differences', head, rows)),
  )
}
