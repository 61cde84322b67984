/**
 * How long jb-call takes at endpoints that refuse calls: its own attempts, gate and pace against simulated endpoints, in
 * virtual time. A line gives the worst of all seeds: the time as a multiple of the least time in which the endpoint would
 * answer all rows, and the share of refused calls. `--write` puts some of them into docs/performance.md, `--seeds N` runs
 * with N seeds, and words choose among the lines. Exits with 1 where a line misses its goal by more than a tenth.
 */
import { writeDocs } from './_bench.ts'
import { type Outcome, type Run, run, simulate } from './_rate_run.ts'
import { atOnce, bucket, chance, type Endpoint, outage, windows } from './_rate_servers.ts'

type Goal = [time: number, refused: number]
type Case = [title: string, endpoint: () => Endpoint, ideal: number, options: Run, goal?: Goal]

const LONG = { latency: 3, refusal: 0.1 }
const wait = (seconds: number) => ({ 'retry-after': String(seconds) })

const CASES: Case[] = [
  ['down for the first 10 s, -j 32', () => outage(0, 10), 10.5, { rows: 300, places: 32 }, [1.21, 0.12]],
  ['down from 0.2 to 26 s, -j 8', () => outage(0.2, 26), 35.2, { rows: 1500, places: 8 }, [1.07, 0.01]],
  ['down for the first 32 s, -j 128', () => outage(0, 32), 32.2, { rows: 300, places: 128 }, [1, 0.33]],
  ['100 a second, burst 100', () => bucket(100, 100), 14, { rows: 1500, places: 64 }, [1, 0.18]],
  ['50 a second, burst 50', () => bucket(50, 50), 29, { rows: 1500, places: 64 }, [1.01, 0.42]],
  [
    '50 a second, calls of 3 to 6 s, -j 256',
    () => bucket(50, 50),
    59,
    { rows: 3000, places: 256, ...LONG, spread: 1 },
    [1.12, 0.36],
  ],
  ['1,000 a second, -j 512', () => bucket(1000, 1000), 14, { rows: 15_000, places: 512 }, [1, 0.15]],
  ['60 in each second', () => windows(60, 1), 25, { rows: 1500, places: 64 }, [1.02, 0.36]],
  ['3,000 in each minute', () => windows(3000, 60), 61, { rows: 6000, places: 64 }, [1.07, 0.01]],
  ['16 at once', () => atOnce(16), 4.7, { rows: 1500, places: 64 }, [1, 0.09]],
  [
    '16 at once, calls of 3 to 4.5 s, -j 128',
    () => atOnce(16),
    140,
    { rows: 600, places: 128, ...LONG, spread: 0.5 },
    [1.19, 0.67],
  ],
  ...(
    [
      [0.01, [1.02, 1.05, 1.36]],
      [0.05, [1.07, 1.08, 1.61]],
      [0.1, [1.15, 1.16, 1.66]],
      [0.3, [1.77, 1.66, 2.26]],
    ] as const
  ).flatMap(([share, times]) =>
    [16, 64, 512].map(
      (places, i): Case => [
        `${100 * share} % by chance, -j ${places}, --retry-min 0.05`,
        () => chance(share),
        (1500 / places) * 0.05,
        { rows: 1500, places, retryMin: 0.05 },
        [times[i]!, share * 1.1 + 0.005],
      ],
    ),
  ),
  [
    '30 % by chance, calls of 2 s',
    () => chance(0.3),
    47,
    { rows: 1500, places: 64, latency: 2, refusal: 0.1 },
    [1.31, 0.31],
  ],
  // Runs that are long enough for a row to be refused for 300 s.
  ['1 a second, 3,000 rows, -j 32', () => bucket(1, 1), 2999, { rows: 3000, places: 32 }],
  ['10 a second, 10,000 rows, -j 64', () => bucket(10, 10), 999, { rows: 10_000, places: 64 }],
  ['10 a second, 10,000 rows, -j 256', () => bucket(10, 10), 999, { rows: 10_000, places: 256 }],
  ['100 a second, 50,000 rows, -j 512', () => bucket(100, 100), 499, { rows: 50_000, places: 512 }],
  [
    '16 at once, calls of 3 to 4.5 s, 3,000 rows, -j 32',
    () => atOnce(16),
    703,
    { rows: 3000, places: 32, ...LONG, spread: 0.5 },
  ],
  [
    '16 at once, calls of 3 to 4.5 s, 3,000 rows, -j 128',
    () => atOnce(16),
    703,
    { rows: 3000, places: 128, ...LONG, spread: 0.5 },
  ],
  // Endpoints that say how long to wait, some of them wrongly.
  ['3,000 in each minute, Retry-After', () => windows(3000, 60, true), 61, { rows: 6000, places: 64 }],
  ['600 in each minute, Retry-After', () => windows(600, 60, true), 121, { rows: 1500, places: 64 }],
  ['60 in each second, Retry-After', () => windows(60, 1, true), 25, { rows: 1500, places: 64 }],
  ['100 a second, Retry-After: 1', () => bucket(100, 100, wait(1)), 14, { rows: 1500, places: 64 }],
  ['16 at once, Retry-After: 1', () => atOnce(16, wait(1)), 4.7, { rows: 1500, places: 64 }],
  [
    '16 at once, calls of 3 to 4.5 s, Retry-After: 60',
    () => atOnce(16, wait(60)),
    140,
    { rows: 600, places: 64, ...LONG, spread: 0.5 },
  ],
  ...[0.01, 0.05].map(
    (share): Case => [
      `${100 * share} % by chance, Retry-After: 1, calls of 0.16 s, -j 256`,
      () => chance(share, wait(1)),
      12.5,
      { rows: 20_000, places: 256, latency: 0.16 },
    ],
  ),
]

