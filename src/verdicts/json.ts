/**
 * Rule `json`: reads a JSON object, alone, in a fence or between words; nearly valid JSON is repaired.
 *
 * ```yaml
 * verdict:
 *   rule: json
 *   schema: { type: object, … }      # checked, or
 *   like: { score: 8.5, why: text }  # an example from which the schema is inferred
 *   repair: false                    # only valid JSON; strict: the reply is JSON and nothing else
 *   numbers: python                  # for originals: JSON and scores as Python reads them (NaN, true, "8_0")
 *   score: score                     # the keys of the object (dotted paths) of:
 *   option: choice                   #   score, option, decision, winner, items, reason, feedback, confidence
 *   options: [good, bad]             # the possible options; a mapping gives each its score
 *   labels: { first: A>B }           # the meaning of words under `decision` or `winner`
 *   range: [0, 10]
 * ```
 * The verdict has the whole object under `object`.
 */

import { inferSchema } from '../judges/_example_schema.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { configError, type Json, type JsonObject, RowFailure, type Verdict } from '../rows/record.ts'
import { valueAt } from '../rows/value_at.ts'
import { asObject, findJson, strictJson } from './_json.ts'
import { checkKeys, PATH } from './_keys.ts'
import { numberAt } from './_numbers.ts'
import { pythonNumber, withoutNaN } from './_python.ts'
import { checkedRange, inRange } from './_range.ts'
import { KEY_OF_KIND, orElse, type Rule } from './_rule.ts'
import { type Check, schemaCheck } from './_schema.ts'

const FIELDS = ['score', 'option', 'decision', 'winner', 'items', 'reason', 'feedback', 'confidence'] as const
type Field = (typeof FIELDS)[number]
const KEYS = [
  ...FIELDS,
  'schema',
  'like',
  'repair',
  'options',
  'labels',
  'range',
  'numbers',
  'otherwise',
  'example',
]

export const rule: Rule = async (config, judge) => {
  checkKeys(config, KEYS, judge, { reason: PATH })
  const main = KEY_OF_KIND[judge.kind]
  const paths = pathsOf(config, judge, main)
  const [, mainPath] = paths.find(([field]) => field === main)!
  const find = finderOf(config)
  const check = await checkOf(config, judge)
  const range = checkedRange(config.range ?? judge.range, judge)
  const python = config.numbers === 'python'
  const labels = config.labels as Record<string, string> | undefined
  const words = { options: optionsOf(config, judge), labels, python }
  // The original's score field is a key, not a path.
  const valueIn = python ? ownValue : valueAt

  const read = (text: string): Verdict => {
    const { object, repaired } = find(text)
    const wrong = check?.(object)
    if (wrong) throw new RowFailure('no_verdict', `the JSON does not meet the schema: ${wrong}`)
    const said = valueIn(object, mainPath)
    if (said === undefined && python && 'otherwise' in config)
      return { label: null, [main]: config.otherwise, failure: 'no_verdict', object } as Verdict
    if (said === undefined || said === null)
      throw new RowFailure('no_verdict', `"${mainPath}" is ${said === null ? 'null' : 'missing'} in the JSON`)
    const meanings = paths.map(([field, path]) => meant(field, valueIn(object, path), path, words))
    const verdict: Verdict = Object.assign({ label: textOf(said) }, ...meanings)
    if (range && typeof verdict.score === 'number') {
      inRange(verdict.score, range)
      verdict.range = range
    }
    const dimensions = judge.kind === 'grade' ? dimensionsOf(object, paths) : undefined
    return { ...verdict, ...(dimensions && { dimensions }), object, ...(repaired && { repaired }) }
  }

  if (!('otherwise' in config)) return read
  // The original's value for an unreadable reply is recorded, but counts as a failure.
  return orElse(read, ({ code, message }) => {
    const verdict = { label: null, [main]: config.otherwise, failure: code } as Verdict
    return code === 'bad_response' ? { ...verdict, error: message } : verdict
  })
}

const ownValue = (object: JsonObject, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)

const textOf = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

