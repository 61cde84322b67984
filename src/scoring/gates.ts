/** Gates on a run's figures: --max-error-rate and --fail-under. */
import { HOW_TO_NUMBER } from '../criteria/_yes_no.ts'
import type { Option } from '../options/option.ts'
import type { JsonObject } from '../rows/record.ts'
import type { Group } from './group.ts'

export interface Gates {
  maxErrorRate?: number
  failUnder?: number
}

export const GATE_OPTIONS = [
  {
    name: 'max-error-rate',
    type: 'number',
    value: 'R',
    min: 0,
    max: 1,
    about: 'exit 1 if a larger share of the items failed',
  },
  {
    name: 'fail-under',
    type: 'number',
    value: 'X',
    about:
      'exit 1 if the accuracy (without labels, as with --label none, the mean score, the rate of PASS) is below X',
  },
] as const satisfies readonly Option[]

/** A gate that was given. */
export interface GateAnswer {
  /** What it asks for: `score at least 0.8`. */
  asks: string
  /** Why it was missed. */
  missed?: string
  /** The limit is none that this figure can have. */
  isWrong?: boolean
}

/** The gates that were given, for what a run comes to. */
export function gatesOf(all: Group, { maxErrorRate, failUnder }: Gates): GateAnswer[] {
  const gates: GateAnswer[] = []
  if (maxErrorRate !== undefined)
    gates.push(withWhy({ asks: `at most ${maxErrorRate} of the items failed` }, errorRate(all, maxErrorRate)))
  if (failUnder !== undefined) gates.push(overall(all, failUnder))
  return gates
}

/** Of options: why they have no mean. */
const withoutNumbers = (options: JsonObject): string =>
  `no item has a label, and the verdicts are words (${Object.keys(options).slice(0, 5).join(', ')}). ${HOW_TO_NUMBER}`

const withWhy = (gate: GateAnswer, missed: string | undefined): GateAnswer =>
  missed === undefined ? gate : { ...gate, missed }

function errorRate({ items, failed }: Group, limit: number): string | undefined {
  // Where there is no row at all, an earlier command of the pipe failed.
  if (items === 0) return 'no items, where --max-error-rate looks at them'
  return failed / items > limit
    ? `${failed} of ${items} items failed, more than --max-error-rate ${limit}`
    : undefined
}

function overall(all: Group, limit: number): GateAnswer {
  const { accuracy, score, range, options } = all.report({ ci: 0.95 })
  const [name, value] = accuracy === undefined ? ['score', score] : ['accuracy', accuracy]
  const asks = `${name} at least ${limit}`
  if (name === 'accuracy' && (limit > 1 || limit < 0)) {
    const hint = limit > 1 ? ` (${limit / 100}?)` : ''
    return { asks, isWrong: true, missed: `--fail-under ${limit}: an accuracy is a share, 0 to 1${hint}` }
  }
  const [low, high] = (range as [number, number] | undefined) ?? [limit, limit]
  if (name === 'score' && (limit < low || limit > high))
    return {
      asks,
      isWrong: true,
      missed: `--fail-under ${limit}: the scores of this judge are from ${low} to ${high}`,
    }
  if (value === undefined && all.valid > 0)
    return {
      asks,
      missed: `there is no accuracy and no score for --fail-under ${limit}: ${options ? withoutNumbers(options as JsonObject) : 'no item has a label'} (--label FIELD names where a label is)`,
    }
  if (typeof value !== 'number')
    return { asks, missed: `${name} of no valid item is below --fail-under ${limit}` }
  return withWhy(
    { asks },
    value < limit ? `${name} ${shortly(value, limit)} is below --fail-under ${limit}` : undefined,
  )
}

/** A number in four digits, or in as many as tell it from the gate that it missed. */
function shortly(value: number, gate: number): string {
  const short = Number(value.toPrecision(4))
  return String(short < gate ? short : value)
}
