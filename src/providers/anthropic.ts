/**
 * Anthropic's messages API. Requests are written in OpenAI's terms everywhere else, so they are turned
 * into its own here: the system message apart, `max_tokens` always, a JSON schema as a tool that must be
 * called. Field names as in Anthropic's API reference (version 2023-06-01).
 */
import type { Json, JsonObject, Message, Usage } from '../rows/record.ts'
import { RowFailure } from '../rows/record.ts'
import { bodyOf, jsonText, maxTokens, type Params, parsed } from './_params.ts'
import { type Answer, badResponse, checkError, isObject, type Provider, unanswered } from './_provider.ts'
import { modelList, withPath } from './_url.ts'

const PATH = '/messages'

const MAX_TOKENS = 4096
const STOP: Record<string, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export const provider: Provider = {
  path: PATH,
  // Clients of this API are given the host alone, or a gateway's path: the version is added to any base.
  url: (base) => withPath(base, PATH, '/v1', true),
  base: 'https://api.anthropic.com/v1',
  keyNames: ['ANTHROPIC_API_KEY'],
  baseNames: ['ANTHROPIC_BASE_URL'],

  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }),

  body: bodyOf,
  models: modelList(PATH),

  prepare(params) {
    const own: Params = new Map()
    for (const [key, value] of params) if (!TURNED.has(key)) own.set(key, value)
    const { system, messages } = conversation(params)
    if (system) own.set('system', jsonText(system))
    own.set('messages', jsonText(messages))
    own.set('max_tokens', jsonText(maxTokens(params) ?? MAX_TOKENS))
    const stop = params.get('stop')
    if (stop) own.set('stop_sequences', jsonText([parsed(stop)].flat()))
    const tool = toolFor(params.get('response_format'))
    if (tool)
      own.set('tools', jsonText([tool])).set('tool_choice', jsonText({ type: 'tool', name: tool.name! }))
    return own
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
    const reasoning = texts('thinking', 'thinking').join('\n')
    const usage = usageOf(body)
    const stop = String(body.stop_reason ?? '')
    if (stop === 'refusal' && text === '') throw new RowFailure('refused', 'the model refused')
    if (text.trim() === '' && STOP[stop] === 'length')
      throw new RowFailure('truncated', 'no words within the token limit: raise --max-tokens')
    return {
      text,
      ...(reasoning && { reasoning }),
      finish_reason: STOP[stop] ?? (stop || null),
      ...(typeof body.model === 'string' && { served_model: body.model }),
      ...(usage && { usage }),
      ...(typeof body.stop_sequence === 'string' && { stop_text: body.stop_sequence }),
    } satisfies Answer
  },

  usage: usageOf,

  // Message batches: a request is {custom_id, params}; 100,000 of them or 256 MB a batch.
  batch: {
    requests: 100_000,
    bytes: 256_000_000,
    id: 'custom_id',
    line: (id, body) =>
      Buffer.concat([Buffer.from(`{"custom_id":${JSON.stringify(id)},"params":`), body, Buffer.from('}\n')]),
    result({ result }) {
      if (isObject(result) && result.type === 'succeeded' && isObject(result.message))
        return { status: 200, body: result.message }
      throw unanswered(isObject(result) ? (result.error ?? result.type) : result)
    },
  },
}

/** Parameters that are said otherwise here. What this API has no word for it refuses itself. */
const TURNED = new Set([
  'messages',
  'prompt',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'response_format',
])

function conversation(params: Params): { system: string; messages: Message[] } {
  const given = params.get('messages')
  if (!given) return { system: '', messages: [{ role: 'user', content: parsed(params.get('prompt')!) }] }
  const all = parsed(given) as Message[]
  const system = all.filter(({ role }) => role === 'system').map(({ content }) => content)
  const messages = all.filter(({ role }) => role !== 'system')
  if (messages.length === 0)
    throw new RowFailure('bad_request', 'the messages API needs a message that is not the system’s')
  const last = messages.at(-1)!
  // Words put in the model's mouth may not end in a space.
  if (last.role === 'assistant') messages[messages.length - 1] = { ...last, content: last.content.trimEnd() }
  return { system: system.join('\n\n'), messages }
}

/** A tool whose input has the schema asked for. */
function toolFor(format: string | undefined): JsonObject | undefined {
  if (!format) return undefined
  const { json_schema: asked } = parsed(format) as {
    json_schema?: { name?: string; schema?: Json }
  }
  if (!asked?.schema) return undefined
  return {
    name: asked.name ?? 'reply',
    description: 'Gives the reply in the form asked for.',
    input_schema: asked.schema,
  }
}

function usageOf({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const read = Number(usage.cache_read_input_tokens ?? 0)
  const written = Number(usage.cache_creation_input_tokens ?? 0)
  const prompt = Number(usage.input_tokens ?? 0) + read + written
  const completion = Number(usage.output_tokens ?? 0)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(read > 0 && { prompt_tokens_details: { cached_tokens: read } }),
  }
}
