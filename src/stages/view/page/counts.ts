/** Charts of counts. */
import { inOrder } from '../in_order.ts'
import type { Confusion } from '../model.ts'
import { button, type Child, h, s, scrolled, table } from './dom.ts'

/** The most characters of a verdict in a narrow column. */
const SHORT = 3

/** The number of times that each option was chosen. */
export function bars(title: Child, counts: Record<string, number>, order: readonly string[]): HTMLElement {
  const most = Math.max(1, ...Object.values(counts))
  return h(
    'figure.plot',
    h('figcaption', title),
    h(
      'dl.bars',
      inOrder(Object.keys(counts), order).map((option) => [
        h('dt', h('bdi', option)),
        h(
          'dd',
          s(
            'svg',
            { height: 14, 'aria-hidden': 'true' },
            s('rect.bar', { width: `${(100 * counts[option]!) / most}%`, height: 14 }),
          ),
          counts[option]!,
        ),
      ]),
    ),
  )
}

/** A confusion matrix, shaded by the share of the row. @param open shows the items of a cell */
export function confusion(
  title: Child,
  { labels, judged, counts }: Confusion,
  open: (label: string, said: string) => void,
): HTMLElement {
  const head = [
    h('th', { scope: 'col', class: 'corner' }, 'label ↓ judge →'),
    judged.map((one) => h('th', { scope: 'col' }, h('bdi', one))),
  ]
  const cell = (label: string, said: string, n: number) => {
    if (n === 0) return h('span.note', '0')
    const words = `label ${label}, judge ${said}: ${n} items, show them`
    return button(String(n), () => open(label, said), { class: 'cell', 'aria-label': words })
  }
  const rows = labels.map((label, i) => {
    const total = counts[i]!.reduce((sum, n) => sum + n, 0)
    return [
      h('th', { scope: 'row' }, h('bdi', label)),
      counts[i]!.map((n, j) =>
        h('td', { style: { '--share': n / (total || 1) } }, cell(label, judged[j]!, n)),
      ),
    ]
  })
  // As many as scores have share the width that there is; words scroll.
  const areShort = judged.length > 6 && judged.every((one) => one.length <= SHORT)
  const matrix = table(areShort ? 'confusion many' : 'confusion', head, rows)
  return h('figure.plot', h('figcaption', title), scrolled('Labels and verdicts', matrix))
}
