/** EvalAssist’s files: instances and texts in, result objects out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chose, criterion } from '../criteria/golden.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const YES_NO = [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
]
const LIKERT = [1, 2, 3].map((score) => ({ name: String(score), score }))

test('instances as they stand, texts and lists of texts; JSON and NDJSON', async () => {
  const read = async (stdin: string) => fine(await jb('read', ['evalassist'], { stdin })).stdout
  assert.equal(await read('["a", "b"]'), '{"fields":{"response":"a"}}\n{"fields":{"response":"b"}}\n')
  assert.equal(await read('"a"\n"b“"\n'), '{"fields":{"response":"a"}}\n{"fields":{"response":"b“"}}\n')
  assert.equal(await read('[["a", "b"]]'), '{"fields":{"response":["a","b"]}}\n')
  assert.equal(await read('[""]'), '{"fields":{"response":""}}\n')
  const instance = '{"id":12345678901234567890,"fields":{"response":"a","n":1.0}}'
  assert.equal(await read(`[${instance}]`), `${instance}\n`, 'numbers keep their form')
  assert.equal(await read(`${instance}\n${instance}\n`), `${instance}\n${instance}\n`)
  expect(await jb('read', ['evalassist'], { stdin: '["a", 3]' }), {
    code: 65,
    err: /element 2: an instance is/,
  })
  expect(await jb('read', ['evalassist'], { stdin: '["a"' }), { code: 65, err: /not valid JSON/ })
})

const PAGE = {
  id: 7,
  name: 'greetings',
  content: JSON.stringify({
    instances: [
      {
        id: 'u1',
        contextVariables: [{ name: 'Question', value: 'Hello?' }],
        response: 'Hi.',
        expectedResult: 'SECRET',
        result: null,
      },
      { id: 'u2', contextVariables: [], responses: ['Hi.', 'Ho.'], expectedResult: '', metadata: {} },
    ],
    criteria: {
      name: 'polite',
      description: 'Is it polite?',
      predictionField: 'Greeting',
      contextFields: ['Question'],
      options: [
        { name: 'SECRET', description: '' },
        { name: 'No', description: '' },
      ],
    },
    type: 'direct',
    contentFormatVersion: 0,
  }),
}

test('a test case and test data of the web page; what is expected reaches no prompt', async (t) => {
  const rows = rowsOf(fine(await jb('read', ['evalassist'], { stdin: JSON.stringify(PAGE, null, 2) })))
  assert.deepEqual(rows[0]!.context, { Question: 'Hello?' })
  assert.deepEqual([rows[0]!.id, rows[0]!.response, rows[0]!.expected_result], ['u1', 'Hi.', 'SECRET'])
  assert.deepEqual(rows[1]!.responses, ['Hi.', 'Ho.'])
  assert.equal('expected_result' in rows[1]!, false)
  const shown = rowOf(
    fine(await jb('render', ['direct', '--criteria', '@criteria'], { stdin: ndjson([rows[0]!]) })),
  )
  assert.match(JSON.stringify(shown.jb.request), /Hello\?/)
  const instance = {
    fields: {
      response: 'Hi.',
      q: 'Hello?',
      expectedResult: 'SECRET',
      expected_result: 'SECRET',
      'Expected result': 'SECRET',
    },
  }
  const own = { ...instance.fields, ...instance }
  for (const item of [
    instance,
    own,
    { context: { q: 'Hello?' }, response: 'Hi.', expectedResult: 'SECRET' },
  ]) {
    const rendered = rowOf(
      fine(await jb('render', ['direct', '--criteria', 'Is it?'], { stdin: ndjson([item]) })),
    )
    assert.doesNotMatch(JSON.stringify(rendered.jb.request), /SECRET/)
    assert.match(JSON.stringify(rendered.jb.request), /Hello\?/)
  }
  const dir = folder(t, {
    'pairs.csv': 'mail 1,mail 2,mail 3,topic\na,b,,x\na,b,c,y\n',
    // As pandas writes it where the first item has fewer answers.
    'late.csv': 'mail 1,mail 2,topic,mail 3\na,b,x,\na,b,y,c\n',
    'one.csv': 'mail,topic,expected_result\na,x,Yes\nb,y,\n',
  })
  const csv = async (name: string) => rowsOf(fine(await jb('read', ['evalassist', `${dir}/${name}`])))
  for (const name of ['pairs.csv', 'late.csv'])
    assert.deepEqual(await csv(name), [
      { fields: { mail: ['a', 'b'], topic: 'x' } },
      { fields: { mail: ['a', 'b', 'c'], topic: 'y' } },
    ])
  assert.deepEqual(await csv('one.csv'), [
    { fields: { mail: 'a', topic: 'x' }, expected_result: 'Yes' },
    { fields: { mail: 'b', topic: 'y' } },
  ])
  // An instance of a test case, alone.
  const alone = { contextVariables: [{ name: 'q', value: 'why' }], response: 'r', expectedResult: 'SECRET' }
  const [one] = rowsOf(fine(await jb('read', ['evalassist'], { stdin: ndjson([alone]) })))
  assert.deepEqual(one, { context: { q: 'why' }, response: 'r', expected_result: 'SECRET' })
})

test('the examples of a test case are the criterion’s, with what is expected of them', async () => {
  const content = JSON.parse(PAGE.content)
  const example = (expectedResult: string) => ({
    contextVariables: [{ name: 'Question', value: 'How now?' }],
    response: 'Moo.',
    expectedResult,
  })
  const rendered = async (expected: string) => {
    const page = { ...PAGE, content: JSON.stringify({ ...content, examples: [example(expected)] }) }
    const line = 'jb-read evalassist | jb-render direct --criteria @criteria --limit 1'
    return rowOf(await pipe(line, { stdin: JSON.stringify(page) }))
  }
  const { request } = (await rendered('No')).jb
  assert.match(request!.messages![1]!.content, /How now\?\n.*Moo\.\n.*No\n/)
  assert.match(
    (await rendered('Moo')).jb.error!.message,
    /"selected_option" is "Moo", expected one of SECRET, No/,
  )
})

test('a result of answers compared that failed has per_system_results; a flat row is an instance', async () => {
  const item = { id: 'a', label: 'x', question: 'why', response: ['r', 's'], n: 3 }
  const rows = rowsOf(await jb('render', ['pairwise', '--criteria', 'Better?'], { stdin: ndjson([item]) }))
  rows[0]!.jb.reply = { text: 'no', model: 'm' }
  const failed = rowOf(await pipe('jb-parse | jb-aggregate --as evalassist', { stdin: ndjson(rows) }))
  assert.deepEqual(failed.instance, { fields: { question: 'why', response: ['r', 's'] } })
  assert.equal(failed.per_system_results, null)
  assert.equal('score' in failed, false)
  // By a judge whose file is not looked at: its trial says that it compares answers.
  rows[0]!.jb.error = { stage: 'call', code: 'timeout', message: 'x' }
  rows[0]!.jb.judge = 'mine.yaml'
  const own = rowOf(await jb('aggregate', ['--as', 'evalassist'], { stdin: ndjson(rows) }))
  assert.equal(own.per_system_results, null)
  const missing = { id: 'a', fields: { question: 'why' } }
  const early = rowOf(
    await pipe(`jb-render pairwise --criteria 'Better?' | jb-aggregate --as evalassist`, {
      stdin: ndjson([missing]),
    }),
  )
  assert.deepEqual([early.per_system_results, early.instance], [null, { fields: { question: 'why' } }])
})

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
  const told = rowOf(fine(await pipe('jb-parse | jb-aggregate --as evalassist', { stdin })))
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
  const told = rowOf(
    fine(await pipe('jb-parse | jb-score | jb-aggregate --as evalassist', { stdin })),
  ) as unknown as {
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
  const ran = await pipe('jb-parse | jb-aggregate --as evalassist', { stdin: ndjson(rows) })
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
