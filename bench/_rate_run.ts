/** jb-call's attempts, gate, pace and limiters against a simulated endpoint, in virtual time. */
import { setMaxListeners } from 'node:events'
import { provider } from '../src/providers/chat.ts'
import { RowFailure } from '../src/rows/record.ts'
import { Row } from '../src/rows/row.ts'
import { Attempts } from '../src/stages/call/attempts.ts'
import { CallRequest, ReplyKeys } from '../src/stages/call/call_request.ts'
import type { Http } from '../src/stages/call/http/http.ts'
import { Secrets } from '../src/stages/call/http/secrets.ts'
import { Budget } from '../src/stages/call/limits/budget.ts'
import { CallTally } from '../src/stages/call/limits/tally.ts'
import type { CallOptions } from '../src/stages/call/options.ts'
import type { Endpoint } from './_rate_servers.ts'
import { settled, VirtualTime } from './_virtual_time.ts'

const time = new VirtualTime()

const OK = Buffer.from('{"choices":[{"message":{"content":"[[A]]"},"finish_reason":"stop"}]}')
const REFUSED = Buffer.from('{"error":{"message":"slow down"}}')

/** Times in seconds. */
export interface Run {
  rows: number
  /** -j */
  places: number
  /** A call takes this long, and by chance up to `spread` times as long in addition. */
  latency?: number
  spread?: number
  /** A refusal takes this long. */
  refusal?: number
  retryMin?: number
  rpm?: number
}

export interface Outcome {
  seconds: number
  failed: number
  sent: number
  refused: number
}

/** Takes the place of the process's timers and clocks, and of Math.random. */
export const simulate = (): void => time.install()

/** One run of jb-call. */
export async function run(endpoint: Endpoint, seed: number, options: Run): Promise<Outcome> {
  const { rows, places, latency = 0.05, spread = 0, refusal = 0.01, retryMin = 1, rpm } = options
  time.restart(seed)
  const halt = new AbortController()
  setMaxListeners(0, halt.signal)
  let active = 0
  let failed = 0
  let begun = 0
  let done = 0
  const tally = new CallTally()
  const http = {
    widen() {},
    post: () => {
      const refused = endpoint(time.now / 1000, active)
      if (!refused) active++
      const seconds = refused ? refusal : latency * (1 + spread * Math.random())
      return new Promise((resolve) =>
        time.after(seconds * 1000, () => {
          if (!refused) active--
          const [status, body] = refused ? [429, REFUSED] : [200, OK]
          resolve({ status, headers: refused?.headers ?? {}, body })
        }),
      )
    },
  } as unknown as Http
  const attempts = new Attempts(
    {
      concurrency: places,
      retries: 3,
      retryMin,
      retryMax: 60,
      refusedFor: 300,
      rpm,
    } as unknown as CallOptions,
    {
      http,
      secrets: new Secrets(),
      tally,
      budget: new Budget(),
      prices: () => undefined,
      halt: halt.signal,
      rowsLeft: () => begun < rows,
      note: () => {},
      end: (_, message) => {
        throw new Error(message)
      },
      gaveUp: (message) => {
        throw new Error(message)
      },
    },
  )
  const url = new URL('http://127.0.0.1/v1/chat/completions')
  const asked = {
    model: 'm',
    sentModel: 'm',
    env: {},
    provider,
    url,
    headers: {},
    label: url.href,
    identity: url.href,
    keyFrom: '',
    own: { preflight: false },
  }
  const params = new Map([['messages', '[{"role":"user","content":"?"}]']])
  const keys = new ReplyKeys(Row.make({}, 'x', 1), params)
  const lane = async () => {
    while (begun < rows) {
      begun++
      await attempts.send(new CallRequest(keys, asked)).catch((error) => {
        if (!(error instanceof RowFailure)) throw error
        failed++
      })
      done++
    }
  }
  for (let place = 0; place < places; place++) void lane()
  await time.run(1e8, () => done === rows)
  const outcome = { seconds: time.now / 1000, failed, sent: tally.requests, refused: tally.refused }
  // Nothing of it goes on in the next run.
  halt.abort()
  await settled()
  time.clear()
  return outcome
}
