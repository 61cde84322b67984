/** Answers in OpenAI's words, from what other APIs call them. */
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import type { Answer } from './_provider.ts'

/** What was counted: `prompt` and `completion` with all their parts. Absent counts are 0. */
export interface Counts {
  prompt: number
  completion: number
  /** Prompt tokens read from the provider's cache, and those written to it. */
  cached?: number
  written?: number
  /** Of the written ones, those cached for an hour. */
  written1h?: number
  reasoning?: number
  /** Where another price holds: flex, priority, batch. */
  tier?: unknown
}

/** The objects of a list; none where it is not a list. */
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

/** The fields of an answer. A text field that is not a string is absent. */
interface Parts {
  text: string
  reasoning?: string
  /** Why it ended, in the words of chat completions. */
  finish: string | null
  /** Whether tokens went into reasoning, where the text of it does not say so. */
  thought?: boolean
  /** The message where a content filter left no words. */
  refusal: string
  model?: unknown
  usage: Usage | undefined
  logprobs?: unknown
  /** The stop sequence that ended the text. */
  stop?: unknown
}

/** @throws RowFailure truncated where the token limit was reached before any text, refused where a filter withheld it */
export function answerOf({
  text,
  reasoning,
  finish,
  thought,
  refusal,
  model,
  usage,
  logprobs,
  stop,
}: Parts): Answer {
  if (text.trim() === '') {
    if (finish === 'content_filter') throw new RowFailure('refused', refusal)
    const spent = reasoning || thought ? ', all went into reasoning' : ''
    if (finish === 'length')
      throw new RowFailure('truncated', `no words within the token limit${spent}: raise --max-tokens`)
  }
  const answer: Answer = reasoning
    ? { text, reasoning, finish_reason: finish }
    : { text, finish_reason: finish }
  if (typeof model === 'string') answer.served_model = model
  if (usage) answer.usage = usage
  if (logprobs !== undefined && logprobs !== null) answer.logprobs = logprobs
  if (typeof stop === 'string') answer.stop_text = stop
  return answer
}
