/**
 * The other calls to an endpoint wait for the first one. If it fails for a reason that holds for all calls (no server,
 * invalid key, unknown model), the run ends with a message that says what to set. Where the reason may be this one request,
 * the next call decides. A call without an answer after two seconds counts as accepted.
 */

import { nearest } from '../../options/nearest.ts'
import { foreignObject } from '../../rows/foreign_json.ts'
import { getOrInsert } from '../../rows/maps.ts'
import { EXIT, RowFailure } from '../../rows/record.ts'
import type { CallContext } from './channel.ts'
import { DEFAULT_BASE, type Endpoint } from './endpoint.ts'
import { HttpFailure } from './http/failure.ts'
import { Halted } from './limits/gate.ts'
import { UNREACHABLE } from './limits/pace.ts'

/** ms after which a call that was sent counts as accepted. */
const ACCEPTED_MS = 2000
const LIST_TIMEOUT_MS = 5000
const SHOWN = 8

/** Why no call can succeed. */
interface Diagnosis {
  exitCode: number
  message: string
  /** The answer says so. Otherwise it may be about one request, and another one decides. */
  sure: boolean
  status?: unknown
}

/** What is known of an endpoint. */
interface Check {
  /** Calls go side by side. */
  open: boolean
  /** It has answered a request, or refused one for what the request says: no later failure is about the endpoint. */
  known: boolean
  /** The call in progress that decides. */
  deciding?: Promise<void> | undefined
  /** A failure that may be about all requests. */
  doubt?: Diagnosis
}

export class Preflight {
  private readonly run: Pick<CallContext, 'http' | 'end'>
  private readonly checks = new Map<Endpoint, Check>()

  constructor(run: Pick<CallContext, 'http' | 'end'>) {
    this.run = run
  }

  /**
   * Makes the first call at once, all others when the endpoint has accepted it.
   * @param call gets whether it is alone, and a function to call when it has been sent
   * @throws Halted if the call ended the run
   */
  async call<T>(endpoint: Endpoint, call: (alone: boolean, sent: () => void) => Promise<T>): Promise<T> {
    const check = getOrInsert(this.checks, endpoint, (): Check => ({ open: false, known: false }))
    while (!check.open && check.deciding) await check.deciding
    if (check.known) return call(false, () => {})
    if (check.open)
      return this.examined(
        check,
        endpoint,
        call(false, () => {}),
      )
    let sent = () => {}
    const accepted = new Promise<void>((resolve) => {
      sent = () => setTimeout(resolve, ACCEPTED_MS).unref()
    })
    const result = this.examined(
      check,
      endpoint,
      call(true, () => sent()),
    )
    const settled = result.then(
      () => {},
      () => {},
    )
    check.deciding = Promise.race([accepted.then(() => void (check.open = true)), settled])
    settled.then(() => {
      check.deciding = undefined
    })
    return result
  }

  /** Why the run got no answer, if its only failures left that in doubt. */
  conclusion(): Diagnosis | undefined {
    return [...this.checks.values()].find(({ known, doubt }) => !known && doubt)?.doubt
  }

  private async examined<T>(check: Check, endpoint: Endpoint, call: Promise<T>): Promise<T> {
    try {
      const result = await call
      check.known = true
      check.open = true
      return result
    } catch (error) {
      if (check.known || !(error instanceof RowFailure)) throw error
      const found = await this.diagnosis(endpoint, error)
      if (found && (found.sure || found.status === check.doubt?.status)) {
        this.run.end(found.exitCode, found.message)
        throw new Halted()
      }
      if (found) check.doubt = found
      else {
        check.open = true
        check.known ||= error instanceof HttpFailure && !error.detail.retryable
      }
      throw error
    }
  }

  /** Why no other call can succeed; undefined if they may. */
  private async diagnosis(endpoint: Endpoint, failure: RowFailure): Promise<Diagnosis | undefined> {
    const { code, message, detail } = failure
    if (!(failure instanceof HttpFailure)) {
      if (code !== 'unavailable' || (detail.retryable && !UNREACHABLE.has(detail.cause))) return undefined
      const advice = detail.retryable
        ? ` (${endpoint.baseFrom === DEFAULT_BASE ? '--base-url names another endpoint' : `${endpoint.baseFrom} names it`})`
        : ''
      const words = `cannot reach ${endpoint.label}: ${message}${advice}`
      return { exitCode: EXIT.unavailable, message: words, sure: true }
    }
    if (code === 'refused' || NO_ROUTE.test(message)) return undefined
    return this.refusal(endpoint, failure)
  }

