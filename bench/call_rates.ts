/**
 * What jb-call gets out of endpoints that refuse calls: its own attempts, gate, rate controller and limiter against
 * simulated servers, in virtual time. `--write` puts the table into docs/performance.md.
 */
import { setMaxListeners } from 'node:events'
import { provider } from '../src/providers/chat.ts'
import { RowFailure } from '../src/rows/record.ts'
import { ascii, Row } from '../src/rows/row.ts'
import { Attempts } from '../src/stages/call/attempts.ts'
import { CallRequest } from '../src/stages/call/call_request.ts'
import type { Endpoint } from '../src/stages/call/endpoint.ts'
import type { Http } from '../src/stages/call/http/http.ts'
import { Secrets } from '../src/stages/call/http/secrets.ts'
import type { HttpResponse } from '../src/stages/call/http/transfer.ts'
import { Budget } from '../src/stages/call/limits/budget.ts'
import { RateLimiter } from '../src/stages/call/limits/rate_limiter.ts'
import { CallTally } from '../src/stages/call/limits/tally.ts'
import type { CallOptions } from '../src/stages/call/options.ts'
import { writeDocs } from './_bench.ts'
import { settled, VirtualTime } from './_virtual_time.ts'

const time = new VirtualTime()

type Reply = { status: number; ms: number; headers?: Record<string, string>; reset?: boolean }

/** Answers a call at a moment (ms). */
type Server = (now: number) => Reply

const OK = Buffer.from(
  '{"choices":[{"message":{"content":"[[A]]"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}',
)
const REFUSED = Buffer.from('{"error":{"message":"slow down"}}')
/** ms a refusal takes. */
const QUICK = 30
const refusal = (headers?: Record<string, string>): Reply => ({ status: 429, ms: QUICK, headers })
const latency = (mean: number) => mean * (0.5 + Math.random())

/** Grants `rate(now)` calls a second, and up to `burst` at once. */
function bucket(
  rate: (now: number) => number,
  burst: number,
  mean: number,
  headers?: Record<string, string>,
): Server {
  let tokens = burst
  let last = 0
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * rate(now))
    last = now
    if (tokens < 1) return refusal(headers)
    tokens--
    return { status: 200, ms: latency(mean) }
  }
}

/** Grants so many calls in each window, all at once if need be. */
function windows(calls: number, seconds: number, mean: number, told: boolean): Server {
  let current = -1
  let left = calls
  return (now) => {
    const window = Math.floor(now / 1000 / seconds)
    if (window !== current) left = calls
    current = window
    const wait = String(Math.ceil((window + 1) * seconds - now / 1000))
    if (left === 0) return refusal(told ? { 'retry-after': wait } : undefined)
    left--
    return { status: 200, ms: latency(mean) }
  }
}

/** Refuses a share of all calls, whatever the rate. */
const noisy =
  (share: number, server: Server, headers?: Record<string, string>): Server =>
  (now) =>
    Math.random() < share ? refusal(headers) : server(now)

const free =
  (mean: number): Server =>
  () => ({ status: 200, ms: latency(mean) })

/** Of all calls 2 % are refused, 1 % find the server busy, 2 % find it broken, 1.5 % lose their connection. */
const faulty =
  (mean: number): Server =>
  () => {
    const draw = Math.random()
    if (draw < 0.02) return { status: 429, ms: QUICK, headers: { 'retry-after': '1' } }
    if (draw < 0.03) return { status: 503, ms: QUICK }
    if (draw < 0.05) return { status: 500, ms: QUICK }
    if (draw < 0.065) return { status: 0, ms: QUICK, reset: true }
    return { status: 200, ms: latency(mean) }
  }

/** Serves so many calls at once and refuses the others. */
function narrow(calls: number, mean: number): Server {
  let busy = 0
  return () => {
    if (busy >= calls) return refusal()
    busy++
    const ms = latency(mean)
    time.after(ms, () => busy--)
    return { status: 200, ms }
  }
}

interface Count {
  granted: number
  refused: number
  failed: number
  /** After the first part of the time. */
  late: { granted: number; refused: number }
}

