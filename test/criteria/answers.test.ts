/** Answers against each other, all in one call, and what is told by default. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { type AnyRow, ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { chose, golden } from './golden.ts'

interface Pairwise {
  case: string
  responses: number
  check_positional_bias: boolean
  judge_picks_in_call_order: string[]
  calls: number
  expected: {
    selected_option: number | 'tie'
    per_system_results: null
    positional_bias: { detected: boolean; other_selected_option: number | 'tie' } | null
  }
}

const answers = (n: number) => Array.from({ length: n }, (_, i) => `answer ${i}`)

/** Rows of the n-way judge with these picks as replies, in the order of the calls. */
async function picked(item: object, picks: string[], args: string[] = []): Promise<AnyRow[]> {
  const ran = await jb('render', ['pairwise', '--criteria', 'Which answer is best?', ...args], {
    stdin: ndjson([{ id: 'a', ...item }]),
  })
  const rows = rowsOf(fine(ran))
  assert.equal(rows.length, picks.length)
  for (const [i, row] of rows.entries()) row.jb.reply = { text: chose(picks[i]), model: 'm' }
  return rows
}

test('golden-pairwise: the n-way judge, both orders mapped back', async (_t) => {
  for (const one of golden<Pairwise>('pairwise')) {
    const order = one.check_positional_bias ? ['--order', 'both'] : []
    const rows = await picked(
      { fields: { response: answers(one.responses) } },
      one.judge_picks_in_call_order,
      order,
    )
    assert.equal(rows.length, one.calls, one.case)
    const ran = await pipe('jb-parse --compat evalassist | jb-write evalassist --compat evalassist', {
      stdin: ndjson(rows),
    })
    const told = rowOf(fine(ran))
    assert.equal(told.selected_option, one.expected.selected_option, one.case)
    assert.equal(told.per_system_results, null)
    const bias = told.positional_bias && {
      detected: told.positional_bias.detected,
      other_selected_option: told.positional_bias.result.selected_option,
    }
    assert.deepEqual(bias, one.expected.positional_bias, one.case)
  }
})

test('orders that disagree are a tie by default, and what was said in each is kept', async () => {
  const rows = await picked({ response: answers(3) }, ['response_1', 'response_1'], ['--order', 'both'])
  const { result, trials } = rowOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) }))).jb
  assert.equal(result!.winner, 'tie')
  assert.equal(result!.consistent, false)
  assert.deepEqual(result!.scores, [0.5, 0, 0.5])
  assert.deepEqual(
    trials!.map(({ verdict }) => [verdict!.label, verdict!.winner]),
    [
      ['response_1', 0],
      ['response_1', 2],
    ],
  )
  const first = rowOf(await pipe('jb-parse | jb-score --combine first', { stdin: ndjson(rows) })).jb
  assert.equal(first.result!.winner, 0)
})

test('a field with underscores, three answers', async (t) => {
  const dir = folder(t, {
    'c.json': JSON.stringify({
      name: 'best',
      description: 'd',
      to_evaluate_field: 'assistant_response',
      context_fields: [],
    }),
  })
  const ran = await jb('render', ['pairwise', '--criteria', `${dir}/c.json`, '--order', 'both'], {
    stdin: ndjson([{ id: 'a', fields: { assistant_response: answers(3) } }]),
  })
  const rows = rowsOf(fine(ran))
  assert.deepEqual(rows[0]!.jb.trial!.options, [
    'assistant_response_1',
    'assistant_response_2',
    'assistant_response_3',
    'tie',
  ])
  const prompt = rows[1]!.jb.request!.messages![1]!.content
  assert.match(prompt, /## assistant_response_1\n\nanswer 2\n/)
  for (const [i, row] of rows.entries())
    row.jb.reply = { text: chose(`assistant_response_${[3, 1][i]}`), model: 'm' }
  const { result } = rowOf(fine(await pipe('jb-parse | jb-score', { stdin: ndjson(rows) }))).jb
  assert.equal(result!.winner, 2)
  assert.equal(result!.consistent, true)
})

test('without ties none is offered, and none is taken; the original takes it all the same', async () => {
  const rows = await picked({ response: answers(2) }, ['tie'], ['--set', 'tie=false'])
  assert.deepEqual(rows[0]!.jb.trial!.options, ['response_1', 'response_2'])
  assert.doesNotMatch(JSON.stringify(rows[0]!.jb.request), /\btie\b/)
  const read = async (args: string[]) => rowOf(await jb('parse', args, { stdin: ndjson(rows) })).jb
  assert.equal((await read([])).error!.code, 'no_verdict')
  assert.equal((await read(['--compat', 'evalassist'])).verdict!.winner, 'tie')
})

test('one answer, or none, is a failed row that says so', async () => {
  const ran = await jb('render', ['pairwise', '--criteria', 'Which is best?'], {
    stdin: ndjson([{ id: 'a', response: ['only'] }, { id: 'b', response: 'text' }, { id: 'c' }]),
  })
  assert.deepEqual(
    rowsOf(expect(ran, { err: /3 rows? failed|missing_field 3|3/ })).map(({ jb }) => jb.error!.code),
    ['missing_field', 'missing_field', 'missing_field'],
  )
})

test('labels: the index of the best answer', async () => {
  const rows = [
    ...(await picked({ id: 'a', label: 1, response: answers(2) }, ['response_2'])),
    ...(await picked({ id: 'b', label: 'tie', response: answers(2) }, ['tie'], ['-q'])),
    ...(await picked({ id: 'c', expected_result: 0, response: answers(2) }, ['response_2'])),
  ]
  const report = JSON.parse((await pipe('jb-parse | jb-aggregate', { stdin: ndjson(rows) })).stdout)
  assert.equal(report.accuracy, 2 / 3)
  assert.deepEqual(report.winners, { 1: 2 })
  assert.equal(report.tie, 1)
})
