/**
 * Reads criteria in several formats: EvalAssist's present and older ones, Unitxt's catalogue, rows of a catalogue,
 * a plain question.
 */
import { nearest } from '../options/nearest.ts'
import { readFloat } from '../python/numbers.ts'
import {
  type Criterion,
  type CriterionOption,
  configError,
  isObject,
  type JsonObject,
} from '../rows/record.ts'
import { areYesNo, yesNo } from './_yes_no.ts'

/** Keys that say how a criterion counts among several, and the types of their values. */
export const WEIGHING = {
  weight: 'number',
  target_option: 'string',
  score_threshold: 'number',
  required: 'boolean',
} as const

const NAME = { type: ['string', 'number'] }
const OPTION = {
  type: 'object',
  properties: {
    name: NAME,
    description: { type: ['string', 'null'] },
    score: { type: ['number', 'null'] },
  },
  required: ['name'],
}

/** The keys of a criterion, and JSON Schemas of their values. */
export const CRITERION_KEYS: Record<string, JsonObject> = {
  name: { type: 'string' },
  description: { type: 'string' },
  to_evaluate_field: { type: ['string', 'null'] },
  prediction_field: { type: ['string', 'null'] },
  context_fields: { type: ['array', 'null'], items: { type: 'string' } },
  options: {
    anyOf: [
      { type: 'array', items: { anyOf: [OPTION, NAME] } },
      { type: 'object', additionalProperties: { type: ['number', 'null'] } },
    ],
  },
  option_map: { type: ['object', 'null'] },
  examples: {
    type: ['array', 'null'],
    items: { type: 'object', properties: { instance: { type: 'object' } }, required: ['instance'] },
  },
  ...Object.fromEntries(Object.entries(WEIGHING).map(([key, type]) => [key, { type: [type, 'null'] }])),
}

/** A criterion from a question, with the options Yes (1) and No (0). */
function question(text: string): Criterion {
  return {
    name: '',
    description: text,
    to_evaluate_field: 'response',
    context_fields: null,
    options: [
      { name: 'Yes', description: '', score: 1 },
      { name: 'No', description: '', score: 0 },
    ],
  }
}

/**
 * The criteria in a value: a criterion, a list of criteria, or a multi-criteria configuration (`items`). Strings are
 * questions.
 * @throws Fatal (configuration) with place, key and what was expected
 */
export function criteriaIn(value: unknown, where: string): Criterion[] {
  if (typeof value === 'string') return [question(value)]
  if (Array.isArray(value)) {
    if (value.length === 0) throw configError(`${where}: an empty list of criteria`)
    return value.flatMap((one, index) => criteriaIn(one, `${where}[${index}]`))
  }
  if (!isObject(value))
    throw configError(
      `${where}: expected a criterion (an object) or a question, not ${JSON.stringify(value)}`,
    )
  if (Array.isArray(value.items)) return weighed(value, value.items, where)
  if (typeof value.criterion === 'string' || isObject(value.criterion)) return [weighedItem(value, where)]
  // A row of a catalogue has an id and the criterion.
  if (isObject(value.criteria)) return criteriaIn(value.criteria, `${where}.criteria`)
  return [criterion(value, where)]
}

/** The items of a multi-criteria configuration. */
function weighed(value: JsonObject, items: unknown[], where: string): Criterion[] {
  const { normalize_scores: normalize = true } = value
  if (typeof normalize !== 'boolean') throw configError(`${where}: normalize_scores must be true or false`)
  if (items.length === 0) throw configError(`${where}: items is empty`)
  return items.map((item, index) => ({
    required: false,
    ...(isObject(item) && 'criterion' in item
      ? weighedItem(item, `${where}.items[${index}]`)
      : criteriaIn(item, `${where}.items[${index}]`)[0]!),
    normalize_scores: normalize,
  }))
}

function weighedItem(item: JsonObject, where: string): Criterion {
  const [made] = criteriaIn(item.criterion, `${where}.criterion`)
  return { ...made!, ...weighing(item, where), required: item.required === true }
}

/** One criterion, in any format. */
function criterion(value: JsonObject, where: string): Criterion {
  const candidates = Object.keys(CRITERION_KEYS).filter((key) => key !== 'name' || !Object.hasOwn(value, key))
  for (const key of Object.keys(value)) {
    const near = Object.hasOwn(CRITERION_KEYS, key) ? undefined : nearest(key, candidates)
    // Unknown keys such as id are ignored; a key that resembles a known one is a mistake.
    if (near) throw configError(`${where}: unknown key "${key}": did you mean "${near}"?`)
  }
  const text = (key: string): string => {
    if (typeof value[key] === 'string') return value[key]
    throw configError(
      `${where}: "${key}" ${value[key] === undefined ? 'is missing' : `is ${JSON.stringify(value[key])}`}, expected a string`,
    )
  }
  const name = text('name')
  const at = name === '' ? where : `${where}: criterion "${name}"`
  const made: Criterion = {
    name,
    description: text('description'),
    to_evaluate_field: judgedField(value, at),
    context_fields: contextFields(value.context_fields, at),
    options: optionsOf(value, at),
    ...weighing(value, at),
  }
  const examples = examplesOf(value.examples, made, at)
  if (examples.length > 0) made.examples = examples
  return made
}

