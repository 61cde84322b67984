/** --rpm and --tpm are kept; and how waits, paces and refused parameters are worked out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Estimate } from '../../../src/stages/call/limits/money.ts'
import { Tempo } from '../../../src/stages/call/limits/rate_controller.ts'
import { Pace } from '../../../src/stages/call/limits/rate_limiter.ts'
import { allowances, backoff, duration, retryAfter } from '../../../src/stages/call/limits/waits.ts'
import { ParameterFallback } from '../../../src/stages/call/parameter_fallback.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

test('--rpm is kept', async (t) => {
  const server = await chatServer(t)
  inOrder(expect(await callOnce(server.url, ['--rpm', '12000'], trials(500)), {}), 500)
  const seconds = (server.calls.at(-1)!.at - server.calls[1]!.at) / 1000
  // 500 calls at 200 a second; the first twentieth of a second is granted at once.
  assert.ok(seconds > 2.3, `${seconds} s`)
})

test('--tpm: estimated before, corrected by what the server counts', async (t) => {
  // Estimated at some 60 tokens (of which an answer may be 10), each really uses 100.
  const server = await chatServer(t, ({ text }) => ({
    body: chatBody(text, 'm', { usage: { prompt_tokens: 95, completion_tokens: 5 } }),
  }))
  const stdin = ndjson(Array.from({ length: 120 }, (_, i) => trial(i, `question ${i} ${'x'.repeat(120)}`)))
  expect(await callOnce(server.url, ['--tpm', '240000', '--max-tokens', '10'], stdin), {})
  // 4,000 tokens a second are 40 such calls.
  const times = server.calls.map(({ at }) => at)
  const settled = times.slice(40)
  const rate = (settled.length - 1) / ((settled.at(-1)! - settled[0]!) / 1000)
  assert.ok(rate < 48, `${rate} calls a second`)
})

test('each model has limits of its own', async (t) => {
  const server = await chatServer(t)
  const stdin = ndjson(Array.from({ length: 40 }, (_, i) => trial(i, `q ${i}`, { name: i % 2 ? 'a' : 'b' })))
  const env = { LLM_JUDGE_A_MODEL: 'one', LLM_JUDGE_B_MODEL: 'two' }
  const { jb } = await import('../../helpers/run.ts')
  const args = ['--base-url', server.url, '--no-cache', '--rpm', '1200', '-q', '-j', '40']
  expect(await jb('call', args, { stdin, env }), {})
  const seconds = (server.calls.at(-1)!.at - server.calls[0]!.at) / 1000
  assert.ok(seconds < 1.8, `${seconds} s: 20 calls at 20 a second each, side by side`)
})

test('a pace hands out what it was asked for, first come first served, and takes corrections', async (t) => {
  const pace = new Pace(200)
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
  pace.correct(500)
  assert.equal(pace.take(400), undefined, 'what was given back is there at once')
})

describe('waits', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  const DURATIONS: [string, number | undefined][] = [
    ['2', 2000],
    ['0.25', 250],
    ['20ms', 20],
    ['1s', 1000],
    ['6m0s', 360_000],
    ['1h2m3.5s', 3_723_500],
    ['30s', 30_000],
    ['Thu, 01 Jan 2026 12:00:07 GMT', 7000],
    ['2026-01-01T12:00:09Z', 9000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    [String(now / 1000 + 5), 5000],
    [String(now + 6000), 6000],
    ['soon', undefined],
    ['', undefined],
  ]
  for (const [text, ms] of DURATIONS)
    test(`"${text}" is ${ms} ms`, () => assert.equal(duration(text, now), ms))

  test('ms are more exact than seconds', () => {
    assert.equal(retryAfter({ 'retry-after-ms': '1500', 'retry-after': '2' }, now), 1500)
    assert.equal(retryAfter({ 'retry-after': '2' }, now), 2000)
    assert.equal(retryAfter({}, now), undefined)
  })

  test('what OpenAI, others and Anthropic say is left', () => {
    const openai = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-tokens': '20ms',
    }
    assert.deepEqual(allowances(openai, now), [
      { of: 'requests', remaining: 0, reset: 360_000 },
      { of: 'tokens', remaining: 149_984, reset: 20 },
    ])
    const claude = {
      'anthropic-ratelimit-requests-remaining': '4',
      'anthropic-ratelimit-requests-reset': '2026-01-01T12:00:30Z',
    }
    assert.deepEqual(allowances(claude, now), [{ of: 'requests', remaining: 4, reset: 30_000 }])
    assert.deepEqual(allowances({ 'x-ratelimit-remaining': '1' }, now), [])
  })

  test('backoff grows between its bounds and is drawn', () => {
    const draws = (tries: number) => Array.from({ length: 200 }, () => backoff(tries, 1000, 60_000))
    for (const [tries, most] of [
      [1, 2000],
      [2, 4000],
      [3, 8000],
      [10, 60_000],
    ] as const) {
      const all = draws(tries)
      assert.ok(
        all.every((ms) => ms >= 1000 && ms <= most),
        `try ${tries}`,
      )
      assert.ok(Math.max(...all) > most * 0.9 && new Set(all).size > 100)
    }
  })
})

describe('tempo', () => {
  /** So many calls a second for so many seconds, with a share of them refused. */
  function drive(
    tempo: Tempo,
    perSecond: number,
    seconds: number,
    refuse: (rate: number) => number,
    from = 0,
  ): number {
    let owed = 0
    let at = from
    for (let s = 0; s < seconds * 20; s++) {
      const rate = Math.min(perSecond, tempo.rate)
      const calls = Math.round(rate / 20)
      const share = refuse(rate)
      for (let i = 0; i < calls; i++) {
        owed += share
        const refused = owed >= 1
        if (refused) owed -= 1
        tempo.saw(refused, at, at + 5, 4)
      }
      at += 50
    }
    return at
  }
  const limit = (most: number) => (rate: number) => Math.max(0, 1 - most / rate)

  test('a limit is found, kept to within a tenth, and left when it is lifted', () => {
    const tempo = new Tempo(32, () => {})
    const then = drive(tempo, 1000, 10, limit(200))
    const rates: number[] = []
    let at = then
    for (let i = 0; i < 30; i++) {
      at = drive(tempo, 1000, 1, limit(200), at)
      rates.push(tempo.rate)
    }
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    assert.ok(mean > 160 && mean < 220, `${mean} a second`)
    drive(tempo, 1000, 40, () => 0, at)
    assert.equal(tempo.rate, Number.POSITIVE_INFINITY)
  })

  test('refusals at random do not slow a run down for ever', () => {
    const tempo = new Tempo(32, () => {})
    drive(tempo, 300, 40, () => 0.1)
    assert.ok(tempo.rate > 300, `${tempo.rate} a second`)
    assert.ok(Math.abs(tempo.usual - 0.1) < 0.05, `${tempo.usual} is usual`)
    assert.ok(tempo.width > 10, `${tempo.width} at once`)
  })

  test('one burst of refusals is one cut of the width', () => {
    const tempo = new Tempo(32, () => {})
    for (let i = 0; i < 20; i++) tempo.saw(true, 0, 10 + i, 31)
    assert.equal(Math.round(tempo.width * 10), 256)
    tempo.saw(true, 100, 110, 31)
    assert.ok(tempo.width < 21 && tempo.width > 20)
  })
})

