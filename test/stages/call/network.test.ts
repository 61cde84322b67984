/** Servers that are not there, go away, stall, or answer what is no HTTP or no UTF-8. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, Started } from '../../helpers/run.ts'
import { callOnce, inOrder, trials } from './rows.ts'
import { chatServer, listening } from './server.ts'

test('nobody listens: exit 69 at once, in words that say what to set', async () => {
  const ran = await callOnce('http://127.0.0.1:1/v1', [], trials(50))
  expect(ran, {
    code: 69,
    out: '',
    err: /cannot reach http:\/\/127\.0\.0\.1:1\/v1\/chat\/completions: .*connection refused \(--base-url/,
  })
})

test('a name that DNS does not know', async () => {
  const ran = await callOnce('http://no-such-host.invalid/v1', [], trials(5))
  expect(ran, {
    code: 69,
    out: '',
    err: /cannot reach .*no-such-host\.invalid: (no such host|the name could not be looked up)/,
  })
})

test('a server that goes away in the middle: what was answered is written, exit 75', async (t) => {
  const server = await chatServer(t, () => ({ delay: 5 }))
  const running = callOnce(server.url, ['--retries', '1', '-j', '8'], trials(2000))
  while (server.answered.size < 100) await sleep(5)
  await server.close()
  const ran = await running
  expect(ran, {
    code: 75,
    err: /127\.0\.0\.1:\d+ has refused all calls for \d s \(.*connection refused; --refused-for\): run the same command again/,
  })
  const rows = rowsOf(ran)
  assert.ok(rows.filter(({ jb }) => jb.reply).length >= 100)
  assert.ok(rows.length < 1000, 'it did not go through the whole input')
})

test('one byte now and then: cut off at --timeout, not later', async (t) => {
  const server = await chatServer(t, () => 'drip')
  const ran = await callOnce(
    server.url,
    ['--timeout', '0.5', '--retries', '1', '--max-error-rate', '1'],
    trials(1),
  )
  expect(ran, { err: /timeout: the answer was cut off after \d+ bytes within 0\.5 s/ })
  assert.equal(server.calls.length, 2)
})

test('an answer that is there when a process goes on after a stop is taken, however long that took', async (t) => {
  const place = folder(t, { 'in.ndjson': trials(8) })
  // Half of them come in two parts, the second of which is there as well.
  const server = await chatServer(t, ({ n }) => ({ delay: 100, ...(n % 2 && { parts: 3 }) }))
  const running = new Started(t, 'call', [
    ...['-m', 'm', '--base-url', server.url, '--no-cache', '--timeout', '0.6'],
    `${place}/in.ndjson`,
  ])
  while (server.calls.length < 8) await sleep(5)
  running.child.kill('SIGSTOP')
  while (server.answered.size < 8) await sleep(5)
  await sleep(700)
  running.child.kill('SIGCONT')
  inOrder(expect(await running.done, {}), 8)
  assert.equal(server.calls.length, 8, 'what was answered is not asked again')
})

test('each call has a --timeout of its own, whenever it began', async (t) => {
  const server = await chatServer(t, ({ n }) => (n % 2 ? 'hang' : { delay: 200 }))
  const args = ['--timeout', '0.4', '--retries', '0', '--max-error-rate', '1', '-j', '2']
  const rows = rowsOf(await callOnce(server.url, args, trials(8)))
  const hung = server.calls.filter(({ n }) => n % 2).map(({ text }) => text)
  assert.deepEqual(
    rows.filter(({ jb }) => jb.error).map(({ question, jb }) => [question, jb.error!.code]),
    hung.toSorted().map((text) => [text, 'timeout']),
  )
})

test('bytes that are no UTF-8 in an answer are replaced in the row', async (t) => {
  const body = Buffer.from('{"choices":[{"message":{"content":"caf\xe9 \xc3\xa9 [[A>B]]"}}]}', 'latin1')
  const server = createServer((socket) =>
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
      socket.end(body)
    }),
  )
  const ran = await callOnce(`http://127.0.0.1:${await listening(t, server)}/v1`, [], trials(1))
  assert.equal(rowsOf(ran)[0]?.jb?.reply?.text, 'caf\ufffd é [[A>B]]')
})

test('a server that accepts and says nothing, and one that talks no HTTP', async (t) => {
  const silent = createServer(() => {})
  const gibberish = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
  const url = async (server: typeof silent) => `http://127.0.0.1:${await listening(t, server)}/v1`
  const args = ['--timeout', '0.4', '--retries', '0', '--max-error-rate', '1']
  expect(await callOnce(await url(silent), args, trials(2)), {
    err: /timeout: no answer within 0\.4 s \(--timeout\)/,
  })
  const ran = await callOnce(await url(gibberish), args, trials(1))
  assert.match(ran.stderr, /does not speak HTTP|connection/)
})
