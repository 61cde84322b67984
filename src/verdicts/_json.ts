/** JSON in a reply: all of it, between words or in a fence, or repaired. In linear time. */
import { jsonrepair } from 'jsonrepair'
import { isTooMuch } from '../rows/foreign_json.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { MOST_VALUES } from '../rows/scan.ts'
import type { ReadContext } from './_rule.ts'
import { ownWords, withoutUnseen } from './_text.ts'

/** Deeper JSON cannot be written as a row again: JSON.stringify recurses. */
const DEEPEST = 1000

/** The most characters that jsonrepair is given: it takes quadratic time for some texts. */
const REPAIRABLE = 16_384

/** The most unclosed brackets that are tried, so that a reply of a million braces does not stall a run. */
const OPENINGS = 20

/** JSON values of a text, in order. */
export interface Values {
  values: Json[]
  /** Quotes, commas or a missing end were put right. */
  repaired: boolean
}

/**
 * The JSON values in a reply: other people's words are searched only after the reply's own, and broken JSON only after
 * whole. The first values that serve are to be taken.
 * @param repair whether broken JSON is read; `closed`: only what has an end
 * @throws RowFailure no_verdict for JSON that is nested too deep or has too many values
 */
export function* valuesIn(
  reply: string,
  elements: readonly string[],
  repair: boolean | 'closed' = true,
): Generator<Values> {
  const own = ownWords(reply, elements, { fences: false })
  for (const text of new Set([own, withoutUnseen(own), reply, withoutUnseen(reply)])) {
    const whole = jsonValue(text)
    const values = whole === undefined ? pieces(text).closed.flatMap((one) => jsonValue(one) ?? []) : [whole]
    yield { values, repaired: false }
  }
  if (!repair) return
  for (const text of new Set([withoutUnseen(own), withoutUnseen(reply)])) {
    const { closed, open } = pieces(text)
    yield { values: mended(closed), repaired: true }
    if (repair === 'closed') continue
    // The end is missing, or a quote is open.
    const end = Math.max(open?.lastIndexOf('}') ?? 0, open?.lastIndexOf(']') ?? 0)
    if (end > 0) yield { values: mended([open!.slice(0, end + 1)]), repaired: true }
    if (open) yield { values: mended([open]), repaired: true }
  }
}

/**
 * The last object of a reply that has a value under the key, or the failure that there is none.
 * @param meaningOf throws RowFailure for a value that has no meaning
 * @throws RowFailure of the object's own value; conflict if one before it means something else
 */
export function lastObject<Meaning>(
  sources: Iterable<Values>,
  key: string,
  valueIn: (object: JsonObject) => Json | undefined,
  meaningOf: (value: Json) => Meaning,
  explain: ReadContext['explain'],
): { object: JsonObject; meaning: Meaning; repaired: boolean } | RowFailure {
  let none = 'the reply holds no JSON object'
  for (const { values, repaired } of sources) {
    if (values.length > 0) none = `"${key}" is missing in the JSON`
    const objects = values.flatMap((one) => holders(one, valueIn))
    const object = objects.at(-1)
    if (!object) continue
    explain?.({ objects })
    const meaning = meaningOf(valueIn(object)!)
    const meanings = new Set(objects.flatMap((one) => meantIn(valueIn(one)!, meaningOf)))
    if (meanings.size > 1)
      throw new RowFailure('conflict', `objects of the reply differ in "${key}": ${[...meanings].join(', ')}`)
    return { object, meaning, repaired }
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

/** A piece that begins as JSON or a Python literal does, and not as `[see above]`. */
const BEGINS = /^(?:\{|\[\s*["'“‘{[])/

/** The values of pieces that jsonrepair can put right. */
function mended(texts: readonly string[]): Json[] {
  let left = REPAIRABLE
  return texts.flatMap((text) => {
    if (text.length > left || !BEGINS.test(text)) return []
    left -= text.length
    try {
      return [JSON.parse(jsonrepair(text)) as Json]
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
