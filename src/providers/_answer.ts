/** Translates other APIs' answers and token counts to OpenAI's names. */
import { endingOf } from '../rows/finish_reason.ts'
import { isObject, type JsonObject, RowFailure, type Usage } from '../rows/record.ts'
import { type Answer, badResponse, EmptyAnswer } from './_provider.ts'

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

/** The order of choices: a server may send them in any. */
export const byIndex = (a: JsonObject, b: JsonObject): number =>
  typeof a.index === 'number' && typeof b.index === 'number' ? a.index - b.index : 0

/** A member that is a string; null if it is anything else, or empty. */
export const stringIn = (object: JsonObject, key: string): string | null => {
  const value = object[key]
  return typeof value === 'string' && value !== '' ? value : null
}

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
  /** Why the generation ended, as the API names it; null if it does not say. */
  finish: string | null
  /** What the server says about the end. */
  endWords?: unknown
  /** Whether the model spent tokens on reasoning that the answer does not contain. */
  thought?: boolean
  /** The error message if all text is withheld. */
  refusal: string
  model?: unknown
  usage: Usage | undefined
  logprobs?: unknown
  /** The stop sequence that ended the text. */
  stop?: unknown
}

/** The names of chat completions. A tool call may be what was asked for, which the caller knows. */
const NAMES: Record<'whole' | 'cut' | 'refused', string> = {
  whole: 'stop',
  cut: 'length',
  refused: 'content_filter',
}
const TOOL_CALLS = new Set(['tool_calls', 'function_call'])

/**
 * @throws RowFailure bad_response if the generation is broken, EmptyAnswer if it is whole without a text; if there is no text,
 *   truncated for a limit, refused for a filter
 */
export function answerOf(parts: Parts): Answer {
  const ending = checkedEnding(parts)
  const { text, reasoning, finish, model, usage, logprobs, stop } = parts
  const isKept = finish === null || TOOL_CALLS.has(finish) || ending === 'unknown'
  const finish_reason = isKept ? finish : NAMES[ending]
  const answer: Answer = { text, ...(reasoning && { reasoning }), finish_reason }
  if (typeof model === 'string') answer.served_model = model
  if (usage) answer.usage = usage
  if (logprobs !== undefined && logprobs !== null) answer.logprobs = logprobs
  if (typeof stop === 'string') answer.stop_text = stop
  return answer
}

function checkedEnding({ text, reasoning, finish, endWords, thought, refusal }: Parts) {
  const ending = endingOf(finish)
  if (ending === 'broken') {
    const words = typeof endWords === 'string' && endWords !== '' ? `: ${endWords}` : ''
    throw badResponse(`the answer is not whole: it ended with ${JSON.stringify(finish)}${words}`)
  }
  if (text.trim() !== '') return ending
  if (ending === 'refused') throw new RowFailure('refused', refusal)
  const spent = reasoning || thought ? ', all went into reasoning' : ''
  if (ending === 'cut')
    throw new RowFailure('truncated', `no words within the token limit${spent}: raise --max-tokens`)
  throw new EmptyAnswer(reasoning ? '; the model answered in its reasoning' : spent)
}
