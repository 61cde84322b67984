import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Sum } from '../../src/statistics/sum.ts'

const sumOf = (values: number[]) => {
  const sum = new Sum()
  for (const value of values) sum.add(value)
  return sum
}

test('the exact sum, rounded once, as Python’s math.fsum', () => {
  assert.equal(sumOf([]).value, 0)
  assert.equal(sumOf([0.1, 0.2, 0.3, 0.4]).value, 1)
  assert.equal(sumOf([1e16, 1, -1e16]).value, 1)
  assert.equal(sumOf(Array(10).fill(0.1)).value, 1)
  // A half between two doubles: the tiny rest decides.
  assert.equal(sumOf([1, 2 ** -53, 2 ** -106]).value, 1 + 2 ** -52)
})

test('zero has no sign: shards are handed on as JSON, which has none', () => {
  assert.equal(sumOf([-0]).value, 0)
  assert.equal(sumOf([-0, -0]).value, 0)
})

test('neither the order nor the shards count', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true })), fc.nat(), (values, cut) => {
      const whole = sumOf(values).value
      assert.equal(sumOf(values.toReversed()).value, whole)
      const [a, b] = [sumOf(values.slice(0, cut)), sumOf(values.slice(cut))]
      b.merge(JSON.parse(JSON.stringify(a.state())))
      assert.equal(b.value, whole)
    }),
  )
})

test('many times at once is many times', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.integer({ min: 0, max: 3000 }),
      (value, times) => {
        const sum = sumOf([0.1])
        sum.add(value, times)
        assert.equal(sum.value, sumOf([0.1, ...Array(times).fill(value)]).value)
      },
    ),
  )
})

test('what is no number stays none, and no list of it grows', () => {
  const sum = sumOf([1, Number.NaN, 2, 1e308, 1e308, 1e308, 3])
  assert.equal(sum.value, Number.NaN)
  assert.equal(sum.state().length, 1)
})