/** A function that finds the JSON object in a reply. It throws RowFailure no_verdict, or bad_response under `repair: strict`. */
function finderOf({ repair, numbers }: VerdictConfig) {
  const strict = repair === 'strict'
  const find = (text: string) =>
    strict
      ? strictJson(numbers === 'python' ? withoutNaN(text) : text)
      : findJson(text, { repair: repair !== false })
  return (text: string): { object: JsonObject; repaired: boolean } => {
    const found = find(text)
    if (!found) throw new RowFailure('no_verdict', 'the reply holds no JSON object')
    const object = asObject(found.value, strict ? 'bad_response' : 'no_verdict')
    return { object, repaired: found.how === 'repaired' }
  }
}

/** The object's other numbers: further scores. */
function dimensionsOf(object: JsonObject, paths: [Field, string][]): JsonObject | undefined {
  const taken = paths.map(([, path]) => path)
  const numbers = Object.entries(object).filter(
    ([key, value]) => typeof value === 'number' && !taken.includes(key),
  )
  return numbers.length > 0 ? Object.fromEntries(numbers) : undefined
}

function pathsOf(config: VerdictConfig, judge: Judge, main: Field): [Field, string][] {
  const named = FIELDS.flatMap((field): [Field, string][] => {
    const path = config[field]
    if (path === undefined) return []
    if (typeof path !== 'string')
      throw configError(`${judge.where}: verdict.${field} must name a key of the JSON (a dotted path)`)
    return [[field, path]]
  })
  return named.some(([field]) => field === main) ? named : [[main, main], ...named]
}

async function checkOf(config: VerdictConfig, judge: Judge): Promise<Check | undefined> {
  const { schema, like } = config
  if (schema !== undefined && like !== undefined)
    throw configError(`${judge.where}: give verdict.schema or verdict.like, not both`)
  if (schema === undefined && like === undefined) return undefined
  return schemaCheck((schema as JsonObject) ?? inferSchema(like as Json, { strict: false }), judge.where)
}

/** Options and their scores, by trimmed lower-case name. */
type Options = Map<string, { option: string; score?: number }>

function optionsOf(config: VerdictConfig, judge: Judge): Options | undefined {
  const { options } = config
  if (options === undefined) return undefined
  if (options === null || typeof options !== 'object')
    throw configError(`${judge.where}: verdict.options must list the options, or map each to its score`)
  const entries: [string, number | undefined][] = Array.isArray(options)
    ? options.map((option) => [String(option), undefined])
    : Object.entries(options).map(([option, score]) => [option, Number(score)])
  return new Map(
    entries.map(([option, score]) => [folded(option), { option, ...(score !== undefined && { score }) }]),
  )
}

const folded = (text: string) => text.trim().toLowerCase()

/** What a field says; nothing if it is null or missing. */
function meant(
  field: Field,
  value: Json | undefined,
  path: string,
  { options, labels, python }: { options?: Options; labels?: Record<string, string>; python: boolean },
): Partial<Verdict> {
  if (value === undefined || value === null) return {}
  switch (field) {
    case 'score':
      return python ? pythonNumber(value, path) : { score: numberAt(path, value) }
    case 'confidence':
      return { confidence: numberAt(path, value) }
    case 'option': {
      if (!options) return { option: String(value) }
      const option = options.get(folded(String(value)))
      if (!option)
        throw new RowFailure(
          'no_verdict',
          `"${path}" is ${JSON.stringify(value)}, expected one of ${[...options.values()].map((one) => one.option).join(', ')}`,
        )
      return option
    }
    case 'decision':
    case 'winner': {
      const said = labels?.[String(value)] ?? String(value)
      if (field === 'winner') return { winner: said === 'tie' ? 'tie' : numberAt(path, said) }
      if (!['A>B', 'B>A', 'A=B'].includes(said))
        throw new RowFailure('no_verdict', `"${path}" is ${JSON.stringify(value)}, expected A>B, B>A or A=B`)
      return { decision: said as Verdict['decision'] }
    }
    case 'items':
      if (!Array.isArray(value)) throw new RowFailure('no_verdict', `"${path}" is not a list`)
      return { items: value }
    default:
      return { [field]: textOf(value) }
  }
}
