/**
 * A conversation as text for a judge. Lines of content are indented, so only the headers written here begin in column 0,
 * and nothing that a message says can pass for one.
 */

import type { Call, JsonText, Media } from './forms.ts'
import { imageWords } from './image.ts'
import type { ChatMessage } from './message.ts'

interface TranscriptOptions {
  /** The most characters of arguments or of a tool's result that are shown. */
  limit?: number
  /** Whether the model's reasoning is shown. */
  reasoning?: boolean
  /** Whether system messages are shown. */
  system?: boolean
}

/** The transcript of messages, without a newline at its end. */
export function transcript(
  messages: readonly ChatMessage[],
  { limit = 2000, reasoning = false, system = true }: TranscriptOptions = {},
  json: JsonText = JSON,
): string {
  const lines: string[] = []
  for (const message of messages)
    if (system || message.role !== 'system') addMessage(lines, message, { limit, reasoning, json })
  return lines.join('\n')
}

function addMessage(
  lines: string[],
  message: ChatMessage,
  { limit, reasoning, json }: { limit: number; reasoning: boolean; json: JsonText },
): void {
  const { n, text } = message
  const from = lines.length
  const who = `[${n}] ${named(message.role) || 'nobody'}`
  if (reasoning && message.reasoning !== undefined) add(lines, `${who} thinks`, indented(message.reasoning))
  if (message.role === 'tool') add(lines, resultHeader(message), cut(text, limit, n))
  else if (text !== '') add(lines, who, indented(text))
  for (const part of message.media) lines.push(`${who} ${mediaWords(part)}`)
  for (const call of message.calls) {
    const { text: given, valid } = argumentsOf(call, json)
    const header = `${who} calls ${nameAndId(call.name, call.id)}${valid ? '' : ', arguments not JSON'}`
    add(lines, header, cut(given, limit, n))
  }
  if (lines.length === from) lines.push(who)
}

/** Every end of a line that Unicode, a terminal or Python's splitlines knows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LINE_END = /\r\n|[\n\v\f\r\x1c-\x1e\u0085\u2028\u2029]/

function indented(text: string): string[] {
  return text === '' ? [] : text.split(LINE_END).map((line) => (line === '' ? '' : `  ${line}`))
}

function add(lines: string[], header: string, content: readonly string[]): void {
  lines.push(header)
  // A spread of a million lines would not fit the stack.
  for (const line of content) lines.push(line)
}

/** Lines of a text; of a long one its first three quarters and last quarter of the `limit`. */
function cut(text: string, limit: number, n: number): string[] {
  if (text.length <= limit) return indented(text)
  const length = lengthOf(text)
  if (length <= limit) return indented(text)
  const head = Math.floor((limit * 3) / 4)
  const left = `[${n}] … ${(length - limit).toLocaleString('en-US')} characters left out …`
  const tail = text.slice(placeOf(text, head - limit))
  return [...indented(text.slice(0, placeOf(text, head))), left, ...indented(limit === head ? '' : tail)]
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000
const isPair = (text: string, at: number) => isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))

/** The number of its code points. */
function lengthOf(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at += isPair(text, at) ? 2 : 1) length++
  return length
}

/** Where so many code points are over; from the end, if negative. */
function placeOf(text: string, points: number): number {
  let at = points < 0 ? text.length : 0
  for (let i = 0; i < points; i++) at += isPair(text, at) ? 2 : 1
  for (let i = 0; i > points; i--) at -= isPair(text, at - 2) ? 2 : 1
  return at
}

/** Characters that end a line, steer a terminal or the direction of text, or are not visible. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A name, id or address in a header. */
const named = (name: string): string =>
  [...name.slice(0, 200).replace(UNSAFE, '\ufffd')].slice(0, 64).join('')

const nameAndId = (name: string, id: string | undefined): string =>
  [named(name), id === undefined || id === null ? '' : `(${named(String(id))})`].filter(Boolean).join(' ')

function resultHeader({ n, tool = '', id, error, called }: ChatMessage): string {
  const of = nameAndId(tool, id)
  return `[${n}] tool ${of && `${of} `}${error ? 'fails' : 'returns'}${called === false ? ', which no message calls' : ''}`
}

function mediaWords({ kind, source, k }: Media): string {
  if (kind !== 'image') return `has a part "${named(kind)}", not shown`
  return `shows image ${k ?? ''}${source === undefined ? '' : ` (${named(imageWords(source))})`}`
}

/** The text of a call's arguments, and whether they are JSON. */
function argumentsOf(call: Call, json: JsonText): { text: string; valid: boolean } {
  const given = call.arguments
  if (given === null || given === undefined || given === '') return { text: '', valid: true }
  if (typeof given !== 'string') return { text: json.stringify(given), valid: true }
  return { text: given, valid: valueOfJson(given) !== undefined }
}

/** The value of a JSON text; undefined for any other text. */
export function valueOfJson(text: string, json: JsonText = JSON): unknown {
  try {
    return json.parse(text)
  } catch {
    return undefined
  }
}
