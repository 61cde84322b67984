/**
 * A million rows through jb-call, 1,024 at once, against a server that takes 20 ms, beside a bare undici loop that makes
 * as many calls: speed, CPU time, memory from the start to the end, rows in order (BENCH_ROWS=1000000, some ten minutes;
 * BENCH_LANES=1024). Goal: 0.8 of the loop's speed, memory that does not grow. `--write` puts it into docs/performance.md.
 */
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DATA, dataFile, prose, random, surroundings, writeDocs } from './_bench.ts'
import { server } from './_server.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const LANES = process.env.BENCH_LANES ?? '1024'
const LATENCY_MS = 20
const PROMPT = 2000

const path = await dataFile(`million-${ROWS}.ndjson`, function* () {
  const draw = random(4)
  const texts = Array.from({ length: 500 }, () => prose(draw, PROMPT, draw() < 0.5))
  for (let id = 0; id < ROWS; id++) {
    const messages = [{ role: 'user', content: `${id} ${texts[id % texts.length]}` }]
    const jb = {
      judge: 'arena_hard',
      item: String(id),
      trial: { n: 0, of: 1 },
      request: { messages, temperature: 0 },
    }
    yield JSON.stringify({ id, jb })
  }
})
const body = `${DATA}/million-body.json`
writeFileSync(
  body,
  JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content: prose(random(4), PROMPT) }],
    temperature: 0,
  }),
)

interface Watched {
  seconds: number
  /** User and system time in seconds, as last seen: half a second before the end or less. */
  cpu: number
  /** Resident memory in MB, every half second. */
  memory: number[]
}

/** Runs a program with its output into a file or pipe. @throws where it fails */
async function watch(command: string, args: string[], out: string): Promise<Watched> {
  const started = performance.now()
  const stdout = openSync(out, 'w')
  const child = spawn(command, args, { stdio: ['ignore', stdout, 'inherit'] })
  closeSync(stdout)
  const memory: number[] = []
  let cpu = 0
  const poll = setInterval(() => {
    try {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .split(') ')[1]!
        .split(' ')
        .slice(11)
      cpu = (Number(user) + Number(system)) / 100
      const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
      if (resident) memory.push(Number(resident[1]) / 1024)
    } catch {
      // It has just ended.
    }
  }, 500)
  const code = await new Promise((done) => child.on('close', done))
  clearInterval(poll)
  if (code !== 0) throw new Error(`${command}: exit ${code}`)
  return { seconds: (performance.now() - started) / 1000, cpu, memory }
}

/** jb-call, its rows read as they come: the ids must be those of the file, in its order. */
async function ordered(url: string): Promise<Watched> {
  const pipe = `${DATA}/million.pipe`
  rmSync(pipe, { force: true })
  execFileSync('mkfifo', [pipe])
  const ids = `LC_ALL=C grep -o '^{"id":[0-9]*' ${pipe} | cmp - <(seq -f '{"id":%.0f' 0 ${ROWS - 1})`
  const check = spawn('bash', ['-o', 'pipefail', '-c', ids], { stdio: ['ignore', 'ignore', 'inherit'] })
  const checked = new Promise((done) => check.on('close', done))
  const options = ['-q', '--no-cache', '-m', 'm', '--base-url', url, '-j', LANES]
  const watched = await watch('bin/jb-call', [...options, path], pipe)
  if ((await checked) !== 0) throw new Error('rows are missing, or not in order')
  rmSync(pipe)
  return watched
}

const slow = await server(LATENCY_MS)
const loop = await watch('node', ['bench/_bare.mjs', slow.url, String(ROWS), LANES, body], '/dev/null')
const ours = await ordered(slow.url)
const { requests } = await slow.stats()
slow.stop()
if (requests !== 2 * ROWS) throw new Error(`${requests} calls were made, not ${2 * ROWS}`)

const at = ({ memory }: Watched, part: number) =>
  memory[Math.min(memory.length - 1, Math.floor(part * memory.length))]!.toFixed(0)
const lines = [
  `| ${ROWS.toLocaleString('en')} calls, ${LANES} at once, ${LATENCY_MS} ms | a second | CPU a call | memory after a tenth, half, all | most |`,
  '| --- | --: | --: | --: | --: |',
]
for (const [name, watched] of Object.entries({
  'jb-call, rows in order': ours,
  'a bare undici loop': loop,
})) {
  const { seconds, cpu, memory } = watched
  const parts = [0.1, 0.5, 1].map((part) => at(watched, part)).join(', ')
  lines.push(
    `| ${name} | ${Math.round(ROWS / seconds).toLocaleString('en')} | ${((cpu / ROWS) * 1e6).toFixed(0)} µs | ${parts} MB | ${Math.max(...memory).toFixed(0)} MB |`,
  )
}
lines.push(
  '',
  `jb-call has ${(loop.seconds / ours.seconds).toFixed(2)} of the loop's speed and ${(ours.cpu / loop.cpu).toFixed(2)} times its CPU time (${surroundings()}).`,
)
console.log(lines.join('\n'))
writeDocs('million', lines)
