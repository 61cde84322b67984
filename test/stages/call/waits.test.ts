/** How long to wait: what servers say, and what is worked out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allowances, backoff, readDuration, retryAfter } from '../../../src/stages/call/limits/waits.ts'

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

  test('backoff doubles up to its longest, and is drawn from its upper half', () => {
    for (const [n, most] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
      [10, 60_000],
    ] as const) {
      const all = Array.from({ length: 200 }, () => backoff(n, 1000, 60_000))
      assert.ok(
        all.every((ms) => ms >= most / 2 && ms <= most),
        `failure ${n}`,
      )
      assert.ok(Math.max(...all) > most * 0.9 && new Set(all).size > 100)
    }
    assert.ok(backoff(1, 2000, 1000) > 1000, 'the first is as it is given')
  })
})
