/** Thresholds of confidence, as a search through all of them finds them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { conformalThreshold, testedThreshold } from '../../src/statistics/cascade.ts'

const cases = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/cascade.json', import.meta.url), 'utf8'),
) as { confidence: number[]; different: number[]; alpha: number; threshold: number | null }[]

test('conformal risk control', () => {
  for (const { confidence, different, alpha, threshold } of cases) {
    const items = confidence.map((one, i) => ({ confidence: one, loss: different[i] === 1 }))
    assert.equal(conformalThreshold(items, items.length, alpha), threshold)
  }
})

test('fixed sequence: 29 items without an error are the least for 90 % at the level of 0.95; one error takes 46', () => {
  const items = (right: number, wrong: number) =>
    Array.from({ length: right + wrong }, (_, i) => ({ confidence: 1 - i / 1000, loss: i >= right }))
  assert.equal(testedThreshold(items(28, 0), 0.1, 0.05), null)
  assert.equal(testedThreshold(items(29, 0), 0.1, 0.05), 1 - 28 / 1000)
  assert.equal(testedThreshold(items(29, 5), 0.1, 0.05), 1 - 28 / 1000)
  const alike = [...items(45, 0), ...items(0, 1)].map(({ loss }) => ({ confidence: 1, loss }))
  assert.equal(testedThreshold(alike, 0.1, 0.05), 1)
  assert.equal(testedThreshold(alike.slice(1), 0.1, 0.05), null)
})
