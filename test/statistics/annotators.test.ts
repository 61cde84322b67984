/** The alternative annotator test; what it says of real annotations is in test/stages/audit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternativeAnnotator } from '../../src/statistics/alternative_annotator.ts'

test('p is adjusted for the number of annotators, as Benjamini and Yekutieli say', () => {
  const people = [...Array(6).fill(['a', 'a']), ...Array(4).fill(['a', 'b'])]
  const found = alternativeAnnotator([...'aaaaabaabb'], people, 0.2)
  // Differences of each: once 1, twice −1, else 0. t = −1.6713 with 9 degrees of freedom: p = 0.0645; times 1 + 1/2.
  for (const { p } of found!.annotators) assert.ok(Math.abs(p - 0.0967541023862) < 1e-9, String(p))
  assert.deepEqual([found!.winning, found!.advantage, found!.passed], [0, 0.9, false])
})
