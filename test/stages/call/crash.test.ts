/** Kills, full disks and several processes: the cache loses nothing that was paid. */
import assert from 'node:assert/strict'
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from '../../helpers/folder.ts'
import { quoted } from '../../helpers/ran.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jb, Started, sh } from '../../helpers/run.ts'
import { callOnce, inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatServer, reply, seeded } from './server.ts'

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

test('two processes share a cache: whole lines, and what one has stored the other does not ask for again', async (t) => {
  const env = privateEnv(t)
  const place = folder(t, { 'in.ndjson': trials(150) })
  const server = await chatServer(t, () => ({ delay: 10 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '4', '-q']
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
  const lines = readFileSync(`${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`, 'utf8').split('\n')
  // A process that sees half a line of the other's puts a newline before its own.
  for (const line of lines.filter(Boolean)) assert.equal(typeof JSON.parse(line).reply.text, 'string')
  const before = server.calls.length
  const third = await jb('call', [...args, `${place}/in.ndjson`], { env })
  assert.equal(third.code, 0)
  assert.equal(server.calls.length, before, 'the third run made no call')
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

test('a full disk for the output: exit 74, in words, and the paid replies are in the cache', {
  skip: !existsSync('/dev/full') && 'NOT RUN: no /dev/full here',
}, async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const place = folder(t, { 'in.ndjson': trials(40) })
  const args = ['-q', '-m', 'm', '--base-url', server.url, `${place}/in.ndjson`]
  expect(await sh(`jb-call ${args.map(quoted).join(' ')} > /dev/full`, { env }), {
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
  expect(await jb('call', ['-q', '-m', 'm', '--base-url', server.url], { stdin: trials(3), env }), {
    code: 74,
    err: /no cache: .*ENOTDIR.* \(--cache FILE names another place, --no-cache does without\)/,
  })
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
