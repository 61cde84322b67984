/** --rpm and --tpm are kept; and how waits, paces and refused parameters are worked out. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ascii } from '../../../src/rows/bytes.ts'
import { ConcurrencyLimit } from '../../../src/stages/call/limits/concurrency_limit.ts'
import { TokenEstimate } from '../../../src/stages/call/limits/money.ts'
import { RateController } from '../../../src/stages/call/limits/rate_controller.ts'
import { RateLimiter } from '../../../src/stages/call/limits/rate_limiter.ts'
import { UsualRefusals } from '../../../src/stages/call/limits/usual_refusals.ts'
import { allowances, backoff, readDuration, retryAfter } from '../../../src/stages/call/limits/waits.ts'
import { ParameterFallback } from '../../../src/stages/call/parameter_fallback.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatBody, chatServer, seeded } from './server.ts'

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
    test(`"${text}" is ${ms} ms`, () => assert.equal(readDuration(text, now), ms))

  test('ms are more exact than seconds', () => {
    assert.equal(retryAfter({ 'retry-after-ms': '1500', 'retry-after': '2' }, now), 1500)
    assert.equal(retryAfter({ 'retry-after': '2' }, now), 2000)
    assert.equal(retryAfter({}, now), undefined)
    const date = (ms: number) => new Date(now + ms).toUTCString()
    const far = { date: date(86_400_000), 'retry-after': date(86_402_000), 'x-ratelimit-remaining': '0' }
    assert.equal(retryAfter(far, now), 2000, 'by its own clock')
    assert.equal(allowances({ ...far, 'x-ratelimit-reset': date(86_403_000) }, now)[0]!.reset, 3000)
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

describe('rate controller', () => {
  /** Sends at the controller's rate, at most `lanes` a second, for so many seconds; answers arrive after 30 ms. */
  function drive(seconds: number, most: number, refuses: (at: number) => boolean) {
    let rate = Number.POSITIVE_INFINITY
    const controller = new RateController((changed) => (rate = changed))
    const count = { sent: 0, refused: 0, late: 0 }
    const late: [n: number, at: number, refused: boolean][] = []
    for (let at = 0; at < seconds * 1000; at += 1000 / Math.min(rate, most)) {
      while (late.length > 0 && late[0]![1] + 30 <= at) {
        const [n, started, refused] = late.shift()!
        if (refused) controller.refused(n, started, started + 30)
        else controller.served(started, started + 30)
      }
      const n = controller.sent(at)
      count.sent++
      const refused = refuses(at)
      late.push([n, at, refused])
      if (!refused) continue
      count.refused++
      if (at > 20_000) count.late++
    }
    return { rate, usual: controller.usual.share, ...count }
  }
  const bucket = (rate: (at: number) => number, burst: number) => {
    let tokens = burst
    let last = 0
    return (at: number) => {
      tokens = Math.min(burst, tokens + ((at - last) / 1000) * rate(at))
      last = at
      if (tokens < 1) return true
      tokens--
      return false
    }
  }

  test('a limit is found and kept, whatever burst there is before it', () => {
    for (const burst of [5, 40, 400]) {
      const { sent, refused, late } = drive(
        200,
        1000,
        bucket(() => 20, burst),
      )
      assert.ok(sent - refused > 0.9 * (20 * 200 + burst), `${sent - refused} granted`)
      assert.ok(late < 0.03 * sent, `${late} of ${sent} refused`)
    }
  })

  test('a limit that moves is followed', () => {
    const { sent, refused } = drive(
      240,
      1000,
      bucket((at) => (Math.floor(at / 60_000) % 2 ? 60 : 20), 20),
    )
    assert.ok(sent - refused > 0.7 * 40 * 240, `${sent - refused} granted`)
  })

  test('refusals at random do not slow a run down', () => {
    for (const every of [100, 20, 10]) {
      const draw = seeded(every)
      const { sent, rate } = drive(30, 500, () => draw() < 1 / every)
      assert.ok(sent > 0.9 * 500 * 30, `one in ${every}: ${sent} of ${500 * 30} sent`)
      assert.ok(rate > 500, `one in ${every}: ${rate} a second`)
    }
  })

  test('the usual share is not moved to and fro by windows of thousands of calls', () => {
    const usual = new UsualRefusals()
    for (let i = 0; i < 40; i++) {
      usual.learn(i % 2 ? 0.034 : 0.026, 2000)
      if (i > 4) assert.ok(Math.abs(usual.share - 0.03) < 0.005, `${usual.share} after ${i + 1} windows`)
    }
  })

  test('the share that is assumed is that learnt, and with few calls at least one in a hundred', () => {
    const usual = new UsualRefusals()
    assert.equal(usual.expected, 0.01)
    usual.set(0, 300)
    assert.equal(usual.expected, 1 / 400)
    usual.set(0.001, 100)
    assert.equal(usual.expected, (0.1 + 1) / 200)
    usual.set(0.2, 100)
    assert.equal(usual.expected, 0.2)
  })

  test('calls that are not answered yet are no calls without a refusal', () => {
    const controller = new RateController(() => {})
    const send = (calls: number, at: number) => Array.from({ length: calls }, () => controller.sent(at))
    const answer = (numbers: number[], sent: number, at: number) => {
      for (const n of numbers) n % 33 ? controller.served(sent, at) : controller.refused(n, sent, at)
    }
    for (let at = 0; at < 3000; at += 10) answer(send(40, at), at, at + 5)
    // A thousand at once, as when a row that others waited for is done.
    send(1100, 3000)
    assert.ok(controller.usual.canBe(0.03))
  })

  test('a rate of thousands is not lowered by chance again and again', () => {
    const draw = seeded(1)
    // A second in which much is refused: from then on calls are paced.
    const { sent, rate } = drive(60, 4000, (at) => draw() < (at > 2000 && at < 3000 ? 0.3 : 0.03))
    assert.ok(rate > 2000, `${rate} a second after ${sent} calls`)
  })

  test('processes that hear of each other find the rate again when a quarter of them dies', () => {
    let alive = 20
    const refuses = bucket(() => 50, 20)
    const all = Array.from({ length: alive }, (_, me) => {
      const one = { rate: 10, next: me * 10, controller: undefined as unknown as RateController }
      const tell = () => {
        for (const other of all.slice(0, alive)) if (other !== one) other.controller.exhaustedElsewhere(now)
      }
      const changed = (rate: number) => (one.rate = Math.min(10, rate))
      one.controller = new RateController(changed, tell, () => alive)
      return one
    })
    let now = 0
    const granted: number[] = []
    for (; now < 100_000; now += 5) {
      if (now === 60_000) alive = 15
      for (const one of all.slice(0, alive)) {
        if (one.next > now) continue
        one.next = now + 1000 / one.rate
        const n = one.controller.sent(now)
        if (refuses(now)) one.controller.refused(n, now, now + 1)
        else granted.push(now)
      }
    }
    const between = (from: number, to: number) =>
      granted.filter((at) => at >= from * 1000 && at < to * 1000).length / (to - from)
    assert.ok(between(30, 60) > 45, `${between(30, 60)} of 50 a second`)
    assert.ok(between(70, 85) > 45, `${between(70, 85)} of 50 a second after 10 s`)
  })

  test('a process that hears of a refusal when its window has just begun keeps the rate that it had', () => {
    const controller = new RateController(() => {})
    for (let at = 0; at < 4000; at += 200) controller.sent(at)
    // The twentieth call ends the window.
    controller.refused(20, 3800, 3801)
    controller.exhaustedElsewhere(3900)
    assert.ok(controller.rate > 4 && controller.rate < 6, `${controller.rate} a second of 5`)
  })

  test('refusals that come in turns with clean stretches are no habit of the endpoint', () => {
    // Others use up the limit for six seconds of twenty.
    const draw = seeded(1)
    const { usual } = drive(200, 80, (at) => at % 20_000 > 14_000 && draw() < 0.15)
    assert.ok(usual <= 0.02, `${usual} are taken for usual`)
  })

  test('a window of calls each minute: the rate is what it grants, and few calls are refused', () => {
    for (const calls of [100, 600, 3000]) {
      let left = calls
      let minute = 0
      const { sent, refused } = drive(900, 200, (at) => {
        if (Math.floor(at / 60_000) !== minute) left = calls
        minute = Math.floor(at / 60_000)
        return left-- <= 0
      })
      assert.ok(sent - refused > 0.85 * calls * 15, `${sent - refused} of ${calls} granted in each`)
      // Of 100 many are refused before anything is known.
      assert.ok(refused < 0.04 * sent + 100, `${refused} of ${sent} refused`)
    }
  })

  test('where everything is refused single calls find out when that ends', () => {
    // A window of 600 calls a minute.
    let left = 600
    let minute = 0
    const { sent, refused } = drive(300, 1000, (at) => {
      if (Math.floor(at / 60_000) !== minute) left = 600
      minute = Math.floor(at / 60_000)
      return left-- <= 0
    })
    assert.ok(sent - refused > 0.8 * 600 * 5, `${sent - refused} granted`)
    assert.ok(refused < 0.1 * sent, `${refused} of ${sent} refused`)
  })
})

