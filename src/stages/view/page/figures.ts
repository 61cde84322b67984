/** The overview's figures: those of one run together, those of several runs by kind. */
import type { RunOverview } from '../model.ts'
import type { App } from './app.ts'
import { curve, histogram, scatter } from './charts.ts'
import { bars, confusion } from './counts.ts'
import { type Child, fold, h } from './dom.ts'
import { runName } from './run_names.ts'

interface Use {
  /** Shows the items of a cell. */
  open(label: string, said: string): void
  /** Verdicts in display order. */
  words: readonly string[]
}

interface Kind {
  title: string
  draw(run: RunOverview, title: Child, use: Use): HTMLElement | undefined
}

/** The number of runs whose figures are not folded. */
const FIRST = 6

const KINDS: Kind[] = [
  {
    title: 'Labels and verdicts',
    draw: ({ confusion: matrix }, title, { open }) => matrix && confusion(title, matrix, open),
  },
  {
    title: 'Options',
    draw: ({ report, confusion: matrix }, title, { words }) =>
      report.options && !matrix ? bars(title, report.options as Record<string, number>, words) : undefined,
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
  const { runs, words } = app.overview
  const drawn = KINDS.map(({ title, draw }) => ({
    title,
    figures: runs
      .map((run, i) =>
        draw(run, runs.length > 1 ? runName(app, i) : title, { open: opener(app, run, i), words }),
      )
      .filter((one) => one !== undefined),
  })).filter(({ figures }) => figures.length > 0)
  const grid = (figures: HTMLElement[]) => h('div.figures', figures)
  const section = (title: string, figures: HTMLElement[]) =>
    h(
      'section',
      h('h2', title),
      grid(figures.slice(0, FIRST)),
      figures.length > FIRST &&
        fold(`${figures.length - FIRST} more runs`, () => grid(figures.slice(FIRST)), {
          class: 'more-figures',
        }),
    )
  if (runs.length > 1) return drawn.map(({ title, figures }) => section(title, figures))
  return (
    drawn.length > 0 &&
    section(
      'Figures',
      drawn.flatMap(({ figures }) => figures),
    )
  )
}

/** Shows the items with this label and this verdict of the run. */
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
