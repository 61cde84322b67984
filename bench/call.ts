/**
 * jb-call against a bare undici loop and openai-node (BENCH_OPENAI names a folder where it is installed), on
 * the same local server: free answers and answers after 200 ms, prompts of 6 KB, answers of 3.6 KB.
 */
import { writeFileSync } from 'node:fs'
import { DATA, dataFile, measure, prose, race, random } from './_bench.ts'
import { server } from './_server.ts'

const request = (text: string) => ({ messages: [{ role: 'user', content: text }], temperature: 0 })

/** Rows as jb-render leaves them, every prompt another one. */
export const calls = (count: number) =>
  dataFile(`calls-${count}.ndjson`, function* () {
    const draw = random(3)
    const texts = Array.from({ length: 200 }, (_, i) => prose(draw, 6000, i % 2 === 0))
    for (let i = 0; i < count; i++)
      yield JSON.stringify({
        pair_id: `p${i}`,
        jb: {
          judge: 'arena_hard',
          item: `p${i}`,
          trial: { n: 0, of: 1, order: 'AB' },
          request: request(`${i} ${texts[i % texts.length]}`),
        },
      })
  })

writeFileSync(`${DATA}/body.json`, JSON.stringify({ model: 'm', ...request(prose(random(3), 6000, true)) }))

const openai = process.env.BENCH_OPENAI !== undefined
const loop = (name: string, url: string, count: number, lanes: number) =>
  `node bench/_${name}.mjs ${url} ${count} ${lanes} ${DATA}/body.json`
const jb = (url: string, count: number, lanes: number, more = '') =>
  `bin/jb-call -q -m m --base-url ${url} -j ${lanes} ${more} ${DATA}/calls-${count}.ndjson > /dev/null`
const cached = `--cache ${DATA}/cache.ndjson --refresh`

if (!openai) console.log('  (BENCH_OPENAI is not set: openai-node is left out)')
await calls(20_000)
const free = await server(0)
const uncached = jb(free.url, 20_000, 256, '--no-cache')
await race(
  'free answers, 256 at once, 20,000 calls, against a bare loop',
  {
    'jb-call --no-cache': uncached,
    'jb-call, replies kept': `rm -f ${DATA}/cache.ndjson; ${jb(free.url, 20_000, 256, cached)}`,
    'bare undici loop': loop('bare', free.url, 20_000, 256),
  },
  { 'bare undici loop': '>= 0.8' },
  // Both are done in little more than a second: single rounds differ by a fifth.
  15,
)
if (openai)
  await race(
    'the same against openai-node',
    { 'jb-call --no-cache': uncached, 'openai-node': loop('openai', free.url, 20_000, 256) },
    { 'openai-node': '>= 4, cpu >= 3.3' },
    3,
  )
await race(
  'replies from the cache, 20,000 rows',
  {
    'jb-call': jb(free.url, 20_000, 32, `--cache ${DATA}/cache.ndjson`),
    'jq -c .': `jq -c . ${DATA}/calls-20000.ndjson > /dev/null`,
  },
  {},
  3,
)
free.stop()

const slow = await server(200)
for (const [lanes, goal] of [
  [256, 0.87],
  [1024, 0.75],
] as const) {
  const count = lanes === 256 ? 5_000 : 20_000
  await calls(count)
  const ideal = Math.ceil(count / lanes) * 0.2
  const start = await measure(
    `${jb(slow.url, 1, lanes, '--no-cache').replace('calls-1.ndjson', 'body-row.ndjson')} < /dev/null || true`,
  )
  const runs = []
  for (let i = 0; i < 3; i++) runs.push((await measure(jb(slow.url, count, lanes, cached))).seconds)
  const seconds = runs.toSorted((a, b) => a - b)[1]!
  console.log(
    `\n200 ms answers, ${lanes} at once, ${count} calls: ${seconds.toFixed(2)} s, ${(ideal / seconds).toFixed(2)} of the ideal, ${(ideal / (seconds - start.seconds)).toFixed(2)} without the start of the program  goal >= ${goal}`,
  )
}
await race(
  'in order and not, 256 at once',
  {
    ordered: jb(slow.url, 5_000, 256, '--no-cache'),
    unordered: jb(slow.url, 5_000, 256, '--no-cache --unordered'),
  },
  { unordered: '>= 0.9' },
  3,
)
slow.stop()

const limited = await server(5)
const { seconds } = await measure(jb(limited.url, 5_000, 64, '--no-cache --rpm 60000'))
const { busiest } = await limited.stats()
console.log(
  `\n--rpm 60000 (1,000 a second), 5,000 calls: ${(5000 / seconds).toFixed(0)} a second with the start of the program, ${busiest} in the busiest  goal: within 3 %`,
)
limited.stop()
