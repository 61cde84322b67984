/**
 * Rule `option`: reads one of the options of the trial (`jb.trial.options`), or one of its answers.
 *
 * ```yaml
 * verdict:
 *   rule: option
 *   read: json          # {"explanation", "selected_option", "feedback"}: the option, in any case; without JSON and
 *                       #   feedback an option alone on the last line
 *   read: place         # a number: the position of the option, from 1; `pattern`, `flags`, `pick` as in rule number
 * ```
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import {
  configError,
  type Json,
  type JsonObject,
  RowFailure,
  type Trial,
  type Verdict,
} from '../rows/record.ts'
import { lastObject, valuesIn } from './_json.ts'
import { checkKeys, FORM } from './_keys.ts'
import type { Read, Rule } from './_rule.ts'
import { KEYS_OF_REPLY, schemaOf } from './_structured.ts'
import { matchable, ownWords, promptElements } from './_text.ts'
import { asOption } from './json.ts'
import { checkedScore, finderOf } from './number.ts'

export const picks = true

export const kinds = ['choice', 'listwise'] as const

/** The keys of its `verdict`. */
export const keys = ['read', ...FORM]

export const rule: Rule = (config, judge) => {
  checkKeys(config, keys, judge)
  switch (config.read ?? 'json') {
    case 'json':
      return structured(judge)
    case 'place':
      return place(config, judge)
    default:
      throw configError(`${judge.where}: verdict.read is "${config.read}", expected json or place`)
  }
}

/** The verdict for an option: of kind listwise the index of the answer that it labels, in the order shown. */
export function verdictFor(judge: Judge, option: string, options: string[] | undefined): Partial<Verdict> {
  if (judge.kind !== 'listwise') return { option }
  if (option === 'tie') return { winner: 'tie' }
  return { winner: options ? options.indexOf(option) : Number(/(\d+)$/.exec(option)?.[1]) - 1 }
}

function structured(judge: Judge): Read {
  const elements = promptElements(judge)
  const { option: key, explanation } = KEYS_OF_REPLY
  const read: Read = (text, { trial, explain }) => {
    explain?.({ text, own: ownWords(text, elements, { fences: false }) })
    const options = trial?.options
    const found = lastObject(
      valuesIn(text, elements),
      key,
      (object) => object[key],
      (value) => optionOf(value, options),
      explain,
    )
    if (!(found instanceof RowFailure))
      return {
        label: found.meaning,
        ...verdictFor(judge, found.meaning, options),
        ...textsOf(found.object, trial),
        ...(found.repaired && { repaired: true }),
      }
    const alone = trial?.feedback === true ? undefined : lastLine(text, elements, options)
    if (!alone) throw found
    const { option, before } = alone
    return {
      ...{ label: option, ...verdictFor(judge, option, options) },
      ...(before !== '' && { [explanation]: before }),
    }
  }
  read.schema = ({ trial }) => schemaOf(trial ?? {})
  return read
}

const MARK = /[\s*_`"'“”‘’.!]/

/** As options are compared: letter case and marks around them aside. */
function plain(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && MARK.test(text[from]!)) from++
  while (to > from && MARK.test(text[to - 1]!)) to--
  return asOption(text.slice(from, to))
}

/** The option that is alone on the last line, and the text before it. */
function lastLine(
  text: string,
  elements: readonly string[],
  options: readonly string[] = [],
): { option: string; before: string } | undefined {
  const seen = matchable(text)
  for (const one of [ownWords(seen, elements), seen]) {
    const lines = one.trim().split('\n')
    const option = same(lines.pop()!, options)
    if (option !== undefined) return { option, before: lines.join('\n').trim() }
  }
  return undefined
}

/** The option that a text is: word for word, or else in another case, without marks around it. */
function same(text: string, options: readonly string[]): string | undefined {
  if (options.includes(text)) return text
  const found = options.filter((option) => plain(option) === plain(text))
  return found.length === 1 ? found[0] : undefined
}

/** @throws RowFailure no_verdict for none of the options */
function optionOf(value: Json, options: string[] | undefined): string {
  const text = typeof value === 'object' ? undefined : String(value)
  const option = text !== undefined && options ? same(text, options) : text
  if (option !== undefined) return option
  throw new RowFailure(
    'no_verdict',
    `"${KEYS_OF_REPLY.option}" is ${inWords(value)}, expected ${options ? `one of ${listed(options)}` : 'a string'}`,
  )
}

/** The texts beside the option. @throws RowFailure no_verdict if one is missing or no text */
export function textsOf(object: JsonObject, trial: Trial | undefined): JsonObject {
  const { option, explanation, feedback } = KEYS_OF_REPLY
  const keys = [explanation, option, ...(trial?.feedback === true ? [feedback] : [])]
  for (const key of keys) {
    const said = object[key]
    const problem = said === undefined ? 'missing in the JSON' : `${inWords(said)}, expected a string`
    if (typeof said !== 'string' && key !== option)
      throw new RowFailure('no_verdict', `"${key}" is ${problem}`)
  }
  return Object.fromEntries(keys.filter((key) => key !== option).map((key) => [key, object[key]!]))
}

export const inWords = (value: Json) => JSON.stringify(value).slice(0, 60)
export const listed = (options: string[]) => options.map((option) => JSON.stringify(option)).join(', ')

/** Reads the position of an option. */
function place(config: VerdictConfig, judge: Judge): Read {
  const find = finderOf(config, judge)
  return (text, context) => {
    const { value } = find(text, context)
    const options = context.trial?.options
    const places = options?.length ?? (typeof judge.options === 'number' ? judge.options : undefined)
    const at = checkedScore(value, places === undefined ? undefined : [1, places])
    if (!Number.isInteger(at) || at < 1)
      throw new RowFailure('out_of_range', `the score ${at} is no place of an option`)
    const option = options?.[at - 1] ?? String(at)
    return { label: option, ...verdictFor(judge, option, options), raw_score: at, explanation: text.trim() }
  }
}
