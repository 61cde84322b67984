/**
 * The parameters of a request in OpenAI's terms, taken one by one by a provider that has other names for them. A parameter
 * that is left in the end has no translation: the request fails and names it; nothing is left out silently.
 */
import { isObject, type JsonObject, RowFailure } from '../rows/record.ts'
import { jsonText, type Params, parsed } from './_params.ts'

/** Values that are the same as no value. */
const NEUTRAL: Record<string, readonly unknown[]> = {
  n: [1],
  best_of: [1],
  frequency_penalty: [0],
  presence_penalty: [0],
  logprobs: [false],
  top_logprobs: [0],
  echo: [false],
  store: [false],
  service_tier: ['auto'],
}

/** The names of OpenAI's parameters: any other name that is left is the API's own. */
const OPENAI_NAMES = new Set([
  ...['temperature', 'top_p', 'n', 'best_of', 'seed', 'stop', 'max_tokens', 'max_completion_tokens'],
  ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'echo', 'suffix'],
  ...['response_format', 'reasoning_effort', 'verbosity', 'modalities', 'audio', 'prediction'],
  ...['tools', 'tool_choice', 'functions', 'function_call', 'parallel_tool_calls', 'web_search_options'],
  ...['service_tier', 'store', 'metadata', 'user', 'safety_identifier', 'stream_options'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
])

export class RequestReader {
  private readonly left: Params
  private readonly api: string

  /** @param api in messages: `the Gemini API` */
  constructor(params: Params, api: string) {
    this.left = new Map(params)
    this.api = api
  }

  /** A parameter's value, by the first of these names that is there; undefined for null and {@link NEUTRAL} values. */
  // biome-ignore lint/suspicious/noExplicitAny: a parameter holds whatever its user put there
  take(...names: string[]): any {
    let found: unknown
    for (const name of names) {
      const text = this.left.get(name)
      this.left.delete(name)
      const value = text === undefined ? undefined : parsed(text)
      if (value === null || value === undefined || NEUTRAL[name]?.includes(value)) continue
      found ??= value
    }
    return found
  }

  /** The parameters that have the same name in this API, unchanged. */
  keep(...names: string[]): Params {
    const kept: Params = new Map()
    for (const name of names) {
      const text = this.left.get(name)
      if (text !== undefined) kept.set(name, text)
      this.left.delete(name)
    }
    return kept
  }

  /** A parameter with a list of values, as this API names the value. @throws RowFailure for another value */
  choice(name: string, words: Record<string, string>): string | undefined {
    const value = this.take(name)
    if (value === undefined) return undefined
    const word = Object.hasOwn(words, value) ? words[value] : undefined
    if (word === undefined) throw this.refusal(`"${name}": ${JSON.stringify(value)}`, name)
    return word
  }

  /** @throws RowFailure that names a parameter that is left: this API has none like it */
  refuseRest(): void {
    for (const name of [...this.left.keys()])
      if (this.take(name) !== undefined) throw this.refusal(`"${name}"`, name)
  }

  /**
   * The parameters that are left and not OpenAI's: they are the API's own, which refuses what it does not know.
   * @throws RowFailure that names one of OpenAI's that this API does not have
   */
  rest(): Params {
    const own = new Map([...this.left].filter(([name]) => !OPENAI_NAMES.has(name)))
    for (const name of own.keys()) this.left.delete(name)
    this.refuseRest()
    return own
  }

  refusal(what: string, name: string): RowFailure {
    return new RowFailure('bad_request', `${this.api} has no ${what} (--param ${name}= leaves it out)`)
  }

  /** Leaves out `top_p` at temperature 0, where it has no effect. Newer Claude models refuse the two together. */
  withoutIdleTopP(): this {
    const temperature = this.left.get('temperature')
    if (temperature !== undefined && Number(temperature) === 0) this.left.delete('top_p')
    return this
  }

  /** The JSON schema that the answer is to have, `true` for any JSON, undefined for text. @throws RowFailure */
  schema(): { name: string; schema: JsonObject; strict?: boolean } | true | undefined {
    const format = this.take('response_format')
    if (format === undefined || format.type === 'text') return undefined
    if (format.type === 'json_object') return true
    const wanted = format.json_schema
    if (format.type !== 'json_schema' || !isObject(wanted?.schema))
      throw this.refusal(`"response_format": ${JSON.stringify(format.type)}`, 'response_format')
    return {
      name: String(wanted.name ?? 'reply'),
      schema: wanted.schema,
      ...(wanted.strict !== undefined && { strict: wanted.strict }),
    }
  }

  /** The stop sequences. */
  stop(): string[] | undefined {
    const stop = this.take('stop')
    return stop === undefined ? undefined : [stop].flat()
  }

  /** The messages, with the system's apart. @throws RowFailure if a message has more than text */
  conversation(): Conversation {
    const prompt = this.take('prompt')
    const messages: { role: string; content: unknown }[] = this.take('messages') ?? [
      { role: 'user', content: prompt },
    ]
    const system: TextPart[] = []
    const turns: Turn[] = []
    for (const { role, content } of messages)
      if (role === 'system' || role === 'developer') system.push(...this.parts(content))
      else turns.push({ role: role === 'assistant' ? 'assistant' : 'user', parts: this.parts(content) })
    if (turns.length === 0)
      throw new RowFailure('bad_request', `${this.api} needs a message that is not the system’s`)
    return { system, turns }
  }

  private parts(content: unknown): TextPart[] {
    const list = Array.isArray(content) ? content : [{ type: 'text', text: String(content ?? '') }]
    return list.map((part) => {
      if (isObject(part) && typeof part.text === 'string')
        return { text: part.text, cached: isObject(part.cache_control) ? part.cache_control : undefined }
      throw new RowFailure(
        'bad_request',
        `jb-call sends text alone to ${this.api}, and a message holds ${JSON.stringify(isObject(part) ? part.type : part)}`,
      )
    })
  }
}

/** A piece of a message's text; `cached` marks the end of a prompt prefix for the provider's cache. */
export interface TextPart {
  text: string
  cached?: JsonObject | undefined
}

interface Turn {
  role: 'user' | 'assistant'
  parts: TextPart[]
}

export interface Conversation {
  system: TextPart[]
  turns: Turn[]
}

/** The parameters of all; of two with one name the later one counts. */
export const mergedParams = (...all: Params[]): Params => new Map(all.flatMap((params) => [...params]))

/** Sets the parameters whose value is not undefined. */
export function setParams(params: Params, values: Record<string, unknown>): Params {
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) params.set(name, jsonText(value))
  return params
}

/** The object without members that are undefined; undefined where none is left. */
export function defined(values: Record<string, unknown>): Record<string, unknown> | undefined {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
