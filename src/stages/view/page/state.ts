/** The state of the page, which is stored in its address. */

export interface State {
  view: 'overview' | 'items' | 'label'
  /** The id of the open item. */
  item: string | null
  /** The search. */
  q: string
  /** wrong, right, inconsistent, disagree, failed, labelled. */
  is: string[]
  /** The run of the filters, which is shown alone; null for any, and all. */
  run: number | null
  verdict: string | null
  label: string | null
  /** Values by field. */
  groups: Record<string, string>
  /** A column of numbers, and bounds. */
  number: string | null
  min: number | null
  max: number | null
  /** `order`, or a column, with `-` in descending order. */
  sort: string
  /** Show texts as Markdown. */
  markdown: boolean
  /** Mark differences between two answers. */
  diff: boolean
}

/** Cleared filters. */
export const NO_FILTERS = {
  q: '',
  is: [],
  run: null,
  verdict: null,
  label: null,
  groups: {},
  number: null,
  min: null,
  max: null,
} satisfies Partial<State>

export const START_STATE: State = {
  ...NO_FILTERS,
  view: 'overview',
  item: null,
  sort: 'order',
  markdown: false,
  diff: false,
}

const VIEWS = ['overview', 'items', 'label']

export function toHash(state: State): string {
  const words = new URLSearchParams()
  const { view, item, q, is, run, verdict, label, groups, number, min, max, sort, markdown, diff } = state
  if (view !== START_STATE.view) words.set('view', view)
  if (item !== null) words.set('item', item)
  if (q) words.set('q', q)
  if (is.length > 0) words.set('is', is.join(' '))
  if (run !== null) words.set('run', String(run + 1))
  if (verdict !== null) words.set('verdict', verdict)
  if (label !== null) words.set('label', label)
  for (const [field, value] of Object.entries(groups)) words.set(`by.${field}`, value)
  if (number !== null) words.set('number', number)
  if (min !== null) words.set('min', String(min))
  if (max !== null) words.set('max', String(max))
  if (sort !== START_STATE.sort) words.set('sort', sort)
  if (markdown) words.set('markdown', '1')
  if (diff) words.set('diff', '1')
  const text = words.toString()
  return text && `#${text}`
}

/** Reads the state from the address, without its invalid parts. */
export function fromHash(hash: string): State {
  const words = new URLSearchParams(hash.replace(/^#/, ''))
  const bound = (name: string) => {
    const text = words.get(name)
    const value = Number(text)
    return text === null || text.trim() === '' || !Number.isFinite(value) ? null : value
  }
  const view = words.get('view') ?? ''
  const run = Number(words.get('run'))
  const groups = [...words].flatMap(([key, value]) => (key.startsWith('by.') ? [[key.slice(3), value]] : []))
  return {
    view: VIEWS.includes(view) ? (view as State['view']) : START_STATE.view,
    item: words.get('item'),
    q: words.get('q') ?? '',
    is: (words.get('is') ?? '').split(' ').filter(Boolean),
    run: Number.isInteger(run) && run > 0 ? run - 1 : null,
    verdict: words.get('verdict'),
    label: words.get('label'),
    groups: Object.fromEntries(groups),
    number: words.get('number'),
    min: bound('min'),
    max: bound('max'),
    sort: words.get('sort') ?? START_STATE.sort,
    markdown: words.get('markdown') === '1',
    diff: words.get('diff') === '1',
  }
}
