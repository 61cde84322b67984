/** Options: how a reply names one, and the structured reply, a JSON object with the choice and its reasons. */
import { scoreOf } from '../criteria/_criterion.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { isObject, type Json, type JsonObject, RowFailure, type Trial, type Verdict } from '../rows/record.ts'
import { withoutUnseen } from './_text.ts'

/** Keys of the structured reply. */
export const KEYS_OF_REPLY = {
  explanation: 'explanation',
  option: 'selected_option',
  feedback: 'feedback',
} as const

/** JSON Schema of the structured reply to a trial: `selected_option` is one of the options shown. */
export function schemaOf(trial: Pick<Trial, 'options'> & { feedback?: unknown }): JsonObject {
  const { explanation, option, feedback } = KEYS_OF_REPLY
  const properties: JsonObject = {
    [explanation]: { type: 'string' },
    [option]: { type: 'string', ...(trial.options && { enum: trial.options }) },
  }
  if (trial.feedback === true) properties[feedback] = { type: 'string' }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The texts beside the option of a structured reply. @throws RowFailure no_verdict if one is missing or no text */
export function textsOf(object: JsonObject, trial: Trial | undefined): JsonObject {
  const { explanation, feedback } = KEYS_OF_REPLY
  const keys = trial?.feedback === true ? [explanation, feedback] : [explanation]
  for (const key of keys) {
    const said = object[key]
    const problem = said === undefined ? 'missing in the JSON' : `${inWords(said)}, expected a string`
    if (typeof said !== 'string') throw new RowFailure('no_verdict', `"${key}" is ${problem}`)
  }
  return Object.fromEntries(keys.map((key) => [key, object[key]!]))
}

/** The option that the value of a key names. Without options any word is one. @throws RowFailure no_verdict */
export function namedOption(key: string, value: Json, options: readonly string[] | undefined): string {
  const text = typeof value === 'object' ? undefined : String(value)
  const option = text !== undefined && options ? sameOption(text, options) : text
  if (option !== undefined) return option
  throw notAnOption(key, value, options)
}

export const notAnOption = (key: string, value: Json, options: readonly string[] | undefined) =>
  new RowFailure(
    'no_verdict',
    `"${key}" is ${inWords(value)}, expected ${options ? `one of ${options.map((option) => JSON.stringify(option)).join(', ')}` : 'a string'}`,
  )

const inWords = (value: Json) => JSON.stringify(value).slice(0, 60)

/** The option that a text is: word for word, or else in another case, without marks around it. */
export function sameOption(text: string, options: readonly string[]): string | undefined {
  if (options.includes(text)) return text
  const found = options.filter((option) => plain(option) === plain(text))
  return found.length === 1 ? found[0] : undefined
}

/** As options and labels are compared: letter case and unseen characters aside. */
export const asOption = (text: string) => withoutUnseen(text).trim().toLowerCase()

const MARK = /[\s*_`"'“”‘’.!]/

/** As {@link asOption}, and without marks around it. */
function plain(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && MARK.test(text[from]!)) from++
  while (to > from && MARK.test(text[to - 1]!)) to--
  return asOption(text.slice(from, to))
}

/** The verdict for an option: of kind listwise the index of the answer that it labels, in the order shown. */
export function verdictFor(
  judge: Judge,
  option: string,
  options: readonly string[] | undefined,
): Partial<Verdict> {
  if (judge.kind !== 'listwise') return { option }
  if (option === 'tie') return { winner: 'tie' }
  return { winner: options ? options.indexOf(option) : Number(/(\d+)$/.exec(option)?.[1]) - 1 }
}

/** The options that a judge file names; undefined if it names none. */
export function optionNames({ options, verdict }: Judge): string[] | undefined {
  for (const given of [options, verdict?.options, verdict?.labels]) {
    if (Array.isArray(given))
      return given.map((one) => String(isObject(one) ? (one.name ?? one.option ?? one.label) : one))
    if (!isObject(given)) continue
    return [
      ...new Set(Object.entries(given).map(([name, means]) => (typeof means === 'string' ? means : name))),
    ]
  }
  return undefined
}

/** The options that a judge file names, and their scores; undefined if it names none. */
export function optionScores(judge: Judge): Record<string, number | null> | undefined {
  const names = optionNames(judge)
  const { options, labels } = judge.verdict ?? ({} as Partial<VerdictConfig>)
  const given: JsonObject = { ...(isObject(labels) && labels), ...(isObject(options) && options) }
  return (
    names &&
    Object.fromEntries(
      names.map((name) => [
        name,
        typeof given[name] === 'number' ? given[name] : scoreOf(undefined, name, names),
      ]),
    )
  )
}

/** How many options a reply may name by their places; undefined if that is not known. */
export const optionCount = (judge: Judge, options: readonly string[] | undefined): number | undefined =>
  options?.length ?? (typeof judge.options === 'number' ? judge.options : undefined)

/** The verdict for the option at a place, counted from 1, and the reply as its explanation. */
export function atPlace(
  at: number,
  text: string,
  judge: Judge,
  options: readonly string[] | undefined,
): Verdict {
  const option = options?.[at - 1] ?? String(at)
  return { label: option, ...verdictFor(judge, option, options), raw_score: at, explanation: text.trim() }
}
