/** Filters and sorts items. */
import { type Index, type RunColumns, wordAt } from '../model.ts'
import type { State } from './state.ts'

type OfRun = (columns: RunColumns, item: number) => boolean

export const FLAGS: Record<string, { words: string; of: OfRun }> = {
  wrong: { words: 'wrong', of: ({ correct }, i) => correct[i] === 0 },
  right: { words: 'right', of: ({ correct }, i) => correct[i] === 1 },
  inconsistent: { words: 'inconsistent', of: ({ consistent }, i) => consistent[i] === 0 },
  failed: { words: 'failed', of: ({ error }, i) => (error.at[i] ?? -1) >= 0 },
}

/** A run's verdict on an item. */
export function saidOf(columns: RunColumns, item: number): string | undefined {
  const word = wordAt(columns.verdict, item)
  if (word !== undefined) return word
  const score = columns.score[item]
  return typeof score === 'number' ? String(score) : undefined
}

/** Whether two runs have different verdicts on an item. */
export function disagree(runs: readonly RunColumns[], item: number): boolean {
  let first: string | undefined
  for (const columns of runs) {
    const said = saidOf(columns, item)
    if (said === undefined) continue
    if (first === undefined) first = said
    else if (said !== first) return true
  }
  return false
}

/** The names of columns of numbers: the user's, and `run.NAME` of the selected run, or of the first with a value. */
export function numberColumns(index: Index): string[] {
  const names = new Set(Object.keys(index.numbers))
  for (const { numbers, score } of index.runs) {
    for (const name of Object.keys(numbers)) names.add(`run.${name}`)
    if (score.some((one) => one !== null)) names.add('run.score')
  }
  return [...names]
}

function numberAt(index: Index, name: string, run: number | null, item: number): number | null {
  if (!name.startsWith('run.')) return index.numbers[name]?.[item] ?? null
  const key = name.slice(4)
  const of = ({ score, numbers }: RunColumns) => (key === 'score' ? score : numbers[key])?.[item] ?? null
  if (run !== null) return index.runs[run] ? of(index.runs[run]) : null
  for (const columns of index.runs) {
    const value = of(columns)
    if (value !== null) return value
  }
  return null
}

/**
 * The places of the items that match the filters, sorted.
 * @param found items found by the search; undefined without a search
 * @param labelled ids of items with a label
 */
export function select(
  index: Index,
  state: State,
  found?: ReadonlySet<number>,
  labelled?: ReadonlySet<string>,
): number[] {
  const { is, run, verdict, label, groups, number, min, max } = state
  const one = run === null ? undefined : index.runs[run]
  const runs = run === null ? index.runs : one ? [one] : []
  const tests: ((item: number) => boolean)[] = is.map((flag) => (i) => hasFlag(flag, i))
  if (found) tests.push((i) => found.has(i))
  if (label !== null) tests.push((i) => wordAt(index.label, i) === label)
  if (verdict !== null) tests.push((i) => runs.some((columns) => saidOf(columns, i) === verdict))
  for (const [field, value] of Object.entries(groups))
    tests.push((i) => Object.hasOwn(index.groups, field) && wordAt(index.groups[field]!, i) === value)
  if (number !== null && (min ?? max) !== null)
    tests.push((i) => {
      const value = numberAt(index, number, run, i)
      return value !== null && value >= (min ?? -Infinity) && value <= (max ?? Infinity)
    })
  const items = [...index.ids.keys()].filter((i) => tests.every((test) => test(i)))
  return sorted(items, index, state)

  function hasFlag(flag: string, item: number): boolean {
    if (flag === 'disagree') return disagree(index.runs, item)
    if (flag === 'labelled') return labelled?.has(index.ids[item]!) ?? false
    return Object.hasOwn(FLAGS, flag) ? runs.some((columns) => FLAGS[flag]!.of(columns, item)) : true
  }
}

/** Sorts by a column. Items without a number come last; by a number of the judge those that failed come first. */
function sorted(items: number[], index: Index, { sort, run }: State): number[] {
  if (sort === 'order') return items
  const down = sort.startsWith('-')
  const name = down ? sort.slice(1) : sort
  if (name === 'id') return items.sort((a, b) => (index.ids[a]! < index.ids[b]! ? -1 : 1) * (down ? -1 : 1))
  const runs = run === null ? index.runs : index.runs.slice(run, run + 1)
  const rank = (item: number, value: number | null) =>
    value !== null ? 1 : name.startsWith('run.') && runs.some((one) => FLAGS.failed!.of(one, item)) ? 0 : 2
  return items
    .map((item) => {
      const value = numberAt(index, name, run, item)
      return { item, rank: rank(item, value), value: value ?? 0 }
    })
    .sort((a, b) => a.rank - b.rank || (down ? b.value - a.value : a.value - b.value) || a.item - b.item)
    .map(({ item }) => item)
}
