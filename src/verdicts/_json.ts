/** Finds JSON in a reply: the whole text, a fenced block, between words, or repaired. In linear time. */
import { jsonrepair } from 'jsonrepair'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { hasTooManyValues, MOST_VALUES } from '../rows/text_scan.ts'

interface FoundJson {
  value: Json
  /** How it was found; only `repaired` is a guess. */
  how: 'strict' | 'fenced' | 'embedded' | 'repaired'
}

/** Deeper JSON cannot be written as a row again: JSON.stringify recurses. */
const DEEPEST = 1000

/** The most characters that jsonrepair is given: it takes quadratic time for some texts. */
const REPAIRABLE = 16_384

/**
 * The JSON value of a reply: the whole text, else the last fenced block with an object or a list, else the last
 * object between words, else any of these after repair (quotes, commas, a missing end); undefined if there is none.
 * The whole text is tried first, so that a fence inside a JSON string does not end it.
 * @throws RowFailure no_verdict for JSON that is nested too deep or has too many values
 */
export function findJson(reply: string, { repair = true } = {}): FoundJson | undefined {
  const whole = reply.trim()
  const strict = strictJson(whole)
  if (strict) return strict

  const fenced = fencedBlocks(whole)
  for (const text of fenced.toReversed()) {
    const value = parsed(text)
    if (isHolder(value)) return { value, how: 'fenced' }
  }
  for (const text of embedded(whole)) {
    const value = parsed(text)
    if (isHolder(value)) return { value, how: 'embedded' }
  }
  if (!repair) return undefined
  let left = REPAIRABLE
  for (const text of [...fenced.toReversed().filter(looksLikeJson), ...toRepair(whole)]) {
    if (text.length > left) continue
    left -= text.length
    const value = repaired(text)
    if (isHolder(value)) return { value, how: 'repaired' }
  }
  return undefined
}

/** The blocks between code fences, without the name of their language. */
function fencedBlocks(text: string): string[] {
  const fences = [...text.matchAll(/`{3,}|~{3,}/g)]
  const blocks: string[] = []
  for (let open = 0; open < fences.length; open++) {
    const { 0: fence, index } = fences[open]!
    let close = open + 1
    while (close < fences.length && !fences[close]![0].startsWith(fence)) close++
    if (close === fences.length) continue
    const block = text.slice(index + fence.length, fences[close]!.index)
    const inside = block.replace(/^[^\S\n]*[\w-]*/, '').trim()
    if (inside !== '') blocks.push(inside)
    open = close
  }
  return blocks
}

/** The reply as JSON; undefined unless all of it is JSON, with none but JSON's own white space around it. */
export function strictJson(reply: string): FoundJson | undefined {
  const value = parsed(reply)
  return value === undefined ? undefined : { value, how: 'strict' }
}

/** @throws RowFailure unless the value is an object */
export function asObject(value: Json, code: 'no_verdict' | 'bad_response' = 'no_verdict'): JsonObject {
  if (isObject(value)) return value
  const shown = Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 60)
  throw new RowFailure(code, `expected a JSON object, the reply is ${shown}`)
}

const isHolder = (value: Json | undefined): value is Json => value !== null && typeof value === 'object'

const looksLikeJson = (text: string) => /^[{[]/.test(text)

function parsed(text: string): Json | undefined {
  if (hasTooManyValues(text))
    throw new RowFailure('no_verdict', `the JSON holds more than ${MOST_VALUES} values`)
  try {
    return shallow(JSON.parse(text) as Json, text)
  } catch (error) {
    if (error instanceof RowFailure) throw error
    return undefined
  }
}

/** @throws RowFailure no_verdict if the value is nested too deep */
function shallow(value: Json, text: string): Json {
  if (occurrences(text, '[') + occurrences(text, '{') <= DEEPEST) return value
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > DEEPEST)
      throw new RowFailure('no_verdict', `the JSON is nested more than ${DEEPEST} levels deep`)
  }
  return value
}

function occurrences(text: string, letter: string): number {
  let count = 0
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count++
  return count
}

function repaired(text: string): Json | undefined {
  try {
    return JSON.parse(jsonrepair(text)) as Json
  } catch {
    return undefined
  }
}

/** The most unclosed brackets that are tried, so that a reply of a million braces does not stall a run. */
const OPENINGS = 20

/** Balanced `{…}` at the outermost level, last first, then `[…]`, last first. */
export function embedded(text: string): string[] {
  const found: string[] = []
  let open = 0
  for (let i = 0; i < text.length && open < OPENINGS; i++) {
    if (text[i] !== '{' && text[i] !== '[') continue
    const end = balancedEnd(text, i)
    if (end < 0) open++
    else {
      found.push(text.slice(i, end))
      i = end - 1
    }
  }
  found.reverse()
  return [...found.filter((one) => one[0] === '{'), ...found.filter((one) => one[0] === '[')]
}

function balancedEnd(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const letter = text[i]
    if (inString) {
      if (letter === '\\') i++
      else if (letter === '"') inString = false
    } else if (letter === '"') inString = true
    else if (letter === '{' || letter === '[') depth++
    else if ((letter === '}' || letter === ']') && --depth === 0) return i + 1
  }
  return -1
}

/** The text from the first bracket to the last closing one, and to the end, for a reply that was cut short. */
function toRepair(text: string): string[] {
  const start = text.search(/[{[]/)
  if (start < 0) return []
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  return end > start ? [text.slice(start, end + 1), text.slice(start)] : [text.slice(start)]
}
