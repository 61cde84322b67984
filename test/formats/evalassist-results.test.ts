/** EvalAssist’s result objects written, direct, of several criteria, and of items that failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chose, criterion } from '../criteria/golden.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'

const YES_NO = [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
]

const LIKERT = [1, 2, 3].map((score) => ({ name: String(score), score }))

/** Rows of jb-render with these replies. */
async function replied(args: string[], item: object, replies: string[]) {
  const rows = rowsOf(fine(await jb('render', args, { stdin: ndjson([item]) })))
  assert.equal(rows.length, replies.length)
  for (const [i, row] of rows.entries()) row.jb.reply = { text: replies[i]!, model: 'm' }
  return ndjson(rows)
}

test('a direct result, complete', async (t) => {
  const dir = folder(t, { 'c.json': JSON.stringify(criterion('c', YES_NO, { context_fields: ['q'] })) })
  const item = { id: 'a', fields: { q: 'why', response: 'because', unused: 'x' } }
  const stdin = await replied(
    ['direct', '--criteria', `${dir}/c.json`, '--order', 'both', '--set', 'feedback=true'],
    item,
    [chose('Yes', { feedback: 'none' }), chose('No', { feedback: 'other' })],
  )
  const told = rowOf(fine(await pipe('jb-parse | jb-write evalassist', { stdin })))
  const prompt = (row: string) => JSON.parse(row).jb.request.messages
  const [ab, ba] = stdin.trim().split('\n')
  const criteria = {
    name: 'c',
    description: 'Is it c?',
    to_evaluate_field: 'response',
    context_fields: ['q'],
    options: YES_NO.map((option) => ({ name: option.name, description: '', score: option.score })),
    examples: [],
  }
  const { fields } = item
  const instance = { fields }
  assert.deepEqual(told, {
    criteria,
    instance,
    metadata: {
      id: 'a',
      prompt: prompt(ab!),
      unparsed_response: chose('Yes', { feedback: 'none' }),
      generation_failed: false,
    },
    selected_option: 'Yes',
    explanation: 'because',
    positional_bias: {
      detected: true,
      result: {
        criteria,
        instance,
        metadata: {
          id: 'a',
          prompt: prompt(ba!),
          unparsed_response: chose('No', { feedback: 'other' }),
          generation_failed: false,
        },
        selected_option: 'No',
        explanation: 'because',
        positional_bias: null,
        score: 0,
        feedback: 'other',
      },
    },
    score: 1,
    feedback: 'none',
  })
})

test('several criteria: the configuration normalised, scores and feedback of the inner results kept', async (t) => {
  const config = {
    items: [
      { criterion: criterion('a', LIKERT), weight: 0.75, required: true },
      { criterion: criterion('b', YES_NO), weight: 0.25, target_option: 'No' },
    ],
  }
  const dir = folder(t, { 'c.json': JSON.stringify(config) })
  const stdin = await replied(
    ['direct', '--criteria', `${dir}/c.json`, '--set', 'feedback=true'],
    { id: 'a', response: 'r' },
    [chose('3', { feedback: 'f' }), chose('Yes', { feedback: '' })],
  )
  const told = rowOf(fine(await pipe('jb-parse | jb-score | jb-write evalassist', { stdin }))) as unknown as {
    multi_criteria: { normalize_scores: boolean; items: { criterion: { options: { score: number }[] } }[] }
    item_results: { result: Record<string, unknown> }[]
    aggregated_score: number
  }
  assert.equal(told.aggregated_score, 0.75)
  assert.equal(told.multi_criteria.normalize_scores, true)
  assert.deepEqual(
    told.multi_criteria.items.map(({ criterion: _, ...rest }) => rest),
    [
      { weight: 0.75, target_option: null, score_threshold: null, required: true },
      { weight: 0.25, target_option: 'No', score_threshold: null, required: false },
    ],
  )
  assert.deepEqual(
    told.multi_criteria.items[0]!.criterion.options.map(({ score }) => score),
    [0, 0.5, 1],
  )
  assert.deepEqual(
    told.item_results.map(({ result, ...rest }) => ({
      ...rest,
      result: { selected_option: result.selected_option, score: result.score, feedback: result.feedback },
    })),
    [
      {
        weight: 0.75,
        weighted_score: 0.75,
        strategy: 'none',
        required: true,
        result: { selected_option: '3', score: 1, feedback: 'f' },
      },
      {
        weight: 0.25,
        weighted_score: 0,
        strategy: 'target_option',
        required: false,
        result: { selected_option: 'Yes', score: 1, feedback: '' },
      },
    ],
  )
})

