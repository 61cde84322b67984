/** OpenAI's chat completions, which most servers support: vLLM, Ollama, LiteLLM, llama.cpp, OpenRouter. */
import { isObject, type JsonObject, RowFailure } from '../rows/record.ts'
import { stringIn } from './_answer.ts'
import { choiceAnswer, firstChoice, openaiEndpoint, openaiUsage } from './_openai.ts'
import { jsonText, parsed } from './_params.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'

export const provider: Provider = {
  ...openaiEndpoint('/chat/completions'),

  prepare(params) {
    const messages = params.get('messages')
    if (messages && !endsWithAssistant(messages)) return params
    const asChat = new Map(params)
    if (!messages) {
      // A completion's prompt becomes one user message.
      const content = parsed(params.get('prompt')!)
      asChat.delete('prompt')
      return asChat.set('messages', jsonText([{ role: 'user', content }]))
    }
    // For a prefill, vLLM and compatible servers need both.
    return asChat.set('add_generation_prompt', jsonText(false)).set('continue_final_message', jsonText(true))
  },

  read(body) {
    checkError(body)
    const choice = firstChoice(body)
    const { message } = choice
    if (!isObject(message)) throw badResponse('the answer has a choice without a message')
    const content = contentText(message.content)
    const text = content || toolText(message)
    const refusal = stringIn(message, 'refusal')
    if (!text && refusal) throw new RowFailure('refused', `the model refused: ${refusal}`)
    const reasoning = firstString(message.reasoning_content, message.reasoning)
    const answer = choiceAnswer(body, choice, text ?? '', reasoning)
    return content ? answer : { ...answer, finish_reason: 'tool_calls' }
  },

  usage: openaiUsage,
  takesN: true,
}

function endsWithAssistant(messages: string): boolean {
  // For a single user message, searching one character is five times as fast.
  if (messages.startsWith('[{"role":"user"') && messages.indexOf('{', 2) < 0) return false
  if (!messages.includes('"assistant"')) return false
  const list = parsed(messages) as { role?: unknown }[]
  return list.at(-1)?.role === 'assistant'
}

/** The text of content that is a string or a list of parts. */
function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

/** The arguments of the first tool call, used as reply. */
function toolText(message: JsonObject): string | undefined {
  const call = Array.isArray(message.tool_calls) ? message.tool_calls[0] : undefined
  const named = isObject(call) ? call.function : undefined
  return isObject(named) && typeof named.arguments === 'string' ? named.arguments : undefined
}

const firstString = (...values: unknown[]) =>
  values.find((value): value is string => typeof value === 'string' && value !== '')
