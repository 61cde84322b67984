/** RewardBench's and LLMBar's figures from their own files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spec as readSpec } from '../../src/stages/read/options.ts'
import { read } from '../../src/stages/read/read.ts'
import { spec as writeSpec } from '../../src/stages/write/options.ts'
import { write } from '../../src/stages/write/write.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'
import { objects, staged } from '../helpers/stage.ts'

test('arena-battles --answers DIR: counts of both answers beside each battle, where it has none', async (t) => {
  const answer = (question_id: number, tokens: number) => ({
    question_id,
    model_id: `m${tokens}`,
    conv_metadata: { token_len: tokens, header_count: { h1: tokens } },
  })
  const dir = folder(t, {
    'answers/m1.jsonl': ndjson([answer(1, 1)]),
    'answers/m2.jsonl': ndjson([answer(1, 2), answer(2, 2)]),
    'battles.jsonl': ndjson([
      { question_id: 1, model_a: 'm1', model_b: 'm2', winner: 'tie' },
      { question_id: 2, model_a: 'm1', model_b: 'm2', winner: 'tie' },
      { question_id: 1, model_a: 'm1', model_b: 'm2', winner: 'tie', conv_metadata: {} },
    ]),
  })
  const { text } = await staged(readSpec, read, [
    'arena-battles',
    `${dir}/battles.jsonl`,
    '--answers',
    `${dir}/answers`,
  ])
  const array = (await jb('read', ['json', `${dir}/battles.jsonl`])).stdout
  const document = `\ufeff [${array.trim().split('\n').join(',\n')}]`
  for (const args of [[], [`${folder(t, { 'battles.json': document })}/battles.json`]]) {
    const read = await jb('read', ['arena-battles', ...args, '--answers', `${dir}/answers`], {
      stdin: document,
    })
    assert.equal(fine(read).stdout, text)
  }
  const [joined, lacking, own] = objects(text).map(({ conv_metadata }) => conv_metadata)
  assert.deepEqual(joined, {
    sum_assistant_a_tokens: 1,
    header_count_a: { h1: 1 },
    sum_assistant_b_tokens: 2,
    header_count_b: { h1: 2 },
  })
  assert.deepEqual([lacking, own], [undefined, {}])
})

test('RewardBench’s own files, which no judge of jb has seen, are measured; rows with nothing are not', async () => {
  const ended = async (name: string, row: object) =>
    (await staged(writeSpec, write, [name], ndjson([row]))).ending?.message
  assert.equal(await ended('rewardbench', { model: 'm', 'alpacaeval-easy': 0.5 }), undefined)
  assert.equal(await ended('rewardbench2', { id: 'a', subset: 'Math', scores: [2, 1, 1, 1] }), undefined)
  for (const name of ['rewardbench', 'rewardbench2'])
    assert.match((await ended(name, { id: 'a' }))!, /nothing was measured: no row has/)
})
