/** The bar above the list: search, filters, sorting, number of items. */

import { inOrder } from '../in_order.ts'
import type { RunColumns, Words } from '../model.ts'
import type { App } from './app.ts'
import { cutText } from './cut_text.ts'
import { appendChildren, button, type Child, h, refill, toggle } from './dom.ts'
import { disagree, FLAGS, numberColumns, saidOf } from './filter.ts'
import { NO_FILTERS, type State } from './state.ts'
import { thousands, verdictText } from './words_for.ts'

export class FilterBar {
  readonly element = h('form.filters', {
    role: 'search',
    'aria-label': 'Filters',
    onsubmit: (event: Event) => event.preventDefault(),
  })
  readonly search: HTMLInputElement
  /** The number of items, and the button that clears the filters. */
  readonly head = h('div.list-head')
  private readonly status = h('p.count', { role: 'status', tabindex: -1 })
  private readonly flags = h('div.filter-row')
  private readonly choices = h('div.filter-choices')
  private waiting: ReturnType<typeof setTimeout> | undefined

  constructor(app: App) {
    this.search = h('input', {
      type: 'search',
      placeholder: 'Search everything',
      'aria-label': 'Search everything',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => {
        clearTimeout(this.waiting)
        this.waiting = setTimeout(() => app.go({ q: this.search.value }, true), 200)
      },
    })
    // On narrow screens they are closed, to leave room for the list.
    const open = matchMedia('(min-width: 861px)').matches
    const more = h('details.more-filters', { open }, h('summary', 'more filters'), this.choices)
    refill(this.element, this.search, this.flags, more)
  }

  update(app: App): void {
    const { state, data, overview } = app
    if (document.activeElement !== this.search && this.search.value !== state.q) this.search.value = state.q
    if (!data) return
    const { index } = data
    const runs = index.runs
    /** Whether some items are so, and some are not. */
    const divides = (is: (item: number) => boolean) => {
      const n = index.ids.filter((_, i) => is(i)).length
      return n > 0 && n < index.ids.length
    }
    // Who labels is not to know what the judges said.
    const blind = state.view === 'label'
    const flags: [string, string][] = Object.entries(FLAGS)
      .filter(
        ([key, flag]) =>
          !blind && (divides((i) => runs.some((one) => flag.of(one, i))) || state.is.includes(key)),
      )
      .map(([key, { words }]) => [key, words])
    if (runs.length > 1 && !blind && (divides((i) => disagree(runs, i)) || state.is.includes('disagree')))
      flags.push(['disagree', 'runs disagree'])
    if (app.labels.size > 0) flags.push(['labelled', 'labelled by me'])
    const said = verdictsIn(
      state.run === null ? runs : runs.slice(state.run, state.run + 1),
      index.ids.length,
    )
    const active = document.activeElement?.getAttribute('data-key')
    refill(
      this.flags,
      flags.map(([key, words]) =>
        toggle(words, state.is.includes(key), () => app.go({ is: toggled(state.is, key) }), {
          'data-key': key,
        }),
      ),
    )
    refill(
      this.choices,
      runs.length > 1 &&
        !blind &&
        choice(
          'run',
          'any run',
          overview.runs.map(({ name }, i) => [String(i), `${i + 1}  ${name}`]),
          state.run === null ? null : String(state.run),
          (value) => app.go({ run: value === null ? null : Number(value) }),
        ),
      !blind &&
        (said.size > 1 || state.verdict !== null) &&
        said.size <= MOST &&
        choice('verdict', 'any verdict', shown(inOrder(said, overview.words)), state.verdict, (verdict) =>
          app.go({ verdict }),
        ),
      !blind &&
        (isDivided(index.label) || state.label !== null) &&
        index.label.words.length <= MOST &&
        choice(
          'label',
          'any label',
          shown(inOrder(index.label.words, overview.words)),
          state.label,
          (label) => app.go({ label }),
        ),
      Object.entries(index.groups).map(
        ([field, column]) =>
          (isDivided(column) || groupIn(state, field) !== null) &&
          choice(field, `any ${field}`, shown(inOrder(column.words)), groupIn(state, field), (value) =>
            app.go({ groups: withGroup(state.groups, field, value) }),
          ),
      ),
      this.range(app),
      this.sorting(app),
    )
    const focused = active && this.element.querySelector<HTMLElement>(`[data-key="${CSS.escape(active)}"]`)
    if (focused) focused.focus()
    this.count(app)
  }

