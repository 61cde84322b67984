/** Criteria in the shapes they come in, one or several, in files and in items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'
import { asked, PLAIN, prompt, YES_NO } from './_criteria.ts'

test('one criterion, whichever shape it comes in', async (t) => {
  const today = [
    { name: 'Yes', description: '', score: 1 },
    { name: 'No', description: '', score: 0 },
  ]
  const shapes: unknown[] = [
    PLAIN,
    [PLAIN],
    { type: 'direct', id: 'metrics.c', criteria: PLAIN },
    { criterion: PLAIN },
    {
      name: 'c',
      description: 'Is it so?',
      prediction_field: 'response',
      context_fields: ['q'],
      options: YES_NO,
    },
    {
      __type__: { module: 'unitxt.llm_as_judge_constants', name: 'CriteriaWithOptions' },
      name: 'c',
      description: 'Is it so?',
      prediction_field: null,
      context_fields: ['q'],
      options: [
        { name: 'Yes', description: '' },
        { name: 'No', description: '' },
      ],
      option_map: { Yes: 1.0, No: 0.0 },
    },
    { ...PLAIN, options: { Yes: 1, No: 0 } },
  ]
  for (const shape of shapes) {
    const row = rowOf(fine(await asked(t, shape, { fields: { response: 'r', q: 'why' } })))
    const { name, description, to_evaluate_field, context_fields, options } = row.jb.criterion!
    assert.deepEqual(
      { name, description, to_evaluate_field, context_fields, options },
      {
        name: 'c',
        description: 'Is it so?',
        to_evaluate_field: 'response',
        context_fields: ['q'],
        options: today,
      },
      JSON.stringify(shape),
    )
    assert.equal(row.jb.trial!.criterion, 'c')
  }
  const unscored = { __type__: 'x', name: 'c', description: 'd', options: ['good', 'bad'] }
  assert.deepEqual(rowOf(fine(await asked(t, unscored, { response: 'r' }))).jb.criterion!.options, [
    { name: 'good', description: '', score: null },
    { name: 'bad', description: '', score: null },
  ])
})

test('YAML, JSON, NDJSON; one of a file by name; several files', async (t) => {
  const dir = folder(t, {
    'c.yaml':
      '- { name: a, description: Is a?, to_evaluate_field: response, options: ["Yes", "No"] }\n- Is b so?\n',
    'c.ndjson': `${JSON.stringify({ id: 'x.y.tone', criteria: { ...PLAIN, context_fields: [] } })}\n\n${JSON.stringify({ ...PLAIN, name: 'd', context_fields: [] })}\n`,
  })
  const names = async (...criteria: string[]) =>
    rowsOf(
      fine(
        await jb('render', ['direct', ...criteria.flatMap((one) => ['--criteria', one])], {
          stdin: '{"response":"r"}\n',
        }),
      ),
    ).map(({ jb: { criterion } }) => criterion!.name)
  assert.deepEqual(await names(`${dir}/c.yaml`), ['a', 'criteria_2'])
  assert.deepEqual(await names(`${dir}/c.ndjson`), ['c', 'd'])
  assert.deepEqual(await names(`${dir}/c.ndjson#d`), ['d'])
  assert.deepEqual(await names(`${dir}/c.ndjson#tone`), ['c'], 'the end of an id names it too')
  assert.deepEqual(await names('conciseness', `${dir}/c.ndjson#d`), ['conciseness', 'd'])
  const bad = async (text: string, err: RegExp, code = 78) =>
    expect(await jb('render', ['direct', '--criteria', text], { stdin: '{"response":"r"}\n' }), {
      code,
      out: '',
      err,
    })
  await bad(`${dir}/c.ndjson#dd`, /no criterion "dd": did you mean d\?/)
  await bad(`${dir}/none.yaml`, /no such file/)
  await bad(`${dir}/none of these.yaml`, /no such file/)
  await bad('concisenes', /did you mean conciseness\?/)
  await bad('Answer relevance', /no such criterion: did you mean answer_relevance\?/)
  expect(await jb('render', ['direct'], { stdin: '{"response":"r"}\n' }), { code: 2, err: /--criteria/ })
  expect(await jb('render', ['arena_hard', '--criteria', 'conciseness'], { stdin: '' }), {
    code: 2,
    err: /takes no criteria/,
  })
})

test('each item’s own criteria: a criterion, a list, a name, a question', async (t) => {
  const items = [
    { id: 'a', response: 'r', q: 'x', criteria: PLAIN },
    { id: 'b', response: 'r', criteria: ['conciseness', 'Is it so?'] },
    { id: 'c', response: 'r', criteria: 'naturalness' },
    { id: 'd', response: 'r', criteria: 'no_such_name' },
    { id: 'e', response: 'r' },
  ]
  const ran = await jb('render', ['direct', '--criteria', '@criteria'], { stdin: ndjson(items) })
  assert.deepEqual(
    rowsOf(ran).map(({ jb: { item, trial, error } }) => [item, trial!.criterion, error?.code]),
    [
      ['a', 'c', undefined],
      ['b', 'conciseness', undefined],
      ['b', 'criteria_2', undefined],
      ['c', 'naturalness', undefined],
      ['d', undefined, 'missing_field'],
      ['e', undefined, 'missing_field'],
    ],
  )
  const dir = folder(t, { 'c.json': JSON.stringify([PLAIN, { ...PLAIN, name: 'd' }]) })
  const named = await jb('render', ['direct', '--criteria', `${dir}/c.json#@which`], {
    stdin: ndjson([{ id: 'a', response: 'r', q: 'x', which: 'd' }]),
  })
  assert.equal(rowOf(fine(named)).jb.criterion!.name, 'd')
})

test('examples are shown with their context, reasons and what was chosen', async (t) => {
  const examples = [
    {
      instance: { fields: { response: 'shown text', q: 'shown why' } },
      selected_option: 'No',
      explanation: 'too short',
    },
    { instance: { context: { q: 'older' }, response: 'older text' }, selected_option: 'Yes' },
  ]
  const text = prompt(rowOf(fine(await asked(t, { ...PLAIN, examples }, { response: 'r', q: 'why' }))))
  assert.match(
    text,
    /## Example 1\n\n- q: shown why\nresponse: shown text\nExplanation: too short\nChosen option: No\n/,
  )
  assert.match(
    text,
    /## Example 2\n\n- q: older\nresponse: older text\nChosen option: Yes\n\n\(End of the examples\)/,
  )
})

test('who the judge is, and what is asked of the endpoint', async (t) => {
  const settings = ['--set', 'judge_description_prompt=You are a chemist.']
  const row = rowOf(fine(await asked(t, PLAIN, { response: '{{ 7 * 7 }} {% raw', q: 'why' }, settings)))
  const { messages, response_format } = row.jb.request!
  assert.ok(messages![0]!.content.startsWith('You are a chemist.\n'))
  assert.match(prompt(row), /\{\{ 7 \* 7 \}\} \{% raw$/, 'data is never a template')
  const { schema, strict } = (response_format as { json_schema: { schema: object; strict: boolean } })
    .json_schema
  assert.equal(strict, true)
  assert.deepEqual(schema, {
    type: 'object',
    properties: { explanation: { type: 'string' }, selected_option: { type: 'string', enum: ['Yes', 'No'] } },
    required: ['explanation', 'selected_option'],
    additionalProperties: false,
  })
  assert.ok(messages![0]!.content.includes(JSON.stringify(schema, null, 2)), 'real JSON in the prompt')
})
