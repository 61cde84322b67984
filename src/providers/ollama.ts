/**
 * Ollama's own API: its parameters stand in `options`, a schema in `format`, and no key is needed. Field names as in
 * Ollama's API documentation (2026). Its OpenAI-like API under /v1 is spoken to with `--api chat`.
 */
import { isObject, type JsonObject, type Usage } from '../rows/record.ts'
import { answerOf, objectsIn, tokenCount, usageIn } from './_answer.ts'
import { Asked, put, some } from './_asked.ts'
import { bodyOf } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'

const PATH = '/api/chat'
const EFFORTS = { none: 'none', minimal: 'low', low: 'low', medium: 'medium', high: 'high' }

export const provider: Provider = {
  path: PATH,
  url(base) {
    const url = new URL(base)
    const given = url.pathname.replace(/\/+$/, '').replace(/\/api(\/chat)?$/, '')
    url.pathname = `${given}${PATH}`
    return url
  },
  base: 'http://localhost:11434',
  keyNames: ['OLLAMA_API_KEY'],
  baseNames: ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL'],

  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: bodyOf,

  models: {
    url: (url) => new URL(url.href.replace(/\/api\/chat.*$/, '/api/tags')),
    read: ({ models }) => objectsIn(models).map(({ name }) => String(name)),
  },

  prepare(params) {
    const asked = new Asked(params, 'Ollama’s API')
    const own = asked.keep('keep_alive', 'think')
    const native = asked.take('options')
    const schema = asked.schema()
    const { system, turns } = asked.conversation()
    const effort = asked.word('reasoning_effort', EFFORTS)
    put(own, {
      messages: [
        ...system.map(({ text }) => ({ role: 'system', content: text })),
        ...turns.map(({ role, parts }) => ({ role, content: parts.map(({ text }) => text).join('') })),
      ],
      stream: false,
      format: schema === true ? 'json' : schema?.schema,
      think: effort === 'none' ? false : effort,
      logprobs: asked.take('logprobs'),
      top_logprobs: asked.take('top_logprobs'),
      options: some({
        ...native,
        temperature: asked.take('temperature'),
        top_p: asked.take('top_p'),
        top_k: asked.take('top_k'),
        min_p: asked.take('min_p'),
        num_predict: asked.take('max_completion_tokens', 'max_tokens'),
        stop: asked.stop(),
        seed: asked.take('seed'),
        frequency_penalty: asked.take('frequency_penalty'),
        presence_penalty: asked.take('presence_penalty'),
        repeat_penalty: asked.take('repetition_penalty'),
      }),
    })
    asked.end()
    return own
  },

  read(body) {
    checkError(body)
    const { message } = body
    if (!isObject(message) || typeof message.content !== 'string')
      throw badResponse('the answer has no message with content')
    return answerOf({
      text: message.content,
      reasoning: typeof message.thinking === 'string' ? message.thinking : '',
      finish: typeof body.done_reason === 'string' ? body.done_reason : null,
      refusal: 'the reply is withheld',
      model: body.model,
      usage: usageOf(body),
      logprobs: Array.isArray(body.logprobs) ? { content: body.logprobs } : undefined,
    })
  },

  usage: usageOf,
}

function usageOf({ prompt_eval_count, eval_count }: JsonObject): Usage | undefined {
  if (prompt_eval_count === undefined && eval_count === undefined) return undefined
  return usageIn({ prompt: tokenCount(prompt_eval_count), completion: tokenCount(eval_count) })
}
