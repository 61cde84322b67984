/**
 * The other calls to an endpoint wait for the first one. If it fails for a reason that holds for all calls (no server,
 * invalid key, unknown model), the run ends with a message that says what to set. A call without an answer after two seconds
 * counts as accepted.
 */
import { EXIT, RowFailure } from '../../rows/record.ts'
import { foreignObject } from '../../rows/text_scan.ts'
import type { CallContext } from './channel.ts'
import type { Endpoint } from './endpoint.ts'
import { Halted } from './limits/gate.ts'

/** ms after which a call that was sent counts as accepted. */
const ACCEPTED_MS = 2000
const LIST_TIMEOUT_MS = 5000
const SHOWN = 8

/** Connection errors that are not temporary. */
export const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export class Preflight {
  private readonly run: Pick<CallContext, 'http' | 'end'>
  private readonly checks = new Map<Endpoint, Promise<void>>()

  constructor(run: Pick<CallContext, 'http' | 'end'>) {
    this.run = run
  }

  /**
   * Makes the first call at once, all others when the endpoint has accepted it.
   * @param call gets whether it is the first, and a function to call when it has been sent
   * @throws Halted if the first call ended the run
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
        this.run.end(...diagnosis)
        throw new Halted()
      },
    )
    this.checks.set(
      endpoint,
      Promise.race([accepted, examined]).catch(() => {}),
    )
    await examined
    return first
  }

  /** Why no other call can succeed; undefined if they may. */
  private async diagnosis(
    endpoint: Endpoint,
    { code, message, detail }: RowFailure,
  ): Promise<[exitCode: number, message: string] | undefined> {
    const { label, keyFrom, key, model, sentModel } = endpoint
    const { status, cause, retryable, reason } = detail
    if (code === 'unavailable' && status === undefined && (UNREACHABLE.has(String(cause)) || !retryable)) {
      const advice = retryable ? ' (--base-url or LLM_JUDGE_API_BASE names another endpoint)' : ''
      return [EXIT.unavailable, `cannot reach ${label}: ${message}${advice}`]
    }
    if (status === 401) return [EXIT.auth, refusedKey(endpoint, message)]
    if (status === 403) {
      const advice = key ? `the key is read from ${keyFrom}` : `no key is sent; set ${keyFrom}`
      return [EXIT.auth, `${label} forbids the request (${message}): ${advice}`]
    }
    if (Number(status) >= 300 && Number(status) < 400) return [EXIT.config, `${label}: ${message}`]
    if ((status === 400 || status === 404) && aboutModel(`${message} ${reason ?? ''}`, sentModel, status)) {
      const known = await this.knownModels(endpoint)
      return [EXIT.config, `no model "${model}" at ${label}${known} (-m NAME; the server says: ${message})`]
    }
    if (status !== 404) return undefined
    const { path } = endpoint.provider
    const prompted =
      path === '/completions' ? ' (asked for a judge with "prompt": chat needs "messages")' : ''
    const advice = `--base-url is the part before ${path}, most often with /v1${prompted}`
    return [EXIT.config, `${label} does not exist (${message}): ${advice}`]
  }

  /** In words, the models that an endpoint lists. */
  private async knownModels({ url, headers, provider }: Endpoint): Promise<string> {
    if (!provider.models) return ''
    const answer = await this.run.http.get(provider.models.url(url), headers, LIST_TIMEOUT_MS)
    const body = answer instanceof RowFailure ? undefined : foreignObject(answer.body.toString())
    const known = body ? provider.models.read(body) : []
    if (known.length === 0) return ''
    return `: it has ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', …' : ''}`
  }
}

/** The message for a 401. */
export function refusedKey({ label, keyFrom, key }: Endpoint, message: string): string {
  return key
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
