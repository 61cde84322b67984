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
  ...['project_id', 'space_id', 'stream', 'questions', 'state'],
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
/** What is known besides names. */
const RENAMED = `${MAX_TOKENS} is sent as ${INSTEAD}`
const FORMAT = 'response_format'
const NO_SCHEMA =
  'the JSON schema of the reply is refused and no longer sent (jb-render --no-schema leaves it out)'
/** Servers name a schema in many ways, and what they take for one: a grammar, a tool. */
const ABOUT_SCHEMA =
  /response.?format|json.?(schema|object)|schema|grammar|structured|\btools?\b|tool_choice/i

/** What is no longer sent, and the message about it. */
type Refusals = Map<string, string>

/** What an endpoint refuses. */
export class ParameterFallback {
  private readonly learnt: Refusals = new Map()

  /** For the request of one row. */
  request(): RequestFallback {
    return new RequestFallback(this.learnt)
  }
}

/**
 * What is left out of one row's request. A refusal may be about this row alone, whatever it names: only when the same request
 * is accepted without the parameter is it left out for the whole endpoint.
 */
export class RequestFallback {
  private readonly learnt: Refusals
  private readonly own: Refusals = new Map()

  /** @param learnt what the endpoint refuses */
  constructor(learnt: Refusals) {
    this.learnt = learnt
  }

  /** The parameters to send. */
  apply(params: Params): Params {
    if (this.learnt.size === 0 && this.own.size === 0) return params
    const refused = (name: string) => this.own.has(name) || this.learnt.has(name)
    const kept: Params = new Map()
    for (const [key, value] of params) {
      // The other name may be refused as well.
      const name = key === MAX_TOKENS && refused(RENAMED) ? INSTEAD : key
      if (!refused(name)) kept.set(name, value)
    }
    return kept
  }

  /**
   * Reads a 400 or 422 to a request with these parameters.
   * @param plain the parameters as OpenAI names them, which an error of some APIs may refer to
   * @returns whether the request is now another one, to be sent at once
   */
  refused(exchange: HttpResponse, sent: Params, plain: Params = sent): boolean {
    for (const params of [sent, plain]) {
      const refusal = refusalIn(exchange, params)
      if (!refusal) continue
      this.own.set(...refusal)
      // The same request would be refused again, without end.
      if (differ(this.apply(params), params)) return true
    }
    return false
  }

  /** The request was accepted. @returns messages about what is no longer sent to the endpoint */
  accepted(): string[] {
    const fresh = [...this.own].filter(([name]) => !this.learnt.has(name))
    for (const [name, message] of fresh) this.learnt.set(name, message)
    return fresh.map(([, message]) => message)
  }
}

/** What a 400 or 422 says that the server does not take, and the message. */
function refusalIn({ status, body }: HttpResponse, sent: Params): [string, string] | undefined {
  if (status !== 400 && status !== 422) return undefined
  const error = errorObject(body)
  const words = `${error.message ?? ''} ${error.code ?? ''} ${error.param ?? ''}`
  if (sent.get(FORMAT)?.includes('json_schema') && ABOUT_SCHEMA.test(words)) return [FORMAT, NO_SCHEMA]
  const key = refusedKey(words, error.param, sent)
  if (!key) return undefined
  if (key === MAX_TOKENS && words.includes(INSTEAD)) return [RENAMED, RENAMED]
  return [key, `${key} is refused and no longer sent`]
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
