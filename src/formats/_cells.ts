/** One item's result as named cells: the user's fields, then jb's. */
import { countEach } from '../rows/maps.ts'
import { type Jb, RowFailure, type TrialResult } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'

export type Cells = [name: string, value: string][]

/** The parts of a trial's reply that are kept until its item is complete. */
export interface ReplyText {
  text: string
  reason?: string
}

/** The user's fields: strings unchanged, other values as their JSON text in the row. */
export function userCells(row: Row): Cells {
  return Object.entries(row.item).map(([name, value]) => [
    name,
    // The JSON text keeps numbers that JavaScript would round.
    typeof value === 'string' ? value : value === null ? '' : (row.fieldText(name) ?? ''),
  ])
}

/** jb's cells, in the same order for every row. */
export function jbCells(row: Row, replies: ReadonlyMap<number, ReplyText>): Cells {
  const cells: Cells = []
  const put: Put = (name, value) => cells.push(...cellOf(name, value))
  const [result, error, trials = []] = [soundOf(row, 'result'), soundOf(row, 'error'), soundOf(row, 'trials')]
  const single = trials.length === 1 && trials[0]!.trial?.criterion === undefined ? trials[0] : undefined
  put('item', soundOf(row, 'item'))
  put('judge', soundOf(row, 'judge'))
  put('name', soundOf(row, 'name'))
  put('model', result?.model ?? trials.find(({ model }) => model)?.model)
  put('verdict', result?.decision ?? result?.winner)
  put('score', result?.score)
  put('option', result?.option)
  put('correct', result?.correct)
  put('consistent', result?.consistent)
  put('reason', single && reasonOf(single, replies))
  put('error', error && `${error.code}: ${error.message}`)
  const several = countEach(trials.map(nameOf))
  const numbers = new Map<string, number>()
  for (const one of trials) {
    const name = nameOf(one)
    const number = (numbers.get(name) ?? 0) + 1
    numbers.set(name, number)
    const end = several.get(name)! > 1 ? `_${number}` : ''
    const criterion = one.trial?.criterion
    if (criterion !== undefined || !single)
      trialCells(one, replies, criterion === undefined ? '' : `${criterion}_`, end, put)
    else put('reply', replies.get(one.trial?.n ?? 0)?.text)
  }
  return cells
}

/** The columns of a trial, in output order. */
const TRIAL_CELLS: Record<string, (row: Trial) => unknown> = {
  item: ({ row }) => soundOf(row, 'item'),
  judge: ({ row }) => soundOf(row, 'judge'),
  name: ({ row }) => soundOf(row, 'name'),
  model: ({ reply, verdict }) => reply?.model ?? verdict?.model,
  trial: ({ trial }) => trial && trial.n + 1,
  order: ({ trial }) => trial?.order,
  criterion: ({ trial }) => trial?.criterion,
  nugget: ({ trial }) => trial?.nugget,
  verdict: ({ verdict }) => verdict?.decision ?? verdict?.winner,
  score: ({ verdict }) => verdict?.score,
  option: ({ verdict }) => verdict?.option,
  reason: ({ verdict, reply }) =>
    verdict?.feedback ?? verdict?.explanation ?? verdict?.reason ?? reply?.reasoning,
  error: ({ error }) => error && `${error.code}: ${error.message}`,
  reply: ({ reply }) => reply?.text,
}

export const TRIAL_COLUMNS = Object.keys(TRIAL_CELLS)

type Trial = { row: Row } & { [K in 'verdict' | 'error' | 'trial' | 'reply']?: Jb[K] }

/** The cells of one trial: a row of jb-parse. */
export function trialRowCells(row: Row): Cells {
  const [verdict, error] = [soundOf(row, 'verdict'), soundOf(row, 'error')]
  const parts = { row, verdict, error, trial: soundOf(row, 'trial'), reply: soundOf(row, 'reply') }
  return Object.entries(TRIAL_CELLS).flatMap(([name, of]) => cellOf(name, of(parts)))
}

/** A cell; none for an empty value. */
function cellOf(name: string, value: unknown): Cells {
  if (value == null || value === '') return []
  return [[name, typeof value === 'string' ? value : JSON.stringify(value)]]
}

type Put = (name: string, value: unknown) => unknown

/** A trial's own columns: `clarity_score` for a criterion, `verdict_1` for a game. */
function trialCells(
  one: TrialResult,
  replies: ReadonlyMap<number, ReplyText>,
  before: string,
  end: string,
  put: Put,
): void {
  const { verdict, error, trial } = one
  const column = (name: string) => `${before}${name}${end}`
  put(column('order'), before === '' ? trial?.order : undefined)
  put(column('verdict'), verdict?.decision ?? verdict?.winner)
  put(column('score'), verdict?.score)
  put(column('option'), verdict?.option)
  put(column('reason'), reasonOf(one, replies))
  put(column('error'), error && `${error.code}: ${error.message}`)
  put(column('reply'), replies.get(trial?.n ?? 0)?.text)
}

const nameOf = ({ trial }: TrialResult): string =>
  typeof trial?.criterion === 'string' ? trial.criterion : ''

function reasonOf({ verdict, trial }: TrialResult, replies: ReadonlyMap<number, ReplyText>): unknown {
  return verdict?.feedback ?? verdict?.explanation ?? verdict?.reason ?? replies.get(trial?.n ?? 0)?.reason
}

/** A member of `jb`; undefined where it is malformed, which the row's error reports. */
export function soundOf<K extends keyof Jb & string>(row: Row, key: K): Jb[K] | undefined {
  try {
    return row.get(key)
  } catch (error) {
    if (error instanceof RowFailure) return undefined
    throw error
  }
}
