/** OpenAI's legacy text completions API, which vLLM, llama.cpp and others support. */

import { isObject, RowFailure } from '../rows/record.ts'
import { stringIn } from './_answer.ts'
import { choiceAnswer, firstChoice, openaiEndpoint, openaiUsage } from './_openai.ts'
import { jsonText, type Params, parsed } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'

export const provider: Provider = {
  ...openaiEndpoint('/completions'),

  prepare(given) {
    const params = withLogprobs(given)
    const messages = params.get('messages')
    if (!messages || params.has('prompt')) return params
    // Messages become a prompt: their texts, with blank lines between them.
    const asPrompt = new Map(params)
    asPrompt.delete('messages')
    const texts = (parsed(messages) as { content: unknown }[]).map(({ content }) => textOf(content))
    return asPrompt.set('prompt', jsonText(texts.join('\n\n')))
  },

  read(body) {
    checkError(body)
    const choice = firstChoice(body)
    const { text, message } = choice
    if (typeof text !== 'string' && text !== null) throw badResponse('the answer has a choice without text')
    const reasoning = isObject(message) ? stringIn(message, 'reasoning_content') : null
    return choiceAnswer(body, choice, text ?? '', reasoning ?? undefined)
  },

  usage: openaiUsage,
  takesN: true,
}

/** @throws RowFailure for parts that are no text */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content)
  return content
    .map((part) => {
      if (isObject(part) && typeof part.text === 'string') return part.text
      throw new RowFailure('bad_request', 'text completions take no images: use --api chat')
    })
    .join('\n')
}

/** Translates `logprobs` and `top_logprobs` of chat completions: here `logprobs` is a number of tokens, at most 5. */
function withLogprobs(params: Params): Params {
  const logprobs = params.get('logprobs')
  if (logprobs !== 'true' && logprobs !== 'false') return params
  const own = new Map(params)
  const count = Number(own.get('top_logprobs') ?? 0)
  own.delete('top_logprobs')
  own.delete('logprobs')
  return logprobs === 'true' ? own.set('logprobs', jsonText(Math.min(5, count))) : own
}
