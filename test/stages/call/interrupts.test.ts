/** SIGINT, and a reader that leaves: what is in flight is finished or given up, and the message says how to go on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, jb, Started, sh } from '../../helpers/run.ts'
import { inOrder, privateEnv, trials } from './rows.ts'
import { chatServer, reply } from './server.ts'

test('SIGINT: what is in flight finishes and is written, exit 75, and the message says how to go on', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(60) })
  const server = await chatServer(t, () => ({ delay: 150 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '6']
  const running = new Started(t, 'call', [...args, `${place}/in.ndjson`], { env })
  while (server.calls.length < 9) await sleep(5)
  running.child.kill('SIGINT')
  const { code } = await running.done
  assert.equal(code, 75, running.stderr)
  assert.match(
    running.stderr,
    /waiting for \d calls? in flight[\s\S]*stopped by SIGINT: run the same command again to go on \(finished calls are in the cache, .*replies\)/,
  )
  const rows = running.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  assert.equal(rows.length, server.calls.length, 'every call that was sent has its row')
  assert.ok(rows.every(({ id, jb }, i) => id === i && jb.reply.text === reply(`question ${i}`)))
  const made = server.calls.length
  inOrder(expect(await jb('call', [...args, `${place}/in.ndjson`], { env }), {}), 60)
  assert.equal(server.calls.length, 60, `${made} before and the rest after`)
})

test('a second SIGINT ends it at once, and one while rows are waited for as well', async (t) => {
  const place = folder(t, { 'in.ndjson': trials(3) })
  const server = await chatServer(t, () => 'hang')
  const args = ['-m', 'm', '--base-url', server.url, '--no-cache']
  const running = new Started(t, 'call', [...args, `${place}/in.ndjson`], { env: {} })
  while (server.calls.length < 3) await sleep(5)
  running.child.kill('SIGINT')
  while (!running.stderr.includes('calls in flight')) await sleep(5)
  running.child.kill('SIGINT')
  assert.equal((await running.done).signal, 'SIGINT')
  const answering = await chatServer(t)
  const idle = new Started(t, 'call', ['-m', 'm', '--base-url', answering.url, '--no-cache'])
  idle.child.stdin.write(trials(1))
  await idle.lines(1)
  idle.child.kill('SIGINT')
  assert.equal((await idle.done).code, 75)
})

test('a row that waits to be tried again does not hold up the end', async (t) => {
  const place = folder(t, { 'in.ndjson': trials(3) })
  // The first call is made alone.
  const server = await chatServer(t, ({ text }) =>
    text === 'question 0' ? undefined : { status: 503, headers: { 'retry-after': '50' } },
  )
  const args = ['-m', 'm', '--base-url', server.url, '--no-cache']
  const running = new Started(t, 'call', [...args, `${place}/in.ndjson`])
  while (server.calls.length < 3) await sleep(5)
  await sleep(100)
  running.child.kill('SIGTERM')
  assert.equal((await running.done).code, 75)
  const rows = running.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    rows.map(({ jb }) => [jb.error?.code, jb.error?.retryable]),
    [
      [undefined, undefined],
      ['unavailable', true],
      ['unavailable', true],
    ],
  )
})

test('a closed stdout ends it quietly, and calls under way are given up', async (t) => {
  const server = await chatServer(t, ({ text }) => (text === 'question 0' ? undefined : { delay: 200 }))
  const place = folder(t, { 'in.ndjson': trials(2000) })
  const ran = await sh(`jb-call -m m --no-cache --base-url ${server.url} '${place}/in.ndjson' | head -1`)
  expect(ran, { err: '' })
  assert.equal(rowsOf(ran).length, 1)
  assert.ok(server.calls.length < 500, `${server.calls.length} calls`)
})
