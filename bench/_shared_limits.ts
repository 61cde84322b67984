/**
 * Many processes on one limit: how well it is held, with real processes and a real Redis.
 *
 *   node --import tsx bench/_shared_limits.ts rate      20 processes, kill -9 of five, Redis restarted
 *   node --import tsx bench/_shared_limits.ts width     the same for calls under way
 *   node --import tsx bench/_shared_limits.ts money     one budget
 *   node --import tsx bench/_shared_limits.ts refused   a server that grants a rate nobody named
 *
 * By hand: each takes about a minute.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { redisServer } from '../test/helpers/redis.ts'

const PROCESSES = 20
const KILLED = 5
const what = process.argv[2] ?? 'rate'
const DELAY_MS = 300
/** A minute's calls, for all processes. */
const RPM = 6000

const times: number[] = []
let underWay = 0
const widths: [number, number][] = []
let refused = 0
let tokens = 20
let last = performance.now()
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const now = performance.now()
  tokens = Math.min(20, tokens + ((now - last) / 1000) * 50)
  last = now
  if (what === 'refused' && tokens < 1) {
    refused++
    response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"too many"}}')
    return
  }
  tokens--
  times.push(now)
  widths.push([now, ++underWay])
  response.once('close', () => underWay--)
  await new Promise((resolve) => setTimeout(resolve, DELAY_MS))
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      choices: [
        { message: { role: 'assistant', content: 'My final verdict is: [[A>B]]' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 1000, completion_tokens: 100 },
    }),
  )
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const redis = await redisServer()
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

const limits: Record<string, string[]> = {
  rate: ['--rpm', String(RPM), '-j', '200'],
  width: ['-j', '60'],
  // A call costs 0.0012 dollars: 1,000 tokens of prompt, which have 4,000 bytes, and 100 of 200.
  money: ['--rpm', '12000', '-j', '200', '--price', '1,2', '--max-cost', '2', '--max-tokens', '200'],
  refused: ['-j', '200', '--retries', '20', '--retry-min', '0.2', '--retry-max', '5'],
}
const args = [
  '-m',
  'm',
  '--base-url',
  url,
  '--no-cache',
  '-q',
  '--limits',
  `${redis.url}/bench`,
  ...limits[what]!,
]
const extra = process.argv.slice(3)

let wrote = 0
const children = Array.from({ length: PROCESSES }, (_, p) => {
  const child = spawn('bin/jb-call', [...args, ...extra], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => (said += data))
  child.stdout.on('data', (data) => (wrote += String(data).split('\n').length - 1))
  child.stdin.on('error', () => {})
  let n = 0
  const feed = () => {
    for (; n < 5000; n++) {
      const content = `question ${p} ${n} ${'x'.repeat(4000)}`
      const jb = {
        judge: 'arena_hard',
        item: `${p}-${n}`,
        trial: { n: 0, of: 1, order: 'AB' },
        request: { messages: [{ role: 'user', content }], temperature: 0 },
      }
      if (!child.stdin.write(`${JSON.stringify({ id: n, jb })}\n`)) {
        n++
        child.stdin.once('drain', feed)
        return
      }
    }
  }
  feed()
  const done = new Promise<void>((resolve) =>
    child.once('close', (code) => {
      if (!ending || (code !== 75 && code !== null))
        console.log(`process ${p}: exit ${code} ${said.trim().slice(-200)}`)
      resolve()
    }),
  )
  return { child, done }
})
let ending = false
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const rate = (from: number, to: number) =>
  (times.filter((at) => at >= from && at < to).length / (to - from)) * 1000
const widest = (from: number, to: number) =>
  Math.max(0, ...widths.filter(([at]) => at >= from && at < to).map(([, n]) => n))
const mark = async (name: string, ms: number) => {
  const from = performance.now()
  await wait(ms)
  const to = performance.now()
  console.log(
    `${name}: ${rate(from, to).toFixed(2)} calls/s over ${(ms / 1000).toFixed(0)} s, ${widest(from, to)} under way at most, ${refused} refused so far`,
  )
}
while (times.length < 50) await wait(100)
await wait(3000)
if (what === 'money') {
  await Promise.race([Promise.all(children.map(({ done }) => done)), wait(90_000)])
  console.log(`${times.length} calls, ${(times.length * 0.0012).toFixed(4)} dollars of 2`)
} else {
  await mark('20 processes', 12_000)
  for (const { child } of children.slice(0, KILLED)) child.kill('SIGKILL')
  console.log('kill -9 of five')
  await mark('the first 10 s after it', 10_000)
  await mark('15 processes', 10_000)
  if (what !== 'refused') {
    await redis.stop()
    await mark('Redis away for 2 s', 2000)
    await redis.start()
    await mark('Redis back, its memory lost: 3 s', 3000)
    await mark('then', 10_000)
  }
}
ending = true
for (const { child } of children) child.kill('SIGINT')
await Promise.race([Promise.all(children.map(({ done }) => done)), wait(10_000)])
for (const { child } of children) child.kill('SIGKILL')
console.log(`${wrote} rows written`)
await redis.stop()
process.exit(0)
