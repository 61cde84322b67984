/** jb-parse --format csv: a line a row, with the user's fields unchanged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse as table } from 'csv-parse/sync'
import { spec } from '../../../src/stages/parse/options.ts'
import { parse } from '../../../src/stages/parse/parse.ts'
import { ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'

const run = (args: string[], rows: object[]) => staged(spec, parse, args, ndjson(rows))

test('the user’s fields, what the trial was, what it said, and why another failed', async () => {
  const row = (n: number, text: string, more: object = {}) => ({
    id: 7,
    order: 'theirs',
    note: '=1+1',
    ...more,
    jb: {
      judge: 'vanilla',
      item: 'seven',
      trial: { n, of: 2, order: n === 0 ? 'AB' : 'BA' },
      reply: { text, model: 'm' },
    },
  })
  const unread = 'neither,\n"both"'
  const { text, notes } = await run(
    ['--format', 'csv', '--bom'],
    [row(0, 'Output (a)'), row(1, unread, { extra: null })],
  )
  const shared = { id: '7', order: 'theirs', note: '=1+1', item: 'seven', judge: 'vanilla', model: 'm' }
  assert.deepEqual(table(text, { columns: true, bom: true }), [
    { ...shared, extra: '', trial: '1', jb_order: 'AB', verdict: 'A>B', error: '', reply: 'Output (a)' },
    {
      ...shared,
      extra: '',
      trial: '2',
      jb_order: 'BA',
      verdict: '',
      error: `no_verdict: looked for one of a, b, and found none (item seven of vanilla; the reply: ${JSON.stringify(unread)})`,
      reply: unread,
    },
  ])
  assert.ok(notes.includes('2 rows, failed: no_verdict 1'), notes.join('\n'))
  const safe = await run(['--format', 'tsv', '--safe'], [row(0, 'Output (b)')])
  assert.match(safe.text, /\t'=1\+1\t/)
  await assert.rejects(run(['--safe'], [row(0, 'Output (b)')]), /--safe: it goes with --format csv or tsv/)
})