function judgedField(value: JsonObject, where: string): string {
  const field = value.to_evaluate_field ?? value.prediction_field
  if (typeof field === 'string') return field
  // Unitxt leaves out the default.
  if (
    (field ?? null) === null &&
    ('prediction_field' in value || '__type__' in value || 'option_map' in value)
  )
    return 'response'
  throw configError(
    `${where}: "to_evaluate_field" ${field === undefined ? 'is missing' : `is ${JSON.stringify(field)}`}, expected the name of the field to judge`,
  )
}

function contextFields(value: unknown, where: string): string[] | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value) && value.every((field) => typeof field === 'string')) return value as string[]
  throw configError(`${where}: "context_fields" must be a list of field names, or null for all the others`)
}

/** Options are objects, names, or a mapping from names to scores; Unitxt has the scores in `option_map`. */
function optionsOf(value: JsonObject, where: string): CriterionOption[] {
  const { options: given = [], option_map: map } = value
  if (map !== undefined && map !== null && !isObject(map))
    throw configError(`${where}: "option_map" must map option names to scores`)
  const list: unknown[] | undefined = Array.isArray(given)
    ? given
    : isObject(given)
      ? Object.entries(given).map(([name, score]) => ({ name, score }))
      : undefined
  if (!list) throw configError(`${where}: "options" must be a list`)
  const seen = new Set<string>()
  return list.map((one, index) => {
    const at = `${where}: options[${index}]`
    const option: JsonObject = isObject(one) ? one : { name: one as string }
    const { description = '', score = null } = option
    if (typeof option.name !== 'string' && typeof option.name !== 'number')
      throw configError(
        option.name === undefined
          ? `${at} needs a "name"`
          : `${at}: "name" is ${JSON.stringify(option.name)}, expected a string (in YAML, null, true and false need quotes)`,
      )
    const name = String(option.name)
    if (seen.has(name)) throw configError(`${at}: two options are called "${name}"`)
    seen.add(name)
    const worth = score ?? (isObject(map) && Object.hasOwn(map, name) ? map[name] : null) ?? null
    if (worth !== null && (typeof worth !== 'number' || !Number.isFinite(worth)))
      throw configError(`${at} ("${name}"): "score" is ${JSON.stringify(worth)}, expected a number or null`)
    return { name, description: String(description ?? ''), score: worth }
  })
}

/** Examples are results: an instance and the option that was chosen. */
function examplesOf(value: unknown, { options }: Criterion, where: string): JsonObject[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw configError(`${where}: "examples" must be a list`)
  return value.map((example, index) => {
    const at = `${where}: examples[${index}]`
    if (!isObject(example) || !isObject(example.instance)) throw configError(`${at} needs an "instance"`)
    const chosen = example.selected_option
    const names = options.map(({ name }) => name)
    if (
      options.length > 0 ? !names.includes(chosen as string) : !(Number.isInteger(chosen) || chosen === 'tie')
    )
      throw configError(
        `${at}: "selected_option" is ${JSON.stringify(chosen)}, expected ${options.length > 0 ? `one of ${names.join(', ')}` : 'the index of an answer, or "tie"'}`,
      )
    return example
  })
}

/** The weight, target, threshold and `required` that the value has. */
function weighing(value: JsonObject, where: string): Partial<Criterion> {
  const found: Partial<Criterion> = {}
  for (const [key, type] of Object.entries(WEIGHING)) {
    const one = value[key] ?? undefined
    if (one === undefined) continue
    if (typeof one !== type) throw configError(`${where}: "${key}" must be a ${type}`)
    Object.assign(found, { [key]: one })
  }
  return found
}

/** Whether the criterion says how it counts among others. */
export const isWeighed = (one: Criterion): boolean =>
  one.normalize_scores !== undefined ||
  Object.keys(WEIGHING).some((key) => one[key as keyof Criterion] !== undefined)

/** Identifies a criterion, by all but how it counts. */
export function criterionKey(one: Criterion): string {
  const { name, description, to_evaluate_field, context_fields, options } = one
  return JSON.stringify([name, description, to_evaluate_field, context_fields, options])
}

/**
 * An option's score, else its name as a number, if Python's float() reads it as a finite one. Else null for an option of a
 * criterion, which says its scores, as in EvalAssist; of others 1 or 0 where all of them mean yes or no.
 * @param names of all options, where no criterion lists them
 */
export function scoreOf(
  criterion: Criterion | undefined,
  option: string,
  names: readonly string[] = [],
): number | null {
  const found = criterion?.options.find(({ name }) => name === option)
  if (typeof found?.score === 'number') return found.score
  const number = readFloat(option)
  if (number !== undefined && Number.isFinite(number)) return number
  return criterion || !areYesNo(names) ? null : (yesNo(option) ?? null)
}
