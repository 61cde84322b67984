/** jb-call's attempts, gate, rate controller and limiter against a simulated endpoint. */
import { setMaxListeners } from 'node:events'
import { provider } from '../src/providers/chat.ts'
import { RowFailure } from '../src/rows/record.ts'
import { ascii, Row } from '../src/rows/row.ts'
import { Attempts } from '../src/stages/call/attempts.ts'
import { CallRequest, ReplyKeys } from '../src/stages/call/call_request.ts'
import type { Endpoint } from '../src/stages/call/endpoint.ts'
import type { Http } from '../src/stages/call/http/http.ts'
import { Secrets } from '../src/stages/call/http/secrets.ts'
import type { HttpResponse } from '../src/stages/call/http/transfer.ts'
import { Budget } from '../src/stages/call/limits/budget.ts'
import { CallTally } from '../src/stages/call/limits/tally.ts'
import type { CallOptions } from '../src/stages/call/options.ts'
import { type Server, time } from './_rate_servers.ts'
import { settled } from './_virtual_time.ts'

export const OK = Buffer.from(
  '{"choices":[{"message":{"content":"[[A]]"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}',
)

export const REFUSED = Buffer.from('{"error":{"message":"slow down"}}')

export interface Count {
  granted: number
  refused: number
  failed: number
  /** After the first part of the time. */
  late: { granted: number; refused: number }
}

export const endpoint = (url: URL): Endpoint => ({
  model: 'm',
  sentModel: 'm',
  env: {},
  provider,
  url,
  headers: {},
  label: url.href,
  identity: url.href,
  keyFrom: '',
})

export const params = new Map([['messages', ascii('[{"role":"user","content":"?"}]')]])

/** One jb-call with so many lanes, until `rows` are done or for ever. */
export function process(
  server: Server,
  { lanes, adapt = true, rows = 1e9, warm = 0 }: Run,
  halt: AbortSignal,
  count: Count,
) {
  const http = {
    widen() {},
    async post(): Promise<HttpResponse | RowFailure> {
      const { status, ms, headers = {}, reset } = server(time.now)
      const late = time.now >= warm * 1000
      if (status === 200) {
        count.granted++
        if (late) count.late.granted++
      } else if (status === 429) {
        count.refused++
        if (late) count.late.refused++
      }
      await new Promise<void>((resolve) => time.after(ms, resolve))
      if (reset) return new RowFailure('unavailable', 'reset', { retryable: true, cause: 'ECONNRESET' })
      return { status, headers, body: status === 200 ? OK : REFUSED }
    },
  } as unknown as Http
  const attempts = new Attempts(
    {
      concurrency: lanes,
      noAdapt: !adapt,
      retries: 3,
      retryMin: 1,
      retryMax: 60,
      noPreflight: true,
    } as CallOptions,
    {
      http,
      secrets: new Secrets(),
      tally: new CallTally(),
      budget: new Budget(),
      prices: () => undefined,
      halt,
      note: () => {},
      end: () => {},
    },
  )
  const one = endpoint(new URL('http://127.0.0.1/v1/chat/completions'))
  const keys = new ReplyKeys(Row.make({}, 'x', 1), params)
  let left = rows
  const lane = async () => {
    while (left-- > 0 && !halt.aborted)
      await attempts.send(new CallRequest(keys, one)).catch(() => {
        count.failed++
      })
  }
  return Promise.all(Array.from({ length: lanes }, lane))
}

export interface Outcome extends Count {
  seconds: number
}

export async function run(server: () => Server, seed: number, options: Run): Promise<Outcome> {
  const { seconds = 1e6, processes = 1 } = options
  time.restart(seed)
  const count = { granted: 0, refused: 0, failed: 0, late: { granted: 0, refused: 0 } }
  const shared = server()
  const halt = new AbortController()
  setMaxListeners(0, halt.signal)
  let over = false
  const all = Array.from({ length: processes }, () => process(shared, options, halt.signal, count))
  void Promise.all(all).then(() => {
    over = true
  })
  await time.run(seconds * 1000, () => over)
  const outcome = { ...count, late: { ...count.late }, seconds: Math.min(time.now / 1000, seconds) }
  // Nothing of it goes on in the next run.
  halt.abort()
  await settled()
  time.clear()
  return outcome
}

export interface Run {
  lanes: number
  adapt?: boolean
  rows?: number
  seconds?: number
  warm?: number
  processes?: number
}
