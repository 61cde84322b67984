/** What the page and the cards show of an item: the values of its fields, as each run has them, and of its trials. */
import { type ChatMessage, isConversation, messagesOf } from '../../chat/message.ts'
import { transcript } from '../../chat/transcript.ts'
import { exactJson, writtenJson } from '../../rows/exact_json.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { MODEL_FIELDS } from '../../rows/pair_fields.ts'
import type { Roles } from './model.ts'
import { type Any, fieldAt, type ItemRows } from './page/data.ts'
import { differing, type Piece, wordDifferences } from './page/words.ts'
import { asText, verdictWord } from './verdict_word.ts'

/** A value with the name it is shown under. */
export interface Named {
  name: string
  value: Any
}

/** The answers of an item with their names: those of the two models, fields, or the list in one field. */
export function answersOf({ answers: fields }: Roles, item: Any): Named[] {
  const only = fields.length === 1 ? fieldAt(item, fields[0]) : undefined
  if (Array.isArray(only) && only.length > 1 && !isConversation(only))
    return only.map((value, i) => ({ name: `${fields[0]} ${i + 1}`, value }))
  const models = fields.length === 2 ? modelsOf(item) : undefined
  return fields.flatMap((field, i) => {
    const value = fieldAt(item, field)
    const letter = fields.length === 2 ? `${'AB'[i]} · ` : ''
    return value === undefined ? [] : [{ name: letter + (models?.[i] ?? field), value }]
  })
}

/** The names of the two models that answered, as the item says them. */
const modelsOf = (item: Any): string[] | undefined =>
  MODEL_FIELDS.map((fields) => fields.map((field) => fieldAt(item, field))).find((names) =>
    names.every((one) => typeof one === 'string'),
  )

/** JSON whose numbers stay as they are written. */
export const AS_WRITTEN = { parse: exactJson, stringify: writtenJson }

/** The messages of a value that is a conversation. */
export const conversationIn = (value: Any): ChatMessage[] | undefined =>
  isConversation(value) ? messagesOf(value, AS_WRITTEN) : undefined

/** A conversation without its last message, if that is only the text of an answer, which is shown by itself. */
export function beforeAnswer(messages: ChatMessage[], answers: readonly Named[]): ChatMessage[] {
  const last = messages.at(-1)
  const isOwn = last?.role !== 'assistant' || last.calls.length > 0 || last.media.length > 0
  const isShown = messages.length > 1 && answers.some(({ value }) => value === last?.text)
  return !isOwn && isShown ? messages.slice(0, -1) : messages
}

/** A call's arguments: a text as it stands, whose numbers keep their digits; a value as JSON. */
export const argumentsOf = (given: Any): string =>
  typeof given === 'string' ? given : given === null ? '' : writtenJson(given, 2)

/** What a message says, the same in two runs: without the ids of calls, which are new in each. */
export const messageKey = ({ role, text, calls, tool, error, media }: ChatMessage): string =>
  JSON.stringify([role, text, calls.map((call) => [call.name, compact(call.arguments)]), tool, error, media])

/** Arguments as JSON without blanks, or their text if they are not JSON. */
function compact(given: Any): string {
  const text = argumentsOf(given)
  try {
    return writtenJson(exactJson(text))
  } catch {
    return text
  }
}

/** A value that some runs have. */
export interface OfRuns {
  runs: number[]
  value: Any
}

/** What the runs have in a field, each value once. */
export function ofRuns(items: ReadonlyMap<number, Any>, field: string): OfRuns[] {
  const found = new Map<string, OfRuns>()
  for (const [run, item] of items) {
    const value = Object.hasOwn(item, field) ? item[field] : fieldAt(item, field)
    const text = writtenJson(conversationIn(value)?.map(messageKey) ?? value) ?? ''
    getOrInsert(found, text, () => ({ runs: [], value })).runs.push(run)
  }
  return [...found.values()]
}

/** The item as each of the runs has it: their conversations and answers may differ. */
export function itemsOfRuns({ item, rows }: ItemRows, runs: readonly number[]): Map<number, Any> {
  const of = (run: number) => rows.find((row) => row.run === run)
  return new Map(runs.length === 0 ? [[-1, item]] : runs.map((run) => [run, of(run)?.item ?? item]))
}

