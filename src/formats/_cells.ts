/** One item's result as named cells: the user's fields, then jb's. */
import { count, countEach } from '../rows/maps.ts'
import { type Jb, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { rowOfTrial } from '../scoring/scored_rows.ts'

export type Cells = [name: string, value: string][]

/** The user's fields: strings unchanged, other values as their JSON text in the row. */
export function userCells(row: Row): Cells {
  let texts: ReadonlyMap<string, string> | undefined
  return Object.entries(row.item).map(([name, value]) => {
    if (typeof value === 'string' || value === null) return [name, value ?? '']
    // The JSON text keeps numbers that JavaScript would round.
    texts ??= row.fieldTexts()
    return [name, texts.get(name) ?? '']
  })
}

/** jb's cells, in the same order for every row. */
export function jbCells(row: Row): Cells {
  const [result, error, trials = []] = [
    validMember(row, 'result'),
    validMember(row, 'error'),
    validMember(row, 'trials'),
  ]
  const single = trials.length === 1 && trials[0]!.trial?.criterion === undefined ? trials[0] : undefined
  const saidBy = (one: TrialResult) => {
    const from = rowOfTrial(one)
    // Of rows that contradict each other it is unknown which counts.
    if (error?.code === 'conflict' && !from) return said({ error: one.error ?? error })
    return said({ verdict: one.verdict, error: one.error, reply: from?.get('reply') })
  }
  const who = whoJudged(row, result?.model ?? trials.find(({ model }) => model)?.model ?? error?.model)
  const what = {
    verdict: result?.decision ?? result?.winner,
    score: result?.score,
    option: result?.option,
    correct: result?.correct,
    consistent: result?.consistent,
    reason: single && saidBy(single).reason,
    error: said({ error }).error,
  }
  // V8 makes a hidden class of its own of each object that is spread and then added to.
  const cells = [...cellsOf(who), ...cellsOf(what)]
  if (single) return [...cells, ...cellsOf({ reply: saidBy(single).reply })]
  // A trial's own columns: `clarity_score` for a criterion, `verdict_1` for a game.
  const several = countEach(trials.map(nameOf))
  const numbers = new Map<string, number>()
  for (const one of trials) {
    const name = nameOf(one)
    count(numbers, name)
    const { criterion, order } = one.trial ?? {}
    const before = criterion === undefined ? '' : `${criterion}_`
    const end = several.get(name)! > 1 ? `_${numbers.get(name)}` : ''
    const values = [
      ...cellsOf({ order: before === '' || end !== '' ? order : undefined }),
      ...cellsOf(saidBy(one)),
    ]
    cells.push(...values.map(([column, text]): Cells[number] => [before + column + end, text]))
  }
  return cells
}

const whoJudged = (row: Row, model: unknown) => ({
  item: validMember(row, 'item'),
  judge: validMember(row, 'judge'),
  name: validMember(row, 'name'),
  model,
})

/** What a trial's verdict, error and reply say. */
const said = ({ verdict, error, reply }: Pick<Jb, 'verdict' | 'error' | 'reply'>) => ({
  verdict: verdict?.decision ?? verdict?.winner,
  score: verdict?.score,
  option: verdict?.option,
  reason: verdict?.feedback ?? verdict?.explanation ?? verdict?.reason ?? reply?.reasoning,
  error: error && `${error.code}: ${error.message}`,
  reply: reply?.text,
})

/** The values that are not empty. */
const cellsOf = (values: Record<string, unknown>): Cells =>
  Object.entries(values).flatMap(([name, value]) =>
    value == null || value === ''
      ? []
      : [[name, typeof value === 'string' ? value : JSON.stringify(value)] as Cells[number]],
  )

const nameOf = ({ trial }: TrialResult): string =>
  typeof trial?.criterion === 'string' ? trial.criterion : ''

/** A member of `jb`; undefined where it is malformed, which the row's error reports. */
export function validMember<K extends keyof Jb & string>(row: Row, key: K): Jb[K] | undefined {
  try {
    return row.get(key)
  } catch (error) {
    if (error instanceof RowFailure) return undefined
    throw error
  }
}
