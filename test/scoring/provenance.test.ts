/** What the results of a run come from. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { provenanceReport, provenanceSums, seeTrial } from '../../src/scoring/provenance.ts'
import { merge, sumsState } from '../../src/scoring/sums.ts'

const trials = Array.from(
  { length: 120 },
  (_, n) => [`c${String(n).padStart(3, '0')}`, `m${n % 70}`] as const,
)

/** The provenance of these trials. */
function sumsOf(some: typeof trials) {
  const sums = provenanceSums()
  for (const [criterion, served] of some) seeTrial(sums, { criterion }, served, undefined)
  return sums
}

test('of more values than are listed, the same ones are listed in any order of the rows and from any shards', () => {
  const report = provenanceReport(sumsOf(trials))
  const merged = provenanceSums()
  for (const shard of [trials.slice(60), trials.slice(0, 60)]) merge(merged, sumsState(sumsOf(shard)))
  assert.equal((report.criteria as string[]).length, 50)
  assert.deepEqual(provenanceReport(sumsOf(trials.toReversed())), report)
  assert.deepEqual(provenanceReport(merged), report)
})
