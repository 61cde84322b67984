/** List prices: for services that are asked themselves, a user's own before them, tiers and caches at theirs. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { parse } from 'yaml'
import { costOf, mostOf } from '../../../src/stages/call/limits/money.ts'
import { listPrice, pricesOf, shutNote } from '../../../src/stages/call/limits/prices.ts'
import { folder } from '../../helpers/folder.ts'
import { expect, jb, ROOT } from '../../helpers/run.ts'
import { trials } from './rows.ts'
import { chatServer, listening } from './server.ts'

const env = { OPENAI_API_KEY: 'sk-test-1234', ANTHROPIC_API_KEY: 'ant-test-1234' }

async function foretold(model: string, args: string[] = [], more: object = {}) {
  const flags = ['-m', model, '--no-cache', '--dry-run', ...args]
  const ran = await jb('call', flags, { stdin: trials(4), env: { ...env, ...more } })
  expect(ran, { err: /4 calls to make/ })
  return JSON.parse(ran.stdout)
}

test('a dated version of a model has its price', async () => {
  assert.deepEqual(await listPrice('openai/gpt-4o-2024-08-06'), { input: 2.5, output: 10, cached: 1.25 })
  assert.equal((await listPrice('anthropic/claude-sonnet-4-5-20250929'))!.written1h, 6)
  assert.equal(await listPrice('openai/gpt-4o-audio-preview'), undefined)
})

test('a dry run knows what it costs where the service itself is asked, and says where it does not', async (t) => {
  const known = await foretold('gpt-4o')
  assert.ok(known.cost_at_most > known.cost_input && known.cost_input > 0)
  assert.equal((await foretold('openai/gpt-4o')).cost_input, known.cost_input)
  assert.equal(
    (await foretold('gpt-4o', ['--base-url', 'https://api.openai.com/v1'])).cost_input,
    known.cost_input,
  )
  for (const [model, args] of [
    ['gpt-4o', ['--base-url', 'http://localhost:8000/v1']],
    ['gpt-unheard-of', []],
  ] as const)
    assert.equal((await foretold(model, [...args])).cost_input, undefined, model)
  const place = folder(t, { 'p.yaml': 'gpt-4o: [25, 100]\n' })
  const own = await foretold('gpt-4o', ['--price', `${place}/p.yaml`])
  assert.equal(own.cost_input, known.cost_input * 10)
  const byEnv = await foretold('openai/gpt-4o', [], { JB_PRICE: `${place}/p.yaml` })
  assert.equal(byEnv.cost_input, own.cost_input)
  const other = await foretold('anthropic/claude-haiku-4-5', ['--price', `${place}/p.yaml`])
  assert.ok(other.cost_input > 0, 'the list holds for what the file does not name')
})

test('--max-cost needs no --price for a model of the list', async (t) => {
  // A proxy that lets nobody through: the run gets past its prices, and no further.
  const asked: (string | undefined)[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    asked.push(request.url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const through = { ...env, HTTPS_PROXY: `http://127.0.0.1:${await listening(t, proxy)}` }
  const args = (model: string) => ['-m', model, '--no-cache', '--max-cost', '1', '--retries', '0']
  expect(await jb('call', args('gpt-4o-mini'), { stdin: trials(1), env: through }), { code: 69 })
  assert.deepEqual(asked, ['api.openai.com:443'])
  expect(await jb('call', args('gpt-unheard-of'), { stdin: trials(1), env: through }), {
    code: 2,
    err: /--max-cost: no price is known for gpt-unheard-of at api\.openai\.com \(--price IN,OUT/,
  })
  assert.equal(asked.length, 1)
})

test('each list price names its source, and a model that was not seen has none', async () => {
  const { models, sources, shut } = parse(readFileSync(`${ROOT}src/providers/prices.yaml`, 'utf8'))
  for (const [name, { seen, input, output }] of Object.entries<Record<string, unknown>>(models))
    if (seen === 'not seen') assert.deepEqual([input, output], [undefined, undefined], name)
    else assert.match(sources[String(seen)], /20\d\d-\d\d-\d\d|docs\/models\.md/, name)
  for (const [name, [day]] of Object.entries<[string]>(shut)) assert.match(day, /^20\d\d-\d\d-\d\d$/, name)
  assert.equal(await listPrice('openai/gpt-5.6-sol'), undefined)
  assert.deepEqual(await listPrice('openai/gpt-6-luna'), {
    ...{ input: 0.1, output: 0.5, cached: 0.01, written: 0.125 },
    above: { tokens: 272000, input: 0.2, output: 0.75, cached: 0.02, written: 0.25 },
  })
})

test('a model that its service has shut, or will, is noted before the first call', async (t) => {
  const at = (name: string) => shutNote(name, '2026-11-29')
  assert.equal(
    await at('openai/gpt-4-0613'),
    'openai shut gpt-4-0613 on 2026-10-23: it names gpt-5.6-sol instead',
  )
  assert.equal(await at('openai/gpt-5'), 'openai shuts gpt-5 on 2026-12-11: it names gpt-6.1-sol instead')
  assert.equal(await shutNote('openai/gpt-5.1', '2027-04-01'), 'openai shut gpt-5.1 on 2027-04-01')
  assert.equal(await at('openai/gpt-6-luna'), undefined)

  const proxy = createServer()
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  const through = { ...env, HTTPS_PROXY: `http://127.0.0.1:${await listening(t, proxy)}` }
  const note = 'jb-call: openai shut gpt-4 on 2026-10-23: it names gpt-5.6-sol instead'
  const ran = await jb('call', ['-m', 'gpt-4', '--no-cache', '--retries', '0'], {
    stdin: trials(3),
    env: through,
  })
  assert.equal(ran.code, 69, ran.stderr)
  assert.deepEqual(ran.stderr.split('\n').filter((line) => line === note).length, 1, ran.stderr)
  assert.ok(ran.stderr.startsWith(note), ran.stderr)
  const dry = await jb('call', ['-m', 'gpt-4', '--no-cache', '--dry-run'], { stdin: trials(2), env })
  expect(dry, { err: /^jb-call: openai shut gpt-4 on/ })
  const other = ['-m', 'gpt-4', '--no-cache', '--dry-run', '--base-url', 'http://localhost:8000/v1']
  const elsewhere = await jb('call', other, { stdin: trials(2), env })
  assert.doesNotMatch(elsewhere.stderr, /shut/)
})

test('a model without a price is told with a priced one of a similar name', async () => {
  const dry = await jb('call', ['-m', 'gpt-6-lunar', '--no-cache', '--dry-run'], { stdin: trials(1), env })
  expect(dry, { err: /no price is known for gpt-6-lunar \(openai\/gpt-6-luna has one\) \(--price\)/ })
  const limited = ['-m', 'anthropic/claude-haiku-6', '--no-cache', '--max-cost', '1']
  expect(await jb('call', limited, { stdin: trials(1), env }), {
    code: 2,
    err: /no price is known for anthropic\/claude-haiku-6 at \S+ \(.*\); anthropic\/claude-haiku-5-5 has one/,
  })
})

test('caches, long prompts and tiers have their own prices; a tier without one has no cost', async (t) => {
  const million = { prompt_tokens: 1e6, completion_tokens: 0 }
  const claude = (await listPrice('anthropic/claude-sonnet-4-5'))!
  const details = { cached_tokens: 5e5, cache_creation_tokens: 4e5, cache_creation_1h_tokens: 1e5 }
  assert.equal(costOf({ ...million, prompt_tokens_details: details }, claude), 0.15 + 0.6 + 1.125 + 0.3)
  // DeepSeek's way of counting them.
  assert.equal(
    costOf({ ...million, prompt_cache_hit_tokens: 1e6 }, { input: 1, output: 1, cached: 0.1 }),
    0.1,
  )
  const pro = (await listPrice('gemini/gemini-2.5-pro'))!
  assert.equal(costOf({ prompt_tokens: 2e5, completion_tokens: 0 }, pro), 0.25)
  assert.equal(costOf(million, pro), 2.5)
  const price = { input: 2, output: 10 }
  for (const [tier, cost] of [
    ['batch', 1],
    ['flex', 1],
    ['default', 2],
    ['priority', undefined],
  ] as const)
    assert.equal(costOf({ ...million, service_tier: tier }, price), cost, tier)
  assert.equal(costOf({ ...million, service_tier: 'priority' }, { ...price, tiers: { priority: 2 } }), 4)

  const place = folder(t, {
    'p.yaml':
      'm: { input: 1, output: 2, tiers: { priority: 1.5 }, above: { tokens: 10, input: 2, output: 4 } }\n',
    'bad.yaml': 'm: { input: 1, output: 2, tiers: fast }\n',
  })
  const own = (await pricesOf(`${place}/p.yaml`))({ model: 'other/m', sentModel: 'm' })
  assert.equal(costOf({ ...million, service_tier: 'priority' }, own), 3)
  await assert.rejects(pricesOf(`${place}/bad.yaml`), /bad\.yaml: m: tiers: expected a factor/)
})

test('a budget counts the most that a request may cost: written to a cache, or in a dearer tier', () => {
  const price = { input: 1, output: 2, written: 1.25, written1h: 2 }
  const marked = Buffer.from('{"system":[{"cache_control":{}}]}')
  assert.deepEqual(mostOf(price, new Map(), Buffer.from('{}')), { input: 1, output: 2 })
  assert.deepEqual(mostOf(price, new Map(), marked), { input: 2, output: 2 })
  const priority = new Map([['service_tier', '"priority"']])
  assert.equal(mostOf(price, priority, Buffer.from('{}')), undefined)
  assert.deepEqual(mostOf({ ...price, tiers: { priority: 3 } }, priority, Buffer.from('{}')), {
    input: 3,
    output: 6,
  })
})

test('a service that writes to its cache unasked is paid for it', () => {
  const price = {
    input: 2,
    output: 10,
    cached: 0.1,
    written: 2.5,
    above: { tokens: 10, input: 4, output: 15, written: 5 },
  }
  assert.deepEqual(mostOf(price, new Map(), Buffer.from('{}')), {
    ...{ input: 2.5, output: 10 },
    above: { tokens: 10, input: 5, output: 15 },
  })
  const usage = { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cache_write_tokens: 4 } }
  assert.equal(costOf(usage, price), 22e-6)
})

test('--max-cost counts the limit on an answer wherever an API has it', async (t) => {
  const body = {
    candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 4000 },
  }
  const server = await chatServer(t, () => ({ delay: 20, body }))
  const args = ['-m', 'gemini/g', '--price', '0,10', '--max-cost', '0.1', '--max-tokens', '4000']
  const ran = await jb('call', [...args, '--no-cache', '-q'], {
    stdin: trials(10),
    env: { GEMINI_BASE_URL: `http://127.0.0.1:${server.port}`, GEMINI_API_KEY: 'gem-test-1234' },
  })
  assert.deepEqual([ran.code, server.calls.length], [75, 2])
})
