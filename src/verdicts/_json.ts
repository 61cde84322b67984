/** JSON in a reply: as it stands, in a fence, between words, and last of all repaired. */
import { jsonrepair } from 'jsonrepair'
import type { Json } from '../rows/record.ts'

export interface FoundJson {
  value: Json
  /** The text it was read from. */
  text: string
  /** How it stood there: `repaired` is the only one that is a guess. */
  how: 'strict' | 'fenced' | 'embedded' | 'repaired'
}

const FENCE = /(`{3,}|~{3,})[^\S\n]*[\w-]*[^\S\n]*\n?([\s\S]*?)\1/g

/**
 * The JSON value of a reply: the whole text, else the last fenced block that holds one, else the last
 * object that stands between words, else any of these mended (quotes, commas, an end cut off).
 * A fence inside a JSON string does not end it, for the whole text is tried first.
 * Undefined where nothing looks like an object or a list.
 */
export function findJson(reply: string, { repair = true } = {}): FoundJson | undefined {
  const whole = reply.trim()
  const strict = strictJson(reply)
  if (strict) return strict

  const fenced = [...whole.matchAll(FENCE)].map((match) => match[2]!.trim()).filter((text) => text !== '')
  for (const text of fenced.toReversed()) {
    const value = parsed(text)
    if (isHolder(value)) return { value, text, how: 'fenced' }
  }
  for (const text of embedded(whole)) {
    const value = parsed(text)
    if (isHolder(value)) return { value, text, how: 'embedded' }
  }
  if (!repair) return undefined
  for (const text of [...fenced.toReversed().filter(looksLikeJson), ...toRepair(whole)]) {
    const value = repaired(text)
    if (isHolder(value)) return { value, text, how: 'repaired' }
  }
  return undefined
}

/** The reply as JSON, where it is JSON and nothing else. */
export function strictJson(reply: string): FoundJson | undefined {
  const text = reply.trim()
  const value = parsed(text)
  return value === undefined ? undefined : { value, text, how: 'strict' }
}

const isHolder = (value: Json | undefined): value is Json => value !== null && typeof value === 'object'

const looksLikeJson = (text: string) => /^[{[]/.test(text)

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function repaired(text: string): Json | undefined {
  try {
    return JSON.parse(jsonrepair(text)) as Json
  } catch {
    return undefined
  }
}

/** Openings without an end that are looked at: a reply of a million braces must not stall a run. */
const OPENINGS = 100

/** Balanced `{…}` at the outermost level, the last one first, then `[…]` likewise. */
function embedded(text: string): string[] {
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

/** From the first brace to the last closing one, and to the end (a reply cut short). */
function toRepair(text: string): string[] {
  const start = text.search(/[{[]/)
  if (start < 0) return []
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  return end > start ? [text.slice(start, end + 1), text.slice(start)] : [text.slice(start)]
}