  /** What a server's refusal says about all requests. */
  private async refusal(endpoint: Endpoint, failure: HttpFailure): Promise<Diagnosis | undefined> {
    const { label, keyFrom, key, model, provider } = endpoint
    const { message, status, error } = failure
    if (status === 401) return { exitCode: EXIT.auth, message: refusedKey(endpoint, message), sure: true }
    if (status === 403) {
      const advice = key ? `the key is read from ${keyFrom}` : `no key is sent; set ${keyFrom}`
      const words = `${label} forbids the request (${message}): ${advice}`
      return { exitCode: EXIT.auth, message: words, sure: false, status }
    }
    if (status >= 300 && status < 400)
      return { exitCode: EXIT.config, message: `${label}: ${message}`, sure: true }
    const about = modelRefused(failure, endpoint)
    if (about) {
      const known = await this.knownModels(endpoint)
      const words = `no model "${model}" at ${label}${known} (-m NAME; the server says: ${message})`
      return { exitCode: EXIT.config, message: words, sure: about === 'sure', status }
    }
    if (status !== 404 && status !== 405) return undefined
    const prompted =
      provider.path === '/completions' ? ' (asked for a judge with "prompt": chat needs "messages")' : ''
    const advice = `--base-url is the part before ${provider.path}, most often with /v1${prompted}`
    // An API's own 404 has an error object.
    const sure = Object.keys(error).length === 0
    const words = `${label} ${sure ? 'does not exist' : 'refuses every request'} (${message}): ${advice}`
    return { exitCode: EXIT.config, message: words, sure, status }
  }

  /** In words, the model that was meant, or else the models that an endpoint lists. */
  private async knownModels({ url, headers, provider, model, sentModel }: Endpoint): Promise<string> {
    if (!provider.models) return ''
    const answer = await this.run.http.get(provider.models.url(url), headers, LIST_TIMEOUT_MS)
    const body = answer instanceof RowFailure ? undefined : foreignObject(answer.body.toString())
    const known = body ? provider.models.read(body) : []
    if (known.length === 0) return ''
    // Names without the part for who made the model: llama-3-3-70b for meta-llama/llama-3-3-70b-instruct.
    const names = known.map(withoutMaker)
    const near = nearest(withoutMaker(sentModel), names)
    const prefix = model.endsWith(`/${sentModel}`) ? model.slice(0, -sentModel.length) : ''
    if (near !== undefined) return `: did you mean ${prefix}${known[names.indexOf(near)]}?`
    return `: it has ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', …' : ''}`
  }
}

const withoutMaker = (id: string) => id.slice(id.lastIndexOf('/') + 1)

/** The message for a 401. */
export function refusedKey({ label, keyFrom, key }: Endpoint, message: string): string {
  return key
    ? `${label} refuses the key in ${keyFrom} (${message})`
    : `${label} needs a key (${message}): set ${keyFrom}`
}

/** OpenRouter's 404 for a request that none of a model's providers takes. */
const NO_ROUTE = /no endpoints found (that|matching)/i

/** Codes for a model that the endpoint does not have. */
const NO_MODEL = /^(model_not_found|model_not_supported|invalid_model|unknown_model|DeploymentNotFound)$/

/** Whether a refusal is about the model's name. Words of a 400 may quote the request, so they are not sure. */
function modelRefused(
  { message, status, error }: HttpFailure,
  { sentModel }: Endpoint,
): 'sure' | 'doubt' | undefined {
  if (status !== 400 && status !== 404) return undefined
  if (NO_MODEL.test(String(error.code)) || NO_MODEL.test(String(error.type))) return 'sure'
  const words = message.toLowerCase()
  const named =
    /(unknown|invalid|no such) model/.test(words) ||
    /\bmodel\b.{0,120}\b(not found|not exist|does not exist|doesn't exist|not a valid|unknown)\b/.test(words)
  if (status === 400) return named ? 'doubt' : undefined
  return named || words.includes(sentModel.toLowerCase()) ? 'sure' : undefined
}