test('a refused parameter is told from a wrong value and from a word that only sounds like one', () => {
  const sent = new Map(
    ['messages', 'temperature', 'stop', 'n', 'top_logprobs', 'logprobs', 'seed'].map((key) => [key, '1']),
  )
  const learn = (message: string, more: object = {}) =>
    new ParameterFallback().learn(
      { status: 400, headers: {}, body: Buffer.from(JSON.stringify({ error: { message, ...more } })) },
      sent,
    )
  assert.match(learn("Unsupported parameter: 'stop' is not supported with this model.")!, /^stop is refused/)
  assert.match(learn('top_logprobs: Extra inputs are not permitted')!, /^top_logprobs is refused/)
  assert.match(learn('logprobs is not supported')!, /^logprobs is refused/)
  assert.match(learn('Unknown parameter: seed')!, /^seed is refused/)
  assert.equal(learn('Invalid request: the messages must not stop in the middle of n words'), undefined)
  assert.equal(learn('temperature must be at most 2', { param: 'temperature' }), undefined)
  assert.equal(learn('something else is invalid'), undefined)
  assert.equal(learn('max_tokens is not supported'), undefined, 'it was not sent')
  const refused = (message: string) => ({
    status: 400,
    headers: {},
    body: Buffer.from(JSON.stringify({ error: { message } })),
  })
  const fallback = new ParameterFallback()
  fallback.learn(refused("'seed' is not supported"), sent)
  assert.equal(
    fallback.learn(refused("'seed' is not supported"), sent),
    '',
    'it was sent before that was known',
  )
})

test('tokens of a request are learnt from what the server counts', () => {
  const estimate = new Estimate()
  assert.deepEqual(estimate.of(4000, 100), {
    prompt: 1000,
    completion: 100,
    most: { prompt_tokens: 4000, completion_tokens: 100 },
  })
  for (let i = 0; i < 100; i++) estimate.learn(4000, { prompt_tokens: 2000, completion_tokens: 7 })
  const { prompt, completion, most } = estimate.of(4000, 100)
  assert.equal(most.completion_tokens, 100, 'an answer may be as long as it is allowed to')
  assert.equal(estimate.of(4000, 100, 3).most.completion_tokens, 300, 'each of them')
  assert.equal(
    estimate.of(4000, undefined).most.completion_tokens,
    7,
    'and else as long as the longest so far',
  )
  assert.equal(most.prompt_tokens, 2000)
  estimate.learn(4000, { prompt_tokens: 4, completion_tokens: 7 })
  assert.equal(estimate.of(4000, 100).most.prompt_tokens, 2000, 'the most of all')
  assert.ok(Math.abs(prompt - 2000) < 20)
  assert.equal(completion, 7)
})
