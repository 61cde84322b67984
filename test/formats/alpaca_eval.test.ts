/** alpaca_eval's annotations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb } from '../helpers/run.ts'

test('a preference as a text is that number', async () => {
  const rows = ['2', 2, ' 1.0 ', '', 'x', true].map((preference, i) => ({
    ...{
      instruction: `i${i}`,
      output_1: 'a',
      generator_1: 'm1',
      output_2: 'b',
      generator_2: 'm2',
      preference,
    },
  }))
  const ran = await jb('read', ['alpaca_eval'], { stdin: ndjson(rows) })
  assert.deepEqual(
    rowsOf(ran).map(({ jb: { verdict, error } }) => verdict?.decision ?? error?.code),
    ['B>A', 'B>A', 'A>B', 'no_verdict', 'no_verdict', 'no_verdict'],
  )
})
