/**
 * RewardBench's eval-set-scores → one row per item. A file holds one object of columns, each a list (version 1:
 * scores_chosen, scores_rejected; version 2: scores, num_correct), or records.
 */
import { EXIT, Fatal, type Json, type JsonObject, type Verdict } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about: 'RewardBench’s scores of each item (eval-set-scores, columns or records) → verdicts',
  async *read(sources, options, context) {
    for (const source of sources) {
      let index = 0
      for await (const [row] of elementRows([source], options, context))
        if (row)
          yield rowsMade(row, (one) =>
            Array.isArray(one.field('subset')) ? columns(one) : judged(one, one.item, index++),
          )
    }
  },
}

function columns(row: Row): Row[] {
  const { item } = row
  const size = (item.subset as Json[]).length
  const lists = Object.entries(item).filter(([, value]) => Array.isArray(value))
  const other = lists.find(([, value]) => (value as Json[]).length !== size)
  if (other)
    throw new Fatal(
      EXIT.data,
      `${row.place}: columns of different lengths: "subset" has ${size} values, "${other[0]}" ${(other[1] as Json[]).length}`,
    )
  const single = Object.fromEntries(Object.entries(item).filter(([, value]) => !Array.isArray(value)))
  // If one item's values do not fit, only that item fails, without the values of the others.
  const empty = Row.make({}, row.file, row.line)
  return Array.from({ length: size }, (_, i) =>
    rowsMade(empty, () =>
      judged(
        row,
        {
          ...single,
          ...Object.fromEntries(lists.map(([name, list]) => [name, (list as Json[])[i]!])),
        },
        i,
      ),
    ),
  ).flat()
}

/** What else an item may be scored by: version 2's, and the recorded result. */
const SCORES = ['scores', 'ratings', 'results']

/** An item's row; a pair of scores becomes a verdict, with A the chosen answer. @param index its id, where it has none */
function judged(row: Row, item: JsonObject, index: number): Row {
  const [chosen, rejected] = [item.scores_chosen, item.scores_rejected].map((one) => [one ?? []].flat(2)[0])
  if (typeof chosen !== 'number' || typeof rejected !== 'number') {
    const made = Row.make(item, row.file, row.line)
    const scored = item.subset !== undefined && SCORES.some((name) => (item[name] ?? null) !== null)
    return scored
      ? made
      : lacking(made, 'rewardbench-scores', 'no "subset" and scores: this is not an item of RewardBench')
  }
  const decision = chosen > rejected ? 'A>B' : chosen < rejected ? 'B>A' : 'A=B'
  const id = String(item.id ?? index)
  return Row.make({ ...item, label: 'A>B' }, row.file, row.line)
    .set('judge', String(item.model ?? 'rewardbench'))
    .set('item', `${item.subset}:${id}`)
    .set('trial', { n: 0, of: 1, order: 'AB' })
    .set('verdict', {
      label: `${chosen} ${rejected}`,
      decision,
      scores: [chosen, rejected],
    } satisfies Verdict)
}
