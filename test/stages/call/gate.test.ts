/** When a run ends early for its errors, and what it says of what it cannot do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowFailure } from '../../../src/rows/record.ts'
import { connectionFailure } from '../../../src/stages/call/http/transfer.ts'
import { CallTally } from '../../../src/stages/call/limits/tally.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect } from '../../helpers/run.ts'
import { callOnce, trial } from './rows.ts'
import { chatServer } from './server.ts'

const tallied = (failed: number, succeeded: number, total?: number) => {
  const tally = new CallTally()
  tally.total = total
  for (let i = 0; i < failed; i++) tally.rowFailed(new RowFailure('bad_request', 'no'))
  for (let i = 0; i < succeeded; i++) tally.succeeded('call')
  return tally
}

test('a run ends early only where the rest could not mend it, or beyond doubt, and never before 50 rows', () => {
  const cases: [failed: number, succeeded: number, total: number | undefined, ends: boolean][] = [
    [49, 0, undefined, false],
    [50, 0, undefined, true],
    [12, 29, 1000, false],
    [100, 0, 1000, false],
    [101, 0, 1000, true],
    [12, 60, undefined, false],
    [40, 60, undefined, true],
    [5, 45, undefined, false],
  ]
  for (const [failed, succeeded, total, ends] of cases)
    assert.equal(
      tallied(failed, succeeded, total).willExceed(0.1),
      ends,
      `${failed} of ${failed + succeeded}, ${total} in all`,
    )
})

test('rows of a plain file are counted before anything is made of a streak, in whatever order they leave', async (t) => {
  const counting = tallied(50, 50)
  let counts = 0
  let counted = (_: number) => {}
  counting.count = () => {
    counts++
    return new Promise((resolve) => (counted = resolve))
  }
  assert.equal(counting.willExceed(0.1), false)
  counted(1000)
  await new Promise(setImmediate)
  assert.equal(counting.willExceed(0.1), false)
  assert.equal(counting.willExceed(0.04), true)
  assert.equal(counts, 1)
  const server = await chatServer(t, ({ n }) => (n % 2 === 0 ? { status: 400, delay: 30 } : undefined))
  const rows = Array.from({ length: 1000 }, (_, i) => ({ ...trial(i), pad: 'x'.repeat(5000) }))
  const files = { 'rows.jsonl': ndjson(rows), 'some.jsonl': ndjson(rows.slice(0, 400)) }
  const place = folder(t, files)
  const usual = ['--retries', '0', '-j']
  // More may fail before the rows are counted.
  const checkEnd = async (rows: number, source: string, ...args: string[]) => {
    const ran = await callOnce(server.url, [...usual, ...args, source], '')
    expect(ran, { code: 1, err: /: \d+ of \d+ rows failed/ })
    const [, failed, done] = /: (\d+) of (\d+) rows failed/.exec(ran.stderr)!.map(Number)
    assert.ok(failed! > rows / 10 && done! < rows, ran.stderr)
  }
  await checkEnd(1000, `${place}/rows.jsonl`, '100', '--unordered')
  await checkEnd(400, `${place}/some.jsonl`, '20')
})

test('twelve failures at the start of 400 rows do not end the run', async (t) => {
  const server = await chatServer(t, ({ n }) => (n < 12 ? { status: 400 } : undefined))
  const stdin = ndjson(Array.from({ length: 400 }, (_, i) => trial(i)))
  const ran = await callOnce(server.url, ['-q', '-j', '8'], stdin)
  expect(ran, { code: 0 })
  assert.equal(rowsOf(ran).filter(({ jb }) => jb.error).length, 12)
})

test('a certificate whose signer is not known: what to set', () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const failure = connectionFailure(error, new URL('https://localhost:1/v1'))
  assert.match(
    failure.message,
    /localhost:1: its certificate is self-signed, or .* \(DEPTH_ZERO_SELF_SIGNED_CERT\): set NODE_EXTRA_CA_CERTS/,
  )
  assert.equal(failure.detail.retryable, false)
})
