/**
 * IBM watsonx.ai's chat API, which is close to OpenAI's: the body names model and project, and an API key is exchanged for
 * a token that is valid for an hour (IBM Cloud IAM). Field names as in IBM's API reference.
 */

import { monotonicMs } from '../rows/clock.ts'
import { foreignObject } from '../rows/foreign_json.ts'
import { configError, isObject, RowFailure } from '../rows/record.ts'
import type { Access } from './_access.ts'
import { objectsIn } from './_answer.ts'
import { openaiUsage } from './_openai.ts'
import { bodyOf, jsonText } from './_params.ts'
import type { Provider } from './_provider.ts'
import { siblingUrl, withPath } from './_url.ts'
import { provider as chat } from './chat.ts'

const PATH = '/ml/v1/text/chat'
const VERSION = '2025-02-06'
const IAM = 'https://iam.cloud.ibm.com'
/** A token is renewed this many seconds before it expires. */
const EARLY = 120

export const provider: Provider = {
  path: PATH,
  url(base, _model, env) {
    const url = withPath(base, PATH, '')
    if (!url.searchParams.has('version')) url.searchParams.set('version', env.WATSONX_API_VERSION || VERSION)
    return url
  },
  base: '{WATSONX_URL|WATSONX_API_BASE}',
  keyNames: ['WATSONX_TOKEN', 'WATSONX_APIKEY', 'WATSONX_API_KEY'],
  baseNames: [],

  headers: (key, _url, env): Record<string, string> =>
    key !== undefined && key === env.WATSONX_TOKEN?.trim() ? { authorization: `Bearer ${key}` } : {},

  authorize({ env, key, ...access }) {
    if (key === undefined || key === env.WATSONX_TOKEN?.trim()) return undefined
    let token: Promise<Token> | undefined
    return async () => {
      const last = token
      const known = await last?.catch(() => undefined)
      // Of concurrent requests, only the first fetches a new token.
      if (token === last && (!known || isOver(known)))
        token = newToken(key, env.WATSONX_IAM_URL || IAM, access)
      return { authorization: `Bearer ${(await token!).value}` }
    }
  },

  prepare(params, env) {
    const own = new Map(chat.prepare(params, env))
    // vLLM's own parameters.
    own.delete('add_generation_prompt')
    own.delete('continue_final_message')
    if (own.has('project_id') || own.has('space_id')) return own
    const project = env.WATSONX_PROJECT_ID
    const space = env.WATSONX_SPACE_ID
    if (project) return own.set('project_id', jsonText(project))
    if (space) return own.set('space_id', jsonText(space))
    throw configError('watsonx: set WATSONX_PROJECT_ID or WATSONX_SPACE_ID')
  },

  body: (params, model) => bodyOf(new Map([['model_id', jsonText(model)], ...params])),

  models: {
    url: (url) => siblingUrl(url, '/ml/v1/foundation_model_specs', PATH),
    read: ({ resources }) => objectsIn(resources).map(({ model_id }) => String(model_id)),
  },

  read(body) {
    // Errors are a list, each with a code and a message.
    const [error] = Array.isArray(body.errors) ? body.errors : []
    if (isObject(error)) throw new RowFailure('bad_response', `the answer is an error: ${error.message}`)
    return chat.read({ ...body, model: body.model_id ?? body.model ?? null })
  },

  usage: openaiUsage,
}

interface Token {
  value: string
  /** Time of expiry by each of the clocks, in ms. */
  until: number[]
}

/** The first clock cannot be adjusted; the second also runs while the machine sleeps. */
const clocks = () => [monotonicMs(), Date.now()]

const isOver = ({ until }: Token) => clocks().some((now, i) => now > until[i]!)

/** @throws RowFailure if the key is refused, or there is no answer */
async function newToken(
  key: string,
  iam: string,
  { post, hide }: Pick<Access, 'post' | 'hide'>,
): Promise<Token> {
  const form = new URLSearchParams({ grant_type: 'urn:ibm:params:oauth:grant-type:apikey', apikey: key })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const answer = await post(new URL('/identity/token', iam), headers, Buffer.from(form.toString()))
  if (answer instanceof RowFailure) throw answer
  const granted = foreignObject(answer.body.toString()) ?? {}
  if (answer.status >= 500 || answer.status === 429)
    throw new RowFailure('unavailable', `no token from ${iam}: HTTP ${answer.status}`, { retryable: true })
  if (typeof granted.access_token !== 'string')
    throw new RowFailure('auth', `no token from ${iam}: ${granted.errorMessage ?? `HTTP ${answer.status}`}`, {
      status: 401,
    })
  hide(granted.access_token)
  const seconds = Number(granted.expires_in ?? 0) || 3600
  return {
    value: granted.access_token,
    until: clocks().map((now) => now + Math.max(1, seconds - EARLY) * 1000),
  }
}
