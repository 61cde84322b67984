/** The overview's figures: those of one run together, those of several runs by kind. */
import { inOrder } from '../in_order.ts'
import { areOfOneScale, type Confusion, type RunOverview } from '../model.ts'
import type { App } from './app.ts'
import { curve, histogram, narrowing, scatter } from './charts.ts'
import { bars, confusion } from './counts.ts'
import { type Child, fold, h } from './dom.ts'
import { runName } from './run_names.ts'
import { counted, figureName, WHAT } from './words_for.ts'

interface Use {
  /** Shows the items of a cell. */
  open(label: string, said: string): void
  /** Verdicts in display order. */
  words: readonly string[]
  /** The values of all runs of its scale. */
  all: readonly number[]
  /** The confusion matrices of all runs. */
  matrices: readonly Confusion[]
}

interface Kind {
  title: string
  /** The values on the horizontal axis, which the plots of runs of one scale share. */
  values?(run: RunOverview): readonly number[]
  draw(run: RunOverview, title: Child, use: Use): HTMLElement | undefined
}

/** The number of runs whose figures are not folded. */
const FIRST = 6

const KINDS: Kind[] = [
  {
    title: 'Sequence',
    draw: ({ narrowing: one, estimate }, title) =>
      one && narrowing(title, one, estimate?.what === one.what ? figureName(estimate) : WHAT[one.what]),
  },
  {
    title: 'Labels and verdicts',
    draw: ({ confusion: matrix }, title, { open, matrices, words }) =>
      matrix && confusion(title, widened(matrix, matrices, words), open),
  },
  {
    title: 'Options',
    draw: ({ report, confusion: matrix }, title, { words }) =>
      report.options && !matrix ? bars(title, report.options as Record<string, number>, words) : undefined,
  },
  {
    title: 'Scores',
    values: ({ report }) => Object.keys(report.distribution ?? {}).map(Number),
    draw: ({ report }, title, { all }) =>
      report.distribution ? histogram(title, report.distribution as Record<string, number>, all) : undefined,
  },
  {
    title: 'Scores and labels',
    values: ({ scatter: one }) => one?.points.flatMap((point) => point.slice(0, 2)) ?? [],
    draw: ({ scatter: one }, title, { all }) => one && scatter(title, one, all),
  },
  {
    title: 'Calibration',
    draw: ({ calibration }, title) =>
      calibration &&
      curve(title, calibration, { x: 'confidence stated', y: 'right', diagonal: true, xs: [] }),
  },
  {
    title: 'Length',
    values: ({ length = [] }) => length.map(({ x }) => x),
    draw({ length, estimate }, title, { all: xs }) {
      const [a] = estimate?.answers ?? ['A']
      return (
        length &&
        curve(title, length, { x: `characters ${a} is longer by`, y: `share of ${a}`, diagonal: false, xs })
      )
    },
  },
]

export function figuresSection(app: App): Child {
  const { runs, words } = app.overview
  const matrices = runs.flatMap(({ confusion: one }) => one ?? [])
  const drawn = KINDS.map(({ title, values, draw }) => {
    const figures = runs.map((run, i) =>
      draw(run, runs.length > 1 ? runName(app, i) : title, {
        open: opener(app, run, i),
        words,
        all: runs.flatMap((other) =>
          areOfOneScale([run.estimate, other.estimate]) ? (values?.(other) ?? []) : [],
        ),
        matrices,
      }),
    )
    return { title, figures: figures.filter((one) => one !== undefined) }
  }).filter(({ figures }) => figures.length > 0)
  const grid = (figures: HTMLElement[]) => h('div.figures', figures)
  const section = (title: string, figures: HTMLElement[]) =>
    h(
      'section',
      h('h2', title),
      grid(figures.slice(0, FIRST)),
      figures.length > FIRST &&
        fold(counted(figures.length - FIRST, 'more run'), () => grid(figures.slice(FIRST)), {
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

/** The matrix with the rows and columns of all runs that have a verdict in common with it. */
function widened(own: Confusion, all: readonly Confusion[], words: readonly string[]): Confusion {
  const alike = all.filter(({ judged }) => judged.some((said) => own.judged.includes(said)))
  const labels = inOrder(
    alike.flatMap((one) => one.labels),
    words,
  )
  const judged = inOrder(
    alike.flatMap((one) => one.judged),
    words,
  )
  const at = (label: string, said: string) =>
    own.counts[own.labels.indexOf(label)]?.[own.judged.indexOf(said)] ?? 0
  return { ...own, labels, judged, counts: labels.map((label) => judged.map((said) => at(label, said))) }
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
