/** A table of estimates on one axis. */
import type { RunFigure } from '../model.ts'
import type { App } from './app.ts'
import { type Axis, axisLine, whisker } from './charts.ts'
import { type Child, h, scrolled, table } from './dom.ts'
import { amount, counted, figureName, interval } from './words_for.ts'

interface EstimateRow {
  head: Child
  /** Describes the mark to screen readers. */
  title: string
  estimate: RunFigure | undefined
  /** Shown if there is no estimate. */
  instead?: Child
  cells: Child[]
}

/** The heading of values that are not the same figure. */
export const DIFFERING = 'value'

/** @param axis undefined: no marks @param heads of the name, of the value, and of the cells */
export function estimateTable(
  label: string,
  axis: Axis | undefined,
  [first, value, ...heads]: [string, string, ...string[]],
  rows: EstimateRow[],
): HTMLElement {
  const some = rows.some(({ estimate }) => estimate)
  const head = [
    h('th', { scope: 'col' }, first),
    h('th', { scope: 'col', class: 'wide' }, [
      h('span.visually-hidden', some ? 'interval' : 'rows'),
      some && axis && axisLine(axis),
    ]),
    some && h('th', { scope: 'col', class: 'number' }, value),
    heads.map((head) => h('th', { scope: 'col', class: 'number' }, head)),
  ]
  const lines = rows.map(({ head, title, estimate, instead, cells }) => [
    h('th', { scope: 'row' }, head),
    h('td.wide', estimate ? axis && estimateMark(title, estimate, axis) : instead),
    some &&
      h(
        'td.number.value',
        estimate && [
          amount(estimate),
          h('small', interval(estimate.ci, estimate.what)),
          // The heading names no figure where these differ.
          value === DIFFERING && h('small', figureName(estimate)),
        ],
      ),
    // Narrow screens show the heading beside the cell.
    cells.map((cell, i) => h('td.number', { 'data-head': heads[i] }, cell)),
  ])
  return scrolled(label, table('runs', head, lines))
}

/** The accuracy of chance for two answers. */
export const chanceOf = ({ overview }: App) => (overview.roles.answers.length === 2 ? 0.5 : undefined)

/** Dot and whisker, with a description for screen readers. */
export function estimateMark(title: string, estimate: RunFigure, axis: Axis): SVGElement {
  const { value, ci, what, n } = estimate
  const words = `${title}: ${figureName(estimate)} ${amount(estimate)}${ci ? `, interval ${interval(ci, what)}` : ''}, ${counted(n, 'item')}`
  return whisker({ value, ci, words }, axis)
}
