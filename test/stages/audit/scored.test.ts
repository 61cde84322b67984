/** jb-audit: options for scoring where nothing is scored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { run } from './_audit.ts'

test('options for scoring are refused where the rows are scored already, or --value needs no scoring', async (t) => {
  const scored = [
    { human: 'A>B', jb: { judge: 'j', item: 'i', result: { kind: 'pairwise', decision: 'A>B' } } },
  ]
  for (const args of [
    ['--combine', 'first'],
    ['--label', 'human'],
  ])
    await assert.rejects(run(args, scored), /the rows are scored already: give it to jb-score/)
  await assert.rejects(run(['--value', 'human', '--combine', 'first'], scored), /nothing is scored/)
  // With a file of labels --label names its field.
  const dir = folder(t, { 'labels.jsonl': ndjson([{ id: 'i', said: 'A>B' }]) })
  const { text } = await run(['--truth', `${dir}/labels.jsonl`, '--label', 'said'], scored)
  assert.match(text, /"po":1/)
})
