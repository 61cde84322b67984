/** From a row's request to what is sent, and to the key its reply is kept under. */
import { isObject, jsonText, type Params, parsed } from '../../providers/_provider.ts'
import { encode } from '../../rows/bytes.ts'
import { type Json, RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { stringEnd } from '../../rows/scan.ts'

export interface RequestOptions {
  param: string[]
  temperature?: number
  maxTokens?: number
}

/** Parameters given as options, over those of every request; an empty text takes one away. */
export function overridesOf(options: RequestOptions): Params {
  const overrides: Params = new Map()
  if (options.temperature !== undefined) overrides.set('temperature', jsonText(options.temperature))
  if (options.maxTokens !== undefined) overrides.set('max_tokens', jsonText(options.maxTokens))
  for (const text of options.param) {
    const equals = text.indexOf('=')
    if (equals < 1) throw usageError(`--param: expected KEY=JSON, not "${text}"`)
    const key = text.slice(0, equals)
    const value = text.slice(equals + 1)
    if (key === 'model' || key === 'stream')
      throw usageError(key === 'model' ? '--param model: use -m' : '--param stream: replies are read whole')
    overrides.set(key, value === '' ? '' : jsonText(jsonOrString(value, key)))
  }
  return overrides
}

/** `--param stop=END` need not be quoted twice: what is no JSON, and not meant to be, is a string. */
function jsonOrString(text: string, key: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (/^\s*[[{"]/.test(text))
      throw usageError(`--param ${key}: not valid JSON: ${(error as Error).message}`)
    return text
  }
}

/**
 * The request of a row, overridden, without `model` (given beside it where the row has one).
 * @throws RowFailure missing_field where there is no request or nothing in it to ask
 */
export function paramsOf(row: Row, overrides: Params): { params: Params; model?: string } {
  if (!row.has('request'))
    throw new RowFailure('missing_field', 'no jb.request in the row (jb-render adds it)')
  const members = row.members('request')
  if (!members) throw new RowFailure('missing_field', 'jb.request is no object')
  const params: Params = new Map()
  let model: string | undefined
  for (const [key, value] of members) {
    if (key === 'model') model = String(parsed(value) ?? '') || undefined
    else if (key !== 'stream') params.set(key, value)
  }
  for (const [key, value] of overrides)
    if (value.length > 0) params.set(key, value)
    else params.delete(key)
  const messages = params.get('messages')
  if (!messages && !params.has('prompt'))
    throw new RowFailure('missing_field', 'jb.request has neither "messages" nor "prompt"')
  if (messages && (messages[0] !== '[' || messages.length < 3))
    throw new RowFailure('missing_field', 'jb.request.messages must be a list that is not empty')
  return { params, model }
}

/** The key of the reply to these parameters, for a row's sample and a draw of it. */
export function replyKey(row: Row, params: Params, draw?: number): string {
  const sample = row.get('trial')?.sample ?? 0
  return keyOf(params, draw === undefined ? sample : [sample, draw])
}

/**
 * The key of a request: 32 hex digits of the SHA-256 of which draw of it this is and its parameters, sorted by
 * name, each as compact JSON; in messages the role comes first and the other keys sorted by name. Model and
 * endpoint stand beside it in the journal.
 */
export function keyOf(params: Params, sample: unknown): string {
  // Loaded when a key is asked for: that takes some milliseconds.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  // Small texts are gathered: each update costs as much as a thousand letters.
  let gathered = JSON.stringify(sample)
  for (const key of [...params.keys()].sort()) {
    const text = params.get(key)!
    const value = key === 'messages' ? turns(text) : compact(text)
    gathered += `\n${encode(key)}:`
    if (value.length < 1024) gathered += value
    else {
      hash.update(gathered, 'latin1').update(value, 'latin1')
      gathered = ''
    }
  }
  return hash.update(gathered, 'latin1').digest('hex').slice(0, 32)
}

const TURN = /\{"role":"\w+","content":"/y

/**
 * The text of messages in one order of keys, whoever wrote them (`jq -S` sorts them). Elsewhere the order stays: in
 * that of a schema's keys models write theirs.
 */
function turns(text: string): string {
  return isUsual(text) ? text : jsonText(ordered(parsed(text)))
}

/** Whether messages stand as the toolkit writes them: a role and a content, a string, in compact JSON. */
function isUsual(text: string): boolean {
  if (text.includes('\\u') || text.includes('\\/')) return false
  for (let at = 1; ; at++) {
    TURN.lastIndex = at
    if (!TURN.test(text)) return false
    at = stringEnd(text, TURN.lastIndex)
    if (text[at] !== '}') return false
    if (text[++at] !== ',') return text[at] === ']' && at === text.length - 1
  }
}

/** What a name sorts as: those that say what an object is come first, as people write them. */
const rank = (name: string): string => (name === 'role' ? '' : name === 'type' ? '\0' : name)

function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return Object.fromEntries(names.map((name) => [name, ordered(value[name]!)]))
}

/** The JSON text as JSON.stringify has it: escapes and spaces that mean nothing (jq's, Python's) are evened out. */
function compact(text: string): string {
  return isCompact(text) ? text : jsonText(parsed(text))
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Looks outside strings for spaces and inside for escapes that can be written otherwise. */
function isCompact(text: string): boolean {
  if (text.length < 64 || text.includes('\\u') || text.includes('\\/')) return false
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i)
    if (byte <= 0x20) return false
    if (byte !== QUOTE) continue
    for (;;) {
      i = text.indexOf('"', i + 1)
      if (i < 0) return false
      let back = i - 1
      while (text.charCodeAt(back) === BACKSLASH) back--
      if ((i - back) % 2 === 1) break
    }
  }
  return true
}
