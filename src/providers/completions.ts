/** OpenAI's legacy text completions API: a prompt and its continuation. vLLM, llama.cpp and others serve it. */

import { isObject } from '../rows/record.ts'
import { choiceAnswer, firstChoice, openaiEndpoint, openaiUsage } from './_openai.ts'
import { jsonText, type Params, parsed } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'

export const provider: Provider = {
  ...openaiEndpoint('/completions'),

  prepare(given) {
    const params = withCount(given)
    const messages = params.get('messages')
    if (!messages || params.has('prompt')) return params
    // Messages put to a completions endpoint: their texts, a blank line between them.
    const asPrompt = new Map(params)
    asPrompt.delete('messages')
    const texts = (parsed(messages) as { content: unknown }[]).map(({ content }) => String(content))
    return asPrompt.set('prompt', jsonText(texts.join('\n\n')))
  },

  textKey: 'text',
  read(body) {
    checkError(body)
    const choice = firstChoice(body)
    if (typeof choice.text !== 'string') throw badResponse('the answer has a choice without text')
    const reasoning = isObject(choice.message) ? choice.message.reasoning_content : undefined
    return choiceAnswer(body, choice, choice.text, typeof reasoning === 'string' ? reasoning : undefined)
  },

  usage: openaiUsage,
}

/** Log probabilities as chat completions ask for them: here `logprobs` is the number of tokens, 5 at most. */
function withCount(params: Params): Params {
  const logprobs = params.get('logprobs')
  if (logprobs !== 'true' && logprobs !== 'false') return params
  const own = new Map(params)
  const count = Number(own.get('top_logprobs') ?? 0)
  own.delete('top_logprobs')
  own.delete('logprobs')
  return logprobs === 'true' ? own.set('logprobs', jsonText(Math.min(5, count))) : own
}
