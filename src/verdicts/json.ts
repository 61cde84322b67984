/**
 * Rule `json`: reads a JSON object, alone, in a fence or between words; nearly valid JSON is repaired.
 *
 * ```yaml
 * verdict:
 *   rule: json
 *   schema: { type: object, … }      # checked, or
 *   like: { score: 8.5, why: text }  # an example from which the schema is inferred
 *   score: score                     # the keys of the object (dotted paths) of:
 *   option: choice                   #   score, option, decision, winner, items, reason, feedback, confidence
 *   options: [good, bad]             # the possible options; a mapping gives each its score
 *   labels: { first: A>B }           # the meaning of words under `decision` or `winner`
 *   range: [0, 10]
 * ```
 * The last object with the key counts; two that differ in it are a conflict. The verdict has the whole object under `object`.
 */

import { inferSchema } from '../judges/_example_schema.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { configError, type Json, type JsonObject, RowFailure, type Verdict } from '../rows/record.ts'
import { valueAt } from '../rows/value_at.ts'
import { lastObject, valuesIn } from './_json.ts'
import { PATH } from './_keys.ts'
import { numberAt } from './_numbers.ts'
import { asOption, namedOption } from './_options.ts'
import { checkedRange, inRange } from './_range.ts'
import { KEY_OF_KIND, type Rule, standing } from './_rule.ts'
import { type Check, schemaCheck } from './_schema.ts'

const FIELDS = ['score', 'option', 'decision', 'winner', 'items', 'reason', 'feedback', 'confidence'] as const
type Field = (typeof FIELDS)[number]

/** The keys of its `verdict`. */
export const keys = [...FIELDS, 'schema', 'like', 'options', 'labels', 'range', 'example']

export const structured = () => true

/** Checks of its own. */
export const own = { reason: PATH }

export const rule: Rule = async (config, judge) => {
  const main = KEY_OF_KIND[judge.kind]
  const paths = pathsOf(config, judge, main)
  checkUsed(config, paths, judge)
  const [, mainPath] = paths.find(([field]) => field === main)!
  const check = await checkOf(config, judge)
  const range = checkedRange(config.range ?? judge.range, judge)
  const options = optionsOf(config, judge)
  const labels = new Map(
    Object.entries((config.labels as object | undefined) ?? {}).map(([word, means]) => [
      asOption(word),
      String(means),
    ]),
  )
  const meant = (field: Field, value: Json | undefined, path: string): Partial<Verdict> => {
    if (value === null && field === main) throw new RowFailure('no_verdict', `"${path}" is null in the JSON`)
    return value === undefined || value === null ? {} : MEANINGS[field]({ value, path, options, labels })
  }

  return (text, { explain }) => {
    const found = lastObject(
      valuesIn(text),
      mainPath,
      (one) => valueAt(one, mainPath),
      (value) => meant(main, value, mainPath),
      explain,
    )
    if (found instanceof RowFailure) throw found
    return standing(() => verdictOf(found))
  }

  function verdictOf({ object, repaired }: { object: JsonObject; repaired: boolean }): Verdict {
    const wrong = check?.(object)
    if (wrong) throw new RowFailure('no_verdict', `the JSON does not meet the schema: ${wrong}`)
    const others = paths.map(([field, path]) => meant(field, valueAt(object, path), path))
    const verdict: Verdict = Object.assign({ label: asWords(valueAt(object, mainPath)!) }, ...others)
    if (range && typeof verdict.score === 'number') {
      inRange(verdict.score, range)
      verdict.range = range
    }
    const dimensions =
      judge.kind === 'grade'
        ? dimensionsOf(
            object,
            paths.map(([, path]) => path),
          )
        : undefined
    return { ...verdict, ...(dimensions && { dimensions }), object, ...(repaired && { repaired }) }
  }
}

export const asWords = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The object's other numbers: further scores. */
export function dimensionsOf(object: JsonObject, taken: readonly string[]): JsonObject | undefined {
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

/** Keys about a member, and the members that they are about. */
const ABOUT: Record<string, readonly Field[]> = {
  options: ['option'],
  labels: ['decision', 'winner'],
  range: ['score'],
}

/** @throws Fatal (configuration) for a key about a member that is not read */
function checkUsed(config: VerdictConfig, paths: [Field, string][], { kind, where }: Judge): void {
  for (const [key, fields] of Object.entries(ABOUT))
    if (config[key] !== undefined && !paths.some(([field]) => fields.includes(field)))
      throw configError(
        `${where}: verdict.${key} is not used: it is about verdict.${fields.join(' or ')}, which a judge of kind ${kind} without that key does not read`,
      )
}

async function checkOf(config: VerdictConfig, judge: Judge): Promise<Check | undefined> {
  const { schema, like } = config
  if (schema !== undefined && like !== undefined)
    throw configError(`${judge.where}: give verdict.schema or verdict.like, not both`)
  if (schema === undefined && like === undefined) return undefined
  return schemaCheck((schema as JsonObject) ?? inferSchema(like as Json, 'open'), judge.where)
}

/** The score of each option; undefined without one. */
type Options = ReadonlyMap<string, number | undefined>

function optionsOf({ options }: VerdictConfig, judge: Judge): Options | undefined {
  if (options === undefined) return undefined
  if (options === null || typeof options !== 'object')
    throw configError(`${judge.where}: verdict.options must list the options, or map each to its score`)
  return Array.isArray(options)
    ? new Map(options.map((option) => [String(option), undefined]))
    : new Map(Object.entries(options).map(([option, score]) => [option, Number(score)]))
}

interface Said {
  value: Json
  path: string
  options: Options | undefined
  labels: ReadonlyMap<string, string>
}

const expected = (path: string, value: Json, words: string) =>
  new RowFailure('no_verdict', `"${path}" is ${JSON.stringify(value)}, expected ${words}`)

const asText =
  (key: string) =>
  ({ value }: Said): Partial<Verdict> => ({ [key]: asWords(value) })

/** What the value under a field's key says. @throws RowFailure no_verdict */
const MEANINGS: Record<Field, (said: Said) => Partial<Verdict>> = {
  score: ({ value, path }) => ({ score: numberAt(path, value) }),
  confidence: ({ value, path }) => ({ confidence: numberAt(path, value) }),
  option({ value, path, options }) {
    const option = namedOption(path, value, options && [...options.keys()])
    const score = options?.get(option)
    return { option, ...(score !== undefined && { score }) }
  },
  decision({ value, path, labels }) {
    const said = labels.get(asOption(String(value))) ?? String(value)
    if (!['A>B', 'B>A', 'A=B'].includes(said)) throw expected(path, value, 'A>B, B>A or A=B')
    return { decision: said as Verdict['decision'] }
  },
  winner({ value, path, labels }) {
    const said = labels.get(asOption(String(value))) ?? String(value)
    return { winner: said === 'tie' ? 'tie' : numberAt(path, said) }
  },
  items({ value, path }) {
    if (!Array.isArray(value)) throw new RowFailure('no_verdict', `"${path}" is not a list`)
    return { items: value }
  },
  reason: asText('reason'),
  feedback: asText('feedback'),
}
