/** Ends that nobody planned: kills, interrupts, full disks, closed pipes, servers that go away. */
import assert from 'node:assert/strict'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jb, jbProcess, Started, sh } from '../../helpers/run.ts'
import { callOnce, inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatServer, listening, reply, seeded } from './server.ts'

test('kill -9 three times at random: the output in the end is that of an undisturbed run, no finished call made twice', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(150) })
  const input = `${place}/in.ndjson`
  const server = await chatServer(t, () => ({ delay: 15 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '8', '-q']
  const draw = seeded(7)
  let lost = 0
  for (let n = 0; n < 3; n++) {
    const running = new Started(t, 'call', [...args, input], { env })
    const before = server.calls.length
    // Somewhere in the calls, whatever time the program takes to start.
    while (server.calls.length === before && running.child.exitCode === null) await sleep(5)
    await sleep(draw() * 80)
    running.child.kill('SIGKILL')
    await running.done
    // Whole rows, in order, as far as it came.
    const rows = running.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      rows.map(({ id }) => id),
      rows.map((_, i) => i),
    )
    lost += 8
  }
  const last = new Started(t, 'call', [...args, input], { env })
  assert.equal((await last.done).code, 0, last.stderr)
  const again = await jb('call', [...args, input], { env })
  assert.equal(again.stdout, last.stdout, 'a run from the cache gives the same bytes')
  const undisturbed = await jb('call', [...args, input], { env: privateEnv(t) })
  const withoutTimes = (text: string) => text.replace(/"ms":\d+/g, '"ms":0')
  assert.equal(withoutTimes(last.stdout), withoutTimes(undisturbed.stdout))
  // Once for the undisturbed run; the others are the calls that were under way when a kill came.
  const extra = [...server.answered.values()].reduce((sum, times) => sum + times - 2, 0)
  assert.ok(extra <= lost, `${extra} answers were asked for again, at most ${lost} were under way`)
  const journal = readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8')
  const keys = journal
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).key)
  assert.equal(new Set(keys).size, keys.length, 'a call that was kept was made again')
})

test('two processes share a cache: whole lines, and nothing paid twice but what was under way', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(150) })
  const server = await chatServer(t, () => ({ delay: 10 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '4', '-q', '--no-preflight']
  // The second begins where the first is, so that they run side by side over the same rows.
  const both = [
    new Started(t, 'call', [...args, `${place}/in.ndjson`], { env }),
    new Started(t, 'call', [...args, `${place}/in.ndjson`], { env }),
  ]
  for (const { done } of both) assert.equal((await done).code, 0)
  const texts = both.map(({ stdout }) =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).jb.reply.text),
  )
  for (const rows of texts)
    assert.deepEqual(
      rows,
      Array.from({ length: 150 }, (_, i) => reply(`question ${i}`)),
    )
  const lines = readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8').split('\n').slice(0, -1)
  for (const line of lines) assert.equal(typeof JSON.parse(line).reply.text, 'string')
  assert.equal(server.calls.length, 150, 'each knew what the other was asking for')
  const third = await jb('call', [...args, `${place}/in.ndjson`], { env })
  assert.equal(third.code, 0)
  assert.equal(server.calls.length, lines.length, 'the third run made no call')
})

test('who comes while all calls of another process are under way waits for their answers', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(12) })
  const server = await chatServer(t, () => ({ delay: 1500 }))
  const args = ['-m', 'm', '--base-url', server.url, '-q', '--no-preflight', `${place}/in.ndjson`]
  const first = new Started(t, 'call', args, { env })
  while (server.calls.length < 12) await sleep(5)
  const second = await jb('call', args, { env })
  assert.equal(second.stdout, (await first.done).stdout)
  assert.equal(server.calls.length, 12, 'nothing was asked twice')
})

