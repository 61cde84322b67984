/** Files of OpenAI's Batch API (its reference, "The request input and output object"): a row a `custom_id`. */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { saidIn } from './_threads.ts'

/** What the lines of one id hold; a request comes before the answers to it, or after. */
interface Asked {
  place: Row
  body?: JsonObject
  answer?: JsonObject
}

export const format: Format = {
  about: 'OpenAI Batch API: input, output and error files together → a row a custom_id, with its messages',
  async *read(sources, _options, context) {
    const open = new Map<string, Asked>()
    const done = new Set<string>()
    for await (const batch of context.rows(sources)) {
      const made = batch.flatMap((row) => rowsMade(row, (one) => taken(one, row, open, done)))
      if (made.length > 0) yield made
    }
    if (context.stop.aborted) return
    const asked = [...open.values()]
    const without = asked.filter(({ body }) => !body).length
    if (without > 0) context.note(`${without} answers have no request in the files given`)
    for (const one of asked) yield rowsMade(one.place, () => rowOf(one))
  },
}

/** Adds a line to those of its id. @returns the row of an id that has its request and a good answer */
function taken({ item }: Row, row: Row, open: Map<string, Asked>, done: Set<string>): Row[] {
  const { custom_id: id, body, response = null, error = null } = item
  if (typeof id !== 'string' || !(isObject(body) || response !== null || error !== null))
    return [
      lacking(row, 'openai-batch', 'no "custom_id" with a body or a response: no line of the Batch API'),
    ]
  if (done.has(id)) return []
  const asked = open.get(id) ?? { place: Row.make({ id }, row.file, row.line) }
  open.set(id, asked)
  // What was sent again has another answer: the first without an error counts.
  if (isObject(body)) asked.body = body
  else if (wrongIn(asked.answer) !== undefined) asked.answer = { response, error }
  if (!asked.body || wrongIn(asked.answer) !== undefined) return []
  open.delete(id)
  done.add(id)
  return [rowOf(asked)]
}

function rowOf({ place, body = {}, answer }: Asked): Row {
  const replied = answer && isObject(answer.response) ? answer.response.body : undefined
  const reply = isObject(replied) ? replied : {}
  const { instructions } = body
  const choice = Array.isArray(reply.choices) ? reply.choices[0] : undefined
  const message = isObject(choice) ? choice.message : undefined
  const error = wrongIn(answer)
  return Row.make(
    {
      ...place.item,
      model: body.model ?? reply.model ?? null,
      messages: [
        ...(typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []),
        ...saidIn(body.messages ?? body.input, 'user'),
        ...(error === undefined ? (message ? [message] : saidIn(reply.output, 'assistant')) : []),
      ],
      ...(body.tools !== undefined && { tools: body.tools }),
      ...(error !== undefined && { error }),
    },
    place.file,
    place.line,
  )
}

/** Why a line has no answer: `CODE: MESSAGE`. */
function wrongIn(answer: JsonObject | undefined): string | undefined {
  if (!answer) return 'no answer in the files given'
  const { response, error } = answer
  const { status_code: status = 200, body } = isObject(response) ? response : {}
  const own = isObject(error)
    ? error
    : Number(status) >= 400 && isObject(body) && isObject(body.error)
      ? body.error
      : undefined
  if (own)
    return [own.code ?? own.type, own.message].filter((one): one is Json => (one ?? null) !== null).join(': ')
  if (!isObject(response)) return 'no response'
  return Number(status) >= 400 ? `HTTP ${status}` : undefined
}
