/** OpenAI's responses API. Field names as in OpenAI's API reference (2026). Answers are stored only if `store` is true. */
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import { answerOf, objectsIn, stringIn, tokenCount, usageIn } from './_answer.ts'
import { openaiEndpoint } from './_openai.ts'
import { badResponse, checkError, type Provider } from './_provider.ts'
import { defined, mergedParams, RequestReader, setParams, type TextPart } from './_request.ts'

/** The smallest max_output_tokens that the API accepts. */
const LEAST = 16
/** Parameters with the same name in this API. */
const SAME = [
  'temperature',
  'top_p',
  'service_tier',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
]

export const provider: Provider = {
  ...openaiEndpoint('/responses'),

  prepare(params) {
    const request = new RequestReader(params, 'the responses API')
    const own = request.keep(...SAME)
    const schema = request.schema()
    const logprobs = request.take('logprobs')
    const effort = request.take('reasoning_effort')
    const verbosity = request.take('verbosity')
    const stored = request.take('store')
    const limit = request.take('max_completion_tokens', 'max_tokens')
    const { system, turns } = request.conversation()
    const format =
      schema === true ? { type: 'json_object' } : schema && { type: 'json_schema', strict: false, ...schema }
    setParams(own, {
      input: [
        ...system.map(({ text }) => ({ role: 'system', content: text })),
        ...turns.map(({ role, parts }) => ({ role, content: contentOf(parts) })),
      ],
      max_output_tokens: limit === undefined ? undefined : Math.max(LEAST, limit),
      reasoning: effort === undefined ? undefined : { effort },
      text: defined({ format, verbosity }),
      include: logprobs === true ? ['message.output_text.logprobs'] : undefined,
      top_logprobs: request.take('top_logprobs'),
      store: stored ?? false,
    })
    return mergedParams(own, request.rest())
  },

  read(body) {
    checkError(body)
    if (!Array.isArray(body.output)) throw badResponse('the answer has no output')
    const items = body.output.filter(isObject)
    const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsIn(content))
    const texts = parts.filter(({ type }) => type === 'output_text')
    const text = texts.map((part) => String(part.text ?? '')).join('')
    const reasoning = items
      .filter(({ type }) => type === 'reasoning')
      .flatMap(({ summary }) => objectsIn(summary).map((part) => String(part.text ?? '')))
      .join('\n')
    const refusal = parts.find(({ type }) => type === 'refusal')
    if (refusal && text === '') throw new RowFailure('refused', `the model refused: ${refusal.refusal}`)
    const logprobs = texts.flatMap((part) => objectsIn(part.logprobs))
    return answerOf({
      text,
      reasoning,
      finish: finishOf(body),
      thought: items.some(({ type }) => type === 'reasoning'),
      refusal: "the endpoint's content filter withheld the reply",
      model: body.model,
      usage: usageOf(body),
      logprobs: logprobs.length > 0 ? { content: logprobs } : undefined,
    })
  },

  usage: usageOf,
}

/** Why it ended: any status but `completed` stands for itself, if no reason is given. */
function finishOf(body: JsonObject): string | null {
  const status = stringIn(body, 'status')
  if (status === 'completed') return 'stop'
  return (isObject(body.incomplete_details) && stringIn(body.incomplete_details, 'reason')) || status
}

function usageOf({ usage, service_tier }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const within = (details: unknown, name: string) => (isObject(details) ? tokenCount(details[name]) : 0)
  return usageIn({
    prompt: tokenCount(usage.input_tokens),
    completion: tokenCount(usage.output_tokens),
    cached: within(usage.input_tokens_details, 'cached_tokens'),
    reasoning: within(usage.output_tokens_details, 'reasoning_tokens'),
    tier: service_tier,
  })
}

/** A text, or with images a list of parts. */
const contentOf = (parts: readonly TextPart[]) =>
  parts.some(({ image }) => image)
    ? parts.map(({ text, image }) =>
        image
          ? { type: 'input_image', image_url: image.url, detail: image.detail ?? 'auto' }
          : { type: 'input_text', text },
      )
    : parts.map(({ text }) => text).join('')
