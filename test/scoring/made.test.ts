/** What made the results of a run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMade, madeReport, madeSums } from '../../src/scoring/made.ts'
import { merge, sumsState } from '../../src/scoring/sums.ts'

const trials = Array.from(
  { length: 120 },
  (_, n) => [`c${String(n).padStart(3, '0')}`, `m${n % 70}`] as const,
)

/** What made these trials. */
function madeOf(some: typeof trials) {
  const made = madeSums()
  for (const [criterion, served] of some) addMade(made, { criterion }, served, undefined)
  return made
}

test('of more values than are listed, the same ones are listed in any order of the rows and from any shards', () => {
  const report = madeReport(madeOf(trials))
  const merged = madeSums()
  for (const shard of [trials.slice(60), trials.slice(0, 60)]) merge(merged, sumsState(madeOf(shard)))
  assert.equal((report.criteria as string[]).length, 50)
  assert.deepEqual(madeReport(madeOf(trials.toReversed())), report)
  assert.deepEqual(madeReport(merged), report)
})
