/** What is kept of a row, an item's id above all, does not keep the bytes that were read with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { sh, shown } from '../helpers/run.ts'

test('memory grows with the number of items, not with their bytes', async (t) => {
  // 20 MB of rows, each with an id that is long enough to be a slice of them; V8 ends a process that keeps them.
  const text = 'x'.repeat(16_000)
  const rows = Array.from({ length: 1_250 }, (_, i) => {
    const pair_id = `an item that is called ${i >> 2}`
    const trial = { n: i % 2, of: 2, order: i % 2 ? 'BA' : 'AB' }
    const reply = { text, model: `m${i & 2}` }
    const verdict = { label: 'A>B', decision: 'A>B' }
    const jb = { judge: 'arena_hard', item: pair_id, trial, reply, verdict }
    return `${JSON.stringify({ pair_id, response_A: 'a', response_B: 'b', label: 'A>B', jb })}\n`
  })
  const labels = Array.from({ length: 313 }, (_, i) => ({
    item: `an item that is called ${i}`,
    label: 'A>B',
  }))
  const cwd = folder(t, { 'rows.ndjson': rows.join(''), labels: ndjson(labels) })
  // The heap in MB that leaves each half of what it needs again.
  const filters: [string, number][] = [
    ['jb-aggregate --labels labels', 14],
    ['jb-compare --by pair_id', 10],
    ['jb-audit', 24],
    ['jb-view', 24],
  ]
  for (const [filter, heap] of filters) {
    const ran = await sh(`NODE_OPTIONS=--max-old-space-size=${heap} ${filter} rows.ndjson > out`, { cwd })
    assert.equal(ran.code, 0, shown(ran))
  }
})
