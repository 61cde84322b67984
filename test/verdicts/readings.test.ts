/** The corpus of replies (fixtures/readings): what is read as a person reads it may only become more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readings } from '../../scripts/readings.ts'

/** Raise it with what is read better. */
const FLOOR = 3943

test('at least as many replies of the corpus are read rightly as before, and none wrongly', async () => {
  const scores = await readings()
  const replies = scores.reduce((sum, one) => sum + one.replies, 0)
  const right = scores.reduce((sum, one) => sum + one.right, 0)
  assert.ok(replies >= 3982, `${replies} replies`)
  assert.ok(right >= FLOOR, `${right} of ${replies}: make readings shows which`)
  assert.deepEqual(
    scores.flatMap(({ judge, wrong }) =>
      wrong.map(([{ reply }, read]) => `${judge}: ${reply} read as ${read}`),
    ),
    [],
  )
})
