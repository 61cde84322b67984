/** Items that wait for another try of their trials. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Row } from '../../../src/rows/row.ts'
import { openItemOf } from '../../../src/scoring/_open_item.ts'
import { FailedItems } from '../../../src/stages/score/failed_items.ts'

test('items that waited come back as they were; without room for a file no more are taken', () => {
  const failed = new FailedItems()
  const { TMPDIR } = process.env
  process.env.TMPDIR = '/no/such/folder'
  const text = 'é'.repeat(100_000)
  const error = { stage: 'call', code: 'timeout', message: 'no answer' } as const
  let taken = 0
  try {
    for (; taken < 100; taken++) {
      const row = Row.make({ id: taken, text }, 'rows.ndjson', taken + 1)
      if (!failed.add(String(taken), openItemOf(row, { trial: { n: 0, of: 1 }, error }, 1))) break
    }
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  assert.ok(taken > 0 && taken < 100, String(taken))
  const items = [...failed.all()]
  assert.deepEqual(
    items.map(([key, { row }]) => [key, row.line, row.item.id, row.item.text === text]),
    Array.from({ length: taken }, (_, i) => [String(i), i + 1, i, true]),
  )
  failed.close()
})
