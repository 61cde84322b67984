/** A run's number as a mark. */
import type { RunFigure } from '../model.ts'
import type { App } from './app.ts'
import { type Axis, whisker } from './charts.ts'
import { amount, counted, interval, WHAT } from './words_for.ts'

/** Of two answers a coin finds the better one in half of the items. */
export const chanceOf = ({ overview }: App) => (overview.roles.answers.length === 2 ? 0.5 : undefined)

/** Dot and whisker, with words for readers who cannot see it. */
export function estimateMark(title: string, estimate: RunFigure, axis: Axis): SVGElement {
  const { value, ci, what, n } = estimate
  const words = `${title}: ${WHAT[what]} ${amount(estimate)}${ci ? `, interval ${interval(ci, what)}` : ''}, ${counted(n, 'item')}`
  return whisker({ label: title, value, ci, words }, axis)
}
