/** Signals, and named pipes whose other end is late. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { expect, type Filter, fine, jb, Started, sh } from '../helpers/run.ts'

const ROW = `${JSON.stringify(replied('vanilla', 'Output (a)'))}\n`

/** More than a pipe holds. */
const MANY = ROW.repeat(700)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal}: finished rows are written, exit 75, the message says that the output is incomplete`, async (t) => {
    const run = new Started(t, 'parse')
    run.child.stdin.write(ROW + ROW)
    await run.lines(2)
    // A row that has not ended yet is not finished.
    run.child.stdin.write(ROW.slice(0, 20))
    run.child.kill(signal)
    const err = new RegExp(`^jb-parse: stopped by ${signal}: the output is incomplete$`, 'm')
    assert.equal(rowsOf(expect(await run.done, { code: 75, err })).length, 2)
  })
}

/**
 * Signals a filter that waits for input. One that was not yet ready for it ends by the signal, as any process
 * does: then another gets more time.
 */
async function interrupted(signal: NodeJS.Signals, begin: () => Started): Promise<Started> {
  for (let ms = 250; ; ms *= 2) {
    const run = begin()
    await sleep(ms)
    run.child.kill(signal)
    if ((await run.done).signal === null || ms > 10_000) return run
  }
}

test('an interrupt while there is no input ends the filter, whichever it is', async (t) => {
  const filters: [Filter, string[]][] = [
    ['parse', []],
    ['aggregate', []],
    ['read', ['json']],
    ['read', ['judgebench-outputs']],
  ]
  for (const [filter, args] of filters) {
    const run = await interrupted('SIGTERM', () => new Started(t, filter, args))
    expect(await run.done, { code: 75, err: /stopped by SIGTERM/ })
  }
})

test('an interrupt ends a filter that waits for a named pipe, with a writer or without', async (t) => {
  const path = folder(t)
  spawnSync('mkfifo', [`${path}/fifo`, `${path}/fifo.gz`])
  const filters: [Filter, string[], writer: boolean][] = [
    ['parse', ['fifo'], false],
    ['parse', ['fifo'], true],
    ['score', ['fifo.gz'], false],
    ['read', ['json', 'fifo'], true],
  ]
  for (const [filter, args, writer] of filters) {
    const held = writer && openSync(`${path}/${args.at(-1)}`, 'r+')
    const run = await interrupted('SIGINT', () => new Started(t, filter, args, { cwd: path }))
    expect(await run.done, { code: 75, err: /stopped by SIGINT/ })
    if (held) closeSync(held)
  }
})

test('a named pipe is read to its end, when its writer comes', async (t) => {
  const path = folder(t, { 'many.ndjson': MANY, 'one.ndjson': ROW, packed: gzipSync(MANY) })
  const all = fine(await jb('parse', ['many.ndjson'], { cwd: path })).stdout
  const same = async (command: string, times = 1) =>
    assert.ok(fine(await sh(`bash -c '${command}'`, { cwd: path })).stdout === all.repeat(times), command)
  await same(
    `mkfifo late now z.gz; (sleep 0.3; cat many.ndjson > late) & cat packed > z.gz &
    (head -n 10 many.ndjson; sleep 0.3; tail -n +11 many.ndjson) > now &
    cat many.ndjson | jb-parse late now <(head -n 100 many.ndjson) <(tail -n +101 many.ndjson) /dev/fd/7 z.gz /dev/stdin 7< <(cat many.ndjson)`,
    6,
  )
  await same('cat many.ndjson | jb-parse /dev/fd/0')
  await same('jb-parse /dev/stdin < many.ndjson')
  await same('mkfifo short; cat many.ndjson > short & (sleep 0.3; jb-parse /dev/stdin) < short')
  expect(await jb('parse', ['/dev/stdin'], { stdin: MANY }), { out: all })
})

test('a filter that has enough does not wait for the writer of a named pipe', async (t) => {
  const path = folder(t, { 'pair.ndjson': ndjson([pair()]) })
  const begun = Date.now()
  for (const [command, code] of [
    ['jb-render vanilla --limit 1 <(cat pair.ndjson; exec sleep 30)', 0],
    ['jb-parse --strict <(echo {}; exec sleep 30)', 1],
    ['jb-parse <(echo nope; exec sleep 30)', 65],
  ] as const) {
    const ran = await sh(`exec bash -c '${command} 2>&1; code=$?; kill $! 2>&-; exit $code'`, { cwd: path })
    expect(ran, { code })
  }
  assert.ok(Date.now() - begun < 20_000, 'it waits for the writer')
})

test('a report that was interrupted never goes to -o FILE', async (t) => {
  const path = folder(t)
  const run = await interrupted('SIGINT', () => {
    const run = new Started(t, 'aggregate', ['-o', 'report.json'], { cwd: path })
    run.child.stdin.write(ROW)
    return run
  })
  expect(await run.done, { code: 75, err: /stopped by SIGINT: report\.json is not written/ })
  assert.ok(!existsSync(`${path}/report.json`))
})

test('the second signal ends at once, as the signal says', async (t) => {
  // Nobody reads what it writes, so it cannot finish.
  const run = new Started(t, 'parse', [], { deaf: true })
  run.child.stdin.end(MANY.repeat(4))
  await once(run.child.stdout, 'readable')
  run.child.kill('SIGINT')
  await sleep(200)
  assert.equal(run.child.exitCode, null, 'the first signal lets what was read be written')
  run.child.kill('SIGINT')
  const { code, signal, stderr } = await run.done
  assert.deepEqual({ code, signal, stderr }, { code: null, signal: 'SIGINT', stderr: '' })
})
