/** What jb-call does where an endpoint refuses calls; many kinds of limits, in virtual time, are in bench/call_rates.ts. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { whatFollows } from '../../../src/stages/call/channel.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { callOnce, inOrder, privateEnv, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('outages, limits and refusals by chance cost what they must, and no row', async () => {
  const lines = ['down for the first 10 s', '100 a second, burst 100', '16 at once', '30 % by chance, -j 64']
  const args = ['--import', 'tsx', 'bench/call_rates.ts', '--seeds', '2', ...lines]
  await promisify(execFile)(process.execPath, args)
})

test('in an outage one call at a time tries the endpoint; the first that is granted ends it', async (t) => {
  const server = await chatServer(t, ({ at }) => ({ status: at < 2500 ? 503 : 200, delay: 5 }))
  const args = ['--refused-for', '60', '-j', '16', '--retry-min', '0.1']
  const ran = await callOnce(server.url, args, trials(60))
  expect(ran, { err: /60 rows, \d+ calls, \d+ refused \(\d+ %\)/ })
  inOrder(ran, 60)
  const refused = server.calls.filter(({ at }) => at < 2500).length
  assert.ok(refused < 16 * 5, `${refused} calls in 2.5 s`)
})

test('an outage longer than --refused-for ends the run, and the same command goes on', async (t) => {
  let up = false
  const server = await chatServer(t, ({ n }) => (up || n < 20 ? undefined : { status: 429 }))
  const env = privateEnv(t)
  const run = () => {
    const args = ['-m', 'm', '--base-url', server.url, '-j', '4', '--retry-min', '0.01', '--refused-for', '1']
    return jb('call', args, { stdin: trials(100), env })
  }
  const first = await run()
  expect(first, {
    code: 75,
    err: /has refused all calls for \d s \(HTTP 429: .*; --refused-for\): run the same/,
  })
  const rows = rowsOf(first)
  assert.deepEqual(
    rows.slice(20).map(({ jb }) => jb.error!.code),
    rows.slice(20).map(() => 'rate_limited'),
  )
  assert.ok(rows.length >= 20 && rows.length <= 24)
  up = true
  const second = await run()
  expect(second, { err: /100 rows, 80 calls, 20 from the cache/ })
  inOrder(second, 100)
})

test('rows that are always refused fail, and do not end the run', async (t) => {
  const server = await chatServer(t, ({ text }) =>
    /question (5|39)$/.test(text) ? { status: 429, body: { error: { message: 'too large' } } } : { delay: 2 },
  )
  for (const places of ['1', '16']) {
    const ran = await callOnce(server.url, ['-j', places, '--refused-for', '0.5'], trials(40))
    expect(ran, { err: /2 failed here \(rate_limited 2\)/ })
    assert.deepEqual(
      rowsOf(ran).flatMap(({ id, jb }) => (jb.error ? [id] : [])),
      [5, 39],
    )
  }
})

test('a row that is told to wait for a day fails, and its place does not rest so long', async (t) => {
  const headers = { 'retry-after': '86400' }
  const server = await chatServer(t, ({ text }) =>
    text === 'question 1' ? { status: 429, headers } : text === 'question 2' ? 'reset' : undefined,
  )
  const ran = await callOnce(server.url, ['-j', '2', '--retries', '0', '--max-error-rate', '1'], trials(4))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code),
    [undefined, 'rate_limited', 'unavailable', undefined],
  )
})

test('what becomes of refused calls is said: a time, or the tries that a task file allows', () => {
  const usual = { retries: 3, refusedFor: 300 }
  assert.match(whatFollows({ ...usual, boundsRefusals: false }), /for up to 300 s \(--refused-for\)/)
  assert.match(
    whatFollows({ ...usual, boundsRefusals: true }),
    /tried again 3 times, as the judge’s file says/,
  )
})
