/** Results of promptfoo (0.123, src/types/index.ts): an export as JSON, or a result a line. A row is a result. */
import { writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { recordedRow, rowsMade } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import type { Format } from './_format.ts'
import { parsedText, saidIn } from './_threads.ts'

export const format: Format = {
  about: 'promptfoo results (promptfoo export, or --output FILE.json) → a row a result, with its messages',
  async *read(sources, options, context) {
    for await (const batch of eitherRows(sources, options, context, 'results.results'))
      yield batch.flatMap((row) =>
        rowsMade(row, (one) => {
          const { results } = isObject(one.item.results) ? one.item.results : one.item
          if (!Array.isArray(results)) return resultRow(one)
          // A whole export in one line.
          return results.flatMap((result) =>
            rowsMade(Row.make(Object(result) as object, row.file, row.line), resultRow),
          )
        }),
      )
  },
}

/** What promptfoo calls a failed run, unlike a wrong answer: ResultFailureReason.ERROR. */
const ERROR = 2

/** @throws RowFailure */
function resultRow(row: Row): Row {
  const { item } = row
  const { testIdx, promptIdx = 0, vars = {}, success, score = null, gradingResult } = item
  if (success === undefined || testIdx === undefined)
    throw new RowFailure('missing_field', 'no "testIdx" and "success": this is no result of promptfoo')
  const provider = isObject(item.provider) ? (item.provider.id ?? null) : (item.provider ?? null)
  const response = isObject(item.response) ? item.response : {}
  const { output = null } = response
  const error = errorOf(item, response)
  const question = askedIn(item.prompt)
  return recordedRow(
    {
      id: `${testIdx}/${promptIdx}/${provider}`,
      provider,
      vars,
      messages: messagesIn(item, response, question, output),
      question,
      answer: output === null || typeof output === 'string' ? output : writtenJson(output),
      // The score of a failed run is 0, and says nothing of an answer.
      ...(error === null && { pass: success, score }),
      assertions: assertionsIn(gradingResult),
    },
    error,
    row,
  )
}

/** Why a run failed; null where it has an output, also one that its assertions refuse: "error" then has their words. */
function errorOf({ failureReason, error }: JsonObject, response: JsonObject): Json {
  const isError =
    failureReason === undefined
      ? (response.error ?? null) !== null || (response.output ?? null) === null
      : failureReason === ERROR
  return isError ? (response.error ?? error ?? (failureReason === ERROR ? 'failed' : null)) : null
}

function assertionsIn(grading: Json | undefined): JsonObject[] {
  const components = isObject(grading) ? grading.componentResults : []
  return (Array.isArray(components) ? components : []).filter(isObject).map((component) => {
    const { type = null, value = null } = isObject(component.assertion) ? component.assertion : {}
    const { pass = null, score = null, reason = null } = component
    return { type, value, pass, score, reason }
  })
}

/** The prompt: a text, or messages. */
function askedIn(prompt: Json | undefined): string | Json[] {
  const raw = isObject(prompt) ? (prompt.raw ?? null) : (prompt ?? null)
  const asked = parsedText(raw)
  const isChat = Array.isArray(asked) && asked.every((one) => isObject(one) && 'role' in one)
  return isChat ? asked : typeof raw === 'string' ? raw : writtenJson(raw)
}

function messagesIn(
  { metadata }: JsonObject,
  response: JsonObject,
  question: string | Json[],
  output: Json,
): Json[] {
  for (const held of [metadata, response.metadata])
    if (isObject(held) && Array.isArray(held.messages)) return held.messages
  const asked = typeof question === 'string' ? [{ role: 'user', content: question }] : question
  return [...asked, ...saidIn(output, 'assistant')]
}
