/** AutoARGUE banks, format version v3: questions with answers, and claims, keyed by text. */
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

type Kind = 'question' | 'claim'
const MAP: Record<Kind, string> = { question: 'nugget_bank', claim: 'claim_bank' }
const KEYS: Record<Kind, readonly string[]> = { question: QUESTION, claim: CLAIM }

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
    for (const kind of ['question', 'claim'] as const) {
      const map = raw[MAP[kind]]
      if (map != null) raw[MAP[kind]] = Object.fromEntries(readMap(map, kind, topic))
    }
    return { topic, title, raw, nuggets: nuggetsOf(raw) }
  },

  write: ({ raw }) => {
    const maps = (['question', 'claim'] as const).flatMap((kind) => {
      const map = raw[MAP[kind]]
      return isObject(map)
        ? [[MAP[kind], mapValues(map, (one) => keysInOrder(inner(one), KEYS[kind]))] as const]
        : []
    })
    return keysInOrder({ ...raw, ...Object.fromEntries(maps) }, BANK)
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
    const map = new Map(Object.entries(objectOf(bank.raw[MAP[kind]])))
    const made = entryOf(nugget, kind, bank.topic)
    const at = [...map].find(([, one]) => (one as JsonObject)[kind] === nugget.text)?.[0] ?? nugget.text
    const before = map.get(at) as JsonObject | undefined
    map.set(at, before ? merge(before, made) : made)
    bank.raw[MAP[kind]] = Object.fromEntries(map)
    bank.nuggets = nuggetsOf(bank.raw)
  },
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

const mapValues = (map: JsonObject, change: (value: JsonObject) => Json): JsonObject =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value as JsonObject)]))

/** The entry with the keys of its answers in order. */
function inner(entry: JsonObject): JsonObject {
  return isObject(entry.answers)
    ? { ...entry, answers: mapValues(entry.answers, (answer) => keysInOrder(answer, ANSWER)) }
    : entry
}

/** Questions or claims by key; those of a list are keyed by text. Duplicates are merged. */
function readMap(given: Json, kind: Kind, topic: string): Map<string, Json> {
  const entries: [string | undefined, Json][] = Array.isArray(given)
    ? given.map((one) => [undefined, one])
    : isObject(given)
      ? Object.entries(given)
      : badBank(`"${MAP[kind]}" must be a mapping`)
  const map = new Map<string, Json>()
  for (const [key, one] of entries) {
    if (!isObject(one))
      return badBank(`${MAP[kind]}${key === undefined ? '' : `["${key}"]`} must hold mappings`)
    const read = readEntry(one, kind, topic)
    const at = key ?? String(read[kind])
    const before = map.get(at) as JsonObject | undefined
    map.set(at, before ? merge(before, read) : read)
  }
  return map
}

function readEntry(one: JsonObject, kind: Kind, topic: string): JsonObject {
  const text = stringAt(one, kind, MAP[kind])
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

/** Adds an answer. An equal one keeps its quality and importance, and gets the new references. */
function addAnswer(answers: Map<string, JsonObject>, answer: JsonObject): void {
  const text = String(answer.answer)
  const before = answers.get(text)
  if (!before) {
    answers.set(text, answer)
    return
  }
  const merged: JsonObject = { ...answer, ...dropNulls(before) }
  if (before.references || answer.references) merged.references = united(before.references, answer.references)
  if (before.creator || answer.creator) merged.creator = united(before.creator, answer.creator)
  const metadata = mergedMetadata(before.metadata, answer.metadata)
  if (metadata !== undefined) merged.metadata = metadata
  answers.set(text, merged)
}

const dropNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

/**
 * Merges two entries of one text: answers by text; references, sub-nuggets and creators appended (the original loses a
 * question's references here); quality and importance are the later entry's, if it has them.
 */
function merge(before: JsonObject, later: JsonObject): JsonObject {
  const merged: JsonObject = { ...later, ...dropNulls(before) }
  for (const key of ['quality', 'importance']) if (later[key] != null) merged[key] = later[key]
  for (const key of ['references', 'sub_nuggets', 'creator'])
    if (before[key] || later[key]) merged[key] = united(before[key], later[key])
  const metadata = mergedMetadata(before.metadata, later.metadata)
  if (metadata !== undefined) merged.metadata = metadata
  if (isObject(before.answers) || isObject(later.answers)) {
    const answers = new Map(Object.entries(objectOf(before.answers))) as Map<string, JsonObject>
    for (const answer of Object.values(objectOf(later.answers))) addAnswer(answers, answer as JsonObject)
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
  return (['question', 'claim'] as const).flatMap((kind) =>
    Object.values(objectOf(raw[MAP[kind]])).map((one): Nugget => {
      const entry = one as JsonObject
      const { importance, answers, metadata } = entry
      const assignment = isObject(metadata) ? metadata.assignment : undefined
      return {
        id: String(entry[`${kind}_id`]),
        text: String(entry[kind]),
        kind,
        ...((typeof importance === 'string' || typeof importance === 'number') && { importance }),
        ...(typeof assignment === 'string' && { assignment }),
        ...(isObject(answers) && {
          answers: Object.values(answers).map((one) => String((one as JsonObject).answer)),
        }),
      }
    }),
  )
}