test('what another process stores and leaves behind while this one waits for it is not asked again', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const args = ['-m', 'm', '--base-url', server.url, '-q']
  expect(
    await jb('call', args, {
      stdin: trials(4),
      env: { ...env, XDG_CACHE_HOME: `${env.XDG_CACHE_HOME}/other` },
    }),
    {},
  )
  const journal = `${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`
  // A living process that has not noticed who came.
  const peer = `${journal}.busy/${hostname().replace(/[^\w.-]/g, '')}-${process.pid}`
  mkdirSync(`${journal}.busy`, { recursive: true })
  writeFileSync(peer, '')
  const running = jbProcess('call', args, { stdin: trials(4), env })
  while (readdirSync(`${journal}.busy`).length < 2) await sleep(5)
  await sleep(100)
  appendFileSync(journal, readFileSync(journal.replace('/jb/', '/other/jb/')))
  rmSync(peer)
  inOrder(expect(await running, {}), 4)
  assert.equal(server.calls.length, 4, 'none was paid for twice')
})

test('a line that a kill left half written is closed, skipped, and its call made again', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const args = ['-m', 'm', '--base-url', server.url, '-q']
  const journal = `${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`
  const first = await jb('call', args, { stdin: trials(5), env })
  truncateSync(journal, readFileSync(journal).length - 30)
  const second = await jb('call', args, { stdin: trials(7), env })
  inOrder(expect(second, {}), 7)
  assert.equal(server.calls.length, 5 + 3, 'the torn one and the two new ones')
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  assert.equal(lines.filter((line) => !isJson(line)).length, 1, 'the torn line stands alone')
  const third = await jb('call', args, { stdin: trials(7), env })
  assert.equal(third.stdout, second.stdout)
  assert.equal(third.stdout.slice(0, 100), first.stdout.slice(0, 100))
  assert.equal(server.calls.length, 8)
  // Garbage of any kind is passed over.
  appendFileSync(journal, 'not json\n{"key":"zz"}\n[]\n\n{"key":"0123456789abcdef0123456789abcdef"}\n')
  assert.equal((await jb('call', args, { stdin: trials(7), env })).stdout, second.stdout)
})

const isJson = (line: string) => {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

test('SIGINT: what is in flight finishes and is written, exit 75, and the message says how to go on', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(60) })
  const server = await chatServer(t, () => ({ delay: 150 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '6', '--no-preflight']
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
  const args = ['-m', 'm', '--base-url', server.url, '--no-cache', '--no-preflight']
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
  const place = folder(t, { 'in.ndjson': trials(2) })
  const server = await chatServer(t, () => ({ status: 503, headers: { 'retry-after': '50' } }))
  const args = ['-m', 'm', '--base-url', server.url, '--no-cache', '--no-preflight']
  const running = new Started(t, 'call', [...args, `${place}/in.ndjson`])
  while (server.calls.length < 2) await sleep(5)
  await sleep(100)
  running.child.kill('SIGTERM')
  assert.equal((await running.done).code, 75)
  const rows = running.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    rows.map(({ jb }) => [jb.error.code, jb.error.retryable]),
    [
      ['unavailable', true],
      ['unavailable', true],
    ],
  )
})

test('a full disk for the output: exit 74, in words, and the paid replies are in the cache', {
  skip: !existsSync('/dev/full') && 'NOT RUN: no /dev/full here',
}, async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const place = folder(t, { 'in.ndjson': trials(40) })
  const args = ['-q', '-m', 'm', '--base-url', server.url, `${place}/in.ndjson`]
  expect(await sh(`jb-call ${args.join(' ')} > /dev/full`, { env }), {
    code: 74,
    err: /^jb-call: write error: no space left on device\n$/,
  })
  const made = server.calls.length
  assert.ok(made < 40 + 1)
  inOrder(expect(await jb('call', args, { env }), {}), 40)
  assert.ok(server.calls.length <= 40 + 32)
})

