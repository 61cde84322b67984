/** JSON values and where they stand in their text, so that one of them can be replaced and every other byte stays. */
import { elementsIn, membersIn } from './json_text.ts'
import { isObject, type Json, type JsonObject } from './record.ts'
import { isIndex } from './value_at.ts'

/** A member of an object or an element of a list. */
export interface JsonMember {
  key: string | number
  value: Json
  /** Where its key begins; of an element, its value. */
  from: number
  start: number
  end: number
}

/** An object or a list. */
export type JsonHolder = JsonObject | Json[]

export const isHolder = (value: Json | undefined): value is JsonHolder =>
  Array.isArray(value) || isObject(value)

/** A replacement of text[start … end). */
export interface Edit {
  start: number
  end: number
  text: string
}

/** A text's value, and the places of what is in it. Of repeated keys the last counts, as in JSON.parse. */
export class JsonPlaces {
  readonly text: string
  readonly value: Json
  /** Where objects and lists begin, as far as they were asked for. */
  private readonly starts = new WeakMap<JsonHolder, number>()
  private readonly found = new WeakMap<JsonHolder, readonly JsonMember[]>()

  /** @param text nested no more deeply than a row: each level is looked through for itself @throws SyntaxError */
  constructor(text: string) {
    this.text = text
    this.value = JSON.parse(text) as Json
    if (isHolder(this.value)) this.starts.set(this.value, text.search(/[{[]/))
  }

  /** What an object or a list of this text holds, in order, those with a key of their own twice included. */
  members(of: JsonHolder): readonly JsonMember[] {
    let members = this.found.get(of)
    if (!members) {
      members = Array.isArray(of) ? this.elementsOf(of) : this.membersOf(of)
      for (const { value, start } of members) if (isHolder(value)) this.starts.set(value, start)
      this.found.set(of, members)
    }
    return members
  }

  private elementsOf(of: Json[]): JsonMember[] {
    return elementsIn(this.text, this.startOf(of)).map(([start, end], key) => ({
      ...{ key, value: of[key]! },
      ...{ from: start, start, end },
    }))
  }

  private membersOf(of: JsonObject): JsonMember[] {
    const members = membersIn(this.text, this.startOf(of))
    const last = new Map(members.map(({ name }, i) => [name, i]))
    return members.map(({ name, at, from, to }, i) => ({
      key: name,
      value: last.get(name) === i ? of[name]! : (JSON.parse(this.text.slice(from, to)) as Json),
      ...{ from: at, start: from, end: to },
    }))
  }

  private startOf(of: JsonHolder): number {
    const start = this.starts.get(of)
    if (start === undefined) throw new Error('this value is of another text')
    return start
  }

  /** The member under a key, the last of several. */
  member(of: JsonHolder, key: string | number): JsonMember | undefined {
    const members = this.members(of)
    return Array.isArray(of) ? members[key as number] : members.findLast((one) => one.key === key)
  }

  /** The member at a dotted path, with valueAt's meaning. */
  at(path: string, of: Json | undefined = this.value): JsonMember | undefined {
    if (!isHolder(of)) return undefined
    const named = (key: string) =>
      Array.isArray(of) ? (isIndex(key) ? this.members(of).at(Number(key)) : undefined) : this.member(of, key)
    const whole = named(path)
    const dot = path.indexOf('.')
    if (whole || dot < 0) return whole
    return this.at(path.slice(dot + 1), named(path.slice(0, dot))?.value)
  }

  /** The text with some parts replaced, none of which overlap. */
  edited(edits: readonly Edit[]): string {
    return spliced(this.text, edits)
  }
}

export function spliced(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of edits.toSorted((x, y) => x.start - y.start)) {
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}
