/** Reads a server's answer. */
import { byIndex, objectsIn } from '../../providers/_answer.ts'
import type { Params } from '../../providers/_params.ts'
import { type Answer, badResponse, type Provider } from '../../providers/_provider.ts'
import { streamError, streamedValues } from '../../providers/_stream.ts'
import type { Question } from '../../rows/questions.ts'
import { isObject, type JsonObject, RowFailure } from '../../rows/record.ts'
import type { Secrets } from './http/secrets.ts'
import type { HttpResponse } from './http/transfer.ts'

/** What reading an answer needs of its request. */
interface Asked {
  provider: Provider
  /** A tool call can be the answer: the request has tools, or a schema, which some gateways translate to one. */
  tools: boolean
  /** It has several answers. */
  several?: boolean
  /** Those that it answers, of a decision model. */
  questions?: readonly Question[] | undefined
}

/** Whether a tool call answers a request with these parameters. */
export const asksForTools = (params: Params): boolean =>
  ['tools', 'functions', 'response_format'].some((name) => params.has(name))

/** @throws RowFailure bad_response, refused, truncated */
export function readAnswer({ body, headers }: HttpResponse, asked: Asked, secrets: Secrets): Answer {
  const value = parse(body, headers['content-type'], asked.provider, secrets)
  if (!isObject(value))
    throw new RowFailure('bad_response', 'the answer is not a JSON object', { retryable: true })
  return asked.several ? readAll(value, asked) : readBody(value, asked)
}

/** Reads several answers: the first whole one, which has their usage, and with it all. @throws RowFailure if none is whole */
function readAll(body: JsonObject, asked: Asked): Answer {
  const all = objectsIn(body.choices)
    .sort(byIndex)
    .map((choice) => {
      try {
        return readBody({ ...body, choices: [choice] }, asked)
      } catch (error) {
        if (error instanceof RowFailure) return error
        throw error
      }
    })
  const first = all.find((one): one is Answer => !(one instanceof RowFailure))
  if (!first) return readBody(body, asked)
  for (const one of all) {
    if (one instanceof RowFailure) delete one.detail.usage
    else if (one !== first) delete one.usage
  }
  return Object.assign(first, { all })
}

/** Reads a parsed body. A failure has its usage: those tokens were paid for. */
export function readBody(body: JsonObject, { provider, tools, questions }: Asked): Answer {
  try {
    const answer = provider.read(body, questions)
    if (!tools && (answer.finish_reason === 'tool_calls' || answer.finish_reason === 'function_call'))
      throw badResponse('the answer is a tool call, and the request has no tools')
    if (isDeep(answer.usage) || isDeep(answer.logprobs)) throw tooDeep()
    return answer
  } catch (error) {
    // JSON.stringify overflows the stack at some thousand levels.
    const failure = error instanceof RangeError ? tooDeep() : error
    const usage = failure instanceof RowFailure ? provider.usage(body) : undefined
    if (usage && !isDeep(usage)) (failure as RowFailure).detail.usage = usage
    throw failure
  }
}

/** The most levels of nesting in an answer. */
const DEEPEST = 100
const tooDeep = () => new RowFailure('bad_response', `the answer is nested more than ${DEEPEST} levels deep`)

function isDeep(value: unknown, levels = DEEPEST): boolean {
  if (value === null || typeof value !== 'object') return false
  if (levels === 0) return true
  for (const key in value) if (isDeep((value as JsonObject)[key], levels - 1)) return true
  return false
}

function parse(body: Buffer, type: string | undefined, provider: Provider, secrets: Secrets) {
  try {
    return secrets.readJson(body)
  } catch {
    return secrets.readJson(Buffer.from(JSON.stringify(streamed(body, type, provider, secrets))))
  }
}

/** The answer in a body that is more than JSON. @throws RowFailure bad_response */
function streamed(body: Buffer, type: string | undefined, provider: Provider, secrets: Secrets): unknown {
  if (body.length === 0) throw badResponse('the answer is empty')
  const text = body.toString()
  const error = streamError(text)
  if (error !== undefined) throw badResponse(`the stream ended with an error: ${secrets.hide(error)}`)
  let stream: ReturnType<typeof streamedValues>
  try {
    stream = streamedValues(text)
  } catch {
    const start = JSON.stringify(secrets.hide(text).slice(0, 80))
    throw badResponse(`the answer is not JSON (content type ${type ?? 'not given'}): ${start}`)
  }
  const { values, done } = stream
  if (provider.join) return joined(values, done, provider)
  if (values.length === 1) return values[0]
  throw badResponse(`the server streams its answer, unasked (content type ${type ?? 'not given'})`)
}

/** A failure has the usage that an event told: those tokens were paid for. @throws RowFailure bad_response */
function joined(values: readonly unknown[], done: boolean, provider: Provider): JsonObject {
  const events = values.filter(isObject)
  try {
    const other = values.find((value) => !isObject(value) && value !== null)
    if (other !== undefined)
      throw badResponse(`the stream has an event that is no object: ${JSON.stringify(other).slice(0, 80)}`)
    return provider.join!(events, done)
  } catch (error) {
    if (!(error instanceof RowFailure)) throw error
    const usage = events.map((event) => provider.usage(event)).findLast((one) => one !== undefined)
    if (usage && !isDeep(usage)) error.detail.usage = usage
    throw error
  }
}
