/** Peak memory of each filter with 1 GB and 4 GB in and a reader that stalls for 3 seconds (BENCH_GB=1,4). */
import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { peakMemory } from './_bench.ts'
import { judged, LONG, pairs, replied } from './_rows.ts'

/** Feeds a file over and over until `bytes` are in; the reader sleeps first. */
async function peak(command: string, args: string[], path: string, bytes: number): Promise<number> {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stdin, stdout } = child
  let highest = 0
  const poll = setInterval(() => (highest = Math.max(highest, peakMemory(child.pid!))), 100)
  const stalled = setTimeout(() => stdout.resume(), 3000)
  let sent = 0
  stdin.on('error', () => {})
  while (sent < bytes) {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 16 })) {
      sent += (chunk as Buffer).length
      if (!stdin.write(chunk)) await new Promise((done) => stdin.once('drain', done))
    }
  }
  stdin.end()
  await new Promise((done) => child.on('close', done))
  clearInterval(poll)
  clearTimeout(stalled)
  return highest
}

const sizes = (process.env.BENCH_GB ?? '1').split(',').map(Number)
const cases: [string, string, string[], string][] = [
  ['jb-render, 6 KB rows', 'bin/jb-render', ['arena_hard', '--order', 'both'], await pairs(17_000)],
  ['jb-parse, 12 KB rows', 'bin/jb-parse', [], await replied(6000, LONG)],
  ['jb-parse, 0.5 KB rows', 'bin/jb-parse', [], await replied(400_000, 0)],
  ['jb-score, 12 KB rows', 'bin/jb-score', ['-q'], await judged(6000, LONG)],
  ['jb-aggregate, 0.5 KB rows', 'bin/jb-aggregate', ['-q'], await judged(400_000, 0)],
]
console.log('\npeak memory, stalled reader (goal: < 100 MB, the same at 4 GB)')
for (const [name, command, args, path] of cases) {
  const peaks: string[] = []
  for (const gigabytes of sizes)
    peaks.push(`${gigabytes} GB: ${(await peak(command, args, path, gigabytes * 1e9)).toFixed(0)} MB`)
  console.log(`  ${name.padEnd(28)} ${peaks.join(', ')}`)
}
