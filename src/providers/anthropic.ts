/**
 * Anthropic's messages API: a separate system prompt, a required `max_tokens`, a JSON schema as a tool that must be called.
 * Field names as in Anthropic's API reference (version 2023-06-01).
 */
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import { answerOf, stringIn, tokenCount, usageIn } from './_answer.ts'
import { idIn, requestLine, unanswered } from './_batch.ts'
import { bodyOf } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { imageOf, mergedParams, RequestReader, setParams } from './_request.ts'
import { modelList, siblingUrl, withPath } from './_url.ts'

const PATH = '/messages'
const OWN_PATH = /\/messages$/
const BATCHES = '/messages/batches'
/** The text around the requests of a batch. */
const LIST = ['{"requests":[', ']}'] as const
const MAX_TOKENS = 4096

const EFFORTS = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' }
/** `auto` is the default. */
const TIERS = { default: 'standard_only', standard_only: 'standard_only' }

export const provider: Provider = {
  path: PATH,
  // Base URLs for this API are often a host or a gateway's path, without version.
  url: (base) => withPath(base, PATH, '/v1', true),
  base: 'https://api.anthropic.com/v1',
  keyNames: ['ANTHROPIC_API_KEY'],
  baseNames: ['ANTHROPIC_BASE_URL'],

  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }),

  body: bodyOf,
  models: modelList(PATH),

  prepare(params) {
    const request = new RequestReader(params, 'the messages API').withoutIdleTopP()
    const own = request.keep('temperature', 'top_p', 'metadata')
    const schema = request.schema()
    if (schema === true) throw request.refusal('"response_format": "json_object"', 'response_format')
    const { system, messages } = conversation(request.take('messages'), request.take('prompt'))
    const effort = request.choice('reasoning_effort', EFFORTS)
    const cache: JsonObject | undefined = request.take('cache_control')
    setParams(own, {
      system: systemPrompt(system, cache),
      messages,
      max_tokens: request.take('max_tokens', 'max_completion_tokens') ?? MAX_TOKENS,
      stop_sequences: request.stop(),
      // At the top level it applies to the whole prompt.
      cache_control: system.length === 0 ? cache : undefined,
      output_config: effort && { effort },
      service_tier: request.choice('service_tier', TIERS),
      tools: schema ? [toolFor(schema)] : request.take('tools'),
      tool_choice: schema ? { type: 'tool', name: schema.name } : request.take('tool_choice'),
    })
    return mergedParams(own, request.rest())
  },

  read(body) {
    checkError(body)
    const { content } = body
    if (!Array.isArray(content)) throw badResponse('the answer has no content')
    const blocks = content.filter(isObject)
    const texts = (type: string, field: string) =>
      blocks.filter((block) => block.type === type).map((block) => String(block[field] ?? ''))
    const tool = blocks.find((block) => block.type === 'tool_use')
    const text = tool ? JSON.stringify(tool.input) : texts('text', 'text').join('')
    return answerOf({
      text,
      reasoning: texts('thinking', 'thinking').join('\n'),
      finish: stringIn(body, 'stop_reason'),
      refusal: 'the model refused',
      model: body.model,
      usage: usageOf(body),
      stop: body.stop_sequence,
    })
  },

  usage: usageOf,

  // Message batches: {custom_id, params}; at most 100,000 requests or 256 MB a batch.
  batch: {
    requests: 100_000,
    bytes: 256_000_000,
    id: 'custom_id',
    line: (id, body) => requestLine({ custom_id: id }, 'params', body),
    result({ result }) {
      if (isObject(result) && result.type === 'succeeded' && isObject(result.message))
        return { status: 200, body: result.message }
      throw unanswered(isObject(result) ? (result.error ?? result.type) : result)
    },
    jobs: {
      // One request with all lines as a list.
      async start(_uploaded, file, { url, send }) {
        const body = {
          size: file.size - 1 + LIST.join('').length,
          open: () => asList(file.open(), file.size),
        }
        return idIn(await send({ method: 'POST', url: siblingUrl(url, BATCHES, OWN_PATH), body }), 'id')
      },
      async state(id, _file, { url, send }) {
        const batch = await send({ method: 'GET', url: siblingUrl(url, `${BATCHES}/${id}`, OWN_PATH) })
        const counts = isObject(batch.request_counts) ? batch.request_counts : {}
        const ended = batch.processing_status === 'ended'
        const lost = ['errored', 'canceled', 'expired'].map((key) => tokenCount(counts[key]))
        return {
          phase: ended ? 'ended' : 'waiting',
          status: String(batch.processing_status),
          completed: tokenCount(counts.succeeded),
          failed: lost.reduce((sum, one) => sum + one, 0),
          // Not `results_url`: the key must only be sent to the user's endpoint.
          results: ended ? [siblingUrl(url, `${BATCHES}/${id}/results`, OWN_PATH)] : [],
        }
      },
    },
  },
}

