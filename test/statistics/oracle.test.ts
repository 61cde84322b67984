/** Values that SciPy and statsmodels gave: scripts/oracles/statistics.py recorded them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tQuantile, tTest } from '../../src/statistics/distributions.ts'
import { benjaminiHochberg, holm } from '../../src/statistics/multiple.ts'

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
