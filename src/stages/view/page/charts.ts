/**
 * Small charts as SVG. No library: Observable Plot has 304 KB minified, as much as the page may have without rows; d3-scale
 * and d3-axis have 43 KB and would replace 25 lines; uPlot (53 KB) draws on a canvas, whose text cannot be selected or read
 * aloud.
 */
import {
  areOfOneScale,
  type Bin,
  type Interval,
  type Narrowing,
  type RunFigure,
  type Scatter,
} from '../model.ts'
import { type Child, h, s } from './dom.ts'
import { capital, fixed, percent, roundPercent, thousands } from './words_for.ts'

/** A linear scale. */
const scale = (low: number, high: number, from: number, to: number) => (value: number) =>
  high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from)

/** About `count` round numbers in a range. */
function ticks(low: number, high: number, count: number): number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const raw = span / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) ?? raw
  const found: number[] = []
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    found.push(Number((i * step).toPrecision(12)))
  return found
}

interface Dot {
  value: number
  ci: Interval
  /** A description for the tooltip and screen readers. */
  words: string
}

export interface Axis {
  low: number
  high: number
  form: (value: number) => string
  /** A reference line, such as chance. */
  reference?: number
}

/** An axis for all of the estimates; undefined if they are not of one scale. @param chance the value that chance would give, if known */
export function axisFor(estimates: (RunFigure | undefined)[], chance?: number): Axis | undefined {
  if (!areOfOneScale(estimates)) return undefined
  const known = estimates.filter((one) => one !== undefined)
  const shares = known.every(({ what }) => what !== 'score')
  const bounds = known.flatMap(({ value, ci }) => [value, ...(ci ?? [])])
  const [least, most] = [Math.min(...bounds), Math.max(...bounds)]
  if (shares) {
    const low = Math.max(0, Math.floor(least * 10 - 0.2) / 10)
    return {
      low: known.length === 0 ? 0 : Math.min(low, 0.5),
      high: Math.min(1, Math.ceil(most * 10 + 0.2) / 10),
      form: roundPercent,
      reference: chance,
    }
  }
  const edge = (most - least || 1) * 0.1
  return { low: least - edge, high: most + edge, form: (value) => fixed(value, 2) }
}

/** Whether the reference line is on the axis. */
export const isShown = (axis: Axis | undefined): boolean =>
  axis?.reference !== undefined && axis.reference >= axis.low && axis.reference <= axis.high

/** A dot with its interval. */
export function whisker({ value, ci, words }: Dot, axis: Axis): SVGElement {
  const { low, high } = axis
  const x = scale(low, high, 2, 98)
  const at = (v: number) => `${Math.max(0, Math.min(100, x(v)))}%`
  return s(
    'svg.whisker',
    { width: '100%', height: 24, role: 'img', 'aria-label': words },
    s('title', words),
    s('line.rail', { x1: '0%', x2: '100%', y1: 12, y2: 12 }),
    isShown(axis) && s('line.reference', { x1: at(axis.reference!), x2: at(axis.reference!), y1: 2, y2: 22 }),
    ci && s('line.interval', { x1: at(ci[0]), x2: at(ci[1]), y1: 12, y2: 12 }),
    ci && s('line.interval.end', { x1: at(ci[0]), x2: at(ci[0]), y1: 8, y2: 16 }),
    ci && s('line.interval.end', { x1: at(ci[1]), x2: at(ci[1]), y1: 8, y2: 16 }),
    s('circle.dot', { cx: at(value), cy: 12, r: 5 }),
  )
}

export function axisLine({ low, high, form }: Axis): SVGElement {
  const x = scale(low, high, 2, 98)
  return s(
    'svg.axis',
    { width: '100%', height: 20, 'aria-hidden': 'true' },
    ticks(low, high, 4).map((tick) => [
      s('line', { x1: `${x(tick)}%`, x2: `${x(tick)}%`, y1: 0, y2: 4 }),
      s('text', { x: `${x(tick)}%`, y: 16, 'text-anchor': 'middle' }, form(tick)),
    ]),
  )
}

const WIDTH = 320
const HEIGHT = 170
const LEFT = 42
/** Space for the name of the vertical axis. */
const TOP = 22
/** Space for half of the last number. */
const RIGHT = 20
const BOTTOM = 26

