/**
 * How a generation ended, by the name that an API gives to it. The one list of these names, for calls and for readers of
 * saved replies.
 *
 * Sources: the API references (2026) of OpenAI, Azure, Anthropic, Gemini, Bedrock, Mistral, Cohere, DeepSeek, watsonx, xAI and
 * Ollama; the sources of vLLM, SGLang, TGI and llama.cpp; inspect_ai's logs.
 */

/**
 * `whole`: the model ended its answer. `cut`: a limit ended it. `refused`: the model or a filter withheld (a part of) it.
 * `broken`: the generation failed, is not over, or was ended from outside. `unknown`: a name that is in none of the lists.
 */
type Ending = 'whole' | 'cut' | 'refused' | 'broken' | 'unknown'

const NAMES: Record<Exclude<Ending, 'unknown'>, readonly string[]> = {
  whole: [
    ...['stop', 'stop_sequence', 'end_turn', 'complete', 'eos', 'eos_token', 'word'],
    ...['tool_calls', 'tool_call', 'tool_use', 'function_call'],
  ],
  cut: [
    ...['length', 'max_tokens', 'max_output_tokens', 'token_limit', 'max_len', 'limit', 'time_limit'],
    ...['model_length', 'model_context_window_exceeded'],
  ],
  refused: [
    ...[
      'content_filter',
      'content_filtered',
      'refusal',
      'guardrail_intervened',
      'model_armor',
      'error_toxic',
    ],
    ...['safety', 'recitation', 'language', 'blocklist', 'prohibited_content', 'spii'],
  ],
  broken: [
    ...[
      'error',
      'failed',
      'abort',
      'aborted',
      'cancelled',
      'canceled',
      'user_cancel',
      'interrupted',
      'timeout',
    ],
    ...['in_progress', 'queued', 'incomplete', 'not_finished', 'pause_turn', 'done: false', 'load', 'unload'],
    ...['other', 'malformed_response', 'malformed_function_call', 'malformed_model_output'],
    ...['malformed_tool_use', 'unexpected_tool_call', 'too_many_tool_calls', 'missing_thought_signature'],
    ...['insufficient_system_resource', 'error_limit'],
  ],
}

const ENDINGS = new Map(
  Object.entries(NAMES).flatMap(([ending, names]) => names.map((name) => [name, ending as Ending] as const)),
)

/** The end that a finish reason names, in any letter case. A server that gives none (null, undefined, '') means `whole`. */
export function endingOf(reason: string | null | undefined): Ending {
  if (!reason) return 'whole'
  return ENDINGS.get(reason) ?? ENDINGS.get(reason.toLowerCase()) ?? 'unknown'
}
