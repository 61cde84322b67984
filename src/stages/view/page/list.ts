/** The list of items: only the rows that can be seen are there. */

import type { App } from './app.ts'
import { cutText } from './cut_text.ts'
import { h, marked, name, refill } from './dom.ts'
import { saidOf, wordAt } from './filter.ts'
import { outcomeKind, SIGN } from './text.ts'

/** Height of a row in rem, as the style has it. */
const ROW = 3.75
/** Rows beyond the edges that are there all the same. */
const SPARE = 12
/** Runs whose marks stand in the list, and up to how many have the verdict's word beside the sign. */
const RUNS = 6
const WORDS = 3
/** Letters of a word in a mark. */
const LONGEST = 12
/** Pixels of height that browsers lay out; longer lists are scrolled in proportion. */
const HIGHEST = 8_000_000

export class ItemList {
  readonly element: HTMLElement
  private readonly scroller: HTMLElement
  private readonly inner: HTMLElement
  /** Numbers of the runs over their marks. */
  private readonly heads = h('div', { class: 'marks', 'aria-hidden': 'true' })
  private app: App
  private readonly drawn = new Map<number, HTMLElement>()
  /** Rows that are there. */
  private first = 0
  private last = 0
  /** Pixels of a row. */
  private pitch = 60

  /** @param head what stands over the list, beside the numbers of the runs */
  constructor(app: App, head: HTMLElement) {
    this.app = app
    this.inner = h('div', { class: 'rows', role: 'list', 'aria-label': 'Items' })
    this.scroller = h('div', { class: 'list', tabindex: 0, onscroll: () => this.draw() }, this.inner)
    const top = h('div', { class: 'list-top' }, head, this.heads)
    this.element = h('div', { class: 'list-box' }, top, this.scroller)
    new ResizeObserver(() => {
      // The marks of the rows stand beside the scroll bar.
      top.style.paddingInlineEnd = `${this.scroller.offsetWidth - this.scroller.clientWidth}px`
      this.draw()
    }).observe(this.scroller)
  }

  /** Draws what is selected now, and brings the open item into view. */
  update(app: App): void {
    this.app = app
    const focused = this.inner.contains(document.activeElement)
    this.clear()
    this.first = this.last = 0
    this.pitch = ROW * Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 60
    this.inner.style.height = `${this.height}px`
    this.head()
    const { item } = app.state
    if (item !== null && app.data) {
      const at = app.selected.indexOf(app.data.places.get(item) ?? -1)
      if (at >= 0) this.show(at)
    }
    this.draw()
    // Who was in the list stays there.
    const current = focused ? this.inner.querySelector<HTMLElement>('[aria-current] a') : null
    if (focused) (current ?? this.scroller).focus({ preventScroll: true })
  }

  /** Runs whose marks stand in the list: none where who labels must not know. */
  private get shown(): number[] {
    const { state, overview } = this.app
    if (state.view === 'label') return []
    return state.run === null ? [...overview.runs.keys()].slice(0, RUNS) : [state.run]
  }

  /** Marks of a run stand below one another, its number over them. */
  private head(): void {
    const { data, overview } = this.app
    const { shown } = this
    const words = shown.flatMap((run) => data?.index.runs[run]?.verdict.words ?? [])
    const longest =
      shown.length > WORDS ? 0 : Math.min(LONGEST, Math.max(0, ...words.map((one) => one.length)))
    this.element.style.setProperty('--mark', `${longest + 5}ch`)
    refill(
      this.heads,
      overview.runs.length > 1 && shown.map((run) => h('span', { title: overview.runs[run]?.name }, run + 1)),
    )
  }

  private get height(): number {
    return Math.min(HIGHEST, this.app.selected.length * this.pitch)
  }

  /** Pixels of scrolling a row. */
  private get step(): number {
    const { length } = this.app.selected
    return length * this.pitch > HIGHEST ? HIGHEST / length : this.pitch
  }

  private show(at: number): void {
    const { scrollTop, clientHeight } = this.scroller
    const top = at * this.step
    if (top < scrollTop || top + this.pitch > scrollTop + clientHeight)
      this.scroller.scrollTop = Math.max(0, top - clientHeight / 2 + this.pitch / 2)
  }

  /** Adds the rows that came near and takes those away that are far; rows that stay are left alone. */
  private draw(): void {
    const { selected } = this.app
    const { scrollTop, clientHeight } = this.scroller
    const top = Math.floor(scrollTop / this.step)
    const bottom = Math.min(selected.length, top + Math.ceil((clientHeight || 800) / this.pitch) + 1)
    // With rows to spare on both sides nothing is to be done.
    if (top >= this.first && bottom <= this.last) return
    this.first = Math.max(0, top - SPARE)
    this.last = Math.min(selected.length, bottom + SPARE)
    for (const [at, row] of this.drawn) {
      if (at >= this.first && at < this.last) continue
      row.remove()
      this.drawn.delete(at)
    }
    const offset = this.step === this.pitch ? 0 : this.first * (this.step - this.pitch)
    // Where scrolling is in proportion, rows have no place of their own.
    if (offset !== 0) this.clear()
    const added = document.createDocumentFragment()
    const after: Node | null =
      this.drawn.size > 0 && !this.drawn.has(this.first) ? this.inner.firstChild : null
    for (let at = this.first; at < this.last; at++) {
      if (this.drawn.has(at)) continue
      const row = this.row(at, offset + at * this.pitch)
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
    const blind = state.view === 'label'
    const { shown } = this
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
        // One stop of the tab key for the whole list: it may have thousands of rows.
        {
          href: this.app.link({ item: id }),
          tabindex: current || (state.item === null && at === 0) ? 0 : -1,
        },
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
          shown.map((run) => this.mark(run, item, shown.length <= WORDS)),
        ),
      ),
    )
    row.style.top = `${top}px`
    return row
  }

  /** What a run said of an item: right, wrong, failed. @param words with the verdict; else the sign says enough */
  private mark(run: number, item: number, words: boolean): HTMLElement {
    const columns = this.app.data!.index.runs[run]
    const error = columns && wordAt(columns.error, item)
    const said = columns && saidOf(columns, item)
    if (!columns || (error === undefined && said === undefined)) return h('span', { class: 'mark none' }, '·')
    const correct = columns.correct[item]
    const kind = outcomeKind(correct, error)
    const sign = SIGN[kind].trim()
    const inconsistent = columns.consistent[item] === 0
    const title = `${this.app.overview.runs[run]!.name}: ${error ?? said}${kind === 'open' ? '' : `, ${kind}`}${inconsistent ? ', inconsistent' : ''}`
    return h(
      'span',
      { class: `mark ${kind}`, title, role: 'img', 'aria-label': title },
      // A code is longer than the words: of several runs it would push the marks out of their columns.
      (sign === '' || (words && (error === undefined || this.shown.length === 1))) && [
        h('bdi', cutText(error ?? said!, LONGEST)),
        sign && ' ',
      ],
      sign,
      inconsistent && '≈',
    )
  }
}
