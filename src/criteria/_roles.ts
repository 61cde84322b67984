/** The roles of an item's fields for a criterion: the text to judge, and its context. */
import { isConversation, messagesOf } from '../chat/message.ts'
import { transcript } from '../chat/transcript.ts'
import { someNames } from '../options/nearest.ts'
import { ID_FIELDS } from '../rows/item_id.ts'
import { ANSWER_FIELDS } from '../rows/pair_fields.ts'
import { type Criterion, isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { valueAt } from '../rows/value_at.ts'

/** An item's fields, by the names that a criterion uses. */
interface Fields {
  get(name: string): Json | undefined
  /** Fields that are context for a criterion that names none. */
  open(): string[]
  /** Text fields of a flat row that nothing names. */
  leftOut(): string[]
  all(): string[]
}

/** Whether a field has people's result for an item, by the names that EvalAssist, its web page and its tables use. */
export const isExpected = (name: string) => /^expected[ _-]?result$/i.test(name)

/** Not a number or boolean. */
const isText = (value: unknown) => typeof value === 'string' || (value !== null && typeof value === 'object')

/**
 * The fields of an item: those under `fields` (EvalAssist's instance); those under `context`, with `response` or
 * `responses` as the judged field (its older instance); else the row's own fields. Of these only the ones that the
 * criterion or `--map` names are context, so that no label reaches a prompt.
 * @param map criterion's field name → path among these or in the row (`--map`)
 */
export function criterionFields(row: Row, criterion: Criterion, map: ReadonlyMap<string, string>): Fields {
  const { item } = row
  const { fields, own, labels } = shape(item, criterion)
  const mapped = new Set(map.values())
  return {
    get: (name) => {
      const path = map.get(name)
      if (path !== undefined) return valueAt(fields, path) ?? valueAt(item, path)
      return valueAt(fields, name) ?? (labels ? labelled(fields, name) : undefined)
    },
    open: () => (own ? [...map.keys()] : Object.keys(fields).filter((name) => !isExpected(name))),
    leftOut: () =>
      own
        ? Object.keys(fields).filter(
            (name) =>
              !map.has(name) && !mapped.has(name) && !ID_FIELDS.includes(name) && isText(fields[name]),
          )
        : [],
    all: () => [...new Set([...Object.keys(fields), ...map.keys()])],
  }
}

/** The field whose label differs from the name in case and underscores at most; undefined if there is not just one. */
function labelled(fields: JsonObject, name: string): Json | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', ' ')
  const [found, second] = Object.keys(fields).filter((key) => plain(key) === plain(name))
  return found === undefined || second !== undefined ? undefined : fields[found]
}

/** An item's fields; `own`: they are the row's own; `labels`: their names are those that EvalAssist's page shows. */
function shape(
  item: JsonObject,
  criterion: Criterion,
): { fields: JsonObject; own: boolean; labels?: boolean } {
  if (isObject(item.fields)) return { fields: item.fields, own: false }
  const judged = item.response ?? item.responses
  const { context } = item
  // A flat row may have a field called context whose value is an object.
  const isField =
    criterion.context_fields?.includes('context') &&
    !Object.hasOwn(Object(context), 'context') &&
    Object.hasOwn(item, criterion.to_evaluate_field)
  if (judged !== undefined && isObject(context) && !isField)
    return { fields: { ...context, [criterion.to_evaluate_field]: judged }, own: false, labels: true }
  // Older rows and rows of pairs have their answers under `responses`.
  const { responses, ...rest } = item
  if (responses !== undefined && criterion.to_evaluate_field === 'response' && item.response === undefined)
    return { fields: { ...rest, response: responses }, own: true }
  return { fields: item, own: true }
}

/** A placeholder for items whose criterion is unknown. */
const ANY = { to_evaluate_field: 'response', context_fields: null } as Criterion

/**
 * An item's fields as an EvalAssist instance: all fields of an instance; of a flat row the texts and lists of texts,
 * without ids and labels. Fields that `--map` names get the criterion's names.
 */
export function instanceFields(
  row: Row,
  known: Criterion | undefined,
  map: ReadonlyMap<string, string>,
): JsonObject {
  const criterion = known ?? ANY
  const { fields, own } = shape(row.item, criterion)
  const paths = new Set(map.values())
  const isPart = (name: string) =>
    !paths.has(name) &&
    (!own || (![...ID_FIELDS, 'label'].includes(name) && !isExpected(name) && isTexts(fields[name])))
  const kept = Object.entries(fields).filter(([name]) => isPart(name))
  const { get } = criterionFields(row, criterion, map)
  const named = [...map.keys()].flatMap((name): [string, Json][] => {
    const value = get(name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries([...kept, ...named])
}

const isTexts = (value: unknown) =>
  typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))

/** The part of an item that a judge is shown. */
interface Shown {
  judged: Json
  context: { name: string; value: string }[]
  /** Fields that are not shown, because nothing names them. */
  leftOut: string[]
}

/**
 * The judged field and the context of an item.
 * @param listed the judged field is a list of answers
 * @throws RowFailure missing_field with the name of the field
 */
export function shownOf(
  row: Row,
  criterion: Criterion,
  map: ReadonlyMap<string, string>,
  listed = false,
): Shown {
  const fields = criterionFields(row, criterion, map)
  const { to_evaluate_field: judgedName, context_fields: named } = criterion
  const judged = fields.get(judgedName)
  if (judged === undefined || judged === null)
    throw missing(judgedName, 'to_evaluate_field', criterion, fields, listed ? listOfAnswers(row) : '')
  const context = (named ?? fields.open().filter((name) => name !== judgedName)).map((name) => {
    const value = fields.get(name)
    if (value === undefined && named) throw missing(name, 'context_fields', criterion, fields)
    return { name, value: textOrJson(value ?? null) }
  })
  const leftOut = named ? [] : fields.leftOut().filter((name) => name !== judgedName)
  return { judged, context: named ? context : context.filter(({ value }) => value !== 'null'), leftOut }
}

/** A string unchanged, a conversation as its transcript, any other value as JSON. */
export function textOrJson(value: Json): string {
  if (typeof value === 'string') return value
  return isConversation(value) ? transcript(messagesOf(value)) : JSON.stringify(value)
}

/** How to make a list of the two answers of a pair. */
function listOfAnswers(row: Row): string {
  const [a, b] = ANSWER_FIELDS.find((names) => names.every((one) => row.field(one) !== undefined)) ?? []
  return a === undefined ? '' : `, jq -c '.response = [.${a}, .${b}]' makes a list of answers`
}

function missing(field: string, role: string, { name }: Criterion, fields: Fields, more = ''): RowFailure {
  const names = fields.all()
  const bare = (one: string) => one.toLowerCase().replace(/[\s_-]/g, '')
  const isNull = names.includes(field)
  const other = isNull ? undefined : names.find((one) => bare(one) === bare(field))
  const there =
    other !== undefined
      ? `; there is "${other}": --map '${field}=${other}'`
      : ` (there are: ${someNames(names)}): --map '${field}=FIELD' names another${more}`
  return new RowFailure(
    'missing_field',
    `field "${field}" is ${isNull ? 'null' : 'missing'}: ${role} of ${name === '' ? 'the criterion' : `criterion "${name}"`}${there}`,
  )
}
