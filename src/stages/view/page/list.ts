/** The list of items: only the rows that can be seen are there. */
import type { App } from './app.ts'
import { h, marked, name, replace } from './dom.ts'
import { saidOf, wordAt } from './filter.ts'

/** Pixels of a row, as the style has them. */
const ROW = 60
/** Rows beyond the edges that are there all the same. */
const SPARE = 8
/** Runs whose word stands in the list. */
const RUNS = 6
/** Pixels of height that browsers lay out; longer lists are scrolled in proportion. */
const HIGHEST = 8_000_000

export class ItemList {
  readonly element: HTMLElement
  private readonly inner: HTMLElement
  private app: App
  private drawn = ''

  constructor(app: App) {
    this.app = app
    this.inner = h('div', { class: 'rows', role: 'list', 'aria-label': 'Items' })
    this.element = h('div', { class: 'list', tabindex: 0, onscroll: () => this.draw() }, this.inner)
    new ResizeObserver(() => this.draw()).observe(this.element)
  }

  /** Draws what is selected now, and brings the open item into view. */
  update(app: App): void {
    this.app = app
    this.drawn = ''
    this.inner.style.height = `${this.height}px`
    const { item } = app.state
    if (item !== null && app.data) {
      const at = app.selected.indexOf(app.data.places.get(item) ?? -1)
      if (at >= 0) this.show(at)
    }
    this.draw()
  }

  private get height(): number {
    return Math.min(HIGHEST, this.app.selected.length * ROW)
  }

  /** Pixels of scrolling a row. */
  private get step(): number {
    const { length } = this.app.selected
    return length * ROW > HIGHEST ? HIGHEST / length : ROW
  }

  private show(at: number): void {
    const { scrollTop, clientHeight } = this.element
    const top = at * this.step
    if (top < scrollTop || top + ROW > scrollTop + clientHeight)
      this.element.scrollTop = Math.max(0, top - clientHeight / 2 + ROW / 2)
  }

  private draw(): void {
    const { selected, state } = this.app
    const { scrollTop, clientHeight } = this.element
    const first = Math.max(0, Math.floor(scrollTop / this.step) - SPARE)
    const last = Math.min(selected.length, first + Math.ceil((clientHeight || 800) / ROW) + 2 * SPARE)
    const key = `${first} ${last} ${state.item}`
    if (key === this.drawn) return
    this.drawn = key
    const focused = this.inner.contains(document.activeElement)
    const offset = first * this.step
    const rows = []
    for (let at = first; at < last; at++) rows.push(this.row(at, offset + (at - first) * ROW))
    replace(this.inner, rows)
    if (focused)
      (this.inner.querySelector<HTMLElement>('[aria-current] a') ?? this.element).focus({
        preventScroll: true,
      })
  }

  private row(at: number, top: number): HTMLElement {
    const { data, selected, state, labels } = this.app
    const { index } = data!
    const item = selected[at]!
    const id = index.ids[item]!
    const current = state.item === id
    const label = wordAt(index.label, item)
    // Who labels is not told what others said.
    const blind = state.view === 'label'
    const shown = blind
      ? []
      : state.run === null
        ? index.runs.slice(0, RUNS)
        : index.runs.slice(state.run, state.run + 1)
    const row = h(
      'div',
      {
        class: 'row',
        role: 'listitem',
        'aria-setsize': selected.length,
        'aria-posinset': at + 1,
        'aria-current': current ? 'true' : undefined,
      },
      h(
        'a',
        { href: this.app.link({ item: id }) },
        h(
          'span',
          { class: 'id' },
          name(id),
          label !== undefined && !blind && h('span', { class: 'label' }, name(label)),
          labels.has(id) && h('span', { class: 'yours' }, 'labelled'),
        ),
        h('bdi', { class: 'title' }, marked(index.titles[item]!)),
        h(
          'span',
          { class: 'marks' },
          shown.map((columns, i) => {
            const error = wordAt(columns.error, item)
            const said = saidOf(columns, item)
            if (error === undefined && said === undefined) return h('span', { class: 'mark none' }, '·')
            const correct = columns.correct[item]
            const kind =
              error !== undefined ? 'failed' : correct === 1 ? 'right' : correct === 0 ? 'wrong' : 'open'
            const sign = { failed: '!', right: '✓', wrong: '✗', open: '' }[kind]
            const run = this.app.overview.runs[state.run ?? i]!.name
            return h(
              'span',
              {
                class: `mark ${kind}`,
                title: `${run}: ${error ?? said}${kind === 'open' ? '' : `, ${kind}`}${columns.consistent[item] === 0 ? ', inconsistent' : ''}`,
              },
              // Where many stand beside one another, the sign says enough.
              (shown.length <= 3 || sign === '') && h('bdi', {}, (error ?? said!).slice(0, 12)),
              sign,
              columns.consistent[item] === 0 && '≈',
            )
          }),
        ),
      ),
    )
    row.style.top = `${top}px`
    return row
  }
}
