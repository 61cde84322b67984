/** JSON values and where they stand in their text, so that one of them can be replaced and every other byte stays. */
import type { Json, JsonObject } from './record.ts'

/** A member of an object or an element of a list. */
export interface JsonMember {
  key: string | number
  value: Json
  /** Where its key begins; of an element, its value. */
  from: number
  start: number
  end: number
}

/** An object or a list that was read. */
export type JsonHolder = JsonObject | Json[]

/** A replacement of text[start … end). */
export interface Edit {
  start: number
  end: number
  text: string
}

/** A text's value, and the places of everything in it. Of repeated keys the last counts, as in JSON.parse. */
export class JsonPlaces {
  readonly text: string
  readonly value: Json
  private readonly holders = new WeakMap<object, JsonMember[]>()

  /** @throws SyntaxError */
  constructor(text: string) {
    this.text = text
    JSON.parse(text)
    const read = new Reading(text, this.holders)
    this.value = read.value(read.past(0)).value
  }

  /** What an object or a list of this text holds, in order. */
  members(of: JsonHolder): readonly JsonMember[] {
    return this.holders.get(of) ?? []
  }

  /** The member under a key, the last of several. */
  member(of: JsonHolder, key: string | number): JsonMember | undefined {
    return this.members(of).findLast((one) => one.key === key)
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

interface Placed {
  value: Json
  start: number
  end: number
}

const SPACE = /[ \t\r\n]*/y
const STRING = /"(?:[^"\\]|\\.)*"/y
const OTHER = /[^\s,\]}]+/y

/** Reads a text that is known to be JSON. */
class Reading {
  private readonly text: string
  private readonly holders: WeakMap<object, JsonMember[]>

  constructor(text: string, holders: WeakMap<object, JsonMember[]>) {
    this.text = text
    this.holders = holders
  }

  /** The index after white space. */
  past(at: number): number {
    SPACE.lastIndex = at
    SPACE.test(this.text)
    return SPACE.lastIndex
  }

  value(at: number): Placed {
    const letter = this.text[at]
    if (letter === '{' || letter === '[') return this.holder(at, letter === '{')
    return this.leaf(at)
  }

  private leaf(at: number): Placed {
    const form = this.text[at] === '"' ? STRING : OTHER
    form.lastIndex = at
    form.test(this.text)
    const end = form.lastIndex
    return { value: JSON.parse(this.text.slice(at, end)) as Json, start: at, end }
  }

  private holder(start: number, isObject: boolean): Placed {
    const members: JsonMember[] = []
    const list: Json[] = []
    const entries: [string, Json][] = []
    let at = this.past(start + 1)
    while (this.text[at] !== (isObject ? '}' : ']')) {
      if (members.length > 0) at = this.past(at + 1)
      const from = at
      const key = isObject ? this.leaf(at) : undefined
      if (key) at = this.past(this.past(key.end) + 1)
      const placed = this.value(at)
      if (key) entries.push([key.value as string, placed.value])
      else list.push(placed.value)
      members.push({ key: key ? (key.value as string) : members.length, from, ...placed })
      at = this.past(placed.end)
    }
    const value = isObject ? Object.fromEntries(entries) : list
    this.holders.set(value, members)
    return { value, start, end: at + 1 }
  }
}
