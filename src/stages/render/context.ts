/** The values that a judge's templates see. */

import { asOwn, isOwn } from '../../chat/message.ts'
import type { Judge } from '../../judges/_judge.ts'
import { fieldHint } from '../../options/nearest.ts'
import { jsonAssignment, mappedFields } from '../../options/option.ts'
import { readValue } from '../../python/json.ts'
import { type Json, type JsonObject, RowFailure } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { FindValue, Template, Use } from '../../templates/index.ts'

/** Bindings by template name. */
export type Bindings = Map<string, Binding> & {
  /** A field of the item (lm-eval's `doc`) whose own fields are names too: looked up last, or first with `innerFirst`. */
  inner?: string
  innerFirst?: boolean
}

/**
 * A template name is bound to a field of the item, or to JSON text. `otherwise` is the JSON text used if the item lacks
 * the field; an optional field may be missing, and the template decides what that means.
 */
type Binding = { field: string; otherwise?: string; optional?: boolean } | { json: string }

/**
 * Bindings of the judge's fields and values, and of --map and --set, which replace them.
 * @param vars variables of original template files, and the judge's names that they stand for
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
  for (const [name, field] of mappedFields(map)) named.set(name, { field })
  for (const [name, json] of set.map((text) => jsonAssignment(text, '--set'))) named.set(name, { json })
  for (const [variable, name] of Object.entries(vars))
    bindings.set(variable, named.get(name) ?? bindings.get(name)!)
  for (const [name, binding] of named) bindings.set(name, binding)
  return bindings
}

/** Names of the whole item. */
const WHOLE = new Set(['item', 'doc'])

/**
 * A function that finds the values of template names, parsed on demand. Unbound names are fields of the item.
 * @param template with `strict`, the item must have the fields to which its names are bound; those that it only prints, with a value
 * @param extra JSON texts by name, which precede everything else
 * @throws RowFailure missing_field, here or when a name is looked up
 */
export function finder(
  row: Row,
  { variables, plain }: Pick<Template, 'variables' | 'plain'>,
  bindings: Bindings,
  extra: ReadonlyMap<string, string>,
  strict: boolean,
): FindValue {
  const find: FindValue = (name, use) => {
    const given = extra.get(name)
    if (given !== undefined) return isOwn(extra) ? asOwn(readValue(given, use)) : readValue(given, use)
    const value = use.changes ? undefined : parsedField(row, name, bindings, use)
    if (value !== undefined) return value
    const text = boundText(row, name, bindings, strict)
    return text === undefined ? undefined : readValue(text, use)
  }
  if (strict)
    for (const name of variables) {
      const binding = bindings.get(name)
      if (!binding || 'json' in binding || extra.has(name)) continue
      const value = row.field(binding.field)
      if (value === undefined) boundText(row, name, bindings, strict)
      else if (value === null && (plain || ANSWER.test(name))) throw isNull(binding.field)
    }
  return find
}

/** Template names of judged answers. */
const ANSWER = /^answer(_[ab])?$/

/** A failed generation, or a value that is missing: Jinja would print it as None, and the judge would judge that. */
const isNull = (field: string) =>
  new RowFailure('missing_field', `field "${field}" is null: there is nothing to judge ("" is an empty text)`)

/** Deeper values count as inexact. */
const MAX_DEPTH = 200

/**
 * Whether JSON.parse may have lost what Python would print: an integer may have been 1.0 or have had more digits, and
 * keys that begin with a digit may have changed their order.
 */
function mayBeInexact(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isInteger(value) || !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) return true
  if (Array.isArray(value)) return value.some((one) => mayBeInexact(one, depth + 1))
  for (const key in value) {
    const code = key.charCodeAt(0)
    if (code >= 0x30 && code <= 0x39) return true
    if (mayBeInexact((value as Record<string, unknown>)[key], depth + 1)) return true
  }
  return false
}

/** The value of a name that is bound to a field; undefined if it has to be read from its JSON text. */
function parsedField(row: Row, name: string, bindings: Bindings, { exact }: Use): Json | undefined {
  const binding = bindings.get(name)
  if (bindings.innerFirst || (binding && 'json' in binding)) return undefined
  const field = binding?.field ?? name
  if (field.includes('.')) return undefined
  const value = row.field(field)
  return exact && mayBeInexact(value) ? undefined : value
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
  if (binding && strict && !binding.optional) throw missing(name, binding.field, row, bindings)
  if (binding) return undefined
  const inner = bindings.inner === undefined ? undefined : innerText(row, bindings.inner, name)
  return inner ?? (WHOLE.has(name) ? row.itemText() : undefined)
}

/** JSON text of a field of an object in the item, unchanged. */
const innerText = (row: Row, inner: string, name: string) => row.fieldText(`${inner}.${name}`)

/** The message suggests the nearest field, or lists those that the item has. */
function missing(name: string, field: string, row: Row, bindings: Bindings): RowFailure {
  const hint =
    name === field
      ? `--map ${name}=FIELD names another`
      : `the judge's {{ ${name} }}; --map ${name}=FIELD names another`
  const used = [...bindings.values()].flatMap((binding) => ('field' in binding ? binding.field : []))
  return new RowFailure(
    'missing_field',
    `field "${field}" is missing${fieldHint(field, row, used)} (${hint})`,
  )
}

/** The values of all bound names, for a judge's render function. */
export function contextValues(row: Row, bindings: Bindings, strict: boolean): JsonObject {
  const values: Record<string, Json> = {}
  for (const name of bindings.keys()) {
    const text = boundText(row, name, bindings, strict)
    if (text !== undefined) values[name] = JSON.parse(text)
  }
  return values
}
