/** Answers that a server streams although it was not asked to. */

import { foreignJson } from '../rows/foreign_json.ts'
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { byIndex, objectsIn } from './_answer.ts'
import { badResponse, checkError } from './_provider.ts'

/** Comments, and fields without data, of server-sent events (WHATWG HTML, section 9.2). */
const NO_DATA = /^(:|event:|id:|retry:|\s*$)/
const LINE_END = /\r\n?|\n/
const DONE = /^(data:)?\s*\[DONE\]\s*$/

/** An event of this name says that the stream failed, whatever its data are. */
const ERROR_EVENT = /^event:[ \t]*error[ \t]*$/

/** What the error event of a stream says; undefined if it has none. */
export function streamError(text: string): string | undefined {
  const lines = text.split(LINE_END)
  const from = lines.findIndex((line) => ERROR_EVENT.test(line))
  if (from < 0) return undefined
  const said = lines.slice(from + 1)
  const end = said.indexOf('')
  const data = said.slice(0, end < 0 ? undefined : end).map((line) => line.replace(/^data:\s?/, ''))
  return data.join(' ').slice(0, 200)
}

/**
 * The JSON values in a stream of server-sent events, and whether OpenAI's `[DONE]` ends it. Comment lines may also stand
 * before plain JSON, and `[DONE]` behind it.
 * @throws SyntaxError
 */
export function streamedValues(text: string): { values: unknown[]; done: boolean } {
  const lines = text.split(LINE_END)
  const data = lines
    .filter((line) => !NO_DATA.test(line) && !DONE.test(line))
    .map((line) => line.replace(/^data:/, ''))
  const done = lines.some((line) => DONE.test(line))
  try {
    return { values: [foreignJson(data.join('\n'))], done }
  } catch {
    return { values: data.map(foreignJson), done }
  }
}

/**
 * The whole answer of OpenAI's chunks (`chat.completion.chunk`), or the one answer in the stream.
 * @param done the stream has its `[DONE]`
 * @throws RowFailure bad_response if an event is an error, or the stream broke off. `[DONE]` may also end a stream that failed:
 *   if there are events that are no chunks, only a finish reason says that the answer is whole
 */
export function joinedChunks(events: JsonObject[], done: boolean): JsonObject {
  const body: JsonObject = {}
  const choices = new Map<unknown, JsonObject>()
  for (const event of events) {
    checkError(event)
    for (const [name, value] of Object.entries(event)) if (value !== null) body[name] = value
    for (const chunk of objectsIn(event.choices))
      choices.set(chunk.index, appended(choices.get(chunk.index) ?? {}, chunk))
  }
  const ordered = [...choices.values()].sort(byIndex)
  const whole = ordered.map(({ delta, ...choice }) => (delta ? { ...choice, message: delta } : choice))
  const isEnded = whole.every(({ finish_reason }) => finish_reason)
  if (!isEnded && !(done && events.every((event) => Array.isArray(event.choices))))
    throw badResponse('the server streams its answer, unasked, and the stream broke off')
  return { ...body, choices: whole }
}

/** Members whose later value replaces the earlier one. */
const REPLACED = new Set(['role', 'type', 'id', 'name', 'index', 'finish_reason', 'stop_reason'])

/** What was read so far, with a chunk's texts and lists at the end of its own. */
function appended(whole: JsonObject, chunk: JsonObject): JsonObject {
  const joined = { ...whole }
  for (const [key, more] of Object.entries(chunk))
    if (more !== null) joined[key] = joinedValue(key, whole[key], more)
  return joined
}

function joinedValue(key: string, before: Json | undefined, more: Json): Json {
  if (key === 'tool_calls') {
    const calls = [...objectsIn(before)]
    for (const call of objectsIn(more)) {
      const at = Number(call.index ?? 0)
      calls[at] = appended(calls[at] ?? {}, call)
    }
    return calls
  }
  if (REPLACED.has(key)) return more
  if (typeof before === 'string' && typeof more === 'string') return before + more
  if (Array.isArray(before) && Array.isArray(more)) return [...before, ...more]
  return isObject(before) && isObject(more) ? appended(before, more) : more
}
