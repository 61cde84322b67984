/** --max-cost and --max-requests are kept to, whatever servers count. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Budget } from '../../../src/stages/call/limits/budget.ts'
import { CallEstimate } from '../../../src/stages/call/limits/money.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { callOnce, inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer, type Deed } from './server.ts'

test('--max-requests: so many and no more, exit 75, and running again goes on', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t, () => ({ delay: 5 }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '8', '--max-requests', '25']
  const first = await jb('call', args, { stdin: trials(60), env })
  expect(first, {
    code: 75,
    err: /--max-requests 25 is reached: run again to go on \(finished calls are in the cache/,
  })
  assert.equal(server.calls.length, 25)
  const rows = rowsOf(first)
  assert.equal(rows.filter(({ jb }) => jb.reply).length, 25)
  assert.ok(rows.every(({ jb }) => jb.reply || jb.error!.code === 'budget'))
  expect(await jb('call', args, { stdin: trials(60), env }), { code: 75 })
  assert.equal(server.calls.length, 50)
  inOrder(expect(await jb('call', args, { stdin: trials(60), env }), {}), 60)
  assert.equal(server.calls.length, 60)
})

test('--max-cost: stops before more is spent', async (t) => {
  const server = await chatServer(t, () => ({ delay: 3 }))
  // 75 millionths of a dollar a call.
  const ran = await callOnce(
    server.url,
    ['--price', '2.5,10', '--max-cost', '0.005', '--max-tokens', '5', '-j', '4'],
    trials(200),
  )
  expect(ran, { code: 75, err: /--max-cost 0\.005 is reached \(\$0\.00\d+ spent, .*\): run again to go on/ })
  const spent = server.answered.size * 0.000075
  assert.ok(spent <= 0.005 && spent > 0.004, `$${spent} spent`)
  // A server that counts forty times the tokens that were thought.
  const usage = { prompt_tokens: 1000, completion_tokens: 5 }
  const dear = await chatServer(t, ({ text }) => ({ delay: 3, body: chatBody(text, 'm', { usage }) }))
  const more = await callOnce(dear.url, ['--price', '2.5,10', '--max-cost', '0.05', '-j', '4'], trials(200))
  expect(more, { code: 75 })
  const cost = dear.calls.length * 0.00255
  assert.ok(cost <= 0.05 && cost > 0.04, `$${cost} spent`)
  expect(await callOnce(server.url, ['--price', '2500,10', '--max-cost', '0.0001'], trials(1)), {
    code: 75,
    err: /--max-cost 0\.0001 is less than one call may cost \(\$0\.\d+\): raise it/,
  })
})

test('--max-cost: a limit on tokens far above the answers does not stop a run early', async (t) => {
  // Answers of 50 to 150 tokens, half a tenth of a cent to three times that; the limit would be 4 cents a call.
  const tokens = (text: string) => 50 + ((Number(text.split(' ')[1]) * 37) % 101)
  const server = await chatServer(t, ({ text }) => ({
    delay: 5,
    body: chatBody(text, 'm', { usage: { prompt_tokens: 0, completion_tokens: tokens(text) } }),
  }))
  const args = ['-q', '--price', '0,10', '--max-cost', '0.06', '--max-tokens', '4096', '-j', '32']
  expect(await callOnce(server.url, args, trials(200)), { code: 75 })
  const spent = server.calls.reduce((sum, { text }) => sum + tokens(text) / 1e5, 0)
  assert.ok(spent > 0.054 && spent <= 0.06, `$${spent} spent`)
  // One that may cost more than all there is goes alone.
  const tight = ['-q', '--price', '0,10', '--max-cost', '0.01', '--max-tokens', '4096', '-j', '32']
  const before = server.calls.length
  expect(await callOnce(server.url, tight, trials(200)), { code: 75 })
  assert.ok(server.calls.length - before >= 6)
})

test('--max-cost without a price: by the cost that the server names, in a header or in the usage', async (t) => {
  for (const header of [true, false]) {
    const server = await chatServer(t, ({ text }) => ({
      delay: 5,
      ...(header && { headers: { 'x-litellm-response-cost': '1e-3' } }),
      body: chatBody(
        text,
        'm',
        header ? {} : { usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.001 } },
      ),
    }))
    const args = ['--max-cost', '0.05', '-j', '32']
    const ran = await callOnce(server.url, args, trials(200))
    expect(ran, { code: 75, err: /\$0\.04\d+/ })
    assert.ok(server.calls.length >= 45 && server.calls.length <= 50, `${server.calls.length} calls`)
    const { cost, usage } = rowsOf(ran)[0]!.jb.reply!
    assert.deepEqual([cost, usage!.cost], [0.001, 0.001])
  }
})

test('an account without credit ends the run as a budget does', async (t) => {
  const server = await chatServer(t, ({ n }) =>
    n < 5
      ? undefined
      : {
          status: 429,
          body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
        },
  )
  expect(await callOnce(server.url, ['-j', '2'], trials(300)), {
    code: 75,
    err: /chat\/completions: the account has no credit left \(HTTP 429: You exceeded your current quota\): add some, then run again to go on/,
  })
  assert.ok(server.calls.length <= 8, `${server.calls.length} calls`)
})

test('--max-cost: a model without a price, whose server names no cost, is asked once', async (t) => {
  const place = folder(t, { 'p.json': '{"gpt-4o": [2.5, 10]}' })
  const server = await chatServer(t)
  const args = ['--price', `${place}/p.json`, '--max-cost', '1']
  const ran = expect(await callOnce(server.url, args, trials(20)), {
    code: 2,
    err: /--max-cost: no price is known for m at 127\.0\.0\.1:\d+ and the server names no cost \(--price IN,OUT/,
  })
  assert.equal(server.calls.length, 1)
  assert.equal(rowsOf(ran).length, 1)
})

test('--max-cost: a server that counts nothing may have cost the most, and the end is told once', async (t) => {
  const server = await chatServer(t, ({ text }) => ({
    delay: 5,
    body: chatBody(text, 'm', { usage: undefined }),
  }))
  const args = ['--price', '0,10', '--max-cost', '0.1', '--max-tokens', '1000', '-j', '32']
  const ran = await callOnce(server.url, args, trials(100))
  expect(ran, { code: 75, err: /--max-cost 0\.1 is reached/ })
  assert.equal(server.calls.length, 10)
  assert.equal(rowsOf(ran).filter(({ jb }) => jb.error).length, 1)
})

describe('budget', () => {
  const cost = (expected: number, learnt = true) => ({ expected, least: 0.05, learnt })

  test('calls in flight are counted at what they may cost, and waited for', async () => {
    const budget = new Budget(1)
    assert.equal(budget.take(cost(0.4)), 0.4)
    assert.equal(budget.take(cost(0.4)), 0.4)
    assert.equal(budget.take(cost(0.4)), undefined)
    const settled = budget.settled()
    budget.settle(0.4, 0.1)
    await settled
    assert.equal(budget.take(cost(0.4)), 0.4)
    budget.settle(0.4, 0.9)
    assert.throws(() => budget.take(cost(0.1)), /--max-cost 1 is reached \(\$1\.00 spent/)
  })

  test('before the first reply, a call that may cost more than is left goes alone', () => {
    const budget = new Budget(1)
    assert.equal(budget.take(cost(Infinity, false)), 1)
    assert.equal(budget.take(cost(Infinity, false)), undefined)
    budget.settle(1, 0.1)
    assert.throws(() => budget.take(cost(1.5)), /is less than one call may cost \(\$1\.50\)/)
    assert.equal(budget.take(cost(0.9)), 0.9)
    budget.settle(0.9, 0.88)
    assert.throws(() => budget.take(cost(3, false)), /is less than one call may cost \(\$3\.00\)/)
  })

  test('what a call may cost: by its limit at first, then some times the mean of the replies', () => {
    const estimate = new CallEstimate()
    const price = { input: 1e6, output: 1e6 }
    assert.deepEqual(estimate.cost(40, price, 100), { expected: 140, least: 10, learnt: false })
    assert.equal(estimate.cost(40, price, 100, 3).expected, 340)
    assert.equal(estimate.cost(40, undefined, 100).expected, Infinity)
    for (const completion_tokens of [10, 30]) estimate.learn(40, { prompt_tokens: 20, completion_tokens }, 50)
    assert.deepEqual(estimate.cost(40, price, 100), { expected: 70, least: 20, learnt: true })
    assert.equal(estimate.cost(40, price, 25).expected, 45)
    assert.deepEqual(estimate.cost(40, undefined, 25), { expected: 125, least: 0, learnt: true })
  })
})

test('a limit that is no number is none: --max-cost and --tpm hold, and a dry run counts', async (t) => {
  const server = await chatServer(t, ({ text }) => ({ body: chatBody(text, 'm', { usage: undefined }) }))
  const args = ['-q', '--price', '0,10', '--max-cost', '0.05', '-j', '4']
  const none = { messages: [{ role: 'user', content: 'q' }], max_tokens: null }
  const rows = ndjson(Array.from({ length: 20 }, (_, i) => trial(i, 'q', { request: none })))
  // An answer without a limit is reckoned at 1,024 tokens: a cent.
  expect(await callOnce(server.url, args, rows), { code: 75 })
  assert.equal(server.calls.length, 4)
  expect(await callOnce(server.url, [...args, '--param', 'max_tokens="1000"'], trials(20)), { code: 75 })
  assert.equal(server.calls.length, 4 + 5, 'a number in quotes is the number')
  const paced = ['-q', '--tpm', '100000', '--param', 'max_tokens=null']
  inOrder(fine(await callOnce((await chatServer(t)).url, paced, trials(3))), 3)
  const plan = fine(await callOnce(server.url, ['-q', '-n', '--param', 'max_tokens=null'], trials(2)))
  assert.equal(JSON.parse(plan.stdout).tokens_out_at_most, 2048)
})

test('--max-cost: every answer of best_of counts, and a prompt of a token a letter', async (t) => {
  const counted = (usage: object) =>
    chatServer(t, ({ text }) => ({ delay: 20, body: chatBody(text, 'm', { usage }) }))
  // Three answers of 1,000 tokens: three cents a call.
  const server = await counted({ prompt_tokens: 1, completion_tokens: 3000 })
  const args = ['-q', '--max-cost', '0.1', '-j', '8']
  const three = ['--price', '0,10', '--max-tokens', '1000', '--param', 'best_of=3']
  expect(await callOnce(server.url, [...args, ...three], trials(20)), { code: 75 })
  assert.equal(server.calls.length, 3)
  const plan = fine(await callOnce(server.url, ['-q', '-n', ...three], trials(2)))
  assert.equal(JSON.parse(plan.stdout).tokens_out_at_most, 6000)
  // 2,000 letters of three bytes: two cents a call.
  const dense = await counted({ prompt_tokens: 2000, completion_tokens: 0 })
  const stdin = ndjson(Array.from({ length: 20 }, (_, i) => trial(i, '\u5b57'.repeat(2000))))
  expect(await callOnce(dense.url, [...args, '--price', '10,0'], stdin), { code: 75 })
  assert.ok(dense.calls.length <= 5 && dense.calls.length > 1, `${dense.calls.length} calls`)
})

test('--max-cost: what may have been paid counts, whatever came of it', async (t) => {
  const counted = (usage: unknown, more: object = {}) => ({ body: chatBody('x', 'm', { usage, ...more }) })
  const usage = { prompt_tokens: 0, completion_tokens: 500 }
  // A cent a call at most; half a cent where the server counts.
  const deeds: [deed: Deed, calls: number][] = [
    [counted({}), 5],
    [counted({ total_tokens: 500 }), 5],
    [counted({ prompt_tokens: '0', completion_tokens: '500' }), 5],
    [counted(usage, { choices: [] }), 9],
    [counted(usage, { error: { message: 'overloaded' } }), 9],
    [{ body: 'data: {"choices":[]}\n\n' }, 5],
    ['cut', 5],
    ['hang', 5],
    ['drip', 5],
    [{ headers: { 'content-encoding': 'gzip' }, body: 'not packed' }, 5],
  ]
  const price = ['--price', '0,10', '--max-cost', '0.05', '--max-tokens', '1000']
  const rest = ['-q', '-j', '1', '--max-error-rate', '1']
  await Promise.all(
    deeds.map(async ([deed, calls]) => {
      const server = await chatServer(t, () => deed)
      // An answer that comes has the time that a busy machine takes for it.
      const timeout = deed === 'hang' || deed === 'drip' ? '0.3' : '30'
      const ran = await callOnce(server.url, [...price, ...rest, '--timeout', timeout], trials(20))
      assert.deepEqual([ran.code, server.calls.length], [75, calls], JSON.stringify(deed))
    }),
  )
  // What a server refuses, or never gets, costs nothing.
  const refusing = await chatServer(t, () => ({ status: 400 }))
  await callOnce(refusing.url, [...price, ...rest], trials(20))
  assert.equal(refusing.calls.length, 20)
  const words = await chatServer(t, () => counted({ prompt_tokens: '12', completion_tokens: '3' }))
  expect(await callOnce(words.url, [], trials(2)), { err: /^jb-call: 2 rows, 2 calls\n$/ })
})
