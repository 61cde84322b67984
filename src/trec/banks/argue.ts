/** AutoARGUE banks, format version v3: questions with answers, and claims, keyed by text. */
import { mapValues } from '../../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { textId } from '../qrels.ts'
import {
  type BankFormat,
  badBank,
  keysInOrder,
  mergedMetadata,
  type NewNugget,
  type Nugget,
  stringAt,
  united,
} from './bank.ts'

const BANK = [
  'query_id',
  'title_query',
  'full_query',
  'test_collection',
  'format_version',
  'nugget_bank',
  'claim_bank',
  'quality',
  'importance',
  'creator',
  'metadata',
]
const TAIL = ['references', 'sub_nuggets', 'quality', 'importance', 'creator', 'metadata']
const QUESTION = [
  'question',
  'question_markup',
  'question_id',
  'query_id',
  'test_collection',
  'answers',
  'aggregator_type',
  ...TAIL,
]
const CLAIM = ['claim', 'claim_markup', 'claim_id', 'query_id', 'test_collection', 'aggregator_type', ...TAIL]
const ANSWER = ['answer', 'references', 'quality', 'importance', 'creator', 'metadata']
const AGGREGATORS = ['AND', 'OR', 'NOT', 'SUM', 'Default']

/** Kinds of entries: the bank's key for their map, and their own keys in order. */
const KINDS = [
  { kind: 'question', map: 'nugget_bank', keys: QUESTION },
  { kind: 'claim', map: 'claim_bank', keys: CLAIM },
] as const
type Kind = (typeof KINDS)[number]['kind']
const mapOf = (kind: Kind) => KINDS.find((one) => one.kind === kind)!.map

export const argue: BankFormat = {
  knows: (row) =>
    isObject(row.nugget_bank) ||
    isObject(row.claim_bank) ||
    'title_query' in row ||
    row.format_version === 'v3',

  read(row) {
    const title = typeof row.title_query === 'string' ? row.title_query : ''
    const metadata = isObject(row.metadata) ? row.metadata : {}
    const named = row.query_id ?? (title ? textId(title) : (metadata.topic_id ?? metadata.query_id))
    if (named == null) badBank('"query_id" and "title_query" are both missing')
    const topic = String(named)
    const raw: JsonObject = { ...row, query_id: topic, format_version: row.format_version ?? 'v3' }
    for (const { kind, map } of KINDS) if (raw[map] != null) raw[map] = readMap(raw[map], kind, topic)
    return { topic, title, raw, nuggets: nuggetsOf(raw) }
  },

  write: ({ raw }) => {
    const bank = { ...raw }
    for (const { map, keys } of KINDS)
      if (isObject(bank[map]))
        bank[map] = mapValues(bank[map], (entry) => keysInOrder(inner(entry as JsonObject), keys))
    return keysInOrder(bank, BANK)
  },

  create: (topic, title) => ({
    topic,
    title,
    nuggets: [],
    raw: { query_id: topic, title_query: title, format_version: 'v3', nugget_bank: {} },
  }),

  add(bank, nugget) {
    // Without a kind, a text that ends with a question mark is a question.
    const kind: Kind =
      nugget.kind === 'claim' || nugget.kind === 'question'
        ? nugget.kind
        : nugget.text.trimEnd().endsWith('?')
          ? 'question'
          : 'claim'
    const map = objectMap(bank.raw[mapOf(kind)])
    const key = [...map].find(([, entry]) => entry[kind] === nugget.text)?.[0] ?? nugget.text
    addTo(map, key, entryOf(nugget, kind, bank.topic), mergedEntries)
    bank.raw[mapOf(kind)] = Object.fromEntries(map)
    bank.nuggets = nuggetsOf(bank.raw)
  },
}

/** A map of objects; empty if the value is none. */
const objectMap = (value: Json | undefined) =>
  new Map(Object.entries(isObject(value) ? value : {})) as Map<string, JsonObject>

type Merge = (before: JsonObject, later: JsonObject) => JsonObject

function addTo(map: Map<string, JsonObject>, key: string, value: JsonObject, merge: Merge): void {
  const before = map.get(key)
  map.set(key, before ? merge(before, value) : value)
}

/** The entry with the keys of its answers in order. */
function inner(entry: JsonObject): JsonObject {
  return isObject(entry.answers)
    ? { ...entry, answers: mapValues(entry.answers, (answer) => keysInOrder(answer as JsonObject, ANSWER)) }
    : entry
}

/** Questions or claims by key; in a list, by their text. Duplicates are merged. */
function readMap(given: Json, kind: Kind, topic: string): JsonObject {
  const entries: [string | undefined, Json][] = Array.isArray(given)
    ? given.map((one) => [undefined, one])
    : isObject(given)
      ? Object.entries(given)
      : badBank(`"${mapOf(kind)}" must be a mapping`)
  const map = new Map<string, JsonObject>()
  for (const [key, one] of entries) {
    if (!isObject(one))
      return badBank(`${mapOf(kind)}${key === undefined ? '' : `["${key}"]`} must hold mappings`)
    const entry = readEntry(one, kind, topic)
    addTo(map, key ?? String(entry[kind]), entry, mergedEntries)
  }
  return Object.fromEntries(map)
}

