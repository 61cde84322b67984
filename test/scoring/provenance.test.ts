import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrialResult } from '../../src/rows/record.ts'
import { Provenance } from '../../src/scoring/_provenance.ts'

const trials = Array.from({ length: 120 }, (_, n) => ({
  trial: { n: 0, of: 1, criterion: `c${String(n).padStart(3, '0')}` },
  served_model: `m${n % 70}`,
})) as TrialResult[]

test('of more values than are listed, the same ones are listed in any order of the rows and from any shards', () => {
  const inOrder = new Provenance()
  inOrder.add(trials)
  const reversed = new Provenance()
  reversed.add(trials.toReversed())
  const merged = new Provenance()
  for (const shard of [trials.slice(60), trials.slice(0, 60)]) {
    const part = new Provenance()
    part.add(shard)
    merged.merge(part.state())
  }
  const report = inOrder.report()
  assert.equal((report.criteria as string[]).length, 50)
  assert.deepEqual(reversed.report(), report)
  assert.deepEqual(merged.report(), report)
})
