/**
 * OpenAI's parameters, which a provider with other names takes one by one. A parameter that remains has no translation:
 * the request fails and names it; nothing is dropped silently.
 */
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { jsonText, type Params, parsed } from './_params.ts'

/** Values with the same effect as no value. */
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

/** OpenAI's parameters; any other is the API's own. */
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

  /** @param api its name in messages: `the Gemini API` */
  constructor(params: Params, api: string) {
    this.left = new Map(params)
    this.api = api
  }

  /** Takes the parameters with these names and returns the first value that is not null or {@link NEUTRAL}. */
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

  /** Takes parameters that have the same name in this API, unchanged. */
  keep(...names: string[]): Params {
    const kept: Params = new Map()
    for (const name of names) {
      const text = this.left.get(name)
      if (text !== undefined) kept.set(name, text)
      this.left.delete(name)
    }
    return kept
  }

  /** Takes a parameter and translates its value by `words`. @throws RowFailure for any other value */
  choice(name: string, words: Record<string, string>): string | undefined {
    const value = this.take(name)
    if (value === undefined) return undefined
    const word = Object.hasOwn(words, value) ? words[value] : undefined
    if (word === undefined) throw this.refusal(`"${name}": ${JSON.stringify(value)}`, name)
    return word
  }

  /** @throws RowFailure if a parameter remains */
  refuseRest(): void {
    for (const name of [...this.left.keys()])
      if (this.take(name) !== undefined) throw this.refusal(`"${name}"`, name)
  }

  /** Takes the remaining parameters. The server checks them. @throws RowFailure if one of OpenAI's remains */
  rest(): Params {
    const own = new Map([...this.left].filter(([name]) => !OPENAI_NAMES.has(name)))
    for (const name of own.keys()) this.left.delete(name)
    this.refuseRest()
    return own
  }

  refusal(what: string, name: string): RowFailure {
    return new RowFailure('bad_request', `${this.api} has no ${what} (--param ${name}= leaves it out)`)
  }

  /** Drops `top_p` at temperature 0, where it has no effect: newer Claude models refuse the two together. */
  withoutIdleTopP(): this {
    const temperature = this.left.get('temperature')
    if (temperature !== undefined && Number(temperature) === 0) this.left.delete('top_p')
    return this
  }

  /** Takes `response_format`: a JSON schema, `true` for any JSON, undefined for text. @throws RowFailure */
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

  stop(): string[] | undefined {
    const stop = this.take('stop')
    return stop === undefined ? undefined : [stop].flat()
  }

  /** Takes the messages, or the prompt as one message. @throws RowFailure if a message has more than text */
  conversation(): Conversation {
    const prompt = this.take('prompt')
    const messages: { role: string; content: unknown }[] = this.take('messages') ?? [
      { role: 'user', content: prompt },
    ]
    const system: TextPart[] = []
    const turns: Turn[] = []
    for (const { role, content } of messages)
      if (role === 'system' || role === 'developer') system.push(...this.parts(content, false))
      else {
        const isUser = role !== 'assistant'
        turns.push({ role: isUser ? 'user' : 'assistant', parts: this.parts(content, isUser) })
      }
    if (turns.length === 0)
      throw new RowFailure('bad_request', `${this.api} needs a message that is not the system’s`)
    return { system, turns }
  }

  /** @param images whether these may be among them */
  private parts(content: unknown, images: boolean): TextPart[] {
    const list = Array.isArray(content) ? content : [{ type: 'text', text: String(content ?? '') }]
    return list.map((part) => {
      if (isObject(part) && typeof part.text === 'string')
        return { text: part.text, cached: isObject(part.cache_control) ? part.cache_control : undefined }
      const image = isObject(part) && images ? imageOf(part) : undefined
      if (image) return { text: '', image }
      throw new RowFailure(
        'bad_request',
        `jb-call sends only text, and images of users, to ${this.api}, and a message has ${JSON.stringify(isObject(part) ? part.type : part)}`,
      )
    })
  }
}

/** A part of a message; `cached` marks the end of a prefix for the provider's prompt cache. */
export interface TextPart {
  text: string
  cached?: JsonObject | undefined
  /** Then the text is empty. */
  image?: SentImage | undefined
}

/** An image: its bytes in base64, or an address. */
export interface SentImage {
  url: string
  detail?: Json | undefined
  mime?: string
  data?: string
}

/** The image of an OpenAI part; undefined for any other part. */
export function imageOf(part: JsonObject): SentImage | undefined {
  const given = isObject(part.image_url) ? part.image_url : { url: part.image_url }
  if (part.type !== 'image_url' || typeof given.url !== 'string') return undefined
  const { url } = given
  const detail = 'detail' in given ? given.detail : undefined
  const [head, mime] = /^data:(image\/[\w+.-]+);base64,/.exec(url) ?? []
  return { url, detail, ...(head !== undefined && { mime: mime!, data: url.slice(head.length) }) }
}

/** @throws RowFailure for an address, where the API takes only bytes */
export function bytesOf({ url, mime, data }: SentImage, api: string): { mime: string; data: string } {
  if (mime !== undefined && data !== undefined) return { mime, data }
  throw new RowFailure(
    'bad_request',
    `${api} takes the bytes of an image, not ${JSON.stringify(url.slice(0, 100))}`,
  )
}

interface Turn {
  role: 'user' | 'assistant'
  parts: TextPart[]
}

interface Conversation {
  system: TextPart[]
  turns: Turn[]
}

/** Merges parameters; later ones win. */
export const mergedParams = (...all: Params[]): Params => new Map(all.flatMap((params) => [...params]))

/** Sets the parameters whose values are defined. */
export function setParams(params: Params, values: Record<string, unknown>): Params {
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) params.set(name, jsonText(value))
  return params
}

/** The object without undefined members; undefined if it would be empty. */
export function defined(values: Record<string, unknown>): Record<string, unknown> | undefined {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
