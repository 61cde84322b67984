/** The page: draws the overview at once, reads the data when it is loaded, and follows the address. */
import type { Index, Overview } from '../model.ts'
import { nameParts } from '../name_parts.ts'
import type { App } from './app.ts'
import { Data } from './data.ts'
import { appendChildren, button, h, refill } from './dom.ts'
import { select } from './filter.ts'
import { FilterBar } from './filters.ts'
import { itemView } from './item.ts'
import { keys } from './keys.ts'
import { labelView } from './label.ts'
import { Labels, type Store } from './labels.ts'
import { ItemList } from './list.ts'
import { overviewView } from './overview.ts'
import { fromHash, type State, toHash } from './state.ts'
import { inflated } from './unpack.ts'

const textOf = (id: string) => document.getElementById(id)?.textContent ?? ''

/** The browser's storage, which it may refuse to a file. */
function storage(): Store | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}

class Page implements App {
  readonly overview: Overview = JSON.parse(textOf('overview'))
  readonly names = nameParts(this.overview.runs.map(({ name }) => name))
  data: Data | undefined
  state: State = fromHash(location.hash)
  readonly labels = new Labels(this.overview.digest, storage())
  selected: number[] = []
  searching: number | null = null
  private found: Set<number> | undefined
  private searched = ''
  private drawn = ''
  private readonly live = h('p.visually-hidden', { role: 'status', 'aria-live': 'polite' })
  private readonly main = h('main', { id: 'main', tabindex: -1 })
  private readonly nav = h('nav', { 'aria-label': 'views' })
  private readonly filters = new FilterBar(this)
  private readonly list = new ItemList(this, this.filters.head)
  private readonly pane = h('div.pane')

  start(): void {
    const root = document.getElementById('app')!
    refill(
      root,
      h(
        'a.skip',
        {
          href: '#main',
          onclick: (event: Event) => {
            event.preventDefault()
            this.main.focus()
          },
        },
        'to the content',
      ),
      h(
        'header.top',
        h('h1', h('bdi', this.overview.title)),
        this.nav,
        button('Keys', () => help.showModal(), { title: '?' }),
      ),
      this.main,
      this.live,
    )
    const help = keys(
      this,
      () => this.filters.search.focus(),
      (by) => this.step(by),
    )
    appendChildren(root, [help])
    addEventListener('hashchange', () => {
      if (location.hash === toHash(this.state)) return
      this.state = fromHash(location.hash)
      this.update()
    })
    this.update()
  }

