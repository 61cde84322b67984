/** The overview's figures: of one run side by side, of several one kind after the other. */
import type { RunOverview } from '../model.ts'
import type { App } from './app.ts'
import { confusion, curve, histogram, scatter } from './charts.ts'
import { type Child, h } from './dom.ts'

interface Kind {
  title: string
  draw(run: RunOverview, title: string, open: (label: string, said: string) => void): HTMLElement | undefined
}

const KINDS: Kind[] = [
  {
    title: 'Labels and verdicts',
    draw: ({ confusion: matrix }, title, open) => matrix && confusion(title, matrix, open),
  },
  {
    title: 'Scores',
    draw: ({ report }, title) =>
      report.distribution ? histogram(title, report.distribution as Record<string, number>) : undefined,
  },
  { title: 'Scores and labels', draw: ({ scatter: points }, title) => points && scatter(title, points) },
  {
    title: 'Calibration',
    draw: ({ calibration }, title) =>
      calibration && curve(title, calibration, { x: 'confidence stated', y: 'right', diagonal: true }),
  },
  {
    title: 'Length',
    draw: ({ length }, title) =>
      length && curve(title, length, { x: 'characters A is longer by', y: 'A preferred', diagonal: false }),
  },
]

export function figuresSection(app: App): Child {
  const { runs } = app.overview
  const drawn = KINDS.map(({ title, draw }) => ({
    title,
    figures: runs
      .map((run, i) => draw(run, runs.length > 1 ? run.name : title, opener(app, run, i)))
      .filter((one) => one !== undefined),
  })).filter(({ figures }) => figures.length > 0)
  const section = (title: string, figures: HTMLElement[]) =>
    h('section', {}, h('h2', {}, title), h('div', { class: 'figures' }, figures))
  if (runs.length > 1) return drawn.map(({ title, figures }) => section(title, figures))
  return (
    drawn.length > 0 &&
    section(
      'Figures',
      drawn.flatMap(({ figures }) => figures),
    )
  )
}

/** Shows the items of a cell: those with this label of which the run said this. */
const opener = (app: App, run: RunOverview, i: number) => (label: string, said: string) =>
  app.go({
    view: 'items',
    run: i,
    label,
    item: null,
    ...(run.confusion?.scores
      ? { number: 'run.score', min: Number(said), max: Number(said) }
      : { verdict: said }),
  })
