/**
 * Measures: a leaderboard's values for a run and topic, computed from the trials of one item. A judge file defines them:
 *
 * ```yaml
 * measures:
 *   AVG_GRADE: mean                                   # mean, max, min or sum of the trials' scores
 *   NUGGET_COVERAGE: { take: share, at_least: 4 }     # share (count) of the trials with such a score
 *   STRICT_VITAL: { take: share, options: [support], importance: vital }
 *   VITAL: { take: mean, worth: { support: 1, partial_support: 0.5, not_support: 0 }, importance: vital }
 * ```
 * `at_least` may name a value under the judge's `set`, which `--set` replaces. `importance` selects nuggets. Without
 * trials, every measure is 0.
 */
import type { Judge } from '../judges/_judge.ts'
import { grouped } from '../rows/maps.ts'
import { configError, isObject, type Json, type JsonObject, type TrialResult } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const TAKES: Record<string, (values: readonly number[]) => number> = {
  mean,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum,
  share: mean,
  count: sum,
}
const KEYS = ['take', 'at_least', 'options', 'worth', 'importance']

export interface Measure {
  name: string
  /** @param missing the value of a failed trial; if undefined, a failed trial makes the measure undefined */
  of(trials: readonly TrialResult[], nuggets: readonly JsonObject[], missing?: number): number | undefined
}

/** The judge's measures in file order; undefined if it defines none. @throws Fatal (configuration) */
export function measuresOf(judge: Judge, set: Readonly<Record<string, unknown>>): Measure[] | undefined {
  const { measures } = judge
  if (measures === undefined) return undefined
  return Object.entries(measures as JsonObject).map(([name, given]) => measure(judge, name, given, set))
}

function measure(judge: Judge, name: string, given: Json, set: Readonly<Record<string, unknown>>): Measure {
  const where = `${judge.where}: measures.${name}`
  const spec: JsonObject = isObject(given) ? given : { take: given }
  for (const key of Object.keys(spec))
    if (!KEYS.includes(key)) throw configError(`${where}: unknown key "${key}" (known: ${KEYS.join(', ')})`)
  const take = String(spec.take)
  if (!Object.hasOwn(TAKES, take))
    throw configError(`${where}: "take" must be one of ${Object.keys(TAKES).join(', ')}`)
  const counts = take === 'share' || take === 'count'
  if (counts && spec.at_least === undefined && !Array.isArray(spec.options))
    throw configError(`${where}: "${take}" needs "at_least" or "options"`)
  const least = spec.at_least === undefined ? undefined : threshold(spec.at_least, judge, set, where)
  const options = spec.options as string[] | undefined
  const worth = spec.worth as Record<string, number> | undefined

  const scoreOf = ({ verdict }: TrialResult): number | undefined => {
    if (!verdict) return undefined
    const { score, option } = verdict
    if (options) return Number(option !== undefined && options.includes(option))
    const value = worth && option !== undefined ? worth[option] : score
    if (typeof value !== 'number')
      throw configError(`${where}: the verdict ${JSON.stringify(verdict.label)} has no number`)
    return counts ? Number(value >= least!) : value
  }
  return {
    name,
    of(trials, nuggets, missing) {
      const wanted =
        spec.importance === undefined
          ? trials
          : trials.filter(({ trial }) => importanceOf(trial.nugget, nuggets) === spec.importance)
      const values: number[] = []
      // Samples of one nugget count once, by their mean.
      for (const group of grouped(wanted, ({ trial }) => trial.nugget ?? '').values()) {
        const numbers = group.map((one) => scoreOf(one) ?? missing)
        if (numbers.some((one) => one === undefined)) return undefined
        values.push(mean(numbers as number[]))
      }
      return values.length === 0 ? 0 : TAKES[take]!(values)
    },
  }
}

function threshold(given: Json, judge: Judge, set: Readonly<Record<string, unknown>>, where: string): number {
  const value = typeof given === 'string' ? (set[given] ?? judge.set?.[given]) : given
  const number = Number(value)
  if (value == null || !Number.isFinite(number))
    throw configError(
      `${where}: "at_least" is ${JSON.stringify(given)}, which is neither a number nor a name under "set"`,
    )
  return number
}

/** Notes which thresholds of these measures are the judge's own: `set` (of `--set`) has no others. */
export function noteThresholds(
  { set: own = {}, measures }: Judge,
  set: Readonly<Record<string, unknown>>,
  written: readonly string[],
  note: Context['note'],
): void {
  const leastOf = (name: string) => (measures as Record<string, { at_least?: unknown }>)?.[name]?.at_least
  for (const [name, value] of Object.entries(own)) {
    const decided = written.filter((measure) => leastOf(measure) === name)
    if (decided.length > 0 && set[name] === undefined)
      note(
        `${decided.join(', ')}: ${name} is ${value}, as in the judge's file (if jb-render had --set ${name}=…, give it here as well)`,
      )
  }
}

const importanceOf = (id: string | undefined, nuggets: readonly JsonObject[]) =>
  nuggets.find((nugget) => nugget.id === id)?.importance
