/** Answers in OpenAI's words, from what other APIs call them. */
import type { Usage } from '../rows/record.ts'
import { RowFailure } from '../rows/record.ts'

/** What was counted: `prompt` and `completion` with all their parts. Absent counts are 0. */
export interface Counts {
  prompt: number
  completion: number
  /** Prompt tokens that the provider had kept, and those that it keeps from now on. */
  cached?: number
  written?: number
  /** Those of them that it keeps for an hour. */
  written1h?: number
  reasoning?: number
  /** Where another price holds: flex, priority, batch. */
  tier?: unknown
}

/** Tiers that cost what the price list says. */
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

export const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

/** @throws RowFailure truncated where the limit was reached before a word was said, refused where nothing may be said */
export function checkWords(text: string, finish: string | null, reasoning: boolean, refusal: string): void {
  if (text.trim() !== '') return
  if (finish === 'content_filter') throw new RowFailure('refused', refusal)
  if (finish === 'length')
    throw new RowFailure(
      'truncated',
      `no words within the token limit${reasoning ? ', all went into reasoning' : ''}: raise --max-tokens`,
    )
}
