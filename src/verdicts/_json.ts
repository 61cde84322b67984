/** JSON in a reply: all of it, between words or in a fence, or repaired. In linear time. */
import { jsonrepair } from 'jsonrepair'
import { isTooMuch } from '../rows/foreign_json.ts'
import { MOST_VALUES } from '../rows/json_text.ts'
import { getOrInsert } from '../rows/maps.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { valueAt } from '../rows/value_at.ts'
import { type ReadContext, standing } from './_rule.ts'
import { withoutUnseen } from './_text.ts'

/** Deeper JSON cannot be written as a row again: JSON.stringify recurses. */
const DEEPEST = 1000

/** The most characters that jsonrepair is given: it takes quadratic time for some texts. */
const REPAIRABLE = 16_384

/** The most unclosed brackets that are tried, so that a reply of a million braces does not stall a run. */
const OPENINGS = 20

/** A JSON value in a reply. */
interface Found {
  value: Json
  /** Its text. */
  json: string
  /** Quotes, commas or a missing end were put right. */
  repaired: boolean
}

/**
 * The JSON values in a text, in order; broken ones are repaired. The first values that serve are to be taken.
 * @param ended only what has an end
 * @throws RowFailure no_verdict for JSON that is nested too deep or has too many values
 */
export function* valuesIn(text: string, ended = false): Generator<Found[]> {
  if (!BRACKET.test(text)) return
  const whole = BEGINS.test(text) ? jsonValue(text) : undefined
  if (whole !== undefined) {
    yield [{ value: whole, json: text, repaired: false }]
    return
  }
  const { closed, open } = pieces(text)
  yield valuesOf(closed)
  if (ended || open === undefined) return
  // The end is missing, or a quote is open.
  const end = Math.max(open.lastIndexOf('}'), open.lastIndexOf(']'))
  if (end > 0) yield valuesOf([open.slice(0, end + 1)])
  // A value that nothing ends is marked: 1 may have been the beginning of 10.
  yield valuesOf([open.replace(/[^\s"'“”‘’`}\]]$/, '$&…')])
}

/**
 * The last object of a reply that has a value under the key, of whole ones if there are any; or the failure that there is none.
 * @param key a dotted path
 * @param meaningOf throws RowFailure for a value that has no meaning
 * @throws RowFailure of the object's own value; conflict if another one, or the key a second time in one, means something else
 */
export function lastObject<Meaning>(
  sources: Iterable<Found[]>,
  key: string,
  valueIn: (object: JsonObject) => Json | undefined,
  meaningOf: (value: Json) => Meaning,
  explain: ReadContext['explain'],
): { object: JsonObject; meaning: Meaning; repaired: boolean } | RowFailure {
  let none = 'the reply holds no JSON object'
  for (const found of sources) {
    if (found.length > 0) none = `"${key}" is missing in the JSON`
    const all = found.flatMap(({ value, repaired }) =>
      holders(value, valueIn).map((object) => ({ object, repaired })),
    )
    const last = all.findLast(({ repaired }) => !repaired) ?? all.at(-1)
    if (!last) continue
    explain?.({ objects: all.map(({ object }) => object) })
    const meaning = standing(() => meaningOf(valueIn(last.object)!))
    const values = [
      ...all.map(({ object }) => valueIn(object)!),
      ...found.flatMap(({ json }) => repeatedIn(json, key)),
    ]
    const meanings = new Set(values.flatMap((value) => meantIn(value, meaningOf)))
    if (meanings.size > 1)
      throw new RowFailure(
        'conflict',
        `the reply says different things under "${key}": ${[...meanings].join(', ')}`,
      )
    return { ...last, meaning }
  }
  return new RowFailure('no_verdict', none)
}

/** A value's meaning in words; none of the form itself, as in `{"option": "<option>"}`. */
function meantIn(value: Json, meaningOf: (value: Json) => unknown): string[] {
  try {
    return [JSON.stringify(meaningOf(value))]
  } catch (error) {
    if (error instanceof RowFailure) return []
    throw error
  }
}

/**
 * The values under a dotted path whose names stand more than once in one object: JSON.parse gives the last one alone.
 * @param json valid JSON
 */
function repeatedIn(json: string, path: string): Json[] {
  const names = path.split('.')
  const isOnce = (name: string) => json.split(JSON.stringify(name), 3).length < 3
  if (!json.includes('\\u') && names.every(isOnce)) return []
  const saidAt = (name: string, place: [number, number]): Json => {
    const value = JSON.parse(json.slice(...place)) as Json
    const rest = names.slice(names.indexOf(name) + 1).join('.')
    if (rest === '') return value
    return isObject(value) ? (valueAt(value, rest) ?? null) : null
  }
  const repeated: Json[] = []
  for (const members of membersIn(json, names))
    for (const [name, places] of members)
      if (places.length > 1) for (const place of places) repeated.push(saidAt(name, place))
  return repeated
}

/** A string, or a character that opens, separates or ends values. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** An object or a list that is being read: the member it is at, and where the values with one of the names stand. */
interface Open {
  name?: string | undefined
  from: number
  members: Map<string, [from: number, to: number][]>
}

/** Of each object in a JSON text: where the values of all its members with these names stand. */
function* membersIn(json: string, names: readonly string[]): Generator<Open['members']> {
  const open: Open[] = []
  let text = ''
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    if (token[0] === '"') {
      text = token
      continue
    }
    if (token === '{' || token === '[') {
      open.push({ from: 0, members: new Map() })
      continue
    }
    const inner = open.at(-1)!
    if (token === ':') {
      inner.name = JSON.parse(text) as string
      inner.from = index + 1
      continue
    }
    // A list has no names.
    if (inner.name !== undefined && names.includes(inner.name))
      getOrInsert(inner.members, inner.name, () => []).push([inner.from, index])
    if (token !== ',') yield open.pop()!.members
  }
}

/** The objects that have a value: this one, those of a list, or the only member, as in `{"arguments": {…}}`. */
function holders(value: Json, valueIn: (object: JsonObject) => Json | undefined): JsonObject[] {
  const has = (one: Json): one is JsonObject => isObject(one) && valueIn(one) !== undefined
  if (has(value)) return [value]
  const inner = value !== null && typeof value === 'object' ? Object.values(value) : []
  return Array.isArray(value) || inner.length === 1 ? inner.filter(has) : []
}

/** The value of a text that is JSON and nothing else. @throws RowFailure no_verdict as {@link valuesIn} */
export function jsonValue(text: string): Json | undefined {
  if (isTooMuch(text)) throw new RowFailure('no_verdict', `the JSON holds more than ${MOST_VALUES} values`)
  try {
    return shallow(JSON.parse(text) as Json, text)
  } catch (error) {
    if (error instanceof RowFailure) throw error
    return undefined
  }
}

/** @throws RowFailure no_verdict if the value is nested too deep */
function shallow(value: Json, text: string): Json {
  if (text.split(/[[{]/, DEEPEST + 2).length <= DEEPEST + 1) return value
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > DEEPEST)
      throw new RowFailure('no_verdict', `the JSON is nested more than ${DEEPEST} levels deep`)
  }
  return value
}

const BRACKET = /[[{]/
const BEGINS = /^\s*[[{]/

/** A piece that begins as JSON or a Python literal does, and not as `[see above]`. */
const LITERAL = /^(?:\{|\[\s*["'“‘{[])/

/** The values of pieces that are JSON, with or without unseen characters, or that jsonrepair can put right. */
function valuesOf(texts: readonly string[]): Found[] {
  let left = REPAIRABLE
  return texts.flatMap((text): Found[] => {
    const value = jsonValue(text) ?? jsonValue(withoutUnseen(text))
    if (value !== undefined) return [{ value, json: text, repaired: false }]
    if (text.length > left || !LITERAL.test(text)) return []
    left -= text.length
    try {
      const json = jsonrepair(withoutUnseen(text))
      return [{ value: JSON.parse(json) as Json, json, repaired: true }]
    } catch {
      return []
    }
  })
}

/** Balanced `{…}` and `[…]` at the outermost level, and the text from the first bracket that never closes. */
function pieces(text: string): { closed: string[]; open?: string } {
  const closed: string[] = []
  const open: number[] = []
  for (let i = 0; i < text.length && open.length < OPENINGS; i++) {
    if (text[i] !== '{' && text[i] !== '[') continue
    const end = balancedEnd(text, i)
    if (end < 0) open.push(i)
    else {
      closed.push(text.slice(i, end))
      i = end - 1
    }
  }
  return { closed, ...(open.length > 0 && { open: text.slice(open[0]) }) }
}

const OPENS_TEXT = /[[{(,:]\s*$/

/** The index after the bracket that closes the one at `start`; brackets in texts (also of Python) do not count. */
function balancedEnd(text: string, start: number): number {
  let depth = 0
  let quote = ''
  for (let i = start; i < text.length; i++) {
    const letter = text[i]!
    if (quote !== '') {
      if (letter === '\\') i++
      else if (letter === quote) quote = ''
    } else if (letter === '"' || (letter === "'" && OPENS_TEXT.test(text.slice(Math.max(0, i - 9), i))))
      quote = letter
    else if (letter === '{' || letter === '[') depth++
    else if ((letter === '}' || letter === ']') && --depth === 0) return i + 1
  }
  return -1
}