test('a cache that cannot be written costs a warning, not the replies', {
  skip: !existsSync('/dev/full') && 'NOT RUN: no /dev/full here',
}, async (t) => {
  const server = await chatServer(t)
  const ran = await jb('call', ['-m', 'm', '--base-url', server.url, '--cache', '/dev/full'], {
    stdin: trials(3),
  })
  inOrder(
    expect(ran, { err: /the cache \/dev\/full cannot be written \(ENOSPC.*\): going on without it/ }),
    3,
  )
  const place = folder(t, { file: 'not a folder' })
  const env = { XDG_CACHE_HOME: `${place}/file` }
  inOrder(
    expect(await jb('call', ['-m', 'm', '--base-url', server.url], { stdin: trials(3), env }), {
      err: /no cache: .*ENOTDIR/,
    }),
    3,
  )
})

test('a closed stdout ends it quietly, and calls under way are given up', async (t) => {
  const server = await chatServer(t, ({ text }) => (text === 'question 0' ? undefined : { delay: 200 }))
  const place = folder(t, { 'in.ndjson': trials(2000) })
  const ran = await sh(`jb-call -m m --no-cache --base-url ${server.url} ${place}/in.ndjson | head -1`)
  expect(ran, { err: '' })
  assert.equal(rowsOf(ran).length, 1)
  assert.ok(server.calls.length < 500, `${server.calls.length} calls`)
})

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

test('a server that goes away in the middle: what was answered is written, exit 69', async (t) => {
  const server = await chatServer(t, () => ({ delay: 5 }))
  const running = callOnce(server.url, ['--retries', '1', '-j', '8'], trials(2000))
  while (server.answered.size < 100) await sleep(5)
  await server.close()
  const ran = await running
  assert.ok(ran.code === 69 || ran.code === 1, `exit ${ran.code}: ${ran.stderr}`)
  assert.match(ran.stderr, /connection (refused|reset|closed)/)
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
    ...['-m', 'm', '--base-url', server.url, '--no-cache', '--no-preflight', '--timeout', '0.6'],
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
  const place = folder(t)
  const server = await chatServer(t, ({ n }) => (n % 2 ? 'hang' : { delay: 200 }))
  const args = ['--timeout', '0.4', '--retries', '0', '--max-error-rate', '1', '-j', '2', '--no-preflight']
  await callOnce(server.url, [...args, '--log', `${place}/log`], trials(8))
  const times = readFileSync(`${place}/log`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ error }) => error)
    .map(({ ms }) => ms)
  assert.ok(times.length >= 3 && times.every((ms) => ms >= 399), times.join(' '))
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

test('bad rows and rows without a request do not stop the others', async (t) => {
  const server = await chatServer(t)
  const noRequest = { id: 9, jb: { judge: 'x', item: '9' } }
  const failed = {
    id: 8,
    jb: { judge: 'x', item: '8', error: { stage: 'render', code: 'missing_field', message: 'm' } },
  }
  const stdin = `${ndjson([trial(0), noRequest, failed])}{"broken":\n${ndjson([trial(1)])}`
  const ran = await callOnce(server.url, ['--bad-rows', 'pass', '--max-error-rate', '1'], stdin)
  expect(ran, { err: /missing_field: no jb\.request in the row/ })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply?.text ?? jb.error?.code),
    [reply('question 0'), 'missing_field', 'missing_field', 'bad_row', reply('question 1')],
  )
  const stopped = await callOnce(server.url, [], stdin)
  expect(stopped, { code: 65, err: /\(stdin\):4: not valid JSON/ })
  assert.equal(rowsOf(stopped).length, 3, 'what came before is written')
})

test('an emptied cache file is noticed by a process that is using it', async (t) => {
  const place = folder(t)
  const cache = `${place}/c.ndjson`
  const server = await chatServer(t, ({ n }) => {
    if (n === 10) closeSync(openSync(cache, 'w'))
    return undefined
  })
  const ran = await jb('call', ['-m', 'm', '--base-url', server.url, '--cache', cache, '-j', '1', '-q'], {
    stdin: trials(30),
  })
  inOrder(expect(ran, {}), 30)
  writeFileSync(`${place}/copy`, readFileSync(cache))
  assert.ok(readFileSync(cache, 'utf8').trim().split('\n').every(isJson))
})
