/** The cache key of a request. */

import { sha256 } from '../rows/crypto.ts'
import { withExactIntegers } from '../rows/exact_json.ts'
import { textEnd } from '../rows/json_text.ts'
import { isObject, type Json } from '../rows/record.ts'
import { jsonText, type Params, parsed } from './_params.ts'

/**
 * 32 hex digits of the SHA-256 of the sample and the parameters, sorted by name, each as compact JSON; in messages
 * and typed questions the role comes first, then the other keys, sorted. The journal stores model and endpoint beside the key.
 */
export function requestHash(params: Params, sample: unknown): string {
  let all = JSON.stringify(sample)
  for (const key of [...params.keys()].sort()) {
    const text = params.get(key)!
    all += `\n${key}:${key === 'messages' ? turns(text) : key === 'questions' ? sorted(text) : compact(text)}`
  }
  return sha256(all).slice(0, 32)
}

const TURN = /\{"role":"\w+","content":"/y

/**
 * The text of messages with their keys in one order, because `jq -S` sorts them. Other parameters keep theirs: models
 * write the keys of their JSON in a schema's order.
 */
function turns(text: string): string {
  return isUsual(text) ? text : sorted(text)
}

const sorted = (text: string) => jsonText(ordered(parsed(withExactIntegers(text))))

/** Whether messages are as jb-render writes them: compact JSON, each with a role and a string content. */
function isUsual(text: string): boolean {
  if (text.includes('\\u') || text.includes('\\/')) return false
  for (let at = 1; ; at++) {
    TURN.lastIndex = at
    if (!TURN.test(text)) return false
    at = textEnd(text, TURN.lastIndex)
    if (text[at] !== '}') return false
    if (text[++at] !== ',') return text[at] === ']' && at === text.length - 1
  }
}

/** The sort key of a name: `type` and `role` come first. */
const rank = (name: string): string => (name === 'role' ? '' : name === 'type' ? '\0' : name)

/** Bytes in a data URL. */
const DATA_URL = /^data:([\w/+.-]+);base64,/

/** Keys in order; the bytes of an image by their hash, which is the same for a file and its data URL. */
function ordered(value: Json): Json {
  const mime = typeof value === 'string' ? DATA_URL.exec(value)?.[1] : undefined
  if (mime !== undefined) {
    const bytes = Buffer.from((value as string).slice((value as string).indexOf(',') + 1), 'base64')
    return `sha256:${sha256(bytes)};${mime}`
  }
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return Object.fromEntries(names.map((name) => [name, ordered(value[name]!)]))
}

/** The JSON text as JSON.stringify writes it, but numbers that JavaScript would round keep their digits. */
function compact(text: string): string {
  if (isCompact(text)) return text
  return LONG_NUMBER.test(text) ? text.replace(STRING_OR_SPACE, written) : jsonText(parsed(text))
}

const LONG_NUMBER = /\d{16}/
const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g
const written = (token: string) => (token[0] === '"' ? jsonText(parsed(token)) : '')

/** Whether the text has no spaces outside strings, and no escapes that JSON.stringify would write differently. */
function isCompact(text: string): boolean {
  if (text.length < 64 || text.includes('\\u') || text.includes('\\/')) return false
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i)
    if (byte <= 0x20) return false
    if (byte === 0x22) i = textEnd(text, i + 1) - 1
  }
  return true
}
