/**
 * Peak memory of jb-call from ten thousand to a million rows, with the cache on, against the local server
 * (BENCH_ROWS=10000,100000,1000000). Goal: flat; what grows is the index of the cache, some 20 bytes a reply.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { DATA, peakMemory } from './_bench.ts'
import { server } from './_server.ts'

const CACHE = `${DATA}/memory-cache.ndjson`

const row = (i: number) =>
  `${JSON.stringify({ id: i, jb: { judge: 'arena_hard', item: String(i), trial: { n: 0, of: 1 }, request: { messages: [{ role: 'user', content: `question ${i} ${'and so on '.repeat(10)}` }] } } })}\n`

async function run(url: string, rows: number, args: string[]): Promise<{ peak: number; seconds: number }> {
  const started = Date.now()
  const child = spawn(
    process.execPath,
    ['bin/jb-call', '-q', '-m', 'm', '--base-url', url, '-j', '64', ...args],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  )
  let peak = 0
  const poll = setInterval(() => (peak = Math.max(peak, peakMemory(child.pid!))), 200)
  for (let i = 0; i < rows; i++)
    if (!child.stdin.write(row(i))) await new Promise((done) => child.stdin.once('drain', done))
  child.stdin.end()
  await new Promise((done) => child.on('close', done))
  clearInterval(poll)
  return { peak, seconds: (Date.now() - started) / 1000 }
}

const free = await server(0)
console.log('\npeak memory of jb-call, 64 at once (goal: < 130 MB, and flat)')
for (const rows of (process.env.BENCH_ROWS ?? '10000,100000').split(',').map(Number)) {
  rmSync(CACHE, { force: true })
  const called = await run(free.url, rows, ['--cache', CACHE])
  const cached = await run(free.url, rows, ['--cache', CACHE])
  const without = await run(free.url, rows, ['--no-cache'])
  const words = ({ peak, seconds }: typeof called) => `${peak.toFixed(0)} MB in ${seconds.toFixed(0)} s`
  console.log(
    `  ${String(rows).padStart(8)} rows: ${words(called)}, from the cache ${words(cached)}, without a cache ${words(without)}`,
  )
}
rmSync(CACHE, { force: true })
free.stop()