test('one result an item, in order, also for those that failed', async () => {
  const rows = (['Yes', 'Maybe', 'No'] as const).map((option, i) => ({
    response: `text ${i}`,
    jb: {
      judge: 'direct',
      item: `i${i}`,
      trial: { n: 0, of: 1, options: ['Yes', 'No'] },
      criterion: criterion('', YES_NO),
      request: { messages: [] },
      reply: { text: chose(option), model: 'm' },
    },
  }))
  const ran = await pipe('jb-parse | jb-write evalassist', { stdin: ndjson(rows) })
  const told = rowsOf(ran)
  assert.deepEqual(
    told.map(({ selected_option, score }) => [selected_option, score]),
    [
      ['Yes', 1],
      [null, null],
      ['No', 0],
    ],
  )
  const { generation_failed, error, unparsed_response } = told[1]!.metadata
  assert.deepEqual([generation_failed, error.code, unparsed_response], [true, 'no_verdict', chose('Maybe')])
})

test('jb-write evalassist follows the mark of jb-render: 70 objects of three judges are those of --compat evalassist', async (t) => {
  const dir = folder(t, { 'c.json': JSON.stringify(criterion('c', YES_NO)) })
  const pick = (n: number, of: string[]) => of[(n * n + (n >> 2)) % of.length]!
  const judges = [
    { args: ['direct', '--criteria', `${dir}/c.json`], of: ['Yes', 'No'], items: 30 },
    {
      args: ['pairwise', '--criteria', 'Which is best?'],
      response: ['one', 'two', 'three'],
      of: ['response_1', 'response_2', 'response_3'],
      items: 40,
    },
  ]
  let differing = 0
  let objects = 0
  for (const { args, response: several, of, items } of judges) {
    const more = ['--samples', '3', '--order', 'both', '--compat', 'evalassist']
    const stdin = ndjson(
      Array.from({ length: items }, (_, i) => ({ id: `i${i}`, response: several ?? `one ${i}` })),
    )
    const rows = rowsOf(fine(await jb('render', [...args, ...more], { stdin })))
    for (const [n, row] of rows.entries()) row.jb.reply = { text: chose(pick(n, of)), model: 'm' }
    const written = async (line: string) =>
      (await pipe(line, { stdin: ndjson(rows) })).stdout.trimEnd().split('\n')
    const marked = await written('jb-parse | jb-write evalassist')
    const scored = await written('jb-parse | jb-score | jb-write evalassist')
    const asked = await written('jb-parse --compat evalassist | jb-write evalassist --compat evalassist')
    const none = await written('jb-parse --compat none | jb-write evalassist')
    assert.deepEqual(marked, asked)
    // Results keep no texts: what was decided is the same.
    const decided = (lines: string[]) =>
      lines.map((line) => {
        const { selected_option, score, positional_bias } = JSON.parse(line)
        const { result, detected } = positional_bias
        return [selected_option, score, detected, result.selected_option, result.score]
      })
    assert.deepEqual(decided(scored), decided(asked))
    objects += asked.length
    differing += asked.filter((line, i) => line !== none[i]).length
  }
  assert.equal(objects, 70)
  assert.ok(differing >= 30, `${differing} of 70 differ by jb's own rules`)
})
