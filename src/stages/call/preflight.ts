/**
 * The first call to an endpoint goes ahead of the others, which wait for it: when it is refused for a
 * reason that holds for all of them (no server there, a wrong key, an unknown model), the run ends before
 * anything else is sent, with words that say what to set. No extra call is made for it. A call that is
 * still being answered after a moment was accepted: the others go.
 */
import { EXIT, isObject, RowFailure } from '../../rows/record.ts'
import { foreignJson } from '../../rows/scan.ts'
import type { Endpoint } from './endpoint.ts'
import type { Http } from './http/http.ts'
import { Halted } from './limits/gate.ts'

/** ms after which a call that was sent and not refused counts as accepted. */
const ACCEPTED_MS = 2000
const LIST_TIMEOUT_MS = 5000
const SHOWN = 8

/** Failures to connect at all that waiting does not cure. */
export const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export class Preflight {
  private readonly http: Http
  private readonly end: (exitCode: number, message: string) => void
  private readonly checks = new Map<Endpoint, Promise<void>>()
  /** Endpoints that have passed. */
  private readonly open = new Set<Endpoint>()

  constructor(http: Http, end: (exitCode: number, message: string) => void) {
    this.http = http
    this.end = end
  }

  /** Whether the endpoint is known to answer. */
  passed(endpoint: Endpoint): boolean {
    return this.open.has(endpoint)
  }

  /**
   * Makes the call when the endpoint is known to answer; the first one at once.
   * @param call gets whether it is the first, and a function to call when it has been sent
   * @throws Halted where the first call showed that there is no going on
   */
  async call<T>(endpoint: Endpoint, call: (first: boolean, sent: () => void) => Promise<T>): Promise<T> {
    const check = this.checks.get(endpoint)
    if (check) {
      await check
      return call(false, () => {})
    }
    let sent = () => {}
    const accepted = new Promise<void>((resolve) => {
      sent = () => setTimeout(resolve, ACCEPTED_MS).unref()
    })
    const first = call(true, () => sent())
    const examined = first.then(
      () => undefined,
      async (error) => {
        const diagnosis = error instanceof RowFailure ? await this.diagnosis(endpoint, error) : undefined
        if (!diagnosis) return
        this.end(diagnosis.exitCode, diagnosis.message)
        throw new Halted()
      },
    )
    this.checks.set(
      endpoint,
      Promise.race([accepted, examined]).then(
        () => void this.open.add(endpoint),
        () => {},
      ),
    )
    await examined
    return first
  }

  /** Why no other call can succeed either; undefined where this one's failure is its own. */
  private async diagnosis(endpoint: Endpoint, failure: RowFailure) {
    const { label, keyFrom, hasKey, model, sentModel } = endpoint
    const { status, cause, retryable } = failure.detail
    const { message } = failure
    if (
      failure.code === 'unavailable' &&
      status === undefined &&
      (UNREACHABLE.has(String(cause)) || !retryable)
    )
      return {
        exitCode: EXIT.unavailable,
        message: `cannot reach ${label}: ${message}${retryable ? ' (--base-url or LLM_JUDGE_API_BASE names another endpoint)' : ''}`,
      }
    if (status === 401) return { exitCode: EXIT.auth, message: refusedKey(endpoint, message) }
    if (status === 403)
      return {
        exitCode: EXIT.auth,
        message: `${label} forbids the request (${message}): ${hasKey ? `the key is read from ${keyFrom}` : `no key is sent; ${keyFrom} holds one`}`,
      }
    if (Number(status) >= 300 && Number(status) < 400)
      return { exitCode: EXIT.config, message: `${label}: ${message}` }
    if (status !== 400 && status !== 404) return undefined
    if (aboutModel(`${message} ${failure.detail.reason ?? ''}`, sentModel, status)) {
      const known = await this.models(endpoint)
      const list =
        known.length > 0
          ? `: it has ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', …' : ''}`
          : ''
      return {
        exitCode: EXIT.config,
        message: `no model "${model}" at ${label}${list} (-m NAME; it said ${message})`,
      }
    }
    if (status === 404)
      return {
        exitCode: EXIT.config,
        message: `nothing answers at ${label} (${message}): --base-url is the part before ${endpoint.provider.path}, most often with /v1`,
      }
    return undefined
  }

  /** The models an endpoint lists; none where it lists none. */
  private async models({ url, headers, provider }: Endpoint): Promise<string[]> {
    try {
      if (!provider.models) return []
      const answer = await this.http.get(provider.models.url(url), headers, LIST_TIMEOUT_MS)
      if (answer instanceof RowFailure) return []
      const body = foreignJson(answer.body.toString())
      return isObject(body) ? provider.models.read(body) : []
    } catch {
      return []
    }
  }
}

/** What to do about a 401: it is the same for every call. */
export function refusedKey({ label, keyFrom, hasKey }: Endpoint, message: string): string {
  return hasKey
    ? `${label} refuses the key in ${keyFrom} (${message})`
    : `${label} needs a key (${message}): set ${keyFrom}`
}

/** Whether a refusal is about the model's name. */
function aboutModel(message: string, model: string, status: number): boolean {
  const words = message.toLowerCase()
  if (/model_not_found|invalid_model|(unknown|invalid|no such) model/.test(words)) return true
  if (
    /\bmodel\b.{0,120}\b(not found|not exist|does not exist|doesn't exist|not a valid|unknown)\b/.test(words)
  )
    return true
  return status === 404 && words.includes(model.toLowerCase())
}
