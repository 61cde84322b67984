/** --rpm and --tpm are kept, and how tokens of a request are estimated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallEstimate } from '../../../src/stages/call/limits/money.ts'
import { RateLimiter } from '../../../src/stages/call/limits/rate_limiter.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

test('--rpm is kept', async (t) => {
  const server = await chatServer(t)
  inOrder(expect(await callOnce(server.url, ['--rpm', '6000'], trials(150)), {}), 150)
  // From before the first call: a busy machine makes it longer, never shorter.
  const seconds = server.calls.at(-1)!.at / 1000
  // 150 calls at 100 a second; the first twentieth of a second is granted at once.
  assert.ok(seconds > 1.35, `${seconds} s`)
})

test('--tpm: estimated before, corrected by what the server counts', async (t) => {
  // Estimated at some 60 tokens (of which an answer may be 10), each really uses 100.
  const server = await chatServer(t, ({ text }) => ({
    body: chatBody(text, 'm', { usage: { prompt_tokens: 95, completion_tokens: 5 } }),
  }))
  const stdin = ndjson(Array.from({ length: 120 }, (_, i) => trial(i, `question ${i} ${'x'.repeat(120)}`)))
  expect(await callOnce(server.url, ['--tpm', '240000', '--max-tokens', '10'], stdin), {})
  // 4,000 tokens a second are 40 such calls: 3 s, less what is granted by the estimate; by it alone it would be 1.8 s.
  const seconds = server.calls.at(-1)!.at / 1000
  assert.ok(seconds > 2.1, `${seconds} s`)
})

test('--tpm: a server that counts more than there can be stalls no run', async (t) => {
  const usage = { prompt_tokens: 1e308, completion_tokens: 1e308 }
  const server = await chatServer(t, () => ({ body: chatBody('A', 'm', { usage }) }))
  const ran = await callOnce(server.url, ['--tpm', '6000000', '-j', '1'], trials(3))
  expect(ran, { err: 'jb-call: 3 rows, 3 calls\n' })
})

test('each model has limits of its own', async (t) => {
  const server = await chatServer(t)
  const stdin = ndjson(Array.from({ length: 20 }, (_, i) => trial(i, `q ${i}`, { name: i < 19 ? 'a' : 'b' })))
  const env = { LLM_JUDGE_A_MODEL: 'one', LLM_JUDGE_B_MODEL: 'two' }
  const { jb } = await import('../../helpers/run.ts')
  const args = ['--base-url', server.url, '--no-cache', '--rpm', '1200', '-q', '-j', '40']
  expect(await jb('call', args, { stdin, env }), {})
  const place = server.calls.findIndex(({ body }) => body.model === 'two')
  assert.ok(place < 15, `the only call to the second model, in the last row, was call ${place + 1} of 20`)
})

test('a pace hands out what it was asked for, first come first served, and takes corrections', async (t) => {
  const pace = new RateLimiter(200)
  t.after(() => pace.close())
  const order: number[] = []
  const begun = Date.now()
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      await pace.take(1)
      order.push(i)
    }),
  )
  const took = Date.now() - begun
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
  assert.ok(took >= 200, `${took} ms for 60 permits at 200 a second`)
  pace.correct(600, 100)
  assert.equal(pace.take(400), undefined, 'what was given back is there at once')
  const before = new RateLimiter(200)
  t.after(() => before.close())
  before.correct(13_000, 12_000)
  assert.ok(before.take(1), 'no more is given back than was taken: a minute’s worth')
})

test('a wall clock that is set back stalls no rate limit', async (t) => {
  const limiter = new RateLimiter(100)
  t.after(() => limiter.close())
  for (let i = 0; i < 10; i++) await limiter.take(1)
  const now = Date.now.bind(Date)
  // Before leases that are asked for are planned, too.
  const next = limiter.take(1)
  t.mock.method(Date, 'now', () => now() - 86_400_000)
  await next
  for (let i = 0; i < 10; i++) await limiter.take(1)
})

test('tokens of a request are learnt from what the server counts', () => {
  const estimate = new CallEstimate()
  assert.deepEqual(estimate.tokens(4000, 100), { prompt: 1000, completion: 100 })
  for (let i = 0; i < 100; i++) estimate.learn(4000, { prompt_tokens: 2000, completion_tokens: 7 }, undefined)
  const { prompt, completion } = estimate.tokens(4000, 100)
  assert.ok(Math.abs(prompt - 2000) < 20)
  assert.equal(completion, 7)
})