test('how many calls are served at once is found out, and one more tried; a rate limit is not taken for that', () => {
  const width = new ConcurrencyLimit()
  for (let i = 0; i < 9; i++) assert.equal(width.refused(0), false)
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused with none under way')
  for (let i = 0; i < 40; i++) assert.equal(width.refused(16 + (i % 40)), false)
  for (let i = 0; i < 30; i++) width.served(15)
  assert.equal(width.most, 16)
  for (let i = 0; i < 200; i++) width.served(15)
  assert.equal(width.most, 17)
  assert.equal(width.refused(16), true, 'one more than is known')
  assert.equal(width.most, 16)
  for (let i = 0; i < 5; i++) assert.equal(width.refused(3), false)
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused with few under way: it is something else')
  for (let i = 0; i < 500; i++) {
    if (i % 20 === 0) width.refused(i % 60)
    else width.served(i % 60)
  }
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'refused at random')
  for (let i = 0; i < 500; i++) {
    if (i % 20 === 0) width.refused(2)
    else width.served(i % 3)
  }
  assert.equal(width.most, Number.POSITIVE_INFINITY, 'served with as many: a rate that is paced')
})

test('of an endpoint that serves one call at once, one is under way', () => {
  const width = new ConcurrencyLimit()
  for (let i = 0; i < 20; i++) width.refused(1)
  for (let i = 0; i < 30; i++) width.served(0)
  assert.equal(width.most, 1)
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

test('a refused parameter is told from a wrong value and from a word that only sounds like one', () => {
  const sent = new Map(
    ['messages', 'temperature', 'stop', 'n', 'top_logprobs', 'logprobs', 'seed'].map((key) => [
      key,
      ascii('1'),
    ]),
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

test('of temperature and top_p together it is top_p that goes, also where both stand inside another parameter', () => {
  const body = Buffer.from('{"message":"`temperature` and `top_p` cannot both be specified for this model."}')
  const refused = { status: 400, headers: {}, body }
  const asked = new Map(['messages', 'temperature', 'top_p'].map((key) => [key, ascii('1')]))
  assert.match(new ParameterFallback().learn(refused, asked)!, /^top_p is refused/)
  const fallback = new ParameterFallback()
  const prepared = new Map(['messages', 'inferenceConfig'].map((key) => [key, ascii('1')]))
  assert.match(fallback.learn(refused, prepared, asked)!, /^top_p is refused/)
  assert.deepEqual([...fallback.apply(asked).keys()], ['messages', 'temperature'])
})

test('tokens of a request are learnt from what the server counts', () => {
  const estimate = new TokenEstimate()
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
