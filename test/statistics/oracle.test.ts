/** Values that SciPy and statsmodels gave: scripts/oracles/statistics.py recorded them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tQuantile, tTest } from '../../src/statistics/distributions.ts'
import { benjaminiHochberg, holm } from '../../src/statistics/multiple.ts'
import { signFlips, wilcoxon } from '../../src/statistics/paired.ts'
import {
  itemsNeeded,
  mcnemarPower,
  minimalMean,
  minimalShareDifference,
  tPower,
  valuesNeeded,
} from '../../src/statistics/power.ts'
import { fisherTest, welchTest } from '../../src/statistics/two_samples.ts'

const oracle = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/oracle.json', import.meta.url), 'utf8'),
)

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) <= 1e-10 * Math.abs(expected), `${actual}, expected ${expected}`)

test("Student's t: two-sided p and quantile", () => {
  for (const { t, freedom, p, q } of oracle.t) {
    near(tTest(t, freedom), p)
    near(tQuantile(0.95, freedom), q)
  }
})

test('p values of several tests, adjusted', () => {
  const { p, holm: byHolm, bh } = oracle.multiple
  for (const [i, one] of holm(p).entries()) near(one, byHolm[i])
  for (const [i, one] of benjaminiHochberg(p).entries()) near(one, bh[i])
})

test("Wilcoxon's p of few differences with ties: all sign patterns", () => {
  for (const { d, p } of oracle.wilcoxon) near(wilcoxon(d).p, p)
  assert.equal(wilcoxon([-1, -1, -1, -1, -1, -1]).p, 2 / 2 ** 6)
  assert.equal(signFlips(Array(30).fill(0.25)), 2 / 2 ** 30)
})

test('tests of two independent samples: Fisher, Welch', () => {
  for (const { counts, p } of oracle.fisher) {
    const [x, n, y, m] = counts
    near(fisherTest(x, n, y, m), p)
  }
  for (const { x, y, p } of oracle.welch) near(welchTest(x, y)!, p)
})

test("the power of McNemar's tests and of the t test", () => {
  for (const { n, a, b, mid_p, exact } of oracle.power.mcnemar) {
    near(mcnemarPower(n, { onlyA: a, onlyB: b }, { alpha: 0.05 }), mid_p)
    near(mcnemarPower(n, { onlyA: b, onlyB: a }, { alpha: 0.05, exact: true }), exact)
  }
  for (const { mean, freedom, power } of oracle.power.t) near(tPower(mean, freedom, 0.05), power)
})

test('items needed are the fewest with the power, and a smallest difference has it', () => {
  const wanted = { alpha: 0.05, power: 0.8 }
  for (const [onlyA, onlyB] of [
    [0.5, 0],
    [0.15, 0.05],
    [0.1, 0.3],
    [1, 0],
  ] as const) {
    const n = itemsNeeded({ onlyA, onlyB }, wanted)
    assert.ok(mcnemarPower(n, { onlyA, onlyB }, wanted) >= 0.8)
    assert.ok(mcnemarPower(n - 1, { onlyA, onlyB }, wanted) < 0.8)
  }
  for (const size of [0.5, -2]) {
    const n = valuesNeeded(size, wanted)
    assert.ok(tPower(Math.abs(size) * Math.sqrt(n), n - 1, 0.05) >= 0.8)
    assert.ok(tPower(Math.abs(size) * Math.sqrt(n - 1), n - 2, 0.05) < 0.8)
  }
  // With six items and one flip the six would have to be nearly all flips.
  const delta = minimalShareDifference(6, 1 / 6, wanted)!
  assert.ok(Math.abs(mcnemarPower(6, { onlyA: delta, onlyB: 0 }, wanted) - 0.8) < 1e-5)
  assert.equal(minimalShareDifference(4, 0.5, wanted), null)
  assert.equal(minimalMean(1, wanted), null)
})
