/** A table of estimates on one axis, each with further cells. */
import type { RunFigure } from '../model.ts'
import type { App } from './app.ts'
import { type Axis, axisLine, whisker } from './charts.ts'
import { type Child, h } from './dom.ts'
import { amount, counted, interval, WHAT } from './words_for.ts'

export interface EstimateRow {
  head: Child
  /** For who cannot see the mark. */
  title: string
  estimate: RunFigure | undefined
  /** What stands in place of an estimate that is not there. */
  instead?: Child
  /** One for each further head. */
  cells: Child[]
}

/** @param heads of the names, of the value, and of the further cells */
export function estimateTable(
  label: string,
  axis: Axis,
  [first, value, ...heads]: [string, string, ...string[]],
  rows: EstimateRow[],
): HTMLElement {
  const some = rows.some(({ estimate }) => estimate)
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    h(
      'table',
      { class: 'runs' },
      h(
        'thead',
        h(
          'tr',
          h('th', { scope: 'col' }, first),
          h('th', { scope: 'col', class: 'wide' }, [
            h('span', { class: 'visually-hidden' }, some ? 'interval' : 'rows'),
            some && axisLine(axis),
          ]),
          some && h('th', { scope: 'col', class: 'number' }, value),
          heads.map((head) => h('th', { scope: 'col', class: 'number' }, head)),
        ),
      ),
      h(
        'tbody',
        rows.map(({ head, title, estimate, instead, cells }) =>
          h(
            'tr',
            h('th', { scope: 'row' }, head),
            h('td', { class: 'wide' }, estimate ? estimateMark(title, estimate, axis) : instead),
            some &&
              h(
                'td',
                { class: 'number value' },
                estimate && [amount(estimate), h('small', interval(estimate.ci, estimate.what))],
              ),
            // On narrow screens a cell has its head beside it.
            cells.map((cell, i) => h('td', { class: 'number', 'data-head': heads[i] }, cell)),
          ),
        ),
      ),
    ),
  )
}

/** Of two answers a coin finds the better one in half of the items. */
export const chanceOf = ({ overview }: App) => (overview.roles.answers.length === 2 ? 0.5 : undefined)

/** Dot and whisker, with words for readers who cannot see it. */
export function estimateMark(title: string, estimate: RunFigure, axis: Axis): SVGElement {
  const { value, ci, what, n } = estimate
  const words = `${title}: ${WHAT[what]} ${amount(estimate)}${ci ? `, interval ${interval(ci, what)}` : ''}, ${counted(n, 'item')}`
  return whisker({ value, ci, words }, axis)
}
