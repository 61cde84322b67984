/** Keyboard shortcuts, and their help. */
import type { App } from './app.ts'
import { button, h } from './dom.ts'
import { NO_FILTERS } from './state.ts'

interface Key {
  keys: string[]
  words: string
  press(app: App, key: string): void
}

/** The arrow keys, in the list only. */
const ARROWS: Record<string, string> = { ArrowDown: 'j', ArrowUp: 'k' }

const tableOf = (search: () => void, step: (by: number) => void, help: () => void): Key[] => [
  {
    keys: ['j', 'k'],
    words: 'next, previous item (in the list also ↓ ↑)',
    press: (_, key) => step(key === 'j' ? 1 : -1),
  },
  {
    keys: ['/'],
    words: 'search',
    press: (app) => {
      if (app.state.view === 'overview') app.go({ view: 'items' })
      search()
    },
  },
  {
    keys: ['1…9'],
    words: 'items: this run alone, 0 for all; label: this score or option',
    press: (app, key) => {
      if (app.state.view === 'label') choose(key)
      else if (key === '0') app.go({ run: null }, true)
      else if (app.overview.runs[Number(key) - 1]) app.go({ run: Number(key) - 1 }, true)
    },
  },
  {
    keys: ['a', 'b', 't'],
    words: 'label: first, second, tie',
    press: (app, key) => app.state.view === 'label' && choose(key),
  },
  {
    keys: ['n'],
    words: 'label: a note',
    press: () => document.getElementById('note')?.focus(),
  },
  {
    keys: ['o', 'i', 'l'],
    words: 'overview, items, label',
    press: (app, key) =>
      app.go({
        view: key === 'o' ? 'overview' : key === 'i' ? 'items' : 'label',
        ...(key === 'o' && { item: null }),
      }),
  },
  {
    keys: ['m'],
    words: 'texts as Markdown',
    press: (app) => app.go({ markdown: !app.state.markdown }, true),
  },
  {
    keys: ['d'],
    words: 'differences of two answers',
    press: (app) => app.go({ diff: !app.state.diff }, true),
  },
  {
    keys: ['c'],
    words: 'clear the filters',
    press: (app) => app.go(NO_FILTERS),
  },
  {
    keys: ['Escape'],
    words: 'leave a field; back to the list',
    press: (app) => app.state.item !== null && app.go({ item: null }),
  },
  { keys: ['?'], words: 'this list', press: help },
]

/** Listens to the keyboard. @returns the dialog that lists the keys */
export function keys(app: App, search: () => void, step: (by: number) => void): HTMLDialogElement {
  const table = tableOf(search, step, () => dialog.showModal())
  const dialog = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h2', 'Keys'),
    h(
      'dl.keys',
      table.map(({ keys, words }) => [
        h(
          'dt',
          keys.map((key) => h('kbd', key)),
        ),
        h('dd', words),
      ]),
    ),
    button('close', () => dialog.close()),
  )
  const byKey = new Map(table.flatMap((one) => one.keys.map((key) => [key, one] as const)))
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return
    const target = event.target as HTMLElement
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
      if (event.key === 'Escape') target.blur()
      return
    }
    const inList = target.closest('.list') !== null && ARROWS[event.key]
    const key = inList || event.key
    const one = byKey.get(/^[0-9]$/.test(key) ? '1…9' : key)
    if (!one) return
    event.preventDefault()
    one.press(app, key)
  })
  return dialog
}

const choose = (key: string) =>
  document.querySelector<HTMLElement>(`[data-choice="${CSS.escape(key)}"]`)?.click()
