/** What a judge's templates see of an item. */

import type { Judge } from '../../judges/_judge.ts'
import { fieldHint } from '../../options/nearest.ts'
import { readValue } from '../../python/json.ts'
import { textAt } from '../../rows/paths.ts'
import { type Json, type JsonObject, RowFailure, usageError } from '../../rows/record.ts'
import { decode, encode, type Row } from '../../rows/row.ts'
import type { FindValue, Use } from '../../templates/index.ts'

/** What template names stand for, by name. */
export type Bindings = Map<string, Binding> & {
  /** A field of the item (lm-eval's `doc`) whose own fields have names too, after the item's, or before all. */
  inner?: string
  innerFirst?: boolean
}

/**
 * A template name stands for a field of the item (or for a JSON text, where the item has
 * none), or for a value. A free one may be missing: the template decides what that means.
 */
export type Binding = { field: string; otherwise?: string; free?: boolean } | { json: string }

/**
 * What each template name stands for: the judge's fields with `--map`, its `set` values with `--set`. Later
 * ones replace earlier ones.
 * @param vars an original's names for names of the judge: what the judge's stands for, where the options name
 *   no other
 */
export function bindingsOf(
  judge: Judge,
  map: string[],
  set: string[],
  vars: Record<string, string> = {},
): Bindings {
  const bindings: Bindings = new Map()
  for (const [name, field] of Object.entries(judge.fields)) bindings.set(name, { field })
  for (const [name, value] of Object.entries(judge.set ?? {}))
    bindings.set(name, { json: JSON.stringify(value) })
  for (const [name, otherwise] of Object.entries(judge.optional ?? {}))
    bindings.set(name, { field: name, otherwise })
  for (const [name, json] of Object.entries(judge.texts ?? {})) bindings.set(name, { json })
  bindings.inner = judge.inner
  const named = new Map<string, Binding>()
  for (const [name, field] of map.map((text) => pair(text, '--map', 'NAME=FIELD'))) named.set(name, { field })
  for (const [name, text] of set.map((one) => pair(one, '--set', 'KEY=VALUE')))
    named.set(name, { json: jsonOr(text) })
  for (const [variable, name] of Object.entries(vars))
    bindings.set(variable, named.get(name) ?? bindings.get(name)!)
  for (const [name, binding] of named) bindings.set(name, binding)
  return bindings
}

function pair(text: string, option: string, form: string): [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw usageError(`${option} ${text}: expected ${form}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The text as JSON where it is JSON, else as a JSON string. */
function jsonOr(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}

/** Names a template always sees: the whole item. */
const WHOLE = new Set(['item', 'doc'])

/**
 * Finds the values of template names, each parsed when it is asked for and no earlier. Names bound to nothing are
 * looked for among the item's own fields. Of `names` those that the judge file or --map binds to a field must have it.
 * @param extra JSON texts by name that come before everything else
 * @throws RowFailure missing_field, here or when a name is looked up
 */
export function finder(
  row: Row,
  names: readonly string[],
  bindings: Bindings,
  extra: ReadonlyMap<string, string>,
  strict: boolean,
): FindValue {
  const find: FindValue = (name, use) => {
    const given = extra.get(name)
    if (given !== undefined) return readValue(given, use)
    const value = use.changes ? undefined : parsedField(row, name, bindings, use)
    if (value !== undefined) return value
    const text = boundText(row, name, bindings, strict)
    return text === undefined ? undefined : readValue(text, use)
  }
  if (strict)
    for (const name of names) {
      const binding = bindings.get(name)
      if (!binding || 'json' in binding || extra.has(name)) continue
      const value = row.fieldBytes(binding.field)
      if (value === undefined) boundText(row, name, bindings, strict)
      else if (value === 'null' && ANSWER.test(name)) throw noAnswer(binding.field)
    }
  return find
}

/** Names of answers that are judged. */
const ANSWER = /^answer(_[ab])?$/

/** A generation that failed: Jinja would print it as None, and the judge would grade that. */
const noAnswer = (field: string) =>
  new RowFailure(
    'missing_field',
    `field "${field}" is null: there is no answer to judge ("" is an empty answer)`,
  )

/** Levels that are looked through for what needs care. */
const MAX_LOOK = 200

/**
 * Whether a value as JSON.parse gave it may have lost what its text says: an integer may have been 1.0 or
 * have had more digits, keys that are numbers stand in another order.
 */
const mayHaveLost = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isInteger(value) || !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_LOOK) return true
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (mayHaveLost(value[i], depth + 1)) return true
    return false
  }
  for (const key in value) {
    const code = key.charCodeAt(0)
    if (code >= 0x30 && code <= 0x39) return true
    if (mayHaveLost((value as Record<string, unknown>)[key], depth + 1)) return true
  }
  return false
}

/** The value of a field, if a name stands for one and parsing lost nothing of it that is of use. */
function parsedField(row: Row, name: string, bindings: Bindings, { exact }: Use): Json | undefined {
  const binding = bindings.get(name)
  if (bindings.innerFirst || (binding && 'json' in binding)) return undefined
  const field = binding?.field ?? name
  if (field.includes('.')) return undefined
  const value = row.field(field)
  return exact && mayHaveLost(value) ? undefined : value
}

function boundText(row: Row, name: string, bindings: Bindings, strict: boolean): string | undefined {
  const binding = bindings.get(name)
  if (bindings.innerFirst) {
    const text = innerText(row, bindings.inner!, name)
    if (text !== undefined) return text
  }
  if (binding && 'json' in binding) return binding.json
  const text = row.fieldText(binding?.field ?? name)
  if (text !== undefined) return text
  if (binding?.otherwise !== undefined) return binding.otherwise
  if (binding && strict && !binding.free) throw missing(name, binding.field, row, bindings)
  if (binding) return undefined
  const inner = bindings.inner === undefined ? undefined : innerText(row, bindings.inner, name)
  return inner ?? (WHOLE.has(name) ? row.itemText() : undefined)
}

/** JSON text of a field of an object that the item has, as it stands there. */
function innerText(row: Row, inner: string, name: string): string | undefined {
  const text = textAt(row.fieldBytes(inner), encode(name))
  return text && decode(text)
}

/** The item's field is missing: the message names those it has, and the nearest. */
function missing(name: string, field: string, row: Row, bindings: Bindings): RowFailure {
  const hint =
    name === field
      ? `--map ${name}=FIELD names another`
      : `the judge's {{ ${name} }}; --map ${name}=FIELD names another`
  // A field that the judge already uses is not what was meant.
  const used = [...bindings.values()].flatMap((binding) => ('field' in binding ? binding.field : []))
  return new RowFailure(
    'missing_field',
    `field "${field}" is missing${fieldHint(field, row, used)} (${hint})`,
  )
}

/** All that has a name, as values, for a judge's render function. */
export function contextValues(row: Row, bindings: Bindings, strict: boolean): JsonObject {
  const values: Record<string, Json> = {}
  for (const name of bindings.keys()) {
    const text = boundText(row, name, bindings, strict)
    if (text !== undefined) values[name] = JSON.parse(text)
  }
  return values
}
