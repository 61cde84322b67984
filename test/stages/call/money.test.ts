/** Tokens and dollars: counted, and foretold by --dry-run. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { costOf, short } from '../../../src/stages/call/limits/money.ts'
import { pricesOf } from '../../../src/stages/call/limits/prices.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { callOnce, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

test('tokens and cost of each reply, and of the run', async (t) => {
  const server = await chatServer(t)
  const ran = await callOnce(server.url, ['--price', '2.5,10'], trials(4))
  expect(ran, { err: /^jb-call: 4 rows, 4 calls, 40 \+ 20 tokens, \$0\.0003\n$/ })
  assert.ok(rowsOf(ran).every(({ jb }) => jb.reply!.cost === 0.000075))
})

test('a price file: by model, by a version of it, cached input apart', async (t) => {
  const place = folder(t, {
    'p.yaml': 'gpt-4o: [2.5, 10]\ngpt-4o-mini: { input: 0.15, output: 0.6, cached: 0.075 }\n',
    'p.json': '{"m": [1, 2, 0.5]}',
    'bad.json': '{"m": [1]}',
  })
  const prices = await pricesOf(`${place}/p.yaml`)
  assert.equal(prices({ model: 'gpt-4o-2024-08-06' })!.input, 2.5)
  assert.equal(prices({ model: 'gpt-4o-mini-2024-07-18' })!.output, 0.6)
  assert.equal(prices({ model: 'gpt-4o-audio' }), undefined, 'another model')
  assert.equal(prices({ model: 'claude' }), undefined)
  const usage = {
    prompt_tokens: 1_000_000,
    completion_tokens: 0,
    prompt_tokens_details: { cached_tokens: 400_000 },
  }
  assert.equal(costOf(usage, { input: 1, output: 2, cached: 0.5 }), 0.8)
  assert.equal(costOf({ ...usage, cost: 0.123 } as never, undefined), 0.123, 'what the server says')
  const server = await chatServer(t)
  expect(await callOnce(server.url, ['--price', `${place}/p.json`], trials(2)), {
    err: /20 \+ 10 tokens, \$0\.0000/,
  })
  expect(await callOnce(server.url, ['--price', `${place}/bad.json`], trials(2)), {
    code: 78,
    err: /bad\.json: m: expected \[input, output\]/,
  })
  expect(await callOnce(server.url, ['--price', 'cheap'], trials(2)), {
    code: 2,
    err: /--price: expected IN,OUT/,
  })
})

test('reasoning that completion_tokens leave out is paid for: the total has it', async (t) => {
  const price = { input: 10, output: 100 }
  const prompt_tokens = 1000
  const spent = { prompt_tokens, completion_tokens: 20, total_tokens: 1100 }
  assert.equal(costOf({ ...spent, completion_tokens_details: { reasoning_tokens: 80 } }, price), 0.02)
  assert.equal(costOf(spent, price), 0.02, 'the total alone says it')
  assert.equal(costOf({ prompt_tokens, completion_tokens: 100, total_tokens: 1100 }, price), 0.02)
  assert.equal(costOf({ prompt_tokens, completion_tokens: 100 }, price), 0.02)
  const cached = { prompt_tokens_details: { cached_tokens: 80 } }
  assert.equal(costOf({ ...spent, ...cached }, price), 0.012, 'cached input that the prompt leaves out')
  const server = await chatServer(t, () => ({ body: chatBody('x', 'm', { usage: spent }) }))
  expect(await callOnce(server.url, ['--price', '10,100'], trials(1)), {
    err: /1000 \+ 100 tokens, \$0\.0200/,
  })
})

test('--dry-run tells rows, calls, tokens and dollars, and calls nothing', async (t) => {
  const env = privateEnv(t)
  const server = await chatServer(t)
  const args = ['-m', 'm', '--base-url', server.url]
  fine(await jb('call', [...args, '-q'], { stdin: trials(3), env }))
  const calls = server.calls.length
  const long = trial('long', 'x'.repeat(4000), {
    request: { messages: [{ role: 'user', content: 'x'.repeat(4000) }], max_tokens: 100, temperature: 0 },
  })
  const stdin = trials(5) + ndjson([long, { ...long, id: 'same' }, { id: 'none', jb: { judge: 'x' } }])
  const ran = await jb('call', [...args, '-n', '--price', '1,10'], { stdin, env })
  expect(ran, {
    err: /^jb-call: 3 calls to make, about \d+ tokens in and 15 out \(at most 2148\), about \$0\.00\d\d \(at most \$0\.02\d\d\)\n$/,
  })
  const { tokens_in, cost_input, cost_expected, cost_at_most, ...plan } = JSON.parse(ran.stdout)
  assert.deepEqual(plan, {
    rows: 8,
    calls: 3,
    cached: 3,
    saved: 0,
    repeated: 1,
    in_process: 0,
    without_request: 1,
    tokens_out_expected: 15,
    tokens_out_at_most: 2148,
  })
  assert.ok(tokens_in > 1000 && tokens_in < 1200)
  assert.equal(cost_input, Number((tokens_in / 1e6).toFixed(6)))
  assert.equal(cost_expected, Number(((tokens_in + 150) / 1e6).toFixed(6)))
  assert.equal(cost_at_most, Number(((tokens_in + 21_480) / 1e6).toFixed(6)))
  assert.equal(server.calls.length, calls, 'nothing was called')
  const floor = fine(await jb('call', ['-m', 'baseline:longer', '-n', '-q'], { stdin: trials(2), env }))
  assert.equal(JSON.parse(floor.stdout).in_process, 2)
})

test('usage of a server that counts nothing costs nothing and breaks nothing', async (t) => {
  const server = await chatServer(t, ({ text }) => ({ body: chatBody(text, 'm', { usage: undefined }) }))
  const ran = await callOnce(server.url, ['--price', '1,1'], trials(2))
  expect(ran, { err: /^jb-call: 2 rows, 2 calls\n$/ })
  assert.ok(rowsOf(ran).every(({ jb }) => jb.reply!.cost === undefined))
})

test('--dry-run makes no file, neither in the default cache nor where --cache names one', async (t) => {
  const env = privateEnv(t)
  const cache = join(folder(t), 'replies.ndjson')
  const stdin = trials(3)
  for (const more of [[], ['--cache', cache]]) {
    const ran = await jb('call', ['-m', 'm', '--dry-run', ...more], { stdin, env })
    expect(ran, { out: /"calls":3,"cached":0/, err: /3 calls to make/ })
  }
  assert.equal(existsSync(cache), false)
  assert.deepEqual(readdirSync(env.XDG_CACHE_HOME!), [])
})

test('--dry-run: the same prompt to two models is two calls, as it is in the run', async (t) => {
  const server = await chatServer(t)
  const rows = ['a', 'b', 'b'].map((name, i) => trial(i, 'the same', { name }))
  const env = { ...privateEnv(t), LLM_JUDGE_A_MODEL: 'one', LLM_JUDGE_B_MODEL: 'two' }
  const args = ['-q', '--base-url', server.url]
  const plan = fine(await jb('call', [...args, '-n'], { stdin: ndjson(rows), env }))
  const { calls, repeated } = JSON.parse(plan.stdout)
  assert.deepEqual({ calls, repeated }, { calls: 2, repeated: 1 })
  fine(await jb('call', args, { stdin: ndjson(rows), env }))
  assert.equal(server.calls.length, 2)
})

test('counts that stand beside each other are in one form', () => {
  assert.deepEqual(
    [short(2026), short(155_700), short(2026, 155_700), short(950, 155_700), short(2_600_000)],
    ['2026', '155.7k', '2.0k', '950', '2.60M'],
  )
})
