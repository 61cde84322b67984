import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, histogramOf } from '../../src/statistics/describe.ts'

const near = (a: number | null, b: number, within = 1e-12) =>
  assert.ok(a !== null && Math.abs(a - b) <= within * Math.max(1, Math.abs(b)), `${a} is not ${b}`)

test('figures of a small sample, as Python’s statistics gives them', () => {
  // fmean, median, pstdev, stdev; the mean of the six in the middle, as scipy.stats.trim_mean(…, 0.2)
  const scores = histogramOf([8, 9, 1, 7, 7.5, 10, 3, 8])
  near(scores.mean, 6.6875)
  near(scores.median, 7.75)
  near(scores.deviation(), 2.8824631394000515)
  near(scores.deviation(1), 3.0814827136113734)
  near(scores.trimmed(0.2), 7.083333333333333)
  assert.deepEqual([scores.min, scores.max, scores.n], [1, 10, 8])
  assert.equal(histogramOf([3, 1, 2]).median, 2)
})

test('of nothing there is nothing to tell', () => {
  const none = new Histogram()
  assert.deepEqual(
    [none.mean, none.median, none.deviation(), none.trimmed(0.2), none.min, none.max],
    [null, null, null, null, null, null],
  )
  assert.equal(histogramOf([5]).deviation(1), null)
  assert.equal(histogramOf([5]).deviation(), 0)
})

test('0.1 ten times has the mean 0.1: sums are compensated, and the order of the numbers does not count', () => {
  assert.equal(histogramOf(Array(10).fill(0.1)).mean, 0.1)
  fc.assert(
    fc.property(fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1 }), (numbers) => {
      const [a, b] = [histogramOf(numbers), histogramOf(numbers.toReversed())]
      assert.equal(a.mean, b.mean)
      assert.equal(a.deviation(), b.deviation())
    }),
  )
})

test('parts add up to the whole, whatever the parts are', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 })), fc.nat(60), (numbers, cut) => {
      const whole = histogramOf(numbers.map((n) => n / 4))
      const merged = new Histogram()
      for (const part of [numbers.slice(0, cut), numbers.slice(cut)])
        merged.merge(JSON.parse(JSON.stringify(histogramOf(part.map((n) => n / 4)).state())))
      for (const name of ['n', 'mean', 'median', 'min', 'max'] as const)
        assert.equal(merged[name], whole[name], name)
      assert.equal(merged.deviation(), whole.deviation())
      assert.deepEqual(merged.entries(), whole.entries())
    }),
  )
})

test('a hundred thousand different numbers take no more room than twenty thousand', () => {
  const many = new Histogram()
  for (let i = 0; i < 100_000; i++) many.add(i / 100_000)
  assert.ok(many.entries().length <= 20_000)
  near(many.mean, 0.499995, 1e-9)
  near(many.median, 0.499995, 1e-3)
  near(many.deviation(), 0.28867513458, 1e-6)
  const merged = histogramOf([0.5])
  merged.merge(many.state())
  assert.equal(merged.n, 100_001)
})

test('deviation of more numbers than are kept, large for their spread', () => {
  const histogram = histogramOf(Array.from({ length: 30_000 }, (_, i) => 1e9 + i / 3000))
  // Of 0 to 9.9997 in equal steps.
  assert.ok(Math.abs(histogram.deviation()! - Math.sqrt((30_000 ** 2 - 1) / 12) / 3000) < 1e-4)
})
