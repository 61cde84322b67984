/**
 * What jb-call gets out of endpoints that refuse calls: its own attempts, gate, rate controller and limiter against
 * simulated servers, in virtual time. `--write` puts the table into docs/performance.md.
 */
import { RateLimiter } from '../src/stages/call/limits/rate_limiter.ts'
import { writeDocs } from './_bench.ts'
import { type Outcome, type Run, run } from './_rate_run.ts'
import { bucket, faulty, free, narrow, noisy, type Server, time, windows } from './_rate_servers.ts'

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
