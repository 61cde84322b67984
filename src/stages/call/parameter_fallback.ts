/**
 * Drops parameters that a server's 400 names as unsupported. Reasoning models refuse `temperature` and `max_tokens`; many
 * servers refuse a JSON schema.
 */
import type { Params } from '../../providers/_params.ts'
import { errorObject } from './http/failure.ts'
import type { HttpResponse } from './http/transfer.ts'

/** Parameters that are never dropped. */
const NEEDED = new Set([
  ...['messages', 'prompt', 'input', 'contents', 'generationConfig', 'inferenceConfig', 'options'],
  ...['project_id', 'space_id', 'stream'],
])
const REFUSAL =
  /unsupported|not support|unknown|unrecognized|unexpected|not permitted|not allowed|not accepted|extra|cannot find field|deprecated|invalid|cannot both|incompatible|only the default/i
/** Only the value is wrong, which the user must correct. */
const VALUE =
  /too (large|small|long|high|low|many)|must be|at (most|least)|greater|less than|out of range|range:|maximum|exceed/i
const UNKNOWN =
  /unsupported|not support|unknown|unrecognized|unexpected|not permitted|extra|only the default/i
/** The old and the new name of the limit on tokens. */
const MAX_TOKENS = 'max_tokens'
const INSTEAD = 'max_completion_tokens'
/** What is learnt besides names. */
const RENAMED = `${MAX_TOKENS} is sent as ${INSTEAD}`
const FORMAT = 'response_format'
const NO_SCHEMA =
  'the JSON schema of the reply is refused and no longer sent (jb-render --no-schema leaves it out)'
/** Servers name a schema in many ways, and what they take for one: a grammar, a tool. */
const ABOUT_SCHEMA =
  /response.?format|json.?(schema|object)|schema|grammar|structured|\btools?\b|tool_choice/i

export class ParameterFallback {
  /** Names of parameters that are no longer sent, and {@link RENAMED}. */
  private readonly learnt = new Set<string>()

  /** The parameters that this server accepts. */
  apply(params: Params): Params {
    const { learnt } = this
    if (learnt.size === 0) return params
    const kept: Params = new Map()
    for (const [key, value] of params) {
      // The other name may be refused as well.
      const name = key === MAX_TOKENS && learnt.has(RENAMED) ? INSTEAD : key
      if (!learnt.has(name)) kept.set(name, value)
    }
    return kept
  }

  /**
   * Learns from a 400 or 422 to a request with these parameters.
   * @param plain the parameters as OpenAI names them, which an error of some APIs may refer to
   * @returns a message, '' if another call has learnt the same, undefined if there is nothing to change
   */
  learn(exchange: HttpResponse, sent: Params, plain: Params = sent): string | undefined {
    for (const params of [sent, plain]) {
      const note = this.refusal(exchange, params)
      // The same request would be refused again, without end.
      if (note !== undefined && differ(this.apply(params), params)) return note
    }
    return undefined
  }

  private refusal(exchange: HttpResponse, sent: Params): string | undefined {
    if (exchange.status !== 400 && exchange.status !== 422) return undefined
    const error = errorObject(exchange.body)
    const words = `${error.message ?? ''} ${error.code ?? ''} ${error.param ?? ''}`
    if (sent.get(FORMAT)?.includes('json_schema') && ABOUT_SCHEMA.test(words))
      return this.noteOnce(FORMAT, NO_SCHEMA)
    const key = refusedKey(words, error.param, sent)
    if (!key) return undefined
    if (key === MAX_TOKENS && words.includes(INSTEAD)) return this.noteOnce(RENAMED)
    return this.noteOnce(key, `${key} is refused and no longer sent`)
  }

  private noteOnce(fact: string, note = fact): string {
    const known = this.learnt.has(fact)
    this.learnt.add(fact)
    return known ? '' : note
  }
}

const differ = (a: Params, b: Params): boolean =>
  a.size !== b.size || [...a].some(([key, value]) => b.get(key) !== value)

/** The parameter that an error names, if it was sent and can be dropped. */
function refusedKey(words: string, param: unknown, sent: Params): string | undefined {
  if (!REFUSAL.test(words) || (VALUE.test(words) && !UNKNOWN.test(words))) return undefined
  const named = typeof param === 'string' ? param.split(/[.[]/)[0]! : ''
  if (sent.has(named)) return NEEDED.has(named) ? undefined : named
  const mentioned = [...sent.keys()].filter((key) => !NEEDED.has(key) && mentions(words, key))
  // Of `temperature` and `top_p`, which some models refuse together, temperature is kept.
  return mentioned.length > 1 && mentioned.includes('top_p') ? 'top_p' : mentioned[0]
}

/** Whether the error mentions the name; a short word (`stop`, `n`) must be quoted or beside a colon. */
function mentions(words: string, key: string): boolean {
  const name = key.replace(/\W/g, '\\$&')
  const plain = /^[a-z]{1,6}$/.test(key)
  const form = plain ? `['"\`]${name}['"\`]|\\b${name}:|: ${name}\\b` : `(?<![\\w-])${name}(?![\\w-])`
  return new RegExp(form).test(words)
}