const endpoint = (url: URL): Endpoint => ({
  model: 'm',
  sentModel: 'm',
  env: {},
  provider,
  url,
  headers: {},
  label: url.href,
  identity: url.href,
  keyFrom: '',
  hasKey: true,
})
const params = new Map([['messages', ascii('[{"role":"user","content":"?"}]')]])

/** One jb-call with so many lanes, until `rows` are done or for ever. */
function process(
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
  const row = Row.make({}, 'x', 1)
  let left = rows
  const lane = async () => {
    while (left-- > 0 && !halt.aborted)
      await attempts.send(new CallRequest(row, params, one)).catch(() => {
        count.failed++
      })
  }
  return Promise.all(Array.from({ length: lanes }, lane))
}

interface Outcome extends Count {
  seconds: number
}

async function run(server: () => Server, seed: number, options: Run): Promise<Outcome> {
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

interface Run {
  lanes: number
  adapt?: boolean
  rows?: number
  seconds?: number
  warm?: number
  processes?: number
}

// Bottleneck is loaded when it is first needed, which takes real time.
const warming = new RateLimiter(1000)
await warming.take(1)
warming.close()
time.install()
const SEEDS = globalThis.process.argv.includes('--fast') ? [1] : [1, 2, 3]
const lines: string[] = []
const say = (cells: string[]) => {
  lines.push(`| ${cells.join(' | ')} |`)
  console.log(lines.at(-1))
}
/** Begins a table. */
const head = (cells: string[]) => {
  lines.push('')
  say(cells)
  lines.push(`| ${cells.map((_, i) => (i === 0 ? '---' : '--:')).join(' | ')} |`)
}
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** Against what the server would have granted to somebody who always asks. */
async function limited(
  title: string,
  server: () => Server,
  grants: (seconds: number) => number,
  options: Run,
) {
  const { warm = 0, seconds = 0 } = options
  const runs: Outcome[] = []
  for (const seed of SEEDS) runs.push(await run(server, seed, options))
  const mean = (of: (one: Outcome) => number) => runs.reduce((sum, one) => sum + of(one), 0) / runs.length
  say([
    title,
    mean(({ granted }) => granted / grants(seconds)).toFixed(2),
    mean(({ late }) => late.granted / (grants(seconds) - grants(warm))).toFixed(2),
    percent(mean(({ late }) => late.refused / Math.max(1, late.granted + late.refused))),
    mean(({ failed }) => failed).toFixed(0),
  ])
}

/** Against the same without adapting. */
async function compared(title: string, server: () => Server, options: Run) {
  let [adapted, plain, failed] = [0, 0, 0]
  for (const seed of SEEDS) {
    const one = await run(server, seed, options)
    adapted += one.seconds / SEEDS.length
    failed += one.failed / SEEDS.length
    plain += (await run(server, seed, { ...options, adapt: false })).seconds / SEEDS.length
  }
  say([
    title,
    (plain / adapted).toFixed(2),
    `${adapted.toFixed(1)} s`,
    `${plain.toFixed(1)} s`,
    failed.toFixed(0),
  ])
}

const steady = (rate: number, burst: number) => (seconds: number) => rate * seconds + burst
const only = globalThis.process.argv.slice(2).filter((word) => !word.startsWith('-'))
const wanted = (name: string) => only.length === 0 || only.some((word) => name.includes(word))

const LIMITED: [string, () => Server, (seconds: number) => number, Run][] = [
  [
    '60 a minute, burst 60, 64 lanes, 2 s',
    () => bucket(() => 1, 60, 2000),
    steady(1, 60),
    { lanes: 64, seconds: 1200, warm: 300 },
  ],
  [
    '600 a minute, burst 10, 64 lanes, 0.5 s',
    () => bucket(() => 10, 10, 500),
    steady(10, 10),
    { lanes: 64, seconds: 300, warm: 30 },
  ],
  [
    '600 a minute, burst 600, 64 lanes, 0.5 s',
    () => bucket(() => 10, 600, 500),
    steady(10, 600),
    { lanes: 64, seconds: 300, warm: 60 },
  ],
  [
    'the same, Retry-After: 1',
    () => bucket(() => 10, 600, 500, { 'retry-after': '1' }),
    steady(10, 600),
    { lanes: 64, seconds: 300, warm: 60 },
  ],
  [
    '6,000 a minute, burst 100, 256 lanes, 1 s',
    () => bucket(() => 100, 100, 1000),
    steady(100, 100),
    { lanes: 256, seconds: 120, warm: 20 },
  ],
  [
    '60,000 a minute, burst 1,000, 512 lanes, 0.2 s',
    () => bucket(() => 1000, 1000, 200),
    steady(1000, 1000),
    { lanes: 512, seconds: 60, warm: 10 },
  ],
  [
    'a window of 600 each minute, 64 lanes, 0.5 s',
    () => windows(600, 60, 500, false),
    (s) => 600 * Math.ceil(s / 60),
    { lanes: 64, seconds: 900, warm: 180 },
  ],
  [
    'a window of 100 each minute, 64 lanes, 0.5 s',
    () => windows(100, 60, 500, false),
    (s) => 100 * Math.ceil(s / 60),
    { lanes: 64, seconds: 900, warm: 180 },
  ],
  [
    'a window of 3,000 each minute, 256 lanes, 0.5 s',
    () => windows(3000, 60, 500, false),
    (s) => 3000 * Math.ceil(s / 60),
    { lanes: 256, seconds: 900, warm: 180 },
  ],
  [
    'a window of 600 each minute, told by Retry-After, 64 lanes, 0.5 s',
    () => windows(600, 60, 500, true),
    (s) => 600 * Math.ceil(s / 60),
    { lanes: 64, seconds: 900, warm: 180 },
  ],
  [
    '20, 60, 30, 60 a second in turn for a minute each, 128 lanes, 0.5 s',
    () => bucket((now) => [20, 60, 30, 60][Math.floor(now / 60_000) % 4]!, 30, 500),
    (s) => 42.5 * s,
    { lanes: 128, seconds: 480, warm: 0 },
  ],
  [
    '4 processes on 20 a second, burst 40, 32 lanes each, 0.5 s',
    () => bucket(() => 20, 40, 500),
    steady(20, 40),
    { lanes: 32, seconds: 300, warm: 30, processes: 4 },
  ],
  [
    '8 processes on 400 a second, burst 400, 128 lanes each, 0.5 s',
    () => bucket(() => 400, 400, 500),
    steady(400, 400),
    { lanes: 128, seconds: 120, warm: 20, processes: 8 },
  ],
  [
    '16 processes on 1,600 a second, burst 1,600, 128 lanes each, 0.5 s',
    () => bucket(() => 1600, 1600, 500),
    steady(1600, 1600),
    { lanes: 128, seconds: 120, warm: 20, processes: 16 },
  ],
  [
    '16 calls at once, 64 lanes, 0.5 s',
    () => narrow(16, 500),
    steady(32, 16),
    { lanes: 64, seconds: 300, warm: 30 },
  ],
  [
    '2 % at random on top of 10 a second, 64 lanes, 0.5 s (of what is refused, 2.0 % are at random)',
    () =>
      noisy(
        0.02,
        bucket(() => 10, 20, 500),
      ),
    steady(10, 20),
    { lanes: 64, seconds: 600, warm: 60 },
  ],
]
const NOISY: [string, () => Server, Run][] = [
  ...[0.01, 0.02, 0.05, 0.1].map((share): [string, () => Server, Run] => [
    `${100 * share} % refused at random, 256 lanes, 0.16 s, 40,000 rows`,
    () => noisy(share, free(160)),
    { lanes: 256, rows: 40_000 },
  ]),
  [
    '1 % refused at random with Retry-After: 1, 256 lanes, 0.16 s, 40,000 rows',
    () => noisy(0.01, free(160), { 'retry-after': '1' }),
    { lanes: 256, rows: 40_000 },
  ],
  ['6.5 % mixed faults, 1,024 lanes, 0.2 s, 100,000 rows', () => faulty(200), { lanes: 1024, rows: 100_000 }],
]
head(['limited endpoint', 'granted', 'granted, steady', 'refused, steady', 'rows failed'])
for (const [title, ...rest] of LIMITED) if (wanted(title)) await limited(title, ...rest)
head(['endpoint that refuses at random', 'speed', 'seconds', 'without adapting', 'rows failed'])
for (const [title, ...rest] of NOISY) if (wanted(title)) await compared(title, ...rest)

writeDocs('rates', lines)