  private count(app: App): void {
    const { state, selected, searching } = app
    const all = app.data!.index.ids.length
    const words =
      selected.length === all
        ? `${thousands(all)} items`
        : `${thousands(selected.length)} of ${thousands(all)} items`
    const text = searching === null ? words : `${words}, searching ${Math.round(searching * 100)} %`
    if (this.status.textContent !== text) this.status.textContent = text
    const clear = button('clear', () => app.go(NO_FILTERS), { class: 'chip clear' })
    const had = this.head.contains(document.activeElement)
    // The status element is kept, so that screen readers announce only its changes.
    if (!this.status.isConnected || this.status.parentElement !== this.head) refill(this.head, this.status)
    for (const old of this.head.querySelectorAll('.clear')) old.remove()
    if (isFiltered(state)) appendChildren(this.head, [clear])
    else if (had) this.status.focus()
  }

  private range(app: App): Child {
    const { state } = app
    const columns = columnsOf(app)
    if (columns.length === 0) return null
    const bound = (key: 'min' | 'max') =>
      h('input', {
        type: 'number',
        step: 'any',
        'data-key': key,
        'aria-label': key === 'min' ? 'at least' : 'at most',
        placeholder: key === 'min' ? '≥' : '≤',
        value: state[key] ?? '',
        onchange: (event: Event) => {
          const { value } = event.target as HTMLInputElement
          app.go({ [key]: value === '' ? null : Number(value) })
        },
      })
    return h(
      'span.range',
      choice(
        'number',
        'filter by a number',
        columns.map((name) => [name, columnName(name)]),
        state.number,
        (number) => app.go({ number, ...(number === null && { min: null, max: null }) }),
      ),
      state.number !== null && [bound('min'), bound('max')],
    )
  }

  private sorting(app: App): Child {
    const columns = ['id', ...columnsOf(app)]
    const options = columns.flatMap((name): [string, string][] => [
      [name, `sort: ${columnName(name)} ↑`],
      [`-${name}`, `sort: ${columnName(name)} ↓`],
    ])
    const { sort } = app.state
    return choice('sort', 'sort: as in the file', options, sort === 'order' ? null : sort, (value) =>
      app.go({ sort: value ?? 'order' }),
    )
  }
}

/** The numbers to filter and sort by; in label mode the user's own alone. */
const columnsOf = ({ data, state }: App): string[] =>
  numberColumns(data!.index).filter((name) => state.view !== 'label' || !name.startsWith('run.'))

const columnName = (name: string) => name.replace(/^run\./, 'judge: ').replaceAll('_', ' ')

/** The most words that are offered as choices. */
const MOST = 50

/** Whether items differ in a column of words. */
const isDivided = ({ words, at }: Words): boolean =>
  words.length > 1 || (words.length === 1 && at.includes(-1))

/** The verdicts of some runs: all that are words, and as many numbers as tell that there are too many. */
function verdictsIn(runs: readonly RunColumns[], items: number): Set<string> {
  const said = new Set(runs.flatMap(({ verdict }) => verdict.words))
  for (const columns of runs.filter(({ verdict }) => verdict.words.length === 0))
    for (let i = 0; i < items && said.size <= MOST; i++) {
      const word = saidOf(columns, i)
      if (word !== undefined) said.add(word)
    }
  return said
}

const shown = (words: string[]): [string, string][] => words.map((word) => [word, verdictText(word)])

const groupIn = ({ groups }: State, field: string) => (Object.hasOwn(groups, field) ? groups[field]! : null)

const toggled = (list: string[], key: string) =>
  list.includes(key) ? list.filter((one) => one !== key) : [...list, key]

function withGroup(groups: State['groups'], field: string, value: string | null): State['groups'] {
  const { [field]: _, ...rest } = groups
  return value === null ? rest : { ...rest, [field]: value }
}

const isFiltered = ({ q, is, run, verdict, label, groups, number }: State) =>
  q !== '' ||
  is.length > 0 ||
  run !== null ||
  verdict !== null ||
  label !== null ||
  number !== null ||
  Object.keys(groups).length > 0

/** A select element for one of the options, or none. */
function choice(
  key: string,
  none: string,
  options: [value: string, words: string][],
  chosen: string | null,
  onchange: (value: string | null) => void,
): HTMLElement {
  // By index, because a word may be empty.
  const select = h(
    'select',
    {
      'aria-label': none.startsWith('any ') ? none.slice(4) : key,
      'data-key': key,
      class: chosen === null ? '' : 'chosen',
      onchange: () => onchange(select.selectedIndex === 0 ? null : options[select.selectedIndex - 1]![0]),
    },
    h('option', none),
    options.map(([value, words]) => h('option', { selected: value === chosen }, cutText(words, 80))),
  )
  return select
}
