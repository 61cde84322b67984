/** jb-rank --as arena-hard, arena-hard-csv and alpaca_eval: lines and cells of their own tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { fight, run } from './_rank.ts'

test('--as arena-hard: the lines and cells of its own tables', async () => {
  const rows = ndjson(fight('x', 'y', 'model_b', 3))
  const as = async (name: string) => fine(await jb('rank', ['-q', '--as', name], { stdin: rows })).stdout
  const line = (model: string, score: string, interval: string) =>
    `${model.padEnd(30)} | score: ${score} | 95% CI: ${interval} | average #tokens: 0\n`
  assert.equal(
    await as('arena-hard'),
    line('y', '100.0', '(-86.0, 0.0)') + line('x', '50.0 ', ' (0.0, 0.0) '),
  )
  assert.match(await as('arena-hard-csv'), /^y,100\.0,13\.95,100\.0,"\(-86\.05, \+0\.00\)",0\.0,$/m)
  const { stderr } = await jb('rank', ['--as', 'arena-hard'], { stdin: rows })
  assert.match(stderr, /no token counts: their average is 0, as in arena-hard’s own table .*--answers DIR/)
  // An answer whose games failed is as long as it is.
  const conv_metadata = { sum_assistant_a_tokens: 10, sum_assistant_b_tokens: 30 }
  const failed = { question_id: 'f', model_a: 'x', model_b: 'y', winner: null, conv_metadata }
  const counted = fight('x', 'y', 'model_b', 1).map((row) => ({
    ...row,
    conv_metadata: { sum_assistant_a_tokens: 20, sum_assistant_b_tokens: 50 },
  }))
  const { text } = await run(['--as', 'arena-hard'], [...counted, failed])
  assert.match(text, /^y .*average #tokens: 40\nx .*average #tokens: 15$/m)
})

test('--as arena-hard-csv rounds as Python does: 3.125 is 3.12', async () => {
  const rows = Array.from({ length: 32 }, (_, i) => ({
    question_id: `q${i}`,
    model_a: 'base',
    model_b: 'm',
    winner: i === 0 ? 'model_b' : 'model_a',
  }))
  const { text } = await run(['--as', 'arena-hard-csv'], rows)
  assert.match(text, /^m,3\.12,/m)
})

test('--as alpaca_eval: floats as pandas writes them, nothing for an error of one row', async () => {
  const row = {
    ...{ question_id: 'q', index: 0, generator_1: 'base', output_1: 'x', generator_2: 'm', output_2: 'xyz' },
    jb: { item: 'q:m', judge: 'a', verdict: { label: '2', decision: 'B>A', preference: 1 } },
  }
  const { text } = await run(['--compat', 'alpaca_eval', '--as', 'alpaca_eval'], [row])
  assert.match(text, /\nm,100\.0,,1,0,0,1,100\.0,community,3,,\n/)
})
