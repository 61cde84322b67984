/**
 * Ollama's own API, with parameters in `options` and a schema in `format`. Field names as in Ollama's API documentation
 * (2026). `--api chat` uses its OpenAI-compatible API under /v1.
 */
import { isObject, type JsonObject, type Usage } from '../rows/record.ts'
import { answerOf, objectsIn, stringIn, tokenCount, usageIn } from './_answer.ts'
import { bodyOf } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { bytesOf, defined, RequestReader, setParams } from './_request.ts'
import { mapPath, siblingUrl } from './_url.ts'

const PATH = '/api/chat'
const EFFORTS = { none: 'none', minimal: 'low', low: 'low', medium: 'medium', high: 'high' }

export const provider: Provider = {
  path: PATH,
  url: (base) => mapPath(base, (given) => given.replace(/\/api(\/chat)?$/, '') + PATH),
  base: 'http://localhost:11434',
  keyNames: ['OLLAMA_API_KEY'],
  baseNames: ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL'],

  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: bodyOf,

  models: {
    url: (url) => siblingUrl(url, '/api/tags', /\/api\/chat.*$/),
    read: ({ models }) => objectsIn(models).map(({ name }) => String(name)),
  },

  prepare(params) {
    const request = new RequestReader(params, 'Ollama’s API')
    const own = request.keep('keep_alive', 'think')
    const native = request.take('options')
    const schema = request.schema()
    const { system, turns } = request.conversation()
    const effort = request.choice('reasoning_effort', EFFORTS)
    setParams(own, {
      messages: [
        ...system.map(({ text }) => ({ role: 'system', content: text })),
        ...turns.map(({ role, parts }) => {
          const images = parts.flatMap(({ image }) => (image ? [bytesOf(image, 'Ollama’s API').data] : []))
          const texts = parts.flatMap(({ text, image }) => (image ? [] : [text]))
          const content = texts.join(images.length > 0 ? '\n' : '')
          return { role, content, ...(images.length > 0 && { images }) }
        }),
      ],
      stream: false,
      format: schema === true ? 'json' : schema?.schema,
      think: effort === 'none' ? false : effort,
      logprobs: request.take('logprobs'),
      top_logprobs: request.take('top_logprobs'),
      options: defined({
        ...native,
        temperature: request.take('temperature'),
        top_p: request.take('top_p'),
        top_k: request.take('top_k'),
        min_p: request.take('min_p'),
        num_predict: request.take('max_completion_tokens', 'max_tokens'),
        stop: request.stop(),
        seed: request.take('seed'),
        frequency_penalty: request.take('frequency_penalty'),
        presence_penalty: request.take('presence_penalty'),
        repeat_penalty: request.take('repetition_penalty'),
      }),
    })
    request.refuseRest()
    return own
  },

  read(body) {
    checkError(body)
    const { message } = body
    if (!isObject(message)) throw badResponse('the answer has no message')
    return answerOf({
      text: typeof message.content === 'string' ? message.content : '',
      reasoning: typeof message.thinking === 'string' ? message.thinking : '',
      finish: body.done === false ? 'done: false' : stringIn(body, 'done_reason'),
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
