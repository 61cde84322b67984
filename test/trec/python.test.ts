import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { pythonJson, pythonStr, type Exact as Value } from '../../src/python/json.ts'
import { floatRepr, readFloat } from '../../src/python/numbers.ts'
import { byCodePoint } from '../../src/python/unicode.ts'
import { seededUniform } from '../../src/rows/python_random.ts'
import { exactMean, nearestDouble } from '../../src/statistics/mean.ts'

const vectors = JSON.parse(readFileSync('fixtures/vectors/autojudge.json', 'utf8'))

describe('numbers as Python has them', () => {
  it('means', () => {
    for (const { values, statistics_mean } of vectors.mean) assert.equal(exactMean(values), statistics_mean)
  })
  it('prints', () => {
    for (const { json, repr } of vectors.float_repr) assert.equal(floatRepr(Number(json)), repr)
  })
  it('seeded random numbers', () => {
    for (const { seed, value } of vectors.python_random_seed_str) assert.equal(seededUniform(seed), value)
  })
  it('md5 of UTF-8', () => {
    for (const { text, md5 } of vectors.md5) assert.equal(createHash('md5').update(text).digest('hex'), md5)
  })
  it('canonical JSON of a cache key', () => {
    const message = (content: string) => [{ content, role: 'user' }]
    const requests: Value[] = [
      { temperature: 0.0, model: 'm', max_tokens: 16n, messages: message('Grüße 😀 \u2028 </x>\u007f') },
      { model: 'm', messages: message('hi'), temperature: 0n },
      { model: 'm', messages: message('hi'), temperature: 0.0 },
      { model: 'm', messages: message('hi') },
      {
        model: 'm',
        messages: message('hi'),
        extra: { top_p: 0.9, response_format: { type: 'json_object' } },
      },
    ]
    for (const [i, { canonical, sha256 }] of vectors.minima_cache_key.entries()) {
      const text = pythonJson(requests[i]!, { sortKeys: true })
      assert.equal(text, canonical)
      assert.equal(createHash('sha256').update(text).digest('hex'), sha256)
    }
  })
})

describe('numbers in and out', () => {
  it('what is printed reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        assert.ok(Object.is(readFloat(floatRepr(value)), value))
      }),
    )
  })
  it('a mean of equal values is the value; of two neighbours it is one of them', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(finite, fc.integer({ min: 1, max: 9 }), (value, n) => {
        assert.ok(exactMean(Array(n).fill(value)) === value)
      }),
    )
  })
  it('rounds halves to even, also below the normal range', () => {
    assert.equal(nearestDouble(2n ** 53n + 1n, 1n), 2 ** 53)
    assert.equal(nearestDouble(2n ** 53n + 3n, 1n), 2 ** 53 + 4)
    assert.equal(nearestDouble(3n, 2n ** 1075n), 2 ** -1073)
    assert.equal(nearestDouble(1n, 2n ** 1075n), 0)
    assert.equal(nearestDouble(1n, 3n), 1 / 3)
    assert.equal(nearestDouble(-10n, 3n), -10 / 3)
  })
  it('reads what float() reads and nothing else', () => {
    for (const [text, value] of [
      ['1_000', 1000],
      [' .5 ', 0.5],
      ['5.', 5],
      ['1e3', 1000],
      ['-inf', -Infinity],
    ] as const)
      assert.equal(readFloat(text), value)
    for (const text of ['', 'True', '0x10', '1__0', '_1', 'e3', '.', '1,5'])
      assert.equal(readFloat(text), undefined)
  })
  // fc.string's own unit of all code points maps all of Unicode once, which takes a second.
  const text = fc
    .array(fc.nat(0x10ffff))
    .map((codes) => String.fromCodePoint(...codes.map((code) => (code >> 11 === 27 ? 0 : code))))
  it('texts stand in the order of their code points', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [first, second] = [Buffer.from(a), Buffer.from(b)]
        assert.equal(Math.sign(byCodePoint(a, b)), Math.sign(Buffer.compare(first, second)))
      }),
    )
  })
  it('values in texts', () => {
    assert.equal(pythonStr(true), 'True')
    assert.equal(pythonStr(1), '1.0')
    assert.equal(pythonStr(1n), '1')
    assert.equal(pythonStr([1n, 'a', null]), "[1, 'a', None]")
  })
})
