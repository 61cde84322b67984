/** Settings of a workflow: Python's values, in their order. */
import { type AnyDict, dictGet } from '../../python/dict.ts'
import { type Exact, pythonJson, pythonStr } from '../../python/json.ts'
import type { Value } from '../../python/values.ts'

/** A date, or a date with a time, as Python's `str` prints it. */
export class Time {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A number is a float, a bigint an int. */
export type Setting = null | boolean | bigint | number | string | Time | Setting[] | SettingValues
/** Keys of nested mappings may also be numbers, booleans and null. */
export type SettingValues = Map<string, Setting>

/** Keys under which a time, and a mapping with keys of any type, stand in JSON. No workflow file can hold a NUL. */
const TIME = '\0time'
const PAIRS = '\0pairs'

/** A setting without times. @param mark whether times, and mappings whose keys are not strings, are marked */
function exact(value: Setting, mark = false): Exact {
  if (value instanceof Time) return mark ? { [TIME]: value.text } : value.text
  if (Array.isArray(value)) return value.map((one) => exact(one, mark))
  if (!(value instanceof Map)) return value
  const pairs = [...value].map(([key, one]): [Exact, Exact] => [key, exact(one, mark)])
  return mark && pairs.some(([key]) => typeof key !== 'string') ? { [PAIRS]: pairs } : new Map(pairs)
}

/** JSON as Python's json module reads it, with `{"\0time": TEXT}` for a time and `{"\0pairs": [[KEY, VALUE], …]}`. */
export const settingJson = (value: Setting): string => pythonJson(exact(value, true), { unicode: true })

/** The time that such a mapping stands for. */
export const timeIn = (dict: AnyDict): string | undefined => {
  const time = dictGet(dict, TIME)
  return typeof time === 'string' ? time : undefined
}

/** The pairs that such a mapping stands for. */
export const keyedPairs = (dict: AnyDict): [Value, Value][] | undefined =>
  dictGet(dict, PAIRS) as [Value, Value][] | undefined

/** A value as Python's `str` prints it. */
export const settingText = (value: Setting): string => pythonStr(exact(value))

/** Settings with plain values, for --plan. */
export const plainSettings = (settings: SettingValues): Exact => exact(settings)

/** A value for --set; strings that would be parsed as JSON are written as JSON. */
export function setValue(value: Setting): string {
  if (typeof value !== 'string')
    return value instanceof Time ? value.text : pythonJson(exact(value), { unicode: true })
  try {
    JSON.parse(value)
  } catch {
    if (!/[\n\r]/.test(value)) return value
  }
  return JSON.stringify(value)
}

/** One mapping of several, the later ones over the earlier, in the order of Python's dict.update. */
export const merged = (...all: readonly SettingValues[]): SettingValues =>
  new Map(all.flatMap((one) => [...one]))

/** The settings that a condition holds for. */
export const chosen = (
  settings: SettingValues,
  holds: (key: string, value: Setting) => boolean,
): SettingValues => new Map([...settings].filter(([key, value]) => holds(key, value)))
