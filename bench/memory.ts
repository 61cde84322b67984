/**
 * Peak memory of each filter at 300,000 rows (--table; --write puts it into docs/trust.md), or with 1 GB and 4 GB in and a
 * reader that stalls for 3 seconds (BENCH_GB=1,4).
 */
import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { dataFile, peakMemory, peakOf, prose, random, writeDocs } from './_bench.ts'
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

/** Rows of the table: a question and two answers, and what a filter before has added, a kilobyte together. */
const ROWS = 300_000
type Added = 'item' | 'request' | 'reply' | 'verdict'

const kilobytes = (added: Added, model = 'gpt-6') =>
  dataFile(`kilobyte-${added}-${model}.ndjson`, function* () {
    const [draw, judge] = [random(7), random(model.length)]
    for (let i = 0; i < ROWS; i++) {
      const id = `q${i}-${Math.floor(draw() * 1e9).toString(36)}`
      const [question, response_A, response_B] = [150, 170, 170].map((size) => prose(draw, size))
      const label = draw() < 0.5 ? 'A>B' : 'B>A'
      const models = { model_a: `model-${i % 40}`, model_b: `model-${(i + 1 + (i % 37)) % 40}` }
      const row = {
        id,
        source: ['law', 'code', 'history'][i % 3],
        ...models,
        question,
        response_A,
        response_B,
        label,
      }
      if (added === 'item') {
        yield JSON.stringify({ ...row, reference: prose(draw, 300) })
        continue
      }
      const said = judge() < 0.7 ? label : 'A=B'
      const content = `${question}\n${prose(draw, 250)}`
      const request = added === 'request' && { messages: [{ role: 'user', content }], temperature: 0 }
      const usage = { prompt_tokens: 400 + (i % 500), completion_tokens: i % 300 }
      const reply = { text: `${prose(draw, 150)} [[${said}]]`, model, usage, ms: 900 + (i % 700), tries: 1 }
      const verdict = { label: said, decision: said, strength: 1 }
      const trial = { n: 0, of: 1, order: 'AB' }
      const jb = {
        request: { request },
        reply: { reply },
        verdict: { reply, verdict },
      }[added]
      yield JSON.stringify({
        ...row,
        jb: { judge: 'arena_hard', judge_digest: 'bbb5837ce4e2', item: id, trial, ...jb },
      })
    }
  })

/** A leaderboard of so many lines: run, measure, topic, value. */
const board = (name: string, seed: number) =>
  dataFile(name, function* () {
    const draw = random(seed)
    for (let i = 0; i < ROWS; i++)
      yield `run-${i % 300} M topic-${Math.floor(i / 300)} ${(draw() * 0.5 + (i % 300) / 600).toFixed(4)}`
  })

async function table(): Promise<void> {
  const [items, requests, replies, verdicts] = await Promise.all(
    (['item', 'request', 'reply', 'verdict'] as const).map((added) => kilobytes(added)),
  )
  const other = await kilobytes('verdict', 'other-model')
  const commands: [words: string, command: string, args: string[]][] = [
    ['`jb-read json`', 'jb-read', ['json', items!]],
    ['`jb-render arena_hard`', 'jb-render', ['arena_hard', items!]],
    ['`jb-call -m baseline:longer`', 'jb-call', ['-q', '--no-cache', '-m', 'baseline:longer', requests!]],
    ['`jb-parse`', 'jb-parse', ['-q', replies!]],
    ['`jb-score`', 'jb-score', ['-q', verdicts!]],
    ['`jb-score --jury majority`, of two runs', 'jb-score', ['-q', '--jury', 'majority', verdicts!, other]],
    ['`jb-aggregate`', 'jb-aggregate', ['-q', verdicts!]],
    ['`jb-compare`, two runs', 'jb-compare', ['-q', verdicts!, other]],
    ['`jb-audit`', 'jb-audit', ['-q', verdicts!]],
    ['`jb-rank`', 'jb-rank', ['-q', verdicts!]],
    ['`jb-view`', 'jb-view', ['-q', verdicts!]],
    [
      '`jb-agree`, a leaderboard of 300,000 values',
      'jb-agree',
      ['-q', '--from', 'tot', await board('truth.txt', 1), await board('board.txt', 2)],
    ],
    ...['csv', 'parquet', 'evalassist'].map((format): (typeof commands)[number] => [
      `\`jb-write ${format}\``,
      'jb-write',
      ['-q', format, verdicts!],
    ]),
    ...['junit', 'github'].map((format): (typeof commands)[number] => [
      `\`jb-write ${format}\``,
      'jb-write',
      ['-q', format, '--pass', '0.5', verdicts!],
    ]),
  ]
  const lines = ['| command | peak memory, MB |', '| --- | ---: |']
  for (const [words, command, args] of commands) {
    lines.push(`| ${words} | ${Math.round(await peakOf(`bin/${command}`, args))} |`)
    console.log(lines.at(-1))
  }
  writeDocs('memory', lines, 'docs/trust.md')
}

async function stalled(): Promise<void> {
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
}

await (process.argv.includes('--table') ? table() : stalled())