/** The fields that are shown and that runs have differently. */
export function differingFields(
  { question, shown, answers }: Roles,
  items: ReadonlyMap<number, Any>,
): string[] {
  const fields = [question, ...shown, ...answers].filter((field) => field !== undefined)
  return new Set(items.values()).size < 2 ? [] : fields.filter((field) => ofRuns(items, field).length > 1)
}

/** A field of a copy that is not as in its original: as it was and as it is, with what only one of them has. */
interface Change {
  name: string
  was: Piece[]
  now: Piece[]
}

/** What was changed in a copy of an item. @param original if it is not in the rows, the copy's mark says what was changed */
export function changesIn({ item, rows }: ItemRows, original: ItemRows['item'] | undefined): Change[] {
  const { kind, was, now } = rows[0]?.jb.probe ?? {}
  if (original === undefined) return was === undefined && now === undefined ? [] : [changeOf(kind, was, now)]
  return [...new Set([...Object.keys(original), ...Object.keys(item)])].flatMap((field) => {
    const [before, after] = [original[field], item[field]]
    return writtenJson(before) === writtenJson(after) ? [] : [changeOf(field, before, after)]
  })
}

/** Of conversations the messages that the other does not have. */
function changeOf(name: string, before: Any, after: Any): Change {
  const [old, made] = [conversationIn(before), conversationIn(after)]
  const [ofOld, ofMade] = old && made ? differing(old.map(messageKey), made.map(messageKey)) : []
  const text = (value: Any, messages: ChatMessage[] | undefined, own: boolean[] | undefined) =>
    messages && own
      ? transcript(
          messages.filter((_, i) => own[i]),
          {},
          AS_WRITTEN,
        )
      : asText(value)
  const [was, now] = wordDifferences(text(before, old, ofOld), text(after, made, ofMade))
  return { name, was, now }
}

/** A run's trials. A result repeats its trials: they count only if the trials themselves are not in the rows. */
export function trialsOf(rows: readonly { jb: Any }[]): Any[] {
  const trials = rows.filter(({ jb }) => jb.trials === undefined).map(({ jb }) => jb)
  if (trials.length > 0) return trials
  return rows.flatMap(({ jb }) => (Array.isArray(jb.trials) ? jb.trials : []))
}

/** A fact in words, and a name from the data that ends it. */
export type Fact = [words: string, name?: string]

/** What a trial has besides what it asks about. */
const OWN = new Set(['n', 'of', 'order', 'sample', 'seed', 'options', 'answers', 'shown', 'pair', 'window'])

/** What a trial asks about; lists are {@link askedElements} it. */
export function trialFacts(trial: Any = {}): Fact[] {
  const facts: Fact[] = []
  if (trial.of > 1) facts.push([`trial ${Number(trial.n) + 1} of ${trial.of}`])
  if (trial.order !== undefined) facts.push(['shown ', asText(trial.order)])
  if (typeof trial.sample === 'number') facts.push([`sample ${trial.sample + 1}`])
  for (const [key, value] of Object.entries(trial))
    if (!OWN.has(key) && !Array.isArray(value)) facts.push([`${key} `, asText(value).slice(0, 80)])
  return facts
}

/** The elements that one question is about, such as claims: its reply has a line for each. */
export const askedElements = (trial: Any = {}): [name: string, list: Any[]][] =>
  Object.entries(trial).filter(
    (entry): entry is [string, Any[]] => !OWN.has(entry[0]) && Array.isArray(entry[1]),
  )

/** The verdict, and what it was read from. */
export function verdictFacts(verdict: Any = {}): Fact[] {
  const facts: Fact[] = []
  const said = verdictWord(verdict) ?? null
  if (said !== null) facts.push(['', String(said)])
  if (verdict.strength === 2) facts.push(['strongly'])
  if (typeof verdict.confidence === 'number')
    facts.push([`confidence ${Number(verdict.confidence.toFixed(3))}`])
  const label = asText(verdict.label)
  if (label !== '' && label !== String(said)) facts.push(['read from ', `“${label.slice(0, 80)}”`])
  return facts
}

/** Why a verdict is as it is, where it says so. */
export const whyOf = (verdict: Any = {}): string | undefined =>
  [verdict.reason, verdict.feedback, verdict.explanation].find((one) => typeof one === 'string' && one !== '')
