/** The list of items. Only the visible rows have elements. */

import { type RunColumns, wordAt } from '../model.ts'
import { outcomeKind, SIGN } from '../verdict_word.ts'
import type { App } from './app.ts'
import { cutText } from './cut_text.ts'
import { h, marked, name, refill } from './dom.ts'
import { saidOf } from './filter.ts'
import { runName } from './run_names.ts'
import { verdictText } from './words_for.ts'

/** The height of a row in rem, as in the style sheet. */
const ROW = 3.75
/** Additional rows beyond the edges. */
const SPARE = 12
/** The most runs with marks in the list, and with words in the marks. */
const RUNS = 6
const WORDS = 3
/** The most characters of a word in a mark. */
const LONGEST = 12
/** The largest height that browsers support, in pixels; longer lists are scrolled in proportion. */
const HIGHEST = 8_000_000

const SIGNS: { sign: string; words: string; used(columns: RunColumns): boolean }[] = [
  { sign: SIGN.right.trim(), words: 'right', used: ({ correct }) => correct.includes(1) },
  { sign: SIGN.wrong.trim(), words: 'wrong', used: ({ correct }) => correct.includes(0) },
  { sign: SIGN.pass.trim(), words: 'passes', used: ({ passes }) => passes === true },
  { sign: SIGN.fail.trim(), words: 'does not pass', used: ({ passes }) => passes === true },
  { sign: '≈', words: 'its orders or samples disagree', used: ({ consistent }) => consistent.includes(0) },
  { sign: SIGN.failed.trim(), words: 'failed', used: ({ error }) => error.words.length > 0 },
]

export class ItemList {
  readonly element: HTMLElement
  private readonly scroller: HTMLElement
  private readonly inner: HTMLElement
  /** The numbers of the runs, above their marks. */
  private readonly heads = h('div.marks', { 'aria-hidden': 'true' })
  /** What the numbers and the signs mean. */
  private readonly legend = h('p.legend')
  private app: App
  private readonly drawn = new Map<number, HTMLElement>()
  /** The range of drawn rows. */
  private first = 0
  private last = 0
  /** The height of a row in pixels. */
  private pitch = 60

  /** @param head is shown above the list, beside the numbers of the runs */
  constructor(app: App, head: HTMLElement) {
    this.app = app
    this.inner = h('div.rows', { role: 'list', 'aria-label': 'Items' })
    this.scroller = h('div.list', { tabindex: 0, onscroll: () => this.draw() }, this.inner)
    const top = h('div.list-top', head, this.heads)
    this.element = h('div.list-box', top, this.scroller, this.legend)
    new ResizeObserver(() => {
      // Aligns the numbers with the marks, which the scroll bar moves.
      top.style.paddingInlineEnd = `${this.scroller.offsetWidth - this.scroller.clientWidth}px`
      this.draw()
    }).observe(this.scroller)
  }

  /** Draws the selected items, and scrolls to the open one. */
  update(app: App): void {
    this.app = app
    const focused = this.inner.contains(document.activeElement)
    this.clear()
    this.first = this.last = 0
    this.pitch = ROW * Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 60
    this.inner.style.height = `${this.height}px`
    this.head()
    this.explain()
    const { item } = app.state
    if (item !== null && app.data) {
      const at = app.selected.indexOf(app.data.places.get(item) ?? -1)
      if (at >= 0) this.show(at)
    }
    this.draw()
    // Keeps the focus in the list.
    const current = focused ? this.inner.querySelector<HTMLElement>('[aria-current] a') : null
    if (focused) (current ?? this.scroller).focus({ preventScroll: true })
  }

  /** The runs with marks in the list: none in label mode. */
  private get shown(): number[] {
    const { state, overview } = this.app
    if (state.view === 'label') return []
    return state.run === null ? [...overview.runs.keys()].slice(0, RUNS) : [state.run]
  }

  /** Draws the numbers above the marks. */
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

  /** The legend: the runs by number, and the signs that these items have. */
  private explain(): void {
    const { shown } = this
    const { data, overview } = this.app
    const runs = shown.flatMap((run) => data?.index.runs[run] ?? [])
    const signs = SIGNS.filter(({ used }) => runs.some(used))
    refill(
      this.legend,
      signs.map(({ sign, words }) => h('span', `${sign} ${words}`)),
      overview.runs.length > 1 && shown.map((run) => h('span', runName(this.app, run))),
    )
    this.legend.hidden = this.legend.childElementCount === 0
  }

  private get height(): number {
    return Math.min(HIGHEST, this.app.selected.length * this.pitch)
  }

  /** Pixels of scrolling per row. */
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

  /** Adds and removes rows after scrolling; keeps those that remain. */
  private draw(): void {
    const { selected } = this.app
    const { scrollTop, clientHeight } = this.scroller
    const top = Math.floor(scrollTop / this.step)
    const bottom = Math.min(selected.length, top + Math.ceil((clientHeight || 800) / this.pitch) + 1)
    if (top >= this.first && bottom <= this.last) return
    this.first = Math.max(0, top - SPARE)
    this.last = Math.min(selected.length, bottom + SPARE)
    for (const [at, row] of this.drawn) {
      if (at >= this.first && at < this.last) continue
      row.remove()
      this.drawn.delete(at)
    }
    const offset = this.step === this.pitch ? 0 : this.first * (this.step - this.pitch)
    // With proportional scrolling, all rows move.
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
    // In the order of the list, for screen readers.
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
      'div.row',
      {
        role: 'listitem',
        'aria-setsize': selected.length,
        'aria-posinset': at + 1,
        'aria-current': current ? 'true' : undefined,
      },
      h(
        'a',
        // The tab key stops once in the whole list.
        {
          href: this.app.link({ item: id }),
          tabindex: current || (state.item === null && at === 0) ? 0 : -1,
        },
        h(
          'span.id',
          name(id),
          label !== undefined && !blind && h('span.label', name(label)),
          labels.has(id) && h('span.yours', 'labelled'),
        ),
        h('bdi.title', marked(index.titles[item]!)),
        h(
          'span.marks',
          shown.map((run) => this.mark(run, item, shown.length <= WORDS)),
        ),
      ),
    )
    row.style.top = `${top}px`
    return row
  }

  /** The mark of a run's result. @param words with the verdict, not only the sign */
  private mark(run: number, item: number, words: boolean): HTMLElement {
    const columns = this.app.data!.index.runs[run]
    const error = columns && wordAt(columns.error, item)
    const said = columns && saidOf(columns, item)
    if (!columns || (error === undefined && said === undefined)) return h('span.mark.none', '·')
    const kind = outcomeKind(columns, item)
    const sign = SIGN[kind].trim()
    const inconsistent = columns.consistent[item] === 0
    const title = `${this.app.overview.runs[run]!.name}: ${error ?? said}${kind === 'right' || kind === 'wrong' || kind === 'failed' ? `, ${kind}` : ''}${inconsistent ? ', inconsistent' : ''}`
    return h(
      'span',
      { class: `mark ${kind}`, title, role: 'img', 'aria-label': title },
      // Error codes are too long for the columns of several runs.
      (sign === '' || (words && (error === undefined || this.shown.length === 1))) && [
        h('bdi', cutText(error ?? verdictText(said!), LONGEST)),
        sign && ' ',
      ],
      sign,
      inconsistent && '≈',
    )
  }
}
