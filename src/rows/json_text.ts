/** Where values stand in JSON text that JSON.parse took: for what is wanted as it is written. */
import { isIndex } from './value_at.ts'

/** A member of an object: its key, where that begins, and where the value begins and ends. */
export interface Member {
  name: string
  at: number
  from: number
  to: number
}

/** Index after the closing quote of the string whose first character is at `at`; -1 if it never ends. */
export function textEnd(text: string, at: number): number {
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return -1
    let back = quote
    while (back > at && text[back - 1] === '\\') back--
    if (((quote - back) & 1) === 0) return quote + 1
    at = quote + 1
  }
}

function pastSpace(text: string, at: number): number {
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r' || text[at] === '\n') at++
  return at
}

/** Index after the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return textEnd(text, at + 1)
  if (text[at] !== '{' && text[at] !== '[') return scalarEnd(text, at)
  let depth = 0
  while (at < text.length) {
    const character = text[at]
    if (character === '"') {
      at = textEnd(text, at + 1)
      continue
    }
    at++
    if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) break
  }
  return at
}

/** Index after the number, `true`, `false` or `null` at `at`. */
function scalarEnd(text: string, at: number): number {
  while (at < text.length && !', \t\r\n]}'.includes(text[at]!)) at++
  return at
}

/** The members of the object that begins at `at`, in their order, those with a key of their own twice included. */
export function membersIn(text: string, at: number): Member[] {
  const members: Member[] = []
  for (at = pastSpace(text, at + 1); text[at] === '"'; ) {
    const keyEnd = textEnd(text, at + 1)
    const from = pastSpace(text, pastSpace(text, keyEnd) + 1)
    const to = valueEnd(text, from)
    const raw = text.slice(at + 1, keyEnd - 1)
    const name = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
    members.push({ name, at, from, to })
    const comma = pastSpace(text, to)
    at = text[comma] === ',' ? pastSpace(text, comma + 1) : comma
  }
  return members
}

/** Begin and end of each element of the list that begins at `at`. */
export function elementsIn(text: string, at: number): [from: number, to: number][] {
  const places: [number, number][] = []
  for (at = pastSpace(text, at + 1); at < text.length && text[at] !== ']'; ) {
    const to = valueEnd(text, at)
    places.push([at, to])
    const comma = pastSpace(text, to)
    at = text[comma] === ',' ? pastSpace(text, comma + 1) : comma
  }
  return places
}

/** The last member with a name: of keys that are there twice it counts, as in JSON.parse. */
const lastNamed = (members: readonly Member[], name: string) =>
  members.findLast((member) => member.name === name)

/** The text of a value among members, by dotted path, with valueAt's meaning; undefined where there is none. */
export function textAt(text: string, members: readonly Member[], path: string): string | undefined {
  const whole = lastNamed(members, path)
  if (whole) return text.slice(whole.from, whole.to)
  const dot = path.indexOf('.')
  const first = dot < 0 ? undefined : lastNamed(members, path.slice(0, dot))
  return first && textIn(text, first.from, path.slice(dot + 1))
}

/** The same in the object or list that begins at `at`. */
function textIn(text: string, at: number, path: string): string | undefined {
  if (text[at] === '{') return textAt(text, membersIn(text, at), path)
  const dot = path.indexOf('.')
  const index = dot < 0 ? path : path.slice(0, dot)
  const place = text[at] === '[' && isIndex(index) ? elementsIn(text, at).at(Number(index)) : undefined
  return place && (dot < 0 ? text.slice(...place) : textIn(text, place[0], path.slice(dot + 1)))
}

/** Keys and JSON texts of the members of an object; undefined if the text is none. */
export function membersOf(text: string): [key: string, text: string][] | undefined {
  const at = pastSpace(text, 0)
  if (text[at] !== '{') return undefined
  return membersIn(text, at).map(({ name, from, to }) => [name, text.slice(from, to)])
}

/** The most values that JSON from outside may hold: V8 needs up to 200 bytes for each, however short it is in JSON. */
export const MOST_VALUES = 2_000_000

/** How many values JSON text holds, by its commas and opening brackets, and how deeply they nest. */
export function extentOf(text: string): { values: number; depth: number } {
  let values = 0
  let open = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      at = textEnd(text, at + 1) - 1
      // The last string never ends.
      if (at < 0) break
    } else if (character === ',') values++
    else if (character === '{' || character === '[') {
      values++
      depth = Math.max(depth, ++open)
    } else if (character === '}' || character === ']') open--
  }
  return { values, depth }
}

/** How deeply values may nest: jq 1.6 reads no more than 128 objects in one another, of which `jb` takes some. */
export const DEEPEST = 100

/** Whether JSON text nests more deeply. */
export const isTooDeep = (text: string): boolean => !hasFewBrackets(text) && extentOf(text).depth > DEEPEST

/** Whether there are so few brackets that they cannot nest too deeply. */
export function hasFewBrackets(text: string): boolean {
  if (text.length <= DEEPEST) return true
  let count = 0
  for (const bracket of '{[')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > DEEPEST) return false
  return true
}
