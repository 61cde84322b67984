/** Files of OpenAI's Batch API (its reference, "The request input and output object"): a row a `custom_id`. */
import { createHash } from 'node:crypto'
import { writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { lacking, recordedRow, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { saidIn } from './_threads.ts'

/** What the lines of one id hold, in files of any order. */
interface Asked {
  place: Row
  request?: Line
  answer?: Line
  /** Why the id names two things. */
  conflict?: string
}

interface Line {
  value: JsonObject
  /** Of the request, or of what was answered. */
  digest: string
  place: string
}

export const format: Format = {
  about: 'OpenAI Batch API: input, output and error files together → a row a custom_id, with its messages',
  async *read(sources, _options, context) {
    const asked = new Map<string, Asked>()
    for await (const batch of context.rows(sources)) {
      const bad = batch.flatMap((row) => rowsMade(row, (one) => addLine(one, row, asked)))
      if (bad.length > 0) yield bad
    }
    if (context.stop.aborted) return
    const without = [...asked.values()].filter(({ request }) => !request).length
    if (without > 0) context.note(`${without} answers have no request in the files given`)
    // In the order of the answers.
    const answered = [...asked.values()].filter(isAnswered)
    const others = [...asked.values()].filter((one) => !isAnswered(one))
    for (const one of [...answered, ...others]) yield rowsMade(one.place, () => rowOf(one))
  },
}

const isAnswered = ({ request, answer }: Asked) =>
  request !== undefined && answer !== undefined && wrongIn(answer.value) === undefined

/** Adds a line to those of its id. @returns the row, if it is none of the Batch API */
function addLine({ item }: Row, row: Row, all: Map<string, Asked>): Row[] {
  const { custom_id: id, body, response = null, error = null } = item
  if (typeof id !== 'string' || !(isObject(body) || response !== null || error !== null))
    return [
      lacking(row, 'openai-batch', 'no "custom_id" with a body or a response: no line of the Batch API'),
    ]
  const asked: Asked = all.get(id) ?? { place: Row.make({ id }, row.file, row.line) }
  const { place } = row
  const before = isAnswered(asked)
  add(asked, { id, body, value: { response, error } }, place)
  if (!before && isAnswered(asked)) all.delete(id)
  all.set(id, asked)
  return []
}

/** Adds a request or an answer. */
function add(
  asked: Asked,
  { id, body, value }: { id: string; body: Json | undefined; value: JsonObject },
  place: string,
): void {
  if (isObject(body)) {
    const line = { value: body, digest: digestOf(body), place }
    if (asked.request && asked.request.digest !== line.digest)
      asked.conflict ??= `two requests have the custom_id ${id}: ${asked.request.place} and ${place}`
    asked.request ??= line
    return
  }
  const line = { value, digest: digestOf(repliedIn(value)), place }
  // What was sent again after an error has another answer.
  if (!asked.answer || wrongIn(asked.answer.value) !== undefined) asked.answer = line
  else if (wrongIn(value) === undefined && asked.answer.digest !== line.digest)
    asked.conflict ??= `two answers have the custom_id ${id}: ${asked.answer.place} and ${place}`
}

const digestOf = (value: Json) => createHash('sha256').update(writtenJson(value)).digest('base64')

/** @throws RowFailure conflict */
function rowOf({ place, request, answer, conflict }: Asked): Row {
  if (conflict !== undefined)
    throw new RowFailure('conflict', `${conflict} (read the files of each batch in a run of their own)`)
  const body = request?.value ?? {}
  const reply = bodyIn(answer?.value)
  const { instructions } = body
  const error = answer ? wrongIn(answer.value) : 'no answer in the files given'
  return recordedRow(
    {
      ...place.item,
      model: body.model ?? reply.model ?? null,
      messages: [
        ...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []),
        ...saidIn(body.messages ?? body.input, 'user'),
        ...(answer && error === undefined ? repliedIn(answer.value) : []),
      ],
      ...(body.tools !== undefined && { tools: body.tools }),
    },
    error,
    place,
  )
}

function bodyIn({ response }: JsonObject = {}): JsonObject {
  const body = isObject(response) ? response.body : undefined
  return isObject(body) ? body : {}
}

/** The messages of an answer, of chat completions or the Responses API. */
function repliedIn(answer: JsonObject): Json[] {
  const { choices, output } = bodyIn(answer)
  const choice = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(choice) ? choice.message : undefined
  return isObject(message) ? [message] : saidIn(output, 'assistant')
}

/** Keys of a message of which one holds what was said: null and an empty list say nothing. */
const SAID = ['content', 'tool_calls', 'function_call', 'refusal', 'audio']

/** Whether a message, or an item of the Responses API, says something. */
const says = (one: Json): boolean =>
  isObject(one) &&
  (typeof one.role === 'string'
    ? SAID.some((key) => (Array.isArray(one[key]) ? one[key].length > 0 : (one[key] ?? null) !== null))
    : one.type !== 'reasoning')

/** Why a line has no answer. */
function wrongIn(answer: JsonObject): Json | undefined {
  const { response, error } = answer
  const { status_code: status = 200 } = isObject(response) ? response : {}
  const own = isObject(error) ? error : (bodyIn(answer).error ?? null)
  if (own !== null) return own
  if (!isObject(response)) return 'no response'
  if (!(Number(status) < 400)) return `HTTP ${status}`
  return repliedIn(answer).some(says) ? undefined : `HTTP ${status} without an answer`
}