/** A chart with axes. @param draw gets the scales */
function plot(
  title: Child,
  [lowX, highX]: [number, number],
  [lowY, highY]: [number, number],
  forms: {
    x: (value: number) => string
    y: (value: number) => string
    names: { x: string; y: string }
  },
  draw: (x: (value: number) => number, y: (value: number) => number) => Child,
): HTMLElement {
  const x = scale(lowX, highX, LEFT, WIDTH - RIGHT)
  const y = scale(lowY, highY, HEIGHT - BOTTOM, TOP)
  return h(
    'figure.plot',
    h('figcaption', title),
    s(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT + 14}`,
        role: 'img',
        'aria-label': `${forms.names.y} by ${forms.names.x}`,
      },
      ticks(lowY, highY, 4).map((tick) => [
        s('line.grid', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }),
        s('text', { x: LEFT - 5, y: y(tick) + 4, 'text-anchor': 'end' }, forms.y(tick)),
      ]),
      ticks(lowX, highX, 5).map((tick) =>
        s('text', { x: x(tick), y: HEIGHT - BOTTOM + 15, 'text-anchor': 'middle' }, forms.x(tick)),
      ),
      s(
        'text.axis-name',
        { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT + 8, 'text-anchor': 'middle' },
        forms.names.x,
      ),
      s('text.axis-name', { x: 2, y: 11 }, forms.names.y),
      draw(x, y),
    ),
  )
}

/**
 * Shares by bin with their intervals, joined by a line.
 * @param diagonal x is a share that y should equal
 * @param xs the values of all plots side by side, which have one axis
 */
export function curve(
  title: Child,
  bins: Bin[],
  { diagonal, xs, ...names }: { x: string; y: string; diagonal: boolean; xs: readonly number[] },
): HTMLElement {
  const [least, most] = [Math.min(...xs), Math.max(...xs)]
  const edge = (most - least || 1) * 0.04
  const range: [number, number] = diagonal ? [0, 1] : [least - edge, most + edge]
  const form = (value: number) => (diagonal ? roundPercent(value) : fixed(value, 0))
  return plot(title, range, [0, 1], { x: form, y: roundPercent, names }, (x, y) => [
    diagonal
      ? s('line.reference', { x1: x(0), y1: y(0), x2: x(1), y2: y(1) })
      : s('line.reference', { x1: x(range[0]), x2: x(range[1]), y1: y(0.5), y2: y(0.5) }),
    s('polyline.curve', { points: bins.map((bin) => `${x(bin.x)},${y(bin.value)}`).join(' ') }),
    bins.map((bin) => [
      bin.ci && s('line.interval', { x1: x(bin.x), x2: x(bin.x), y1: y(bin.ci[0]), y2: y(bin.ci[1]) }),
      s(
        'circle.dot',
        { cx: x(bin.x), cy: y(bin.value), r: 4 },
        s('title', `${form(bin.x)}: ${percent(bin.value)} of ${bin.n}`),
      ),
    ]),
  ])
}

/** The distribution of scores. @param all the scores of all plots side by side, which have one axis */
export function histogram(title: Child, counts: Record<string, number>, all: readonly number[]): HTMLElement {
  const entries = Object.entries(counts)
    .map(([score, n]) => [Number(score), n] as const)
    .sort(([a], [b]) => a - b)
  const most = Math.max(1, ...entries.map(([, n]) => n))
  const scores = [...new Set(all)].sort((a, b) => a - b)
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  const gap = scores.length > 1 ? Math.min(...scores.slice(1).map((score, i) => score - scores[i]!)) : 1
  return plot(
    title,
    [low - gap / 2, high + gap / 2],
    [0, most],
    { x: (v) => fixed(v, 1), y: (v) => fixed(v, 0), names: { x: 'score', y: 'items' } },
    (x, y) => {
      const width = Math.max(1.5, (x(low + gap) - x(low)) * 0.8)
      return entries.map(([score, n]) =>
        s(
          'rect.bar',
          { x: x(score) - width / 2, width, y: y(n), height: y(0) - y(n) },
          s('title', `${score}: ${n}`),
        ),
      )
    },
  )
}

/** The judge's scores against the labels; the area of a dot is the number of items. @param all values of all plots side by side */
export function scatter(title: Child, { points, oneScale }: Scatter, all: readonly number[]): HTMLElement {
  const [low, high] = [Math.min(...all), Math.max(...all)]
  // Keeps dots at the edges away from the numbers.
  const edge = (high - low || 1) * 0.1
  const range: [number, number] = [low - edge, high + edge]
  const most = Math.max(...points.map(([, , n]) => n))
  const form = (value: number) => fixed(value, 1)
  return plot(title, range, range, { x: form, y: form, names: { x: 'label', y: 'score' } }, (x, y) => [
    oneScale && s('line.reference', { x1: x(range[0]), y1: y(range[0]), x2: x(range[1]), y2: y(range[1]) }),
    points.map(([label, score, n]) =>
      s(
        'circle.point',
        { cx: x(label), cy: y(score), r: 2 + 6 * Math.sqrt(n / most) },
        s('title', `label ${label}, score ${score}: ${n}`),
      ),
    ),
  ])
}

/** How the interval of a mean narrowed over items in random order; how many items is on a scale of powers of two. @param figure what the mean is called */
export function narrowing(
  title: Child,
  { what, of, points, gate, at, sentence }: Narrowing,
  figure: string,
): HTMLElement {
  const level = (value: number) => (what === 'score' ? fixed(value, 2) : roundPercent(value))
  const [lows, highs] = [points.map((point) => point[1]), points.map((point) => point[2])]
  const range: [number, number] =
    what === 'score' ? [Math.min(...lows, gate ?? Infinity), Math.max(...highs, gate ?? -Infinity)] : [0, 1]
  const forms = { x: (power: number) => String(Math.round(2 ** power)), y: level }
  const names = { x: `items asked, of ${thousands(of)}`, y: `${figure} so far, and its interval` }
  const drawn = plot(title, [1, Math.log2(Math.max(4, of))], range, { ...forms, names }, (x, y) => {
    const place = (n: number, value: number) => `${x(Math.log2(n))},${y(value)}`
    const edges = [
      ...points.map(([n, low]) => place(n, low)),
      ...points.toReversed().map(([n, , high]) => place(n, high)),
    ]
    return [
      s('polygon.band', { points: edges.join(' ') }),
      s('polyline.curve', { points: points.map(([n, , , mean]) => place(n, mean)).join(' ') }),
      gate !== undefined && s('line.reference', { x1: x(1), x2: x(Math.log2(of)), y1: y(gate), y2: y(gate) }),
      points.map(([n, low, high, mean]) =>
        s(
          'circle.dot',
          { cx: x(Math.log2(n)), cy: y(mean), r: n === at ? 5 : 2.5 },
          s('title', `${n} of ${of}: ${level(mean)}, interval ${level(low)} to ${level(high)}`),
        ),
      ),
    ]
  })
  drawn.append(
    h('p.note.small', capital(sentence ?? 'the interval holds however often it is looked at'), '.'),
  )
  return drawn
}