/** Turns lines into a list: each newline but the last becomes a comma. @param size in bytes */
async function* asList(lines: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  yield Buffer.from(LIST[0])
  let at = 0
  for await (const bytes of lines) {
    const piece = Buffer.from(bytes)
    for (let i = piece.indexOf(10); i >= 0; i = piece.indexOf(10, i + 1)) piece[i] = COMMA
    at += piece.length
    yield at === size ? piece.subarray(0, -1) : piece
  }
  yield Buffer.from(LIST[1])
}

const COMMA = 44

/** The system prompt as one string, or as blocks if any of it is to be cached. */
function systemPrompt(contents: Content[], cache: JsonObject | undefined): Content | undefined {
  if (contents.length === 0) return undefined
  if (cache === undefined && contents.every((content) => typeof content === 'string'))
    return contents.join('\n\n')
  const blocks = contents.flatMap((content): JsonObject[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  )
  if (cache) blocks[blocks.length - 1] = { ...blocks.at(-1), cache_control: cache }
  return blocks
}

/** Text, or content blocks. */
type Content = string | JsonObject[]
type Turn = { role: string; content: Content }

function conversation(given: Turn[] | undefined, prompt: unknown): { system: Content[]; messages: Turn[] } {
  if (!given) return { system: [], messages: [{ role: 'user', content: String(prompt) }] }
  const ofSystem = ({ role }: Turn) => role === 'system' || role === 'developer'
  const system = given.filter(ofSystem).map(({ content }) => content)
  const messages = given.filter((turn) => !ofSystem(turn))
  if (messages.length === 0)
    throw new RowFailure('bad_request', 'the messages API needs a message that is not the system’s')
  const last = messages.at(-1)!
  // A prefill must not end with a space.
  if (last.role === 'assistant' && typeof last.content === 'string')
    messages[messages.length - 1] = { ...last, content: last.content.trimEnd() }
  return { system: system.filter((content) => content !== ''), messages: messages.map(withImages) }
}

/** OpenAI's parts with images as blocks; other blocks are the API's own. */
function withImages(turn: Turn): Turn {
  const { content } = turn
  if (!Array.isArray(content)) return turn
  const blocks = content.map((block) => {
    const image = isObject(block) ? imageOf(block) : undefined
    if (!image) return block
    const { url, mime, data } = image
    const source = data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mime, data }
    return { type: 'image', source }
  })
  return { ...turn, content: blocks as JsonObject[] }
}

const toolFor = ({ name, schema }: { name: string; schema: JsonObject }): JsonObject => ({
  name,
  description: 'Gives the reply in the form asked for.',
  input_schema: schema,
})

function usageOf({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const cached = tokenCount(usage.cache_read_input_tokens)
  const written = tokenCount(usage.cache_creation_input_tokens)
  const kept = isObject(usage.cache_creation) ? usage.cache_creation : {}
  return usageIn({
    prompt: tokenCount(usage.input_tokens) + cached + written,
    completion: tokenCount(usage.output_tokens),
    cached,
    written,
    written1h: tokenCount(kept.ephemeral_1h_input_tokens),
    tier: usage.service_tier,
  })
}
