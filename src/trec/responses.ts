/** RAG responses ("reports"): one JSON object per run and topic, with citations in one of three styles. */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { unprintable } from './topics.ts'

interface Sentence {
  text: string
  /** Document ids, whatever the citation style. */
  citations: string[]
}

export interface Response {
  run: string
  topic: string
  team: string
  /** Sentences joined by a space. */
  text: string
  sentences: Sentence[]
  references: string[]
  documents: JsonObject
  metadata: JsonObject
  /** Citation indexes outside `references`: left out, and reported. */
  dropped: number[]
  /** It has another `answer` beside its `responses`, which are read: reported. */
  otherAnswer: boolean
}

/** A malformed response; the message is for the user. */
export class BadResponse extends Error {}

const fail = (message: string): never => {
  throw new BadResponse(message)
}

/**
 * Reads a line's object as a response.
 * @param line the line's text, for the order of citations with equal scores whose ids look like numbers
 * @throws BadResponse
 */
export function readResponse(row: JsonObject, line: () => string): Response {
  const metadata = isObject(row.metadata) ? row.metadata : fail('"metadata" is missing or not an object')
  const run = text(metadata, 'run_id')
  const topic = topicOf(metadata)
  for (const [key, id] of [
    ['run_id', run],
    ['topic_id', topic],
  ] as const) {
    const wrong = unprintable(id)
    if (wrong !== undefined) fail(`metadata.${key} ${wrong}`)
  }
  const list = [row.responses, row.answer].find(isList)
  if (!list) return fail('neither "responses" nor "answer" is a list of sentences')
  const given = row.references ?? []
  if (!isList(given)) return fail('"references" is not a list')
  const references = given.map((one, i) =>
    typeof one === 'string' ? one : fail(`references[${i}] must be a string`),
  )
  const raw = list.map((one, i) => {
    if (!isObject(one) || typeof one.text !== 'string') fail(`sentence ${i} has no "text"`)
    return one as JsonObject & { text: string }
  })
  const { citations, dropped } = readCitations(
    raw.map(({ citations }) => citations ?? null),
    references,
    line,
  )
  const sentences = raw.map(({ text }, i) => ({ text, citations: citations[i]! }))
  return {
    run,
    topic,
    team: text(metadata, 'team_id'),
    text: sentences.map(({ text }) => text).join(' '),
    sentences,
    references,
    documents: isObject(row.documents) ? row.documents : {},
    metadata,
    dropped,
    otherAnswer:
      list === row.responses &&
      isList(row.answer ?? undefined) &&
      JSON.stringify(row.answer) !== JSON.stringify(list),
  }
}

/** A value in a message; JSON.stringify would overflow the stack on a deeply nested one. */
const shown = (value: Json) =>
  isList(value) ? 'a list' : isObject(value) ? 'an object' : JSON.stringify(value)

function topicOf(metadata: JsonObject): string {
  const { topic_id: topic, narrative_id: narrative } = metadata
  if (topic != null && typeof topic !== 'string')
    fail(`metadata.topic_id must be a string, not ${shown(topic)} (narrative_id may be a number)`)
  if (narrative != null && typeof narrative !== 'string' && !Number.isInteger(narrative))
    fail(`metadata.narrative_id must be a string or a whole number, not ${shown(narrative)}`)
  const ids = [topic, narrative].filter((id) => id != null).map(String)
  if (ids.length === 0) fail('metadata has neither "topic_id" nor "narrative_id"')
  if (ids.length === 2 && ids[0] !== ids[1])
    fail(`metadata.topic_id ${ids[0]} and narrative_id ${ids[1]} differ`)
  return ids[0]!
}

/**
 * Citations of all sentences, in one style for the whole list: lists of document ids, else `{id: score}` (highest score
 * first, equal scores in file order), else zero-based indexes into `references`.
 */
function readCitations(
  given: Json[],
  references: readonly string[],
  line: () => string,
): { citations: string[][]; dropped: number[] } {
  const listsOf = (is: (one: Json) => boolean) =>
    given.every((one) => one === null || (isList(one) && one.every(is)))
  if (listsOf((one) => typeof one === 'string'))
    return { citations: given.map((one) => (one as string[] | null) ?? []), dropped: [] }
  if (given.every((one) => one === null || isScores(one)))
    return {
      citations: inFileOrder(
        given.map((one) => (one ?? {}) as Record<string, number>),
        line,
      ).map((one) => one.sort(([, a], [, b]) => b - a).map(([id]) => id)),
      dropped: [],
    }
  if (listsOf(Number.isInteger)) {
    const dropped: number[] = []
    const citations = given.map((one) =>
      ((one as number[] | null) ?? []).flatMap((at) => {
        const id = at >= 0 ? references[at] : undefined
        if (id === undefined) dropped.push(at)
        return id ?? []
      }),
    )
    return { citations, dropped }
  }
  return fail(
    'citations are written in more than one way: expected document ids, {id: score} or indexes into "references" throughout',
  )
}

/** Entries in file order: JavaScript puts keys that look like integers first. */
function inFileOrder(given: Record<string, number>[], line: () => string): [string, number][][] {
  const entries = given.map((one) => Object.entries(one))
  if (!given.some((one) => Object.keys(one).some((id) => /^\d+$/.test(id)))) return entries
  const written = Array.from(line().matchAll(/"citations"\s*:\s*(\{[^{}]*\})/g), ([, text]) => text!)
  if (written.length !== given.length) return entries
  return entries.map((list, i) => {
    const keys = Array.from(
      written[i]!.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g),
      ([, key]) => JSON.parse(key!) as string,
    )
    return [...list].sort(([a], [b]) => keys.indexOf(a) - keys.indexOf(b))
  })
}

const isScores = (one: Json) =>
  isObject(one) && Object.values(one).every((score) => typeof score === 'number')
const isList = (one: Json | undefined): one is Json[] => Array.isArray(one)
function text(metadata: JsonObject, key: string): string {
  const value = metadata[key]
  return typeof value === 'string'
    ? value
    : fail(`metadata.${key} is ${value === undefined ? 'missing' : 'not a string'}`)
}
