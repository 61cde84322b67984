/** EvalAssist’s files read: instances, texts, test cases of its web page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

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
  const failed = rowOf(await pipe('jb-parse | jb-write evalassist', { stdin: ndjson(rows) }))
  assert.deepEqual(failed.instance, { fields: { question: 'why', response: ['r', 's'] } })
  assert.equal(failed.per_system_results, null)
  assert.equal('score' in failed, false)
  // By a judge whose file is not looked at: its trial says that it compares answers.
  rows[0]!.jb.error = { stage: 'call', code: 'timeout', message: 'x' }
  rows[0]!.jb.judge = 'mine.yaml'
  const own = rowOf(await jb('write', ['evalassist'], { stdin: ndjson(rows) }))
  assert.equal(own.per_system_results, null)
  const missing = { id: 'a', fields: { question: 'why' } }
  const early = rowOf(
    await pipe(`jb-render pairwise --criteria 'Better?' | jb-write evalassist`, {
      stdin: ndjson([missing]),
    }),
  )
  assert.deepEqual([early.per_system_results, early.instance], [null, { fields: { question: 'why' } }])
})
