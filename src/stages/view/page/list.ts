/** The list of items: only the rows that can be seen are there. */
import type { App } from './app.ts'
import { h, marked, name } from './dom.ts'
import { saidOf, wordAt } from './filter.ts'

/** Pixels of a row, as the style has them. */
const ROW = 60
/** Rows beyond the edges that are there all the same. */
const SPARE = 12
/** Runs whose word stands in the list. */
const RUNS = 6
/** Pixels of height that browsers lay out; longer lists are scrolled in proportion. */
const HIGHEST = 8_000_000

export class ItemList {
  readonly element: HTMLElement
  private readonly inner: HTMLElement
  private app: App
  private readonly drawn = new Map<number, HTMLElement>()
  /** Rows that are there. */
  private first = 0
  private last = 0

  constructor(app: App) {
    this.app = app
    this.inner = h('div', { class: 'rows', role: 'list', 'aria-label': 'Items' })
    this.element = h('div', { class: 'list', tabindex: 0, onscroll: () => this.draw() }, this.inner)
    new ResizeObserver(() => this.draw()).observe(this.element)
  }

  /** Draws what is selected now, and brings the open item into view. */
  update(app: App): void {
    this.app = app
    const focused = this.inner.contains(document.activeElement)
    this.clear()
    this.first = this.last = 0
    this.inner.style.height = `${this.height}px`
    const { item } = app.state
    if (item !== null && app.data) {
      const at = app.selected.indexOf(app.data.places.get(item) ?? -1)
      if (at >= 0) this.show(at)
    }
    this.draw()
    // Who was in the list stays there.
    const current = focused ? this.inner.querySelector<HTMLElement>('[aria-current] a') : null
    if (focused) (current ?? this.element).focus({ preventScroll: true })
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

  /** Adds the rows that came near and takes those away that are far; rows that stay are left alone. */
  private draw(): void {
    const { selected } = this.app
    const { scrollTop, clientHeight } = this.element
    const top = Math.floor(scrollTop / this.step)
    const bottom = Math.min(selected.length, top + Math.ceil((clientHeight || 800) / ROW) + 1)
    // With rows to spare on both sides nothing is to be done.
    if (top >= this.first && bottom <= this.last) return
    this.first = Math.max(0, top - SPARE)
    this.last = Math.min(selected.length, bottom + SPARE)
    for (const [at, row] of this.drawn) {
      if (at >= this.first && at < this.last) continue
      row.remove()
      this.drawn.delete(at)
    }
    const offset = this.step === ROW ? 0 : this.first * (this.step - ROW)
    // Where scrolling is in proportion, rows have no place of their own.
    if (offset !== 0) this.clear()
    const added = document.createDocumentFragment()
    const after: Node | null =
      this.drawn.size > 0 && !this.drawn.has(this.first) ? this.inner.firstChild : null
    for (let at = this.first; at < this.last; at++) {
      if (this.drawn.has(at)) continue
      const row = this.row(at, offset + at * ROW)
      this.drawn.set(at, row)
      added.append(row)
    }
    // In the order of the list, as a reader of the screen goes through it.
    this.inner.insertBefore(added, after)
  }

  private clear(): void {
    this.drawn.clear()
    this.inner.replaceChildren()
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