function readEntry(one: JsonObject, kind: Kind, topic: string): JsonObject {
  const text = stringAt(one, kind, mapOf(kind))
  const { aggregator_type: aggregator } = one
  if (aggregator != null && !AGGREGATORS.includes(String(aggregator)))
    badBank(
      `"${text}": aggregator_type is ${JSON.stringify(aggregator)}, expected one of ${AGGREGATORS.join(', ')}`,
    )
  const id = `${kind}_id`
  const read: JsonObject = { ...one, [id]: one[id] ?? textId(text), query_id: one.query_id ?? topic }
  if (one.references != null) read.references = referencesOf(one.references)
  if (Array.isArray(one.answers)) {
    const answers = new Map<string, JsonObject>()
    for (const answer of one.answers) addAnswer(answers, answerOf(answer))
    read.answers = Object.fromEntries(answers)
  } else if (isObject(one.answers)) read.answers = mapValues(one.answers, answerOf)
  return read
}

function answerOf(answer: Json): JsonObject {
  if (typeof answer === 'string') return { answer }
  if (!isObject(answer)) return badBank('an answer must be a mapping')
  stringAt(answer, 'answer', 'answers')
  return answer.references == null ? answer : { ...answer, references: referencesOf(answer.references) }
}

/** A reference may be a bare document id. */
const referencesOf = (list: Json): Json =>
  Array.isArray(list) ? list.map((one) => (typeof one === 'string' ? { doc_id: one } : one)) : list

const addAnswer = (answers: Map<string, JsonObject>, answer: JsonObject) =>
  addTo(answers, String(answer.answer), answer, mergedAnswers)

/** Merges two objects: lists are appended; other values are the first object's, if it has them. */
function mergedAnswers(before: JsonObject, later: JsonObject): JsonObject {
  const merged = { ...later }
  for (const [key, value] of Object.entries(before)) if (value !== null) merged[key] = value
  for (const key of ['references', 'sub_nuggets', 'creator'])
    if (before[key] || later[key]) merged[key] = united(before[key], later[key])
  const metadata = mergedMetadata(before.metadata, later.metadata)
  if (metadata !== undefined) merged.metadata = metadata
  return merged
}

/**
 * Merges two entries of one text: as answers, but quality and importance are the later entry's, if it has them. (AutoARGUE
 * loses a question's references here.)
 */
function mergedEntries(before: JsonObject, later: JsonObject): JsonObject {
  const merged = mergedAnswers(before, later)
  for (const key of ['quality', 'importance']) if (later[key] != null) merged[key] = later[key]
  if (isObject(before.answers) || isObject(later.answers)) {
    const answers = objectMap(before.answers)
    for (const answer of objectMap(later.answers).values()) addAnswer(answers, answer)
    merged.answers = Object.fromEntries(answers)
  }
  return merged
}

function entryOf(nugget: NewNugget, kind: Kind, topic: string): JsonObject {
  const { text, id, answers, references, importance, kind: _kind, assignment, ...metadata } = nugget
  const entry: JsonObject = { [kind]: text, [`${kind}_id`]: id ?? textId(text), query_id: topic }
  const refs = (references ?? []).map((doc_id) => ({ doc_id }))
  if (kind === 'question') {
    const list = answers ?? []
    entry.answers = Object.fromEntries(
      list.map((answer) => [answer, { answer, ...(refs.length > 0 && { references: refs }) }]),
    )
    entry.aggregator_type = 'OR'
    if (list.length === 0 && refs.length > 0) entry.references = refs
  } else if (refs.length > 0) entry.references = refs
  if (importance !== undefined) entry.importance = importance
  const more = { ...metadata, ...(assignment !== undefined && { assignment }) } as JsonObject
  if (Object.keys(more).length > 0) entry.metadata = more
  return entry
}

function nuggetsOf(raw: JsonObject): Nugget[] {
  return KINDS.flatMap(({ kind, map }) =>
    [...objectMap(raw[map]).values()].map((entry): Nugget => {
      const { importance, answers, metadata } = entry
      const assignment = isObject(metadata) ? metadata.assignment : undefined
      return {
        id: String(entry[`${kind}_id`]),
        text: String(entry[kind]),
        kind,
        ...((typeof importance === 'string' || typeof importance === 'number') && { importance }),
        ...(typeof assignment === 'string' && { assignment }),
        ...(isObject(answers) && {
          answers: [...objectMap(answers).values()].map(({ answer }) => String(answer)),
        }),
      }
    }),
  )
}
