/** Translates other APIs' answers and token counts to OpenAI's names. */
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import type { Answer } from './_provider.ts'

/** Token counts. `prompt` and `completion` include all their parts. */
interface Counts {
  prompt: number
  completion: number
  /** Prompt tokens read from the provider's cache, and those written to it. */
  cached?: number
  written?: number
  /** Of the written ones, those cached for an hour. */
  written1h?: number
  reasoning?: number
  /** The service tier: flex, priority, batch. */
  tier?: unknown
}

/** The objects in a list; none if the value is not a list. */
export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Service tiers at list price. */
export const USUAL_TIERS = new Set(['default', 'standard', 'auto', 'on_demand'])

export const tierOf = (tier: unknown): { service_tier?: string } => {
  const name = typeof tier === 'string' ? tier.toLowerCase() : ''
  return name === '' || USUAL_TIERS.has(name) ? {} : { service_tier: name }
}

export function usageIn({ prompt, completion, cached, written, written1h, reasoning, tier }: Counts): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...((cached || written) && {
      prompt_tokens_details: {
        cached_tokens: cached ?? 0,
        ...(written && { cache_creation_tokens: written }),
        ...(written1h && { cache_creation_1h_tokens: written1h }),
      },
    }),
    ...(reasoning && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...tierOf(tier),
  }
}

export const tokenCount = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

interface Parts {
  text: string
  reasoning?: string
  /** The finish reason, as in chat completions. */
  finish: string | null
  /** Whether the model spent tokens on reasoning that the answer does not contain. */
  thought?: boolean
  /** The error message if a content filter removed all text. */
  refusal: string
  model?: unknown
  usage: Usage | undefined
  logprobs?: unknown
  /** The stop sequence that ended the text. */
  stop?: unknown
}

/** @throws RowFailure truncated if the token limit was reached before any text, refused if a filter withheld it */
export function answerOf(parts: Parts): Answer {
  const { text, reasoning, finish, thought, refusal, model, usage, logprobs, stop } = parts
  if (text.trim() === '') {
    if (finish === 'content_filter') throw new RowFailure('refused', refusal)
    const spent = reasoning || thought ? ', all went into reasoning' : ''
    if (finish === 'length')
      throw new RowFailure('truncated', `no words within the token limit${spent}: raise --max-tokens`)
  }
  const answer: Answer = { text, ...(reasoning && { reasoning }), finish_reason: finish }
  if (typeof model === 'string') answer.served_model = model
  if (usage) answer.usage = usage
  if (logprobs !== undefined && logprobs !== null) answer.logprobs = logprobs
  if (typeof stop === 'string') answer.stop_text = stop
  return answer
}
