/** Replies in a field of the user's: the order that the row says is the order that the judge saw. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'

test('--text: of a row whose own order is BA the first slot is B', async () => {
  const stdin = ndjson(['AB', 'BA', undefined, 3].map((order, i) => ({ id: `${i}`, order, out: '[[A>B]]' })))
  const rows = rowsOf(fine(await jb('parse', ['--judge', 'arena_hard', '--text', 'out'], { stdin })))
  assert.deepEqual(
    rows.map(({ jb }) => jb.verdict!.decision),
    ['A>B', 'B>A', 'A>B', 'A>B'],
  )
})

test('--text: a field called order is no order where one answer is judged', async () => {
  const stdin = ndjson([{ id: '0', order: 'BA', out: 'Rating: [[4]]' }])
  const [row] = rowsOf(fine(await jb('parse', ['--judge', 'rating', '--text', 'out'], { stdin })))
  assert.deepEqual(row!.jb.trial, { n: 0, of: 1 })
})
