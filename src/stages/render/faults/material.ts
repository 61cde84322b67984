/** An item as a fault sees it: its answers and where they stand, what was asked, and what they can be checked against. */
import type { Draft } from '../../../chat/forms.ts'
import { type PlacedConversation, placedConversation } from '../../../chat/message.ts'
import { isHolder, type JsonHolder, type JsonMember, JsonPlaces } from '../../../rows/json_places.ts'
import type { Json } from '../../../rows/record.ts'
import { markKeys } from './words.ts'

const QUESTIONS = ['question', 'prompt', 'instruction', 'query', 'input']
const SOURCES = ['reference', 'contexts', 'context', 'documents', 'document', 'text', 'passage']
const CONVERSATIONS = ['messages', 'conversation']

/** Which fields a judge shows. */
export interface ShownFields {
  /** Of the answers: both of a pair, or that of a criterion. Undefined where it depends on the item. */
  answers: readonly string[] | undefined
  /** Then it is the first of these that is a text, else the first conversation that is shown. */
  texts: readonly string[]
  /** Template name: field. */
  fields: ReadonlyMap<string, string>
}

export class Material {
  readonly id: string
  readonly shown: ShownFields
  readonly places: JsonPlaces
  /** The fields of the answers; none for an item without one. */
  readonly fields: readonly string[]
  readonly question: string
  readonly reference: string
  readonly sources: readonly string[]
  /** Keys of all marks of the item. */
  readonly marks: ReadonlySet<string>
  private readonly root: JsonHolder

  /** @param text the user's part of a row */
  constructor(text: string, id: string, shown: ShownFields) {
    this.id = id
    this.shown = shown
    this.places = new JsonPlaces(text)
    this.root = this.places.value as JsonHolder
    const fieldOf = (name: string): string | undefined => {
      const field = shown.fields.get(name)
      return field !== undefined && this.valueOf(field) !== undefined ? field : undefined
    }
    this.fields = this.answersOf(shown)
    const others = (names: readonly string[]) =>
      names.flatMap((name) => {
        const field = fieldOf(name)
        return field === undefined || this.fields.includes(field) ? [] : [field]
      })
    const [question] = others(QUESTIONS)
    const reference = fieldOf('reference')
    this.reference = reference === undefined ? '' : this.wordsAt(reference)
    const asked = question === undefined ? '' : this.wordsAt(question)
    // Another conversation in the row: a history, the messages that an answer belongs to.
    const talks = others(CONVERSATIONS).flatMap((field) => placedConversation(this.valueOf(field)) ?? [])
    this.question = [asked, ...talks.map((talk) => saidBy(talk.messages, this.places))].join('\n')
    this.sources = [
      ...others(SOURCES).map((field) => this.wordsAt(field)),
      ...talks.flatMap(({ messages }) =>
        messages.filter(({ role }) => role === 'tool').map((one) => textOf(one, this.places)),
      ),
    ]
    this.marks = markKeys(wordsIn(this.places, this.root).join('\n'))
  }

  private answersOf({ answers, texts, fields }: ShownFields): string[] {
    if (answers) return answers.every((field) => this.valueOf(field) !== undefined) ? [...answers] : []
    const text = texts.find((field) => typeof this.valueOf(field) === 'string')
    if (text !== undefined) return [text]
    const talks = [...new Set(fields.values())].filter((field) => placedConversation(this.valueOf(field)))
    const [first] = talks.toSorted((x, y) => this.member(x)!.start - this.member(y)!.start)
    return first === undefined ? [] : [first]
  }

  /** A field's place; undefined for null too. */
  member(field: string): JsonMember | undefined {
    const member = this.places.at(field)
    return member?.value === null ? undefined : member
  }

  valueOf(field: string): Json | undefined {
    return this.member(field)?.value
  }

  private wordsAt(field: string): string {
    return wordsOf(this.places, leavesUnder(this.places, this.member(field)!)).join('\n')
  }
}

/** An answer that a fault is planted in. */
export class Answer {
  readonly of: Material
  readonly talk: PlacedConversation | undefined
  readonly question: string
  readonly sources: readonly string[]
  /** Where its text stands; undefined if that is not one string. */
  readonly leaf: JsonMember | undefined

  constructor(of: Material, place: number) {
    this.of = of
    const member = of.member(of.fields[place]!)
    this.talk = typeof member?.value === 'string' ? undefined : placedConversation(member?.value)
    let [question, sources] = [of.question, [...of.sources]]
    if (typeof member?.value === 'string') this.leaf = member
    else if (this.talk) {
      const { messages } = this.talk
      const last = messages.findLastIndex((one) => one.role === 'assistant' && one.text.trim() !== '')
      const before = messages.slice(0, Math.max(0, last))
      if (last >= 0) {
        question += `\n${saidBy(before, of.places)}`
        sources = [
          ...sources,
          ...before
            .filter(({ role, failed }) => role === 'tool' && !failed)
            .map((one) => textOf(one, of.places)),
        ]
        const texts = messages[last]!.origins.filter((_, i) => messages[last]!.texts[i] !== '')
        const [only] = texts
        this.leaf = texts.length === 1 && only ? of.places.member(only.of, only.key) : undefined
      }
    }
    this.question = question
    this.sources = sources
  }

  get text(): string | undefined {
    return this.leaf?.value as string | undefined
  }
}

/** What users and systems say. */
const saidBy = (messages: readonly Draft[], places: JsonPlaces): string =>
  messages
    .filter(({ role }) => role === 'user' || role === 'system')
    .map((one) => textOf(one, places))
    .join('\n')

/** The text of a message; of a result that is no text, its words. */
export function textOf({ text, role, said, origins }: Draft, places: JsonPlaces): string {
  const isMade = role === 'tool' && said && !origins.some((origin) => origin)
  return isMade ? wordsIn(places, said.of, said.key).join('\n') : text
}

/** The strings and numbers in a value, numbers as written. @param key of one member; undefined for all */
export const wordsIn = (places: JsonPlaces, of: JsonHolder, key?: string | number): string[] =>
  wordsOf(places, leavesOf(places, of, key))

const wordsOf = (places: JsonPlaces, leaves: readonly JsonMember[]): string[] =>
  leaves.map(({ value, start, end }) => (typeof value === 'string' ? value : places.text.slice(start, end)))

/** The places of the strings and numbers in a value. */
export function leavesOf(places: JsonPlaces, of: JsonHolder, key?: string | number): JsonMember[] {
  if (key === undefined) return leavesUnder(places, ...places.members(of))
  const member = places.member(of, key)
  return member ? leavesUnder(places, member) : []
}

function leavesUnder(places: JsonPlaces, ...members: JsonMember[]): JsonMember[] {
  const left = members.reverse()
  const found: JsonMember[] = []
  while (left.length > 0) {
    const member = left.pop()!
    const { value } = member
    if (typeof value === 'string' || typeof value === 'number') found.push(member)
    else if (isHolder(value)) for (const inner of places.members(value).toReversed()) left.push(inner)
  }
  return found
}

/** The keys of the objects in a value. */
export function keysIn(places: JsonPlaces, of: JsonHolder): string[] {
  const left: JsonHolder[] = [of]
  const keys: string[] = []
  while (left.length > 0)
    for (const { key, value } of places.members(left.pop()!)) {
      if (typeof key === 'string') keys.push(key)
      if (isHolder(value)) left.push(value)
    }
  return keys
}
