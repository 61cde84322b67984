/** jb-audit: options for scoring where nothing is scored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { run } from './_audit.ts'

test('options for scoring are refused where the rows are scored already', async (t) => {
  const scored = [
    { human: 'A>B', jb: { judge: 'j', item: 'i', result: { kind: 'pairwise', decision: 'A>B' } } },
  ]
  await assert.rejects(run(['--label', 'human'], scored), /the rows are scored already: give it to jb-score/)
  // With a file of labels --label names its field.
  const dir = folder(t, { 'labels.jsonl': ndjson([{ id: 'i', said: 'A>B' }]) })
  const { text } = await run(['--truth', `${dir}/labels.jsonl`, '--label', 'said'], scored)
  assert.match(text, /"po":1/)
})