  /** Reads the index; the rows may still be loading. */
  async ready(): Promise<void> {
    const index = JSON.parse(await inflated(textOf('index'))) as Index
    const loaded = new Promise<void>((resolve) => {
      if (document.readyState !== 'loading') resolve()
      else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true })
    })
    this.data = new Data(index, async (chunk) => {
      await loaded
      return inflated(textOf(`chunk-${chunk}`))
    })
    document.documentElement.dataset.ready = 'true'
    this.update()
  }

  go(change: Partial<State>, quiet = false): void {
    this.state = { ...this.state, ...change }
    const hash = toHash(this.state)
    if (quiet) {
      try {
        history.replaceState(null, '', hash || location.pathname + location.search)
      } catch {
        location.hash = hash
      }
    } else location.hash = hash
    this.update()
  }

  link(change: Partial<State>): string {
    return toHash({ ...this.state, ...change }) || '#view=overview'
  }

  media(path: string): string | undefined {
    const { media } = this.overview
    return Object.hasOwn(media, path) ? textOf(`media-${media[path]}`) : undefined
  }

  say(message: string): void {
    this.live.textContent = message
  }

  labelled(): void {
    this.drawn = ''
    this.update()
  }

  /** Opens another item of the list; the first one if none is open. */
  step(by: number): void {
    const { selected, data, state } = this
    if (!data || selected.length === 0) return
    const at = state.item === null ? -1 : selected.indexOf(data.places.get(state.item) ?? -1)
    const next = at < 0 ? 0 : Math.max(0, Math.min(selected.length - 1, at + by))
    const view = state.view === 'overview' ? 'items' : state.view
    this.go({ view, item: data.index.ids[selected[next]!]! }, true)
  }

  private update(): void {
    const { state, data } = this
    document.body.dataset.view = state.view
    document.body.dataset.open = String(state.item !== null)
    refill(
      this.nav,
      (['overview', 'items', 'label'] as const).map((view) =>
        h(
          'a',
          {
            href: this.link({ view, ...(view === 'overview' && { item: null }) }),
            'aria-current': state.view === view ? 'page' : undefined,
          },
          view,
        ),
      ),
    )
    if (data) {
      if (state.q !== this.searched) this.search()
      this.selected = select(data.index, state, this.found, this.labels.ids())
    }
    if (state.view === 'overview') {
      if (this.drawn !== 'overview') refill(this.main, overviewView(this))
      this.drawn = 'overview'
      return
    }
    if (!this.main.contains(this.pane))
      refill(
        this.main,
        h('aside.side', { 'aria-label': 'items' }, this.filters.element, this.list.element),
        this.pane,
      )
    this.filters.update(this)
    if (!data) {
      refill(this.pane, h('p.note', 'Reading the rows …'))
      return
    }
    this.list.update(this)
    this.show(data)
  }

  /** Shows the open item; in label mode opens the first one without label if none is open. */
  private show(data: Data): void {
    const { state } = this
    if (state.item === null && state.view === 'label' && this.selected.length > 0) {
      const first = this.selected.find((one) => !this.labels.has(data.index.ids[one]!)) ?? this.selected[0]!
      this.go({ item: data.index.ids[first]! }, true)
      return
    }
    const place = state.item === null ? undefined : data.places.get(state.item)
    const key = `${state.view} ${place} ${state.run} ${state.markdown} ${state.diff}`
    if (key === this.drawn) return
    const other = this.drawn.split(' ').slice(0, 2).join(' ') !== key.split(' ').slice(0, 2).join(' ')
    this.drawn = key
    if (place === undefined) {
      const words =
        state.item === null ? 'Choose an item from the list.' : `There is no item “${state.item}”.`
      refill(this.pane, h('p.note', words))
      return
    }
    const reading = data.rowsOf(place).then(async (rows) => [rows, await data.originalOf(rows)] as const)
    reading.then(
      ([rows, original]) => {
        if (this.drawn !== key) return
        const back = h(
          'div.back',
          // Label mode always has an item open.
          state.view !== 'label' &&
            button('← list', () => this.go({ item: null }), { class: 'chip to-list' }),
          button('previous', () => this.step(-1)),
          button('next', () => this.step(1)),
        )
        refill(
          this.pane,
          back,
          state.view === 'label'
            ? labelView(this, place, rows, (by) => this.step(by))
            : itemView(this, place, rows, original),
        )
        if (other) this.pane.scrollTop = 0
      },
      (error: unknown) => refill(this.pane, h('p.error', `The rows cannot be read: ${error}`)),
    )
  }

  private search(): void {
    const { q } = this.state
    this.searched = q
    this.found = undefined
    this.searching = null
    if (q === '') return
    this.found = new Set()
    this.searching = 0
    const run = async () => {
      let drawn = 0
      for await (const { items, share } of this.data!.search(q, () => this.searched !== q)) {
        if (this.searched !== q) return
        this.found = items
        this.searching = share < 1 ? share : null
        // Draws only a few times a second.
        if (performance.now() - drawn < 150 && share < 1) continue
        drawn = performance.now()
        this.update()
        await new Promise((resolve) => setTimeout(resolve))
      }
    }
    run().catch((error: unknown) => this.say(`the search failed: ${error}`))
  }
}

const page = new Page()
page.start()
;(globalThis as { jbView?: unknown }).jbView = { ready: () => page.ready() }