/** Those in docs/performance.md, one of each kind. */
const SHOWN: readonly string[] = [
  'down for the first 10 s, -j 32',
  'down from 0.2 to 26 s, -j 8',
  '100 a second, burst 100',
  '50 a second, calls of 3 to 6 s, -j 256',
  '3,000 in each minute',
  '16 at once',
  '16 at once, calls of 3 to 4.5 s, -j 128',
  '5 % by chance, -j 64, --retry-min 0.05',
  '30 % by chance, calls of 2 s',
  '1 a second, 3,000 rows, -j 32',
  '3,000 in each minute, Retry-After',
  '16 at once, calls of 3 to 4.5 s, Retry-After: 60',
]

const words = process.argv.slice(2)
const at = words.indexOf('--seeds')
const seeds = at < 0 ? 20 : Number(words.splice(at, 2)[1])
const chosen = words.filter((word) => !word.startsWith('-'))
const percent = (share: number) => `${(100 * share).toFixed(0)} %`

simulate()
const lines = ['| endpoint | time | refused | rows failed |', '| --- | --: | --: | --: |']
let missed = 0
for (const [title, endpoint, ideal, options, goal] of CASES) {
  if (chosen.length > 0 && !chosen.some((word) => title.includes(word))) continue
  const runs: Outcome[] = []
  for (let seed = 1; seed <= seeds; seed++) runs.push(await run(endpoint(), seed, options))
  const worst = (of: (outcome: Outcome) => number) => Math.max(...runs.map(of))
  const time = worst(({ seconds }) => seconds) / ideal
  const refused = worst(({ refused, sent }) => refused / sent)
  const failed = worst(({ failed }) => failed)
  const line = `| ${title} | ${time.toFixed(2)} | ${percent(refused)} | ${failed} |`
  if (SHOWN.includes(title)) lines.push(line)
  const isMissed = goal && (failed > 0 || time > 1.1 * goal[0] || refused > 1.1 * goal[1] + 0.01)
  if (isMissed) missed++
  console.log(`${line}${goal ? ` goal ${goal[0]}, ${percent(goal[1])}${isMissed ? ': missed' : ''}` : ''}`)
}
writeDocs('rates', lines)
if (missed > 0) process.exitCode = 1
